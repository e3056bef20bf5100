// The clock of the page and its controls: play, pause, step, speed, position.

import { h, iconButton, setIcon } from "./dom.js";
import { niceBelow, number, timeDecimals } from "./format.js";
import { indexAt } from "./frames.js";

export class Timeline {
  // onTime(t): show that time. ready(t, direction): whether the frames of that time are here; asks for them if not.
  constructor(host, { onTime, ready }) {
    Object.assign(this, { onTime, ready });
    this.times = [0];
    this.t = 0;
    this.isPlaying = false;
    this.isLooping = false;
    this.speed = 1;
    this.isLive = false;
    this.driver = { toggle: () => this.toggle(), step: (direction) => this.stepShown(direction), toEnd: () => this.seek(this.end), changeSpeed: (direction) => this.changeSpeed(direction) };
    this.makeControls(host);
  }

  // Who obeys the buttons: in a live run the simulation.
  drive(driver) {
    this.driver = driver;
    this.isLive = true;
    this.buttons.loop.hidden = true;
  }

  makeControls(host) {
    this.buttons = {
      first: iconButton("first", "To the start (Home)", () => this.seek(this.start)),
      previous: iconButton("previous", "One frame back (left arrow)", () => this.driver.step(-1)),
      play: iconButton("play", "Play (space)", () => this.driver.toggle(), { class: "icon-button play" }),
      next: iconButton("next", "One frame on (right arrow)", () => this.driver.step(1)),
      last: iconButton("last", "To the end (End)", () => this.driver.toEnd()),
      loop: iconButton("restart", "Play again and again (L)", () => this.toggleLoop(), { "aria-pressed": "false" }),
    };
    this.slider = h("input", { type: "range", class: "time-slider", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time", oninput: () => this.seek(Number(this.slider.value)) });
    this.readout = h("output", { class: "time-now" });
    this.total = h("span", { class: "time-total" });
    this.frameText = h("span", { class: "time-frame" });
    this.slower = h("button", { type: "button", class: "speed-step", "aria-label": "Slower ([)", title: "Slower ([)", onclick: () => this.driver.changeSpeed(-1) }, "\u2212");
    this.faster = h("button", { type: "button", class: "speed-step", "aria-label": "Faster (])", title: "Faster (])", onclick: () => this.driver.changeSpeed(1) }, "+");
    this.speedText = h("output", { class: "speed-text", title: "Simulated seconds for one second of the clock" });
    const { first, previous, play, next, last, loop } = this.buttons;
    host.append(
      h("div", { class: "transport", role: "group", "aria-label": "Playback" }, first, previous, play, next, last),
      h("div", { class: "time-track" }, this.slider),
      h("div", { class: "time-text" }, h("span", { class: "time-pair" }, this.readout, this.total), this.frameText),
      h("div", { class: "speed", role: "group", "aria-label": "Speed" }, this.slower, this.speedText, this.faster, loop),
    );
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.times.length - 1];
  }

  // Times that steps go through, ascending.
  setTimes(times) {
    this.times = times.length ? times : [0];
    const span = this.end - this.start;
    this.decimals = timeDecimals(span, this.times.length);
    this.slider.min = this.start;
    this.slider.max = span > 0 ? this.end : this.start + 1;
    this.total.textContent = ` / ${this.end.toFixed(this.decimals)}\u202fs`;
    this.show();
  }

  // Real time if that takes between 1 and 40 seconds, else a round speed that takes about 8.
  chooseSpeed() {
    const span = this.end - this.start;
    this.setSpeed(!(span > 0) || (span >= 1 && span <= 40) ? 1 : niceBelow(span / 8));
  }

  setSpeed(speed) {
    this.speed = speed;
    this.speedText.textContent = speed > 0 ? `${number(speed, 3)}\u00d7` : "max";
  }

  changeSpeed(direction) {
    const lead = Number(this.speed.toExponential(6).split("e")[0]), round = Math.abs(lead - 1) < 0.01 ? 0 : Math.abs(lead - 2) < 0.01 ? 1 : 2;
    const factor = direction > 0 ? [2, 2.5, 2][round] : [1 / 2, 1 / 2, 1 / 2.5][round];
    this.setSpeed(Number((this.speed * factor).toPrecision(6)));
  }

  toggle() {
    this.isPlaying ? this.pause() : this.play();
  }

  play() {
    if (this.t >= this.end) this.seek(this.start);
    this.isPlaying = true;
    this.last = performance.now();
    this.markPlaying();
    requestAnimationFrame(this.tick);
  }

  pause() {
    this.isPlaying = false;
    this.markPlaying();
  }

  toggleLoop() {
    this.isLooping = !this.isLooping;
    this.buttons.loop.setAttribute("aria-pressed", String(this.isLooping));
  }

  markPlaying(isPlaying = this.isPlaying) {
    const label = isPlaying ? "Pause (space)" : "Play (space)";
    setIcon(this.buttons.play, isPlaying ? "pause" : "play");
    this.buttons.play.setAttribute("aria-label", label);
    this.buttons.play.title = label;
  }

  // Time goes on only when the frames for it are here: a slow source slows the playing, not the page.
  tick = (now) => {
    if (!this.isPlaying) return;
    const next = Math.min(this.end, this.t + ((now - this.last) / 1000) * this.speed);
    this.last = now;
    if (this.ready(next, 1)) {
      this.t = next;
      this.show();
      this.onTime(next);
    }
    if (this.t >= this.end) {
      if (this.isLooping) this.t = this.start;
      else return this.pause();
    }
    requestAnimationFrame(this.tick);
  };

  seek(t) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.show();
    this.onTime(this.t);
  }

  stepShown(direction) {
    this.pause();
    const now = indexAt(this.times, this.t);
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, now + direction))]);
  }

  show() {
    this.slider.value = this.t;
    const part = this.end > this.start ? (this.t - this.start) / (this.end - this.start) : 0;
    this.slider.style.setProperty("--part", `${100 * part}%`);
    this.readout.textContent = `${this.t.toFixed(this.decimals)}\u202fs`;
    this.slider.setAttribute("aria-valuetext", `${this.t.toFixed(this.decimals)} s`);
    this.frameText.textContent = `${this.isLive ? "shown" : "frame"} ${indexAt(this.times, this.t) + 1} of ${this.times.length}`;
  }
}
