// Numbers and units as text.

const superscripts = { "0": "\u2070", "1": "\u00b9", "2": "\u00b2", "3": "\u00b3", "4": "\u2074", "5": "\u2075", "6": "\u2076", "7": "\u2077", "8": "\u2078", "9": "\u2079", "-": "\u207b" };
const raised = (digits) => [...digits].map((sign) => superscripts[sign]).join("");

// "J/m^3" with a raised 3.
export const unitText = (unit) => (unit ?? "").replace(/\^(-?\d+)/g, (_, digits) => raised(digits));

export const withUnit = (text, unit) => (unit && unit !== "1" ? `${text}\u202f${unitText(unit)}` : text);

// A number with some significant digits: plain if short, else with a power of ten. A real minus sign.
export function number(x, digits = 4) {
  if (x === undefined || x === null || Number.isNaN(x)) return "\u2013";
  if (!Number.isFinite(x)) return x > 0 ? "\u221e" : "\u2212\u221e";
  if (x === 0) return "0";
  const size = Math.abs(x);
  let text;
  if (size >= 1e-3 && size < 1e6) {
    text = String(Number(size.toPrecision(Math.max(digits, Math.ceil(Math.log10(size + 1))))));
  } else {
    const [mantissa, power] = size.toExponential(digits - 1).split("e");
    const short = String(Number(mantissa));
    text = `${short === "1" ? "" : `${short}\u00b7`}10${raised(String(Number(power)))}`;
  }
  return x < 0 ? `\u2212${text}` : text;
}

// Decimals that tell times of a run apart.
export function timeDecimals(span, count) {
  const gap = span / Math.max(1, count);
  return gap > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(gap)) + 1)) : 3;
}

// 1, 2 or 5 times a power of ten, the largest not above x.
export function niceBelow(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead >= 4.999 ? 5 : lead >= 1.999 ? 2 : 1) * power;
}

// About `count` round numbers in [low, high].
export function niceTicks(low, high, count = 4) {
  if (!(high > low)) return [low];
  let step = niceBelow((high - low) / count);
  while ((high - low) / step > 1.6 * count) step = niceBelow(2.6 * step);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k === 0 ? 0 : Number((k * step).toPrecision(12)));
  return ticks;
}

// Words for columns and fields: "linear_momentum_error" -> "linear momentum error".
export const words = (name) => name.replace(/_/g, " ");
