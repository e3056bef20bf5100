// The page report.html: its theme, and plots that a reader can zoom, read and save.
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
