// Draws the plots of report.html as SVG from the numbers in the page, and lets a reader zoom, read and save them.
// An axis works in scaled values: u = x, or u = log10(x) on a logarithmic axis. NaN marks a gap.
"use strict";
(() => {
  const colour_count = 8;
  const dashes = {
    line: ["", "8 3", "8 3 2 3"], line_points: ["", "8 3", "8 3 2 3"],
    dashed: ["7 4", "7 4 2 4", "7 3 2 3 2 3"], dotted: ["1.5 4", "1.5 7", "1.5 4 1.5 9"], points: [""],
  };
  const marks = [  // outlines around the origin, of radius about 1; the first is a circle
    [],
    [[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]],
    [[0, -1.15], [1.08, 0.8], [-1.08, 0.8]],
    [[0, -1.25], [1.1, 0], [0, 1.25], [-1.1, 0]],
    [[0, 1.15], [1.08, -0.8], [-1.08, -0.8]],
    [[-1.1, -0.35], [-0.35, -0.35], [-0.35, -1.1], [0.35, -1.1], [0.35, -0.35], [1.1, -0.35], [1.1, 0.35], [0.35, 0.35],
      [0.35, 1.1], [-0.35, 1.1], [-0.35, 0.35], [-1.1, 0.35]],
    [[-1.15, 0], [0.8, -1.08], [0.8, 1.08]],
    [[0, -1.1], [0.95, -0.55], [0.95, 0.55], [0, 1.1], [-0.95, 0.55], [-0.95, -0.55]],
  ];
  const escape_text = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const power_of_ten = (n) => Number("1e" + n);
  const with_unit = (label, unit) => (unit ? `${label} (${unit})`.trim() : label);

  // Theme: the address (#dark, #light) before the reader's choice before the system.
  const stored = (value) => {
    try { return value ? localStorage.setItem("livens-theme", value) : localStorage.getItem("livens-theme"); } catch { return null; }
  };
  const asked_theme = () => (/^#(dark|light)$/.exec(location.hash) || [])[1];
  const theme = () => document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  function show_theme(name) {
    if (name === "dark" || name === "light") document.documentElement.dataset.theme = name;
    const button = document.querySelector(".theme");
    if (button) button.textContent = theme() === "dark" ? "Light theme" : "Dark theme";
  }
  show_theme(asked_theme() || stored());

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

  // Curves in scaled values, once.
  const scaled = (values, log) => Float64Array.from(values, (v) => (v === null || Math.abs(v) > 1e300 ? NaN : !log ? v : v > 0 ? Math.log10(v) : NaN));
  function is_rising(u) {
    let last = -Infinity;
    for (const value of u) { if (value < last) return false; if (value > last) last = value; }
    return true;
  }
  function reverse(curve) {
    for (const key of ["xs", "ys", "u", "w"]) curve[key] = curve[key].slice().reverse();
    curve.rising = true;
  }
  function prepared(plot, arrays) {
    plot.curves.forEach((curve, index) => {
      curve.xs = arrays[curve.x];
      curve.ys = arrays[curve.y];
      curve.u = scaled(curve.xs, plot.log_x);
      curve.w = scaled(curve.ys, plot.log_y);
      curve.rising = is_rising(curve.u);
      if (!curve.rising && is_rising([...curve.u].reverse())) reverse(curve);
      curve.known = [...curve.u.keys()].filter((i) => !Number.isNaN(curve.u[i]) && !Number.isNaN(curve.w[i]));
      curve.visible = true;
      curve.index = index;
    });
    const plain = plot.curves.filter((curve) => curve.style === "line");
    plain.forEach((curve, rank) => { if (plain.length > 1) curve.stagger = (rank + 0.5) / plain.length; });
    return plot;
  }

  // The part of the plane a plot shows when nobody has zoomed.
  function padded(low, high, log, share) {
    if (!(low <= high)) return [0, 1];
    const largest = Math.max(Math.abs(low), Math.abs(high));
    let half = (high - low) * share + Math.max(0, largest * 2 ** -50 - (high - low));
    if (low === high) half = log ? 0.5 : largest * 0.1;
    if (!log && largest < 1e-290) half = 1;
    return [low - half, high + half];
  }
  function full_view(plot) {
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity, marked = false;
    for (const { u, w, style, visible, rising } of plot.curves) {
      if (!visible) continue;
      marked ||= style === "points" || style === "line_points" || !rising;
      for (let i = 0; i < u.length; ++i) {
        if (Number.isNaN(u[i]) || Number.isNaN(w[i])) continue;
        x0 = Math.min(x0, u[i]); x1 = Math.max(x1, u[i]);
        y0 = Math.min(y0, w[i]); y1 = Math.max(y1, w[i]);
      }
    }
    return { x: padded(x0, x1, plot.log_x, marked ? 0.04 : 0), y: padded(y0, y1, plot.log_y, 0.06), empty: !(x0 <= x1) };
  }
  function with_equal_units(view, frame) {
    const unit = Math.max((view.x[1] - view.x[0]) / frame.width, (view.y[1] - view.y[0]) / frame.height);
    const around = ([low, high], length) => [(low + high - unit * length) / 2, (low + high + unit * length) / 2];
    return { ...view, x: around(view.x, frame.width), y: around(view.y, frame.height) };
  }

  // Curves as SVG paths. Segments are cut at a box around the frame: far points would exceed the precision of renderers.
  function clipped(ax, ay, bx, by, box) {
    let t0 = 0, t1 = 1;
    const dx = bx - ax, dy = by - ay;
    for (const [p, q] of [[-dx, ax - box[0]], [dx, box[1] - ax], [-dy, ay - box[2]], [dy, box[3] - ay]]) {
      if (p === 0) { if (q < 0) return null; continue; }
      const t = q / p;
      if (p < 0) t0 = Math.max(t0, t); else t1 = Math.min(t1, t);
      if (t0 > t1) return null;
    }
    return [ax + t0 * dx, ay + t0 * dy, ax + t1 * dx, ay + t1 * dy];
  }
  const pixel = (value) => String(Math.round(value * 100) / 100);
  function line_path(curve, map) {
    const parts = [];
    let px = NaN, py = NaN, pen_x = NaN, pen_y = NaN, run = 0;
    for (let i = 0; i <= curve.u.length; ++i) {
      const x = map.x(curve.u[i]), y = map.y(curve.w[i]);
      if (Number.isNaN(x) || Number.isNaN(y)) {
        if (run === 1 && clipped(px, py, px, py, map.box)) parts.push(mark_path(0, px, py, 1.2));
        px = py = NaN;
        run = 0;
        continue;
      }
      const cut = run > 0 ? clipped(px, py, x, y, map.box) : null;
      if (cut) {
        if (cut[0] !== pen_x || cut[1] !== pen_y) parts.push(`M${pixel(cut[0])} ${pixel(cut[1])}`);
        parts.push(`L${pixel(cut[2])} ${pixel(cut[3])}`);
        [pen_x, pen_y] = [cut[2], cut[3]];
      }
      px = x; py = y; run += 1;
    }
    return parts.join("");
  }
  function mark_path(shape, x, y, r) {
    if (shape === 0) return `M${pixel(x - r)} ${pixel(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    return "M" + marks[shape].map(([dx, dy]) => `${pixel(x + r * dx)} ${pixel(y + r * dy)}`).join("L") + "z";
  }
  function nearest_index(curve, target) {  // of a rising curve
    const { u, known } = curve;
    let low = 0, high = known.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (u[known[middle]] < target) low = middle + 1; else high = middle;
    }
    if (low > 0 && target - u[known[low - 1]] < u[known[low]] - target) low -= 1;
    return known[low];
  }
  function sparse_indices(curve, view) {  // a few marks tell lines apart without colour
    const indices = new Set(), count = 7;
    for (let j = 0; j < count; ++j) {
      const share = (j + curve.stagger) / count;
      indices.add(curve.rising ? nearest_index(curve, view.x[0] + share * (view.x[1] - view.x[0])) : Math.floor(share * curve.u.length));
    }
    return indices;
  }
  function marks_path(curve, map, indices, r) {
    let path = "";
    for (const i of indices) {
      const x = map.x(curve.u[i]), y = map.y(curve.w[i]);
      if (x >= map.frame.left - 1 && x <= map.frame.left + map.frame.width + 1 && y >= map.frame.top - 1 && y <= map.frame.top + map.frame.height + 1)
        path += mark_path(curve.index % marks.length, x, y, r);
    }
    return path;
  }
  const mark_radius = (count) => (count <= 150 ? 3.6 : count <= 1500 ? 2.2 : 1.1);
  const kind_of = (curve) => "k" + (curve.index % colour_count);
  function dash_of(curve) {
    const list = dashes[curve.style], dash = list[Math.floor(curve.index / colour_count) % list.length];
    return dash ? ` stroke-dasharray="${dash}"` : "";
  }
  const line_class = (curve) => `p-line ${kind_of(curve)}${dash_of(curve) && curve.style !== "dotted" ? "" : " p-round"}`;
  function curve_svg(curve, map, view, clip) {
    let svg = "";
    if (curve.style !== "points") svg += `<path class="${line_class(curve)}"${dash_of(curve)} clip-path="url(#${clip})" d="${line_path(curve, map)}"/>`;
    if (curve.style === "points" || curve.style === "line_points")
      svg += `<path class="p-mark ${kind_of(curve)}" d="${marks_path(curve, map, curve.u.keys(), mark_radius(curve.u.length))}"/>`;
    else if (curve.stagger) svg += `<path class="p-open ${kind_of(curve)}" d="${marks_path(curve, map, sparse_indices(curve, view), 3.4)}"/>`;
    return svg;
  }
  function swatch(curve, x, y, width) {
    const marked = curve.style === "points" || curve.style === "line_points";
    let svg = curve.style === "points" ? "" : `<path class="${line_class(curve)}"${dash_of(curve)} d="M${x} ${y}h${width}"/>`;
    if (marked || curve.stagger) svg += `<path class="${marked ? "p-mark" : "p-open"} ${kind_of(curve)}" d="${mark_path(curve.index % marks.length, x + width / 2, y, 3.4)}"/>`;
    return svg;
  }

  // The whole picture. `extra` leaves room for the title above and the legend below in saved pictures.
  function legend_rows(curves, width) {
    const rows = [];
    let x = Infinity;
    for (const curve of curves) {
      const needed = 60 + text_width(curve.label);
      if (x + needed > width) { rows.push([]); x = 0; }
      rows.at(-1).push({ curve, x });
      x += needed;
    }
    return rows;
  }
  function layout(plot, view, width, height, extra) {
    const frame = { top: extra.top + 12, left: 0, width: 0, height: 0 };
    frame.height = height - frame.top - extra.bottom - 44;
    let shown = view, y = null;
    for (let pass = 0; pass < 3; ++pass) {  // labels decide the frame, the frame decides equal units, these the labels
      y = ticks_of(plot.log_y, shown.y, clamp(Math.floor(frame.height / 44), 2, 9));
      const top = extra.top + (y.note ? 26 : 12);
      frame.left = Math.round(widest(y) + 34);
      frame.width = Math.max(40, width - frame.left - 18);
      frame.height = Math.max(40, height - top - extra.bottom - 44);
      frame.top = top;
      if (!plot.equal_axes) break;
      shown = with_equal_units(view, frame);
    }
    return { frame, view: shown, x: fitting_ticks(plot.log_x, shown.x, frame.width), y };
  }
  function mapping(view, frame) {
    const sx = frame.width / (view.x[1] - view.x[0]), sy = frame.height / (view.y[1] - view.y[0]);
    return {
      frame, x: (u) => frame.left + (u - view.x[0]) * sx, y: (w) => frame.top + frame.height - (w - view.y[0]) * sy,
      box: [frame.left - frame.width, frame.left + 2 * frame.width, frame.top - frame.height, frame.top + 2 * frame.height],
    };
  }
  function axes_svg(plot, { frame, view, x, y }) {
    const { left, top, width, height } = frame, right = left + width, bottom = top + height;
    const at_x = (place) => Math.round(left + place * width) + 0.5, at_y = (place) => Math.round(bottom - place * height) + 0.5;
    const texts = [];
    let grid = "", frame_path = `M${left + 0.5} ${top}V${bottom + 0.5}H${right}`, zero = "";
    for (const tick of x.major) {
      grid += `M${at_x(tick.place)} ${top}V${bottom}`;
      frame_path += `M${at_x(tick.place)} ${bottom}v6`;
      texts.push(`<text class="p-tick" text-anchor="middle" x="${at_x(tick.place)}" y="${bottom + 19}">${tick.label}</text>`);
    }
    for (const tick of y.major) {
      grid += `M${left} ${at_y(tick.place)}H${right}`;
      frame_path += `M${left} ${at_y(tick.place)}h-6`;
      texts.push(`<text class="p-tick" text-anchor="end" x="${left - 9}" y="${at_y(tick.place) + 4}">${tick.label}</text>`);
      if (!plot.log_y && tick.value === 0) zero = `<path class="p-zero" d="M${left} ${at_y(tick.place)}H${right}"/>`;
    }
    for (const place of x.minor) frame_path += `M${at_x(place)} ${bottom}v3`;
    for (const place of y.minor) frame_path += `M${left} ${at_y(place)}h-3`;
    texts.push(`<text class="p-axis" text-anchor="middle" x="${left + width / 2}" y="${bottom + 38}">${escape_text(with_unit(plot.x_label, plot.x_unit))}</text>`);
    texts.push(`<text class="p-axis" text-anchor="middle" transform="translate(12 ${top + height / 2}) rotate(-90)">${escape_text(with_unit(plot.y_label, plot.y_unit))}</text>`);
    if (y.note) texts.push(`<text class="p-note" x="${left}" y="${top - 10}">${y.note}</text>`);
    if (x.note) texts.push(`<text class="p-note" text-anchor="end" x="${right}" y="${bottom + 38}">${x.note}</text>`);
    return { below: `<path class="p-grid" d="${grid}"/>${zero}`, above: `<path class="p-frame" d="${frame_path}"/>${texts.join("")}`, view };
  }
  let clip_count = 0;
  function picture(plot, view, width, height, saved) {
    const shown = plot.curves.filter((curve) => curve.visible);
    const rows = saved && plot.curves.length > 1 ? legend_rows(shown, width - 24) : [];
    const placed = layout(plot, view, width, height, { top: saved ? 26 : 0, bottom: rows.length * 20 + (rows.length ? 6 : 0) });
    const { frame } = placed, map = mapping(placed.view, frame), axes = axes_svg(plot, placed), clip = "clip-" + ++clip_count;
    let svg = `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape_text(plot.summary)}">`;
    if (saved) svg += `<rect class="p-back" width="${width}" height="${height}"/><text class="p-title" x="12" y="22">${escape_text(plot.title)}</text>`;
    svg += `<clipPath id="${clip}"><rect x="${frame.left}" y="${frame.top}" width="${frame.width + 1}" height="${frame.height + 1}"/></clipPath>${axes.below}`;
    svg += shown.map((curve) => curve_svg(curve, map, placed.view, clip)).join("") + axes.above;
    if (view.empty) svg += `<text class="p-empty" text-anchor="middle" x="${frame.left + frame.width / 2}" y="${frame.top + frame.height / 2}">no data to draw</text>`;
    rows.forEach((row, r) => row.forEach(({ curve, x }) => {
      const y = height - 12 - 20 * (rows.length - 1 - r);
      svg += swatch(curve, 12 + x, y, 36) + `<text class="p-legend" x="${54 + x}" y="${y + 4}">${escape_text(curve.label)}</text>`;
    }));
    return { svg: svg + '<g class="overlay"></g></svg>', map, view: placed.view };
  }

  // Saving.
  function save(name, type, content) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  const file_name = (plot) => plot.title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "") || "plot";
  function csv_text(plot) {
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const shared = plot.curves.every((curve) => curve.x === plot.curves[0].x);
    const columns = [], name = with_unit(plot.x_label, plot.x_unit) || "x";
    plot.curves.forEach((curve, index) => {
      const label = with_unit(curve.label || plot.y_label || "y", plot.y_unit);
      if (!shared || index === 0) columns.push({ name: shared || plot.curves.length === 1 ? name : `${name}: ${curve.label}`, values: curve.xs });
      columns.push({ name: label, values: curve.ys });
    });
    const lines = [columns.map((column) => quoted(column.name)).join(",")];
    const rows = Math.max(0, ...columns.map((column) => column.values.length));
    for (let i = 0; i < rows; ++i) lines.push(columns.map(({ values }) => (i < values.length && values[i] !== null ? String(values[i]) : "")).join(","));
    return lines.join("\n") + "\n";
  }
  const kept_styles = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "font-family", "font-size", "font-weight", "opacity"];
  function svg_text(plot, view) {  // in the light colours, every style written out
    const width = 800, rows = plot.curves.length > 1 ? legend_rows(plot.curves.filter((c) => c.visible), width - 24).length : 0;
    const holder = document.createElement("div");
    holder.dataset.theme = "light";
    holder.style.cssText = "position:absolute;left:-9999px;top:0";
    holder.innerHTML = picture(plot, view, width, (plot.equal_axes ? 620 : 480) + 20 * rows, true).svg;
    document.body.append(holder);
    const svg = holder.firstChild;
    svg.querySelector(".overlay").remove();
    for (const element of svg.querySelectorAll("path, text, svg > rect")) {
      const style = getComputedStyle(element);
      for (const key of kept_styles) {
        const value = style.getPropertyValue(key);
        if (value && !(key.startsWith("font") && element.tagName !== "text")) element.setAttribute(key, value);
      }
      element.removeAttribute("class");
    }
    holder.remove();
    return new XMLSerializer().serializeToString(svg);
  }
  function save_png(plot, view) {
    const text = svg_text(plot, view), image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.width * 2;
      canvas.height = image.height * 2;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(file_name(plot) + ".png", "image/png", blob));
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  }

  // One plot of the page, its view and its reader.
  class Figure {
    constructor(element, plot) {
      this.plot = plot;
      this.element = element;
      this.canvas = element.querySelector(".canvas");
      this.zoomed = null;
      this.add_tools();
      this.add_legend();
      this.reading = this.add_layer("reading");
      this.hint = this.add_layer("hint");
      this.hint.textContent = "Click the plot, or hold Ctrl, to zoom with the wheel";
      this.reading.setAttribute("role", "status");
      this.listen();
      new ResizeObserver(() => { if (Math.abs(this.canvas.clientWidth - this.width) > 0.5) this.draw(); }).observe(this.canvas);
      this.draw();
    }
    add_layer(name) {
      const layer = document.createElement("div");
      layer.className = name;
      layer.hidden = true;
      this.canvas.append(layer);
      return layer;
    }
    add_tools() {
      const tools = this.element.querySelector(".tools"), { plot } = this;
      const add = (label, title, action) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = label;
        button.title = title;
        button.setAttribute("aria-label", `${title}: ${plot.title}`);
        button.addEventListener("click", action);
        tools.append(button);
        return button;
      };
      this.reset_button = add("Reset", "Show everything again", () => this.reset());
      const enlarge = add("Enlarge", "Use the full width", () => {
        enlarge.textContent = this.element.classList.toggle("enlarged") ? "Shrink" : "Enlarge";
      });
      enlarge.className = "enlarge";
      add("CSV", "Save the data", () => save(file_name(plot) + ".csv", "text/csv", csv_text(plot)));
      add("SVG", "Save the picture as SVG", () => save(file_name(plot) + ".svg", "image/svg+xml", svg_text(plot, this.wanted_view())));
      add("PNG", "Save the picture as PNG", () => save_png(plot, this.wanted_view()));
    }
    add_legend() {
      const legend = this.element.querySelector(".legend");
      if (this.plot.curves.length < 2 && !(this.plot.curves[0] || {}).label) return;
      for (const curve of this.plot.curves) {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.title = "Show or hide; with Shift: only this one";
        button.setAttribute("aria-pressed", "true");
        button.innerHTML = `<svg viewBox="0 0 38 12" aria-hidden="true">${swatch(curve, 1, 6, 36)}</svg><span>${escape_text(curve.label)}</span>`;
        button.addEventListener("click", (event) => this.toggle(curve, event.shiftKey));
        curve.button = button;
        item.append(button);
        legend.append(item);
      }
    }
    toggle(curve, alone) {
      if (alone) for (const other of this.plot.curves) other.visible = other === curve;
      else curve.visible = !curve.visible;
      for (const other of this.plot.curves) other.button.setAttribute("aria-pressed", String(other.visible));
      this.draw();
    }
    wanted_view() { return this.zoomed || full_view(this.plot); }
    draw() {
      this.width = Math.max(220, Math.round(this.canvas.clientWidth));
      const height = Math.round(this.plot.equal_axes ? clamp(this.width * 0.72, 260, 560) : clamp(this.width * 0.6, 250, 400));
      this.drawn = picture(this.plot, this.wanted_view(), this.width, height, false);
      const old = this.canvas.querySelector(":scope > svg");
      if (old) old.remove();
      this.canvas.insertAdjacentHTML("afterbegin", this.drawn.svg);
      this.overlay = this.canvas.querySelector(".overlay");
      this.reset_button.hidden = !this.zoomed;
      this.hide_reading();
    }
    reset() { this.zoomed = null; this.draw(); }
    zoom_to(x, y) {
      const full = full_view(this.plot), span = ([low, high]) => high - low;
      const smallest = ([low, high], log) => (log ? 1e-9 : Math.max(Math.abs(low), Math.abs(high), 1e-280) * 2 ** -49);
      const usable = (range, whole, log) => span(range) > smallest(range, log) && span(range) < 50 * span(whole);
      if (!usable(x, full.x, this.plot.log_x) || !usable(y, full.y, this.plot.log_y)) return;
      this.zoomed = { x, y, empty: false };
      this.draw();
    }
    at(event) {
      const box = this.canvas.getBoundingClientRect(), ratio = this.width / box.width, { frame } = this.drawn.map;
      const x = (event.clientX - box.left) * ratio, y = (event.clientY - box.top) * ratio;
      const inside = x >= frame.left && x <= frame.left + frame.width && y >= frame.top && y <= frame.top + frame.height;
      return { x, y, inside };
    }
    share(point) {
      const { frame } = this.drawn.map;
      return [clamp((point.x - frame.left) / frame.width, 0, 1), clamp((frame.top + frame.height - point.y) / frame.height, 0, 1)];
    }
    zoom_around(point, factor) {
      const { x, y } = this.drawn.view, [a, b] = this.share(point);
      const scaled_range = ([low, high], t) => [low + (high - low) * t * (1 - factor), high - (high - low) * (1 - t) * (1 - factor)];
      this.zoom_to(scaled_range(x, a), scaled_range(y, b));
    }
    zoom_rectangle(from, to) {
      const { x, y } = this.drawn.view, [a0, b0] = this.share(from), [a1, b1] = this.share(to);
      const part = ([low, high], s, t) => [low + (high - low) * Math.min(s, t), low + (high - low) * Math.max(s, t)];
      const thin_x = Math.abs(to.x - from.x) < 12, thin_y = Math.abs(to.y - from.y) < 12;
      if (thin_x && thin_y) return;
      this.zoom_to(thin_x ? x : part(x, a0, a1), thin_y ? y : part(y, b0, b1));
    }
    move_view(dx, dy) {
      const { x, y } = this.drawn.view, { frame } = this.drawn.map;
      const sx = (dx / frame.width) * (x[1] - x[0]), sy = (dy / frame.height) * (y[1] - y[0]);
      this.zoom_to([x[0] - sx, x[1] - sx], [y[0] + sy, y[1] + sy]);
    }
    listen() {
      const { canvas } = this;
      canvas.addEventListener("pointerdown", (event) => this.press(event));
      canvas.addEventListener("pointermove", (event) => this.move(event));
      canvas.addEventListener("pointerup", (event) => this.release(event));
      canvas.addEventListener("pointercancel", () => this.stop());
      canvas.addEventListener("pointerleave", () => { if (!this.drag) this.hide_reading(); });
      canvas.addEventListener("dblclick", () => this.reset());
      canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
      canvas.addEventListener("keydown", (event) => this.key(event));
      canvas.addEventListener("blur", () => this.hide_reading());
    }
    press(event) {
      const point = this.at(event);
      if (event.button !== 0 || !point.inside) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.drag = { from: point, last: point, moves_view: event.shiftKey };
    }
    move(event) {
      const point = this.at(event);
      if (!this.drag) { if (point.inside) this.read(point); else this.hide_reading(); return; }
      if (this.drag.moves_view) {
        this.move_view(point.x - this.drag.last.x, point.y - this.drag.last.y);
        this.drag.last = point;
      } else this.show_rectangle(this.drag.from, point);
    }
    release(event) {
      if (!this.drag) return;
      const { from, moves_view } = this.drag, point = this.at(event);
      this.stop();
      if (moves_view) return;
      if (Math.hypot(point.x - from.x, point.y - from.y) < 12) this.read(point);
      else this.zoom_rectangle(from, point);
    }
    stop() { this.drag = null; this.overlay.innerHTML = ""; }
    show_rectangle(from, to) {
      const { frame } = this.drawn.map;
      let x0 = clamp(Math.min(from.x, to.x), frame.left, frame.left + frame.width), x1 = clamp(Math.max(from.x, to.x), frame.left, frame.left + frame.width);
      let y0 = clamp(Math.min(from.y, to.y), frame.top, frame.top + frame.height), y1 = clamp(Math.max(from.y, to.y), frame.top, frame.top + frame.height);
      if (Math.abs(to.x - from.x) < 12) [x0, x1] = [frame.left, frame.left + frame.width];
      if (Math.abs(to.y - from.y) < 12) [y0, y1] = [frame.top, frame.top + frame.height];
      this.reading.hidden = true;
      this.overlay.innerHTML = `<rect class="p-zoom" x="${x0}" y="${y0}" width="${x1 - x0}" height="${y1 - y0}"/>`;
    }
    // A page scrolls by the wheel; a plot takes it only from a reader who has chosen the plot.
    wheel(event) {
      const point = this.at(event);
      if (!point.inside) return;
      if (document.activeElement !== this.canvas && !event.ctrlKey && !event.metaKey) {
        this.hint.hidden = false;
        clearTimeout(this.hint_timer);
        this.hint_timer = setTimeout(() => { this.hint.hidden = true; }, 1200);
        return;
      }
      event.preventDefault();
      this.hint.hidden = true;
      this.zoom_around(point, Math.exp(clamp(event.deltaY * (event.deltaMode === 1 ? 20 : 1), -120, 120) * 0.002));
    }
    key(event) {
      const { frame } = this.drawn.map, centre = { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
      const step = event.shiftKey ? 40 : 4;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (moves[event.key]) {
        const from = this.cursor || centre;
        this.read({ x: clamp(from.x + moves[event.key][0], frame.left, frame.left + frame.width), y: clamp(from.y + moves[event.key][1], frame.top, frame.top + frame.height) });
      } else if (event.key === "+" || event.key === "=") this.zoom_around(this.cursor || centre, 0.7);
      else if (event.key === "-") this.zoom_around(this.cursor || centre, 1 / 0.7);
      else if (event.key === "0" || event.key === "Escape") this.reset();
      else return;
      event.preventDefault();
    }

    // The cross-hair: along a rising x all curves at the nearest sample; otherwise the one nearest point.
    nearest(curve, point) {
      const { map, view } = this.drawn;
      const distance = (i) => Math.hypot(map.x(curve.u[i]) - point.x, map.y(curve.w[i]) - point.y);
      if (curve.rising) {
        const i = nearest_index(curve, view.x[0] + this.share(point)[0] * (view.x[1] - view.x[0]));
        return i === undefined ? null : { curve, i, distance: distance(i), aside: Math.abs(map.x(curve.u[i]) - point.x) };
      }
      let best = -1, least = Infinity;
      for (let i = 0; i < curve.u.length; ++i) { const d = distance(i); if (d < least) { least = d; best = i; } }
      return best < 0 ? null : { curve, i: best, distance: least, aside: 0 };
    }
    read(point) {
      this.cursor = point;
      const found = this.plot.curves.filter((curve) => curve.visible).map((curve) => this.nearest(curve, point)).filter(Boolean);
      if (!found.length) { this.hide_reading(); return; }
      const closest = found.reduce((a, b) => (b.distance < a.distance ? b : a));
      const along = found.every(({ curve }) => curve.rising);
      const leader = along ? found.reduce((a, b) => (b.aside < a.aside ? b : a)) : closest;
      const x_value = leader.curve.xs[leader.i];
      const listed = along ? found.filter((hit) => Math.abs(hit.aside - leader.aside) < 24) : [closest];
      this.show_reading(point, x_value, leader, listed.slice(0, 12), listed.length - 12, closest);
    }
    digits(range, log) {
      const span = range[1] - range[0], largest = Math.max(Math.abs(range[0]), Math.abs(range[1]));
      return log ? 5 : clamp(Math.ceil(Math.log10(largest / span)) + 4, 5, 17);
    }
    show_reading(point, x_value, leader, listed, more, closest) {
      const { map, view } = this.drawn, { frame } = map, { plot } = this;
      const unit = (text) => (text ? " " + escape_text(text) : "");
      const x_text = number_text(x_value, this.digits(view.x, plot.log_x)) + unit(plot.x_unit);
      const rows = listed.map(({ curve, i }) => `<tr><td><svg aria-hidden="true" viewBox="0 0 18 8">${swatch(curve, 0, 4, 18)}</svg></td><td>${escape_text(curve.label || plot.y_label)}</td>` +
        `<td>${number_text(curve.ys[i], this.digits(view.y, plot.log_y))}${unit(plot.y_unit)}</td></tr>`);
      if (more > 0) rows.push(`<tr><td></td><td>and ${more} more</td><td></td></tr>`);
      this.reading.innerHTML = `<table><tbody><tr><td></td><td>${escape_text(plot.x_label)}</td><td>${x_text}</td></tr>${rows.join("")}</tbody></table>`;
      const cx = map.x(leader.curve.u[leader.i]), cy = map.y(closest.curve.w[closest.i]);
      const inside = (x, y) => x >= frame.left - 1 && x <= frame.left + frame.width + 1 && y >= frame.top - 1 && y <= frame.top + frame.height + 1;
      let cross = cx >= frame.left && cx <= frame.left + frame.width ? `M${cx} ${frame.top}V${frame.top + frame.height}` : "";
      if (cy >= frame.top && cy <= frame.top + frame.height) cross += `M${frame.left} ${cy}H${frame.left + frame.width}`;
      this.overlay.innerHTML = `<path class="p-cross" d="${cross}"/>` + listed.map(({ curve, i }) => {
        const x = map.x(curve.u[i]), y = map.y(curve.w[i]);
        return inside(x, y) ? `<circle class="p-spot ${kind_of(curve)}" cx="${x}" cy="${y}" r="4"/>` : "";
      }).join("");
      this.reading.hidden = false;
      const ratio = this.canvas.clientWidth / this.width, left = point.x * ratio, box = this.reading;
      const beside = left + 16 + box.offsetWidth < this.canvas.clientWidth ? left + 16 : left - 16 - box.offsetWidth;
      box.style.left = Math.max(0, beside) + "px";
      box.style.top = clamp(point.y * ratio - box.offsetHeight / 2, 0, Math.max(0, (frame.top + frame.height) * ratio - box.offsetHeight)) + "px";
    }
    hide_reading() { this.reading.hidden = true; this.overlay.innerHTML = ""; this.cursor = null; }
  }

  function start() {
    const button = document.querySelector(".theme");
    button.hidden = false;
    button.addEventListener("click", () => {
      const next = theme() === "dark" ? "light" : "dark";
      stored(next);
      show_theme(next);
    });
    addEventListener("hashchange", () => show_theme(asked_theme()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show_theme());
    show_theme();
    const { arrays, plots } = JSON.parse(document.getElementById("plot-data").textContent);
    for (const element of document.querySelectorAll("[data-plot]"))
      new Figure(element, prepared(plots[Number(element.dataset.plot)], arrays));
  }
  addEventListener("DOMContentLoaded", start);
})();
