// A plot as SVG, from the numbers in report.html. NaN marks a gap.
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
    curve.slot ??= index;
    curve.again = plot.curves.filter((other, k) => k < index && other.slot === curve.slot && other.style === curve.style).length;
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
      path += mark_path(mark_of(curve), x, y, r);
  }
  return path;
}
const mark_radius = (count) => (count <= 150 ? 3.6 : count <= 1500 ? 2.2 : 1.1);
// The slot of a curve says its colour and mark; curves of one slot in one plot differ in dashes and marks.
const kind_of = (curve) => "k" + (curve.slot % colour_count);
const mark_of = (curve) => (curve.slot + curve.again) % marks.length;
function dash_of(curve) {
  const list = dashes[curve.style], dash = list[(Math.floor(curve.slot / colour_count) + curve.again) % list.length];
  return dash ? ` stroke-dasharray="${dash}"` : "";
}
const many_points = 1500;  // of an orbit that goes round and round: a fine line shows its turns
const is_fine = (curve) => !curve.rising && curve.u.length > many_points;
const line_class = (curve) => `p-line ${kind_of(curve)}${dash_of(curve) && curve.style !== "dotted" ? "" : " p-round"}${is_fine(curve) ? " p-fine" : ""}`;
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
  if (marked || curve.stagger) svg += `<path class="${marked ? "p-mark" : "p-open"} ${kind_of(curve)}" d="${mark_path(mark_of(curve), x + width / 2, y, 3.4)}"/>`;
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
