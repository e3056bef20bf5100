// Three axes in a corner that turn with the camera; a click on one looks along it.

import { Vector3 } from "three";
import { h, svg } from "./dom.js";

const axes = [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]];
const reach = 23;

export class Gizmo {
  constructor(look) {
    this.picture = svg("svg", { viewBox: "-36 -36 72 72", width: 72, height: 72 });
    this.parts = axes.map(([name, direction]) => {
      const line = svg("line", { x1: 0, y1: 0, class: `axis axis-${name}` });
      const dot = svg("circle", { r: 9, class: `axis-dot axis-${name}` }), label = svg("text", { class: "axis-label", "text-anchor": "middle", "dominant-baseline": "central" }, name);
      const group = svg("g", { class: "axis-group", onclick: () => look(direction) }, svg("title", {}, `Look along ${name}`), line, dot, label);
      this.picture.append(group);
      return { direction: new Vector3(...direction), group, line, dot, label };
    });
    this.element = h("div", { class: "gizmo", "aria-hidden": "true" }, this.picture);
  }

  update(camera) {
    const seen = this.parts.map((part) => ({ part, at: part.direction.clone().transformDirection(camera.matrixWorldInverse) }));
    seen.sort((a, b) => a.at.z - b.at.z);
    for (const { part, at } of seen) {
      const x = (reach * at.x).toFixed(1), y = (-reach * at.y).toFixed(1);
      part.line.setAttribute("x2", x);
      part.line.setAttribute("y2", y);
      part.dot.setAttribute("cx", x);
      part.dot.setAttribute("cy", y);
      part.label.setAttribute("x", x);
      part.label.setAttribute("y", y);
      this.picture.append(part.group);
    }
  }
}
