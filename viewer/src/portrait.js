// Phase portraits: one column over another, with the point of the time that the picture shows.

import { h, cssColour } from "./dom.js";
import { indexAt } from "./frames.js";
import { niceTicks, number, withUnit } from "./format.js";

const tail = 1000;
const margin = { left: 58, right: 14, top: 12, bottom: 40 };

// The rectangle that holds a pair of columns of all runs.
function rangesOf(models, pair) {
  return pair.map((name) => {
    let low = Infinity, high = -Infinity;
    for (const { history } of models) for (const x of history.columns[name] ?? []) if (Number.isFinite(x)) (low = Math.min(low, x)), (high = Math.max(high, x));
    if (!(high > low)) return [low - 1, high + 1];
    const air = 0.05 * (high - low);
    return [low - air, high + air];
  });
}

// Lines between points that lie far apart would be a polygon that nobody has run through: half of the jumps are longer
// than 15 % of the picture. The same rule as in reports.
function isSparse(x, y, [rangeX, rangeY], toX, toY) {
  const size = Math.max(Math.abs(toX(rangeX[1]) - toX(rangeX[0])), Math.abs(toY(rangeY[1]) - toY(rangeY[0])));
  const jumps = x.slice(1).map((x1, i) => Math.hypot(x1 - x[i], y[i + 1] - y[i])).sort((a, b) => a - b);
  return jumps.length > 0 && jumps[jumps.length >> 1] > 0.15 * size;
}

export class Portrait {
  constructor(models, pair, ranges) {
    Object.assign(this, { models, pair, ranges });
    this.canvas = h("canvas", { role: "img", "aria-label": `Phase portrait of ${pair.join(" and ")}` });
    const names = models.map((m) => h("span", { class: "cell-name" }, h("i", { class: "dot", style: `background: var(--c${m.index % 8})` }), m.label));
    this.element = h("figure", { class: "portrait" }, h("figcaption", {}, names, h("span", { class: "pair-name" }, pair.join(", "))), this.canvas);
    this.backdrop = document.createElement("canvas");
    this.sparse = models.map(() => false);
    this.t = 0;
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  setTime(t) {
    this.t = t;
    this.draw(this.colours === undefined);
  }

  // After new rows.
  refresh() {
    this.ranges = rangesOf(this.models, this.pair);
    this.draw();
  }

  draw(isNew = true) {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, pixels = Math.min(2, window.devicePixelRatio || 1);
    if (width < 80 || height < 80) return;
    const [[x0, x1], [y0, y1]] = this.ranges;
    const toX = (x) => margin.left + ((x - x0) / (x1 - x0)) * (width - margin.left - margin.right);
    const toY = (y) => height - margin.bottom - ((y - y0) / (y1 - y0)) * (height - margin.top - margin.bottom);
    if (isNew) this.drawBackdrop(width, height, pixels, toX, toY);
    const c = this.canvas.getContext("2d");
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.drawImage(this.backdrop, 0, 0);
    c.setTransform(pixels, 0, 0, pixels, 0, 0);
    this.models.forEach((model, k) => this.drawPoint(c, model, this.colours[k], this.sparse[k] ? 0 : tail, toX, toY));
  }

  // What does not move: axes and whole curves.
  drawBackdrop(width, height, pixels, toX, toY) {
    const size = { width: Math.round(width * pixels), height: Math.round(height * pixels) };
    Object.assign(this.canvas, size);
    Object.assign(this.backdrop, size);
    const c = this.backdrop.getContext("2d");
    c.setTransform(pixels, 0, 0, pixels, 0, 0);
    this.colours = this.models.map((model) => cssColour(`--c${model.index % 8}`));
    this.rim = cssColour("--card");
    this.drawAxes(c, width, height, toX, toY);
    this.models.forEach((model, k) => {
      const [xs, ys] = this.pair.map((name) => model.history.columns[name]);
      const x = Array.from(xs, toX), y = Array.from(ys, toY);
      c.strokeStyle = c.fillStyle = this.colours[k];
      c.globalAlpha = x.length > 3000 ? 0.25 : 0.4;
      c.lineWidth = x.length > 3000 ? 0.7 : 1;
      c.lineJoin = "round";
      this.sparse[k] = isSparse(x, y, this.ranges, toX, toY);
      if (this.sparse[k]) {
        for (let i = 0; i < x.length; i++) c.fillRect(x[i] - 1, y[i] - 1, 2, 2);
      } else {
        c.beginPath();
        for (let i = 0; i < x.length; i++) c.lineTo(x[i], y[i]);
        c.stroke();
      }
      c.globalAlpha = 1;
    });
  }

  drawAxes(c, width, height, toX, toY) {
    const unit = (name) => this.models[0].run.columns.find((column) => column.name === name)?.unit;
    c.font = "12px system-ui, sans-serif";
    c.lineWidth = 1;
    c.strokeStyle = cssColour("--grid");
    c.fillStyle = cssColour("--soft");
    c.textBaseline = "top";
    c.textAlign = "center";
    for (const x of niceTicks(...this.ranges[0], Math.max(2, width / 110))) {
      c.strokeRect(Math.round(toX(x)) + 0.5, margin.top, 0, height - margin.top - margin.bottom);
      c.fillText(number(x, 3), toX(x), height - margin.bottom + 5);
    }
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (const y of niceTicks(...this.ranges[1], Math.max(2, height / 70))) {
      c.strokeRect(margin.left, Math.round(toY(y)) + 0.5, width - margin.left - margin.right, 0);
      c.fillText(number(y, 3), margin.left - 6, toY(y));
    }
    const [nameX, nameY] = this.pair;
    c.textAlign = "center";
    c.fillText(unit(nameX) ? `${nameX} in ${withUnit("", unit(nameX)).trim()}` : nameX, (margin.left + width - margin.right) / 2, height - 9);
    c.save();
    c.translate(9, (margin.top + height - margin.bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.fillText(unit(nameY) ? `${nameY} in ${withUnit("", unit(nameY)).trim()}` : nameY, 0, 0);
    c.restore();
  }

  // The point of now, and the last piece of the way to it.
  drawPoint(c, model, colour, tail, toX, toY) {
    const { t } = model.history.columns, [xs, ys] = this.pair.map((name) => model.history.columns[name]), now = indexAt(t, this.t);
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 2;
    c.lineJoin = "round";
    c.beginPath();
    for (let k = Math.max(0, now - tail); k <= now; k++) c.lineTo(toX(xs[k]), toY(ys[k]));
    c.stroke();
    c.beginPath();
    c.arc(toX(xs[now]), toY(ys[now]), 5, 0, 7);
    c.fill();
    c.strokeStyle = this.rim;
    c.stroke();
  }
}

// Portraits of runs: one for each run and pair, or all runs of a pair in one; always with the same axes.
export function portraitsOf(models, isOverlaid) {
  const withPhase = models.filter((m) => m.history && m.run.phase?.length);
  if (!withPhase.length) return [];
  return withPhase[0].run.phase.flatMap((pair) => {
    const those = withPhase.filter((m) => pair.every((name) => m.history.columns[name])), ranges = rangesOf(those, pair);
    if (!those.length) return [];
    return isOverlaid ? [new Portrait(those, pair, ranges)] : those.map((m) => new Portrait([m], pair, ranges));
  });
}
