// The picture of the runs: cells side by side with one camera, or all runs in one; labels, axes, picking, screenshots.

import { Raycaster, Vector2, Vector3 } from "three";
import { h, cssColour } from "./dom.js";
import { CameraRig } from "./camera.js";
import { Gizmo } from "./gizmo.js";
import { GlPainter, openWebGl } from "./gl_painter.js";
import { CanvasPainter } from "./canvas_painter.js";
import { number } from "./format.js";
import { pickVertex } from "./picking.js";

export class Stage {
  constructor(host, { onMove }) {
    Object.assign(this, { host, onMove });
    const makeCanvas = () => h("canvas", { class: "stage-canvas", role: "img", "aria-label": "Picture of the bodies", tabindex: 0 });
    const gl = openWebGl(makeCanvas);
    this.canvas = gl?.canvas ?? makeCanvas();
    this.isPlain = gl === null;
    this.software = gl?.software ?? false;
    this.painter = gl ? new GlPainter(gl) : new CanvasPainter(this.canvas);
    this.labels = h("div", { class: "cell-labels" });
    host.append(this.canvas, this.labels);
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.onLost?.();
    });
    this.views = [];
    this.isOverlaid = false;
    new ResizeObserver(() => this.resize()).observe(host);
  }

  // models: [{ run, mesh, colour, label }], all with frames.
  setRuns(models) {
    this.models = models;
    this.views = models.map(({ run, mesh }) => this.painter.add(run, mesh));
    for (const view of this.views) view.setPull(null);
    const [first] = models;
    this.box = first.run.box.slice();
    for (const { run } of models) {
      for (let k = 0; k < 3; k++) {
        this.box[k] = Math.min(this.box[k], run.box[k]);
        this.box[3 + k] = Math.max(this.box[3 + k], run.box[3 + k]);
      }
    }
    const isSpace = models.some(({ run }) => run.dimension === 3);
    this.rig = new CameraRig(this.canvas, isSpace ? 3 : 2, first.run.up ?? [0, 0, 1], () => {
      this.isMoved = true;
      this.onMove();
    });
    if (isSpace) {
      this.gizmo = new Gizmo((direction) => this.look(direction));
      this.host.append(this.gizmo.element);
    }
    this.canvas.setAttribute("aria-label", `Picture of ${models.map((m) => m.label).join(", ")}`);
    this.resize();
    this.fit(this.rig.defaultDirection(this.box));
    this.layOut();
    this.fit();
  }

  resize() {
    const { width, height } = this.host.getBoundingClientRect();
    if (!(width > 0 && height > 0)) return;
    const changed = width !== this.width || height !== this.height;
    Object.assign(this, { width, height });
    if (!changed) return;
    this.painter.resize(width, height);
    this.layOut();
    if (this.rig && !this.isMoved) this.fit();
    this.onMove();
  }

  setOverlay(isOverlaid) {
    this.isOverlaid = isOverlaid;
    this.layOut();
    if (!this.isMoved) this.fit();
  }

  // The grid of cells in which the bodies appear largest.
  layOut() {
    const count = this.isOverlaid ? 1 : this.views.length;
    const shape = this.rig?.shapeOf(this.box) ?? 1.4;
    let best = 1, largest = 0;
    for (let columns = 1; columns <= count; columns++) {
      const scale = Math.min(this.width / columns / shape, this.height / Math.ceil(count / columns));
      if (scale > 1.001 * largest) [best, largest] = [columns, scale];
    }
    const rows = Math.ceil(count / best) || 1;
    this.cells = Array.from({ length: count }, (_, k) => {
      const row = Math.floor(k / best), columns = Math.min(best, count - row * best), width = this.width / columns, height = this.height / rows;
      return { left: Math.round((k - row * best) * width), top: Math.round(row * height), width: Math.round(width), height: Math.round(height), runs: this.isOverlaid ? this.views.map((_, r) => r) : [k] };
    });
    this.labels.replaceChildren();
    this.ends = [];
    if (this.views.length < 2) return;
    for (const cell of this.cells) {
      const names = cell.runs.map((r) => {
        this.ends[r] = h("span", { class: "cell-end" });
        return h("span", { class: "cell-name" }, h("i", { class: "dot", style: `background: var(--c${this.models[r].index % 8})` }), this.models[r].label, this.ends[r]);
      });
      const box = h("div", { class: "cell" }, h("div", { class: "cell-title" }, ...names));
      Object.assign(box.style, { left: `${cell.left}px`, top: `${cell.top}px`, width: `${cell.width}px`, height: `${cell.height}px` });
      this.labels.append(box);
    }
  }

  get aspect() {
    const [cell] = this.cells;
    return cell.width / cell.height;
  }

  fit(direction) {
    if (!this.rig || !this.cells?.length) return;
    this.rig.fit(this.box, this.aspect, direction);
    this.isMoved = false;
    this.onMove();
  }

  look(direction) {
    const eye = new Vector3(...direction);
    if (Math.abs(eye.dot(this.rig.camera.up)) > 0.99) eye.add(new Vector3(0.0005, -0.001, 0).projectOnPlane(this.rig.camera.up)).normalize();
    if (direction[1] === 1) eye.negate();
    this.fit(eye);
  }

  // Live bodies go where nobody knew: the box grows with them, and the view as long as nobody has turned it.
  include(frame) {
    const size = Math.hypot(this.box[3] - this.box[0], this.box[4] - this.box[1], this.box[5] - this.box[2]) || 1, grown = this.box.slice();
    for (const list of frame.positions) {
      for (let k = 0; k < list.length; k++) {
        const axis = k % 3, x = list[k];
        if (x < grown[axis]) grown[axis] = x - 0.05 * size;
        if (x > grown[3 + axis]) grown[3 + axis] = x + 0.05 * size;
      }
    }
    if (grown.every((x, k) => x === this.box[k])) return;
    this.box = grown;
    for (const view of this.views) view.setBox(grown);
    if (!this.isMoved) this.fit();
  }

  // frames and styles: one for each run. pixels: device pixels for a CSS pixel, if not chosen here.
  draw(frames, styles, pixels) {
    if (!this.rig || !this.width || !this.cells) return;
    const cells = this.cells.map((cell) => ({ ...cell, items: cell.runs.map((r, k) => ({ view: this.views[r], frame: frames[r], style: { ...styles[r], isFirst: k === 0 } })) }));
    if (pixels) this.painter.setPixels(pixels);
    else this.painter.setMoving(this.isMoving());
    this.painter.draw(cells, this.rig.camera, this.rig.setAspect, cssColour("--stage"), this.height);
    this.gizmo?.update(this.rig.camera);
  }

  // Runs that ended before the time that is shown say so.
  markEnds(ends, t) {
    this.ends?.forEach((element, r) => {
      const text = ends[r] < t * (1 - 1e-9) ? `${this.models[r].run.status === "failed" ? "failed" : "ended"} at ${number(ends[r], 3)}\u202fs` : "";
      if (element.textContent !== text) element.textContent = text;
    });
  }

  // Pictures follow each other closely; a last one is drawn when they no longer do.
  isMoving() {
    const now = performance.now(), isMoving = now - (this.drawnAt ?? -1000) < 150;
    this.drawnAt = now;
    clearTimeout(this.resting);
    if (isMoving && this.software) this.resting = setTimeout(() => this.onMove(), 200);
    return isMoving;
  }

  // The cell under a point of the page, with the point in coordinates from -1 to 1.
  locate(event) {
    const area = this.canvas.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;
    const cell = this.cells.find((c) => x >= c.left && x <= c.left + c.width && y >= c.top && y <= c.top + c.height);
    if (!cell) return null;
    this.rig.setAspect(cell.width / cell.height);
    this.rig.camera.updateMatrixWorld();
    return { cell, run: cell.runs[0], point: new Vector2((2 * (x - cell.left)) / cell.width - 1, 1 - (2 * (y - cell.top)) / cell.height) };
  }

  // The vertex to pull under the pointer, or null.
  pick(event, frames) {
    const found = this.locate(event);
    if (!found || !frames[found.run]) return null;
    const caster = new Raycaster();
    caster.setFromCamera(found.point, this.rig.camera);
    const vertex = pickVertex(this.models[found.run], frames[found.run], caster.ray, this.rig.camera, found);
    return vertex && { ...vertex, run: found.run };
  }

  // Where the pointer is in the plane through a point parallel to the screen.
  toPlane(event, through) {
    const found = this.locate(event);
    if (!found) return null;
    const depth = through.clone().project(this.rig.camera).z;
    return new Vector3(found.point.x, found.point.y, depth).unproject(this.rig.camera);
  }
}
