// Numbers as text, and the ticks of axes, in report.html. An axis works in scaled values: u = x, or u = log10(x) on a
// logarithmic axis. The scripts of a page run one after the other in one scope, this one first.
const escape_text = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const power_of_ten = (n) => Number("1e" + n);
const with_unit = (label, unit) => (unit ? `${label} (${unit})`.trim() : label);

// Numbers as text.
const superscript = (n) => String(n).replace(/[-0-9]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
const true_minus = (text) => text.replace("-", "−");
function scientific(text) {  // "2.5e-7" as 2.5×10⁻⁷, "1e8" as 10⁸
  const [mantissa, exponent] = text.split("e");
  const ten = "10" + superscript(Number(exponent));
  if (mantissa === "1") return ten;
  return mantissa === "-1" ? "−" + ten : `${true_minus(mantissa)}×${ten}`;
}
function number_text(value, digits = 17) {
  if (value === 0) return "0";
  const short = Number(value.toPrecision(digits));
  const text = short.toExponential();
  const exponent = Number(text.split("e")[1]);
  return exponent >= -3 && exponent <= 5 ? true_minus(String(short)) : scientific(text);
}

// Ticks: { place: 0..1 along the axis, label }, minor places, and a note when labels leave something out.
function nice_step(raw) {
  let exponent = Math.floor(Math.log10(raw));
  const fraction = raw / power_of_ten(exponent);
  let mantissa = fraction < 1.5 ? 1 : fraction < 3.5 ? 2 : fraction < 7.5 ? 5 : 10;
  if (mantissa === 10) { mantissa = 1; exponent += 1; }
  return { mantissa, exponent, size: Number(mantissa + "e" + exponent) };
}
// When a small variation rides on a large value, ticks count from a round number near it.
function offset_of(low, high) {
  const span = high - low, largest = Math.max(Math.abs(low), Math.abs(high));
  if (span >= 3e-4 * largest) return 0;
  const digits = Math.floor(Math.log10(largest)) - Math.floor(Math.log10(span));
  return Number(((low + high) / 2).toPrecision(clamp(digits, 1, 17)));
}
function linear_ticks(low, high, count) {
  const offset = offset_of(low, high), a = low - offset, b = high - offset, span = b - a;
  const step = nice_step(span / count);
  const exponent = Math.floor(Math.log10(Math.max(Math.abs(a), Math.abs(b))) + 1e-9);
  const power = exponent > 4 || exponent < -3 ? exponent : 0;
  const decimals = clamp(power - step.exponent, 0, 17);
  const major = [], minor = [];
  for (let k = Math.ceil(a / step.size - 1e-6); k <= Math.floor(b / step.size + 1e-6); ++k) {
    const label = k === 0 ? "0" : true_minus((k * step.size / power_of_ten(power)).toFixed(decimals));
    major.push({ place: (k * step.size - a) / span, value: offset + k * step.size, label });
  }
  const parts = step.mantissa === 2 ? 4 : 5, fine = step.size / parts;
  for (let k = Math.ceil(a / fine); k <= Math.floor(b / fine); ++k) if (k % parts) minor.push((k * fine - a) / span);
  const scale = power ? " × 10" + superscript(power) : "";
  return { major, minor, note: offset ? number_text(offset) + " + tick" + scale : scale.trim() };
}
function log_ticks(low, high, count) {
  const span = high - low, major = [], minor = [], place = (value) => (Math.log10(value) - low) / span;
  if (span < 0.5) {
    const even = linear_ticks(10 ** low, 10 ** high, count);
    return { ...even, major: even.major.map((tick) => ({ ...tick, place: place(tick.value) })), minor };
  }
  const first = Math.floor(low), last = Math.ceil(high), narrow = span < 2;
  const plain = first >= -3 && last <= 4;
  const stride = Math.max(1, Math.ceil((last - first) / Math.max(count, 1)));
  for (let k = first; k <= last; ++k) {
    for (let m = 1; m < 10; ++m) {
      const value = Number(m + "e" + k), at = place(value);
      if (at < -1e-9 || at > 1 + 1e-9) continue;
      const labelled = m === 1 ? k % stride === 0 : narrow && (m === 2 || m === 5);
      const label = narrow && plain ? String(value) : m === 1 ? "10" + superscript(k) : `${m}×10${superscript(k)}`;
      if (labelled) major.push({ place: at, value, label });
      else if (stride === 1 || m === 1) minor.push(at);
    }
  }
  return { major, minor, note: "" };
}
const ticks_of = (log, range, count) => (log ? log_ticks : linear_ticks)(range[0], range[1], Math.max(count, 2));
const text_width = (text) => [...text].reduce((sum, c) => sum + (/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]/.test(c) ? 4.6 : /[.,]/.test(c) ? 3.6 : 7), 0);
const widest = (ticks) => Math.max(0, ...ticks.major.map((tick) => text_width(tick.label)));
function fitting_ticks(log, range, length) {  // along x, where labels stand side by side
  for (let count = clamp(Math.floor(length / 65), 2, 10); ; --count) {
    const ticks = ticks_of(log, range, count);
    if (count <= 2 || (widest(ticks) + 14) * ticks.major.length < length) return ticks;
  }
}
