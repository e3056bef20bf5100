// Pulling a vertex of a live run with the pointer: the spring's end follows it in a plane parallel to the screen.

import { Vector3 } from "three";

const leastPause = 30;

export class Puller {
  constructor(stage, { frames, send, onChange, isAllowed }) {
    Object.assign(this, { stage, frames, send, onChange, isAllowed });
    this.isOn = true;
    this.active = null;
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(name, (event) => this.end(event), { capture: true });
    window.addEventListener("blur", () => this.end());
  }

  begin(event) {
    if (!this.isOn || event.button !== 0 || this.active || event.shiftKey) return;
    const found = this.stage.pick(event, this.frames());
    if (!found || !this.isAllowed()) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.active = { ...found, pointer: event.pointerId, to: found.position.clone(), sent: 0 };
    this.stage.canvas.classList.add("pulling");
    this.tell();
    this.onChange();
  }

  move(event) {
    if (!this.active) {
      if (this.isOn && event.pointerType === "mouse" && event.buttons === 0) this.stage.canvas.classList.toggle("can-pull", this.stage.pick(event, this.frames()) !== null);
      return;
    }
    if (event.pointerId !== this.active.pointer) return;
    event.stopImmediatePropagation();
    const to = this.stage.toPlane(event, this.active.position);
    if (!to) return;
    this.active.to = to;
    this.tell();
    this.onChange();
  }

  end(event) {
    if (!this.active || (event && event.pointerId !== this.active.pointer)) return;
    event?.stopImmediatePropagation();
    this.active = null;
    clearTimeout(this.later);
    this.later = undefined;
    this.stage.canvas.classList.remove("pulling");
    this.send({ command: "release" });
    this.onChange();
  }

  // At most one message in some milliseconds, the last one always.
  tell() {
    if (this.later !== undefined) return;
    const wait = Math.max(0, this.active.sent + leastPause - performance.now());
    this.later = setTimeout(() => {
      this.later = undefined;
      if (!this.active) return;
      this.active.sent = performance.now();
      const { drawable, vertex, to } = this.active;
      this.send({ command: "pull", drawable, vertex, to: to.toArray() });
    }, wait);
  }

  // The spring to draw, from where the vertex is now.
  spring(frame) {
    if (!this.active || !frame) return null;
    const from = new Vector3().fromArray(frame.positions[this.active.drawable], 3 * this.active.vertex);
    return { from: from.toArray(), to: this.active.to.toArray() };
  }
}
