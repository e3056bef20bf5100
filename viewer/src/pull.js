// What the pointer does with bodies of a live run: a body is pulled at a vertex by a spring whose end follows the pointer, an
// obstacle goes with it, both in a plane parallel to the screen. What it could take hold of is named beside it, obstacles are marked.

import { Vector3 } from "three";
import { h } from "./dom.js";

const leastPause = 30, leastLooks = 100;

export class Puller {
  constructor(stage, { frames, drawables, send, onChange, isAllowed }) {
    Object.assign(this, { stage, frames, drawables, send, onChange, isAllowed });
    this.isOn = true;
    this.active = null;
    this.found = null;
    this.name = h("strong");
    this.hint = h("span");
    this.label = h("div", { class: "hold-label", hidden: true }, this.name, " ", this.hint);
    stage.host.append(this.label);
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    canvas.addEventListener("pointerleave", () => this.leave());
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(name, (event) => this.end(event), { capture: true });
    window.addEventListener("blur", () => this.end());
  }

  setOn(isOn) {
    this.isOn = isOn;
    if (!isOn) this.leave();
  }

  begin(event) {
    if (!this.isOn || event.button !== 0 || this.active || event.shiftKey) return;
    const found = this.stage.pick(event, this.frames());
    if (!found || !this.isAllowed()) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.setPointerCapture(event.pointerId);
    // An obstacle goes as the pointer goes; the vertex, which may be far from it, stays as far from it as it was.
    const isObstacle = this.drawables()[found.drawable].obstacle === true, aside = new Vector3();
    if (isObstacle) aside.subVectors(found.at, found.position);
    this.active = { ...found, isObstacle, aside, pointer: event.pointerId, to: found.position.clone(), sent: 0 };
    this.found = found;
    this.stage.canvas.classList.add("pulling");
    this.showLabel(event);
    this.tell();
    this.onChange();
  }

  move(event) {
    if (!this.active) return this.hover(event);
    if (event.pointerId !== this.active.pointer) return;
    event.stopImmediatePropagation();
    const { position, aside } = this.active, to = this.stage.toPlane(event, position.clone().add(aside));
    if (!to) return;
    this.active.to = to.sub(aside);
    this.showLabel(event);
    this.tell();
    this.onChange();
  }

  end(event) {
    if (!this.active || (event && event.pointerId !== this.active.pointer)) return;
    event?.stopImmediatePropagation();
    this.send({ command: "release" });
    this.drop();
  }

  drop() {
    this.active = null;
    clearTimeout(this.later);
    this.later = undefined;
    this.stage.canvas.classList.remove("pulling");
    this.leave();
  }

  // At most one message in some milliseconds, the last one always. What is refused is not held.
  tell() {
    if (this.later !== undefined) return;
    const wait = Math.max(0, this.active.sent + leastPause - performance.now());
    this.later = setTimeout(async () => {
      this.later = undefined;
      const { active } = this;
      if (!active) return;
      active.sent = performance.now();
      const { drawable, vertex, to } = active;
      if (!(await this.send({ command: "pull", drawable, vertex, to: to.toArray() })) && this.active === active) this.drop();
    }, wait);
  }

  // ---- what is under the pointer --------------------------------------------------------------------------------------

  hover(event) {
    this.pointer = this.isOn && event.pointerType === "mouse" && event.buttons === 0 ? event : null;
    this.look();
  }

  leave() {
    this.pointer = null;
    this.look();
  }

  // Bodies move below a pointer that rests.
  lookAgain() {
    if (this.pointer && performance.now() - this.lookedAt > leastLooks) this.look();
  }

  look() {
    this.lookedAt = performance.now();
    if (this.active) return;
    const found = this.pointer && this.stage.pick(this.pointer, this.frames()), before = this.found?.drawable;
    this.found = found;
    this.stage.canvas.classList.toggle("can-pull", found !== null);
    this.showLabel(this.pointer);
    if (found?.drawable !== before) this.onChange();
  }

  get marked() {
    return this.found?.drawable ?? -1;
  }

  showLabel(event) {
    this.label.hidden = !this.found;
    if (!this.found || !event) return;
    const { name, obstacle } = this.drawables()[this.found.drawable], area = this.stage.canvas.getBoundingClientRect();
    this.name.textContent = name;
    this.hint.textContent = this.active ? "" : obstacle ? "drag to move it" : "drag to pull it";
    const x = Math.min(event.clientX - area.left + 14, area.width - this.label.offsetWidth - 6), y = Math.max(event.clientY - area.top - 34, 6);
    this.label.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }

  // The spring to draw, from where the vertex is now; of an obstacle the way that it is behind the pointer.
  spring(frame) {
    if (!this.active || !frame) return null;
    const { drawable, vertex, to, aside } = this.active, from = new Vector3().fromArray(frame.positions[drawable], 3 * vertex);
    return { from: from.add(aside).toArray(), to: to.clone().add(aside).toArray() };
  }
}
