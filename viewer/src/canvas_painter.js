// Draws runs on a plain canvas, for browsers without WebGL: triangles from back to front, without shading of balls and floors.

import { Matrix4, Vector4 } from "three";
import { colourAt, colourTable } from "./colours.js";
import { edgePairs } from "./gl_run.js";

const mostTriangles = 60000;

class CanvasRun {
  constructor(run, mesh) {
    Object.assign(this, { run, mesh, pull: null, marked: -1 });
  }

  setMark(drawable) {
    this.marked = drawable;
  }

  setPull(pull) {
    this.pull = pull;
  }

  setBox(box) {
    this.run = { ...this.run, box };
  }
}

export class CanvasPainter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.pixels = Math.min(window.devicePixelRatio || 1, 2);
  }

  setMoving() {
    this.setPixels(Math.min(window.devicePixelRatio || 1, 2));
  }

  setPixels(pixels) {
    if (pixels === this.pixels) return;
    this.pixels = pixels;
    this.resize(this.width, this.height);
  }

  add(run, mesh) {
    return new CanvasRun(run, mesh);
  }

  resize(width, height) {
    Object.assign(this, { width, height });
    this.canvas.width = Math.round(width * this.pixels);
    this.canvas.height = Math.round(height * this.pixels);
  }

  draw(cells, camera, setAspect, background) {
    const c = this.context;
    c.setTransform(this.pixels, 0, 0, this.pixels, 0, 0);
    c.fillStyle = background;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (const cell of cells) {
      setAspect(cell.width / cell.height);
      camera.updateMatrixWorld();
      const matrix = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
      c.save();
      c.beginPath();
      c.rect(cell.left, cell.top, cell.width, cell.height);
      c.clip();
      for (const item of cell.items) if (item.frame) this.drawRun(item, matrix, cell);
      c.restore();
    }
  }

  // Screen x, y and depth of a list of positions.
  project(positions, matrix, cell) {
    const e = matrix.elements, out = new Float32Array(positions.length);
    for (let k = 0; k < positions.length; k += 3) {
      const [x, y, z] = [positions[k], positions[k + 1], positions[k + 2]], w = e[3] * x + e[7] * y + e[11] * z + e[15];
      out[k] = cell.left + (0.5 + (0.5 * (e[0] * x + e[4] * y + e[8] * z + e[12])) / w) * cell.width;
      out[k + 1] = cell.top + (0.5 - (0.5 * (e[1] * x + e[5] * y + e[9] * z + e[13])) / w) * cell.height;
      out[k + 2] = (e[2] * x + e[6] * y + e[10] * z + e[14]) / w;
    }
    return out;
  }

  drawRun({ view, frame, style }, matrix, cell) {
    const c = this.context, table = colourTable(style.mapName), { colours } = style;
    const shade = (value) => (style.coloured && value === value && value !== undefined ? `rgb(${colourAt(table, (value - style.range[0]) / (style.range[1] - style.range[0])).join(" ")})` : style.bodyColour);
    view.run.drawables.forEach((d, k) => {
      const at = this.project(frame.positions[k], matrix, cell), values = frame.values[k];
      const obstacleColour = k === view.marked ? colours.held : colours.obstacle;
      if (d.kind === "surface") this.drawSurface(view, k, at, values, frame.layout, style, d.obstacle ? () => obstacleColour : shade);
      else if (d.kind === "points") this.drawPoints(view, d, at, values, matrix, cell, shade, colours);
      else this.strokePairs(at, Array.from({ length: d.vertices }, (_, v) => v), d.style === "joint" ? colours.joint : colours.rod, d.style === "spring" ? 1.5 : 3);
      if (style.reference && d.kind === "surface") {
        view.wires ??= [];
        view.wires[k] ??= edgePairs(view.mesh[k]);
        c.globalAlpha = 0.35;
        this.strokePairs(this.project(view.mesh[k].reference, matrix, cell), view.wires[k], colours.reference, 1);
        c.globalAlpha = 1;
      }
    });
    if (view.pull) this.strokePairs(this.project([...view.pull.from, ...view.pull.to], matrix, cell), [0, 1], colours.joint, 3);
  }

  drawSurface(view, k, at, values, layout, style, shade) {
    const c = this.context, { triangles } = view.mesh[k], count = triangles.length / 3, stride = Math.ceil(count / mostTriangles);
    const order = new Uint32Array(Math.floor(count / stride)).map((_, f) => f * stride), depth = new Float32Array(count);
    for (const f of order) depth[f] = at[3 * triangles[3 * f] + 2] + at[3 * triangles[3 * f + 1] + 2] + at[3 * triangles[3 * f + 2] + 2];
    order.sort((f, g) => depth[g] - depth[f]);
    c.lineWidth = 0.7;
    c.lineJoin = "round";
    for (const f of order) {
      const [p, q, r] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
      const facing = (at[q] - at[p]) * (at[r + 1] - at[p + 1]) - (at[q + 1] - at[p + 1]) * (at[r] - at[p]);
      if (view.run.dimension === 3 && facing > 0) continue;
      const value = layout.perTriangle ? values[f] : (values[p / 3] + values[q / 3] + values[r / 3]) / 3;
      c.beginPath();
      c.moveTo(at[p], at[p + 1]);
      c.lineTo(at[q], at[q + 1]);
      c.lineTo(at[r], at[r + 1]);
      c.closePath();
      c.fillStyle = shade(value);
      c.fill();
      c.strokeStyle = style.edges ? style.colours.edge : c.fillStyle;
      c.stroke();
    }
  }

  drawPoints(view, d, at, values, matrix, cell, shade, colours) {
    const c = this.context, corner = new Vector4();
    for (let v = 0; v < at.length / 3; v++) {
      corner.set(...view.run.box.slice(0, 3), 1).applyMatrix4(matrix);
      const size = Math.max(3.5, ((d.radius || 0) * Math.abs(matrix.elements[5]) * cell.height) / 2 / Math.abs(corner.w || 1));
      c.beginPath();
      c.arc(at[3 * v], at[3 * v + 1], size, 0, 7);
      c.fillStyle = shade(values[v]);
      c.fill();
      c.strokeStyle = colours.edge;
      c.stroke();
    }
  }

  strokePairs(at, pairs, colour, width) {
    const c = this.context;
    c.beginPath();
    for (let k = 0; k < pairs.length; k += 2) {
      c.moveTo(at[3 * pairs[k]], at[3 * pairs[k] + 1]);
      c.lineTo(at[3 * pairs[k + 1]], at[3 * pairs[k + 1] + 1]);
    }
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.stroke();
  }
}
