// A live run: frames, history and state as they come, orders to the simulation, and the panel for them.

import { h, iconButton, setIcon } from "./dom.js";
import { niceBelow, number, unitText, withUnit } from "./format.js";
import { readFrame, readHistory } from "./frames.js";

const mostRows = 24000, pause = (ms) => new Promise((go) => setTimeout(go, ms));

// Appends rows; when there are too many every second goes, so that the memory stays bounded.
export function appendHistory(history, more) {
  const columns = {}, last = history?.columns.t.at(-1) ?? -Infinity;
  const isNew = Array.from(more.columns.t, (t) => t > last); // the first answer may reach farther than was known
  for (const name of Object.keys(more.columns)) columns[name] = [...(history?.columns[name] ?? []), ...more.columns[name].filter((_, k) => isNew[k])];
  const rows = columns.t.length;
  if (rows > mostRows) for (const name of Object.keys(columns)) columns[name] = columns[name].filter((_, k) => k % 2 === 0 || k === rows - 1);
  return { columns, rows: columns.t.length };
}

export class Live {
  constructor(source, model, { onFrame, onState, onHistory, onRestart, onConnection }) {
    Object.assign(this, { source, model, onFrame, onState, onHistory, onRestart, onConnection });
    this.seq = -1;
    this.rows = 0;
    this.state = null;
  }

  start() {
    this.followFrames();
    this.followState();
  }

  // Asks for the next frame when the last one is drawn: a slow page gets fewer frames.
  async followFrames() {
    for (;;) {
      try {
        const { frames } = this.model, layout = frames.layout;
        const buffer = await this.source.liveFrame({ after: this.seq, field: layout.field, arrows: layout.arrows });
        this.onConnection(true);
        if (buffer && layout === frames.layout) this.take(buffer, layout);
        await new Promise((go) => requestAnimationFrame(go));
        if (document.hidden) await pause(500);
      } catch (error) {
        if (!error.status) {
          this.onConnection(false);
          this.seq = -1; // a server that comes back may count anew
        }
        await pause(error.status === 429 || error.status === 503 ? 300 : 1000);
      }
    }
  }

  take(buffer, layout) {
    const head = new DataView(buffer), seq = head.getFloat64(0, true);
    this.availableRows = head.getFloat64(8, true);
    this.seq = seq;
    this.onFrame(readFrame(buffer, 16, layout));
  }

  async followState() {
    for (;;) {
      try {
        this.accept(await this.source.live());
        await this.fetchHistory();
      } catch {
        // The loop of the frames tells of lost connections.
      }
      await pause(document.hidden ? 2000 : 400);
    }
  }

  async fetchHistory() {
    if (this.rows > 0 && this.availableRows !== undefined && this.availableRows <= this.rows) return;
    const generation = this.state.generation;
    const more = readHistory(await this.source.history(this.model.run.id, this.rows > 0 ? this.rows - 1 : undefined));
    if (generation !== this.state.generation || more.rows === 0) return;
    this.model.history = appendHistory(this.rows > 0 ? this.model.history : null, more);
    this.rows = this.rows > 0 ? more.first + more.rows : Math.max(more.rows, this.availableRows ?? 0);
    this.onHistory();
  }

  accept(state) {
    if (this.state && state.generation !== this.state.generation) this.restarted(state);
    this.state = state;
    this.onState(state);
  }

  // Numbers of frames go on through a restart; those of rows do not.
  restarted(state) {
    this.rows = 0;
    this.availableRows = undefined;
    this.onRestart(state);
  }

  async order(command) {
    const state = await this.source.order(command);
    this.accept(state);
    return state;
  }
}

const stateWords = { running: "Running", paused: "Paused", ended: "Ended", failed: "Failed" };

export class LivePanel {
  constructor(host, live, { onError }) {
    Object.assign(this, { live, onError });
    this.fields = new Map();
    this.play = iconButton("pause", "Pause the simulation (space)", () => this.togglePlay(), { class: "icon-button play" });
    this.step = h("button", { type: "button", class: "button", onclick: () => this.send({ command: "step" }) }, "Step");
    this.restart = h("button", { type: "button", class: "button", onclick: () => this.send({ command: "restart" }) }, "Restart");
    this.stateText = h("strong", { class: "live-state" });
    this.speedText = h("span", { class: "live-speed" });
    this.unbounded = h("input", { type: "checkbox", onchange: () => this.send({ command: "speed", value: this.unbounded.checked ? 0 : 1 }) });
    this.detail = h("p", { class: "live-detail" });
    this.message = h("p", { class: "field-error", role: "status" });
    this.controls = h("div", { class: "controls" });
    this.ledger = h("tbody");
    this.interventions = h("ol", { class: "interventions" });
    host.append(
      h("section", { class: "panel" },
        h("div", { class: "live-head" }, this.play, h("div", { class: "live-words" }, this.stateText, this.speedText), h("div", { class: "live-buttons" }, this.step, this.restart)),
        this.detail, h("label", { class: "check" }, this.unbounded, "As fast as it goes"), this.message),
      h("section", { class: "panel" }, h("h2", { class: "panel-title" }, "Between steps"), this.controls),
      h("section", { class: "panel" }, h("h2", { class: "panel-title" }, "Energy ledger"), h("table", { class: "ledger" }, this.ledger)),
      h("section", { class: "panel" }, h("h2", { class: "panel-title" }, "Interventions"), this.interventions));
  }

  togglePlay() {
    this.send({ command: this.live.state?.state === "running" ? "pause" : "play" });
  }

  async send(command, place = this.message) {
    place.textContent = "";
    try {
      await this.live.order(command);
      return true;
    } catch (error) {
      place.textContent = error.message;
      return false;
    }
  }

  show(state) {
    const runs = state.state === "running";
    setIcon(this.play, runs ? "pause" : "play");
    const label = runs ? "Pause the simulation (space)" : "Go on (space)";
    this.play.setAttribute("aria-label", label);
    this.play.title = label;
    this.play.disabled = this.step.disabled = state.state === "ended" || state.state === "failed";
    this.stateText.textContent = stateWords[state.state] ?? state.state;
    this.stateText.dataset.state = state.state;
    this.detail.textContent = `${number(state.t, 4)} of ${number(state.t_end, 4)}\u202fs \u00b7 ${state.steps.toLocaleString("en")} steps`;
    this.speedText.textContent = runs ? `${number(state.speed, 2)}\u00d7 real time` : "";
    this.unbounded.checked = state.pace === 0;
    if (state.message) this.message.textContent = state.message;
    for (const control of state.controls) this.showControl(control);
    this.showLedger(state.ledger);
    this.interventions.replaceChildren(...(state.interventions.length
      ? state.interventions.slice(-50).reverse().map((i) => h("li", {}, h("time", {}, withUnit(number(i.t, 4), "s")), h("span", {}, i.text)))
      : [h("li", { class: "empty" }, "None yet: drag a body or an obstacle, or change a number above.")]));
  }

  showControl(control) {
    let field = this.fields.get(control.key);
    if (!field) this.fields.set(control.key, (field = this.makeControl(control)));
    field.control = control;
    if (document.activeElement !== field.input && !field.isWrong) field.input.value = plainNumber(control.value);
    if (field.slider && document.activeElement !== field.slider) field.slider.value = control.value;
  }

  makeControl(control) {
    const field = { control, isWrong: false }, id = `control-${control.key.replace(/\W/g, "-")}`;
    const apply = async (value) => {
      field.isWrong = !(await this.send({ command: "set", key: control.key, value }, field.error));
      field.input.setAttribute("aria-invalid", String(field.isWrong));
    };
    const enter = () => {
      const text = field.input.value.trim().replace(",", "."), value = Number(text);
      if (text !== "" && value === field.control.value) {
        field.isWrong = false;
        field.error.textContent = "";
        field.input.setAttribute("aria-invalid", "false");
      } else {
        apply(text === "" || Number.isNaN(value) ? field.input.value : value);
      }
    };
    field.input = h("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", "aria-describedby": `${id}-error`, onchange: enter });
    field.error = h("p", { id: `${id}-error`, class: "field-error", role: "status" });
    const nudge = (direction) => apply(nudged(field.control, direction));
    const parts = [
      h("label", { for: id, title: control.key }, control.label),
      h("div", { class: "control-entry" },
        h("button", { type: "button", class: "nudge", "aria-label": `Less ${control.label}`, onclick: () => nudge(-1) }, "\u2212"),
        h("span", { class: "control-box" }, field.input, h("span", { class: "control-unit" }, unitText(control.unit))),
        h("button", { type: "button", class: "nudge", "aria-label": `More ${control.label}`, onclick: () => nudge(1) }, "+")),
    ];
    if (isNumber(control.least) && isNumber(control.largest)) {
      field.slider = h("input", { type: "range", class: "control-slider", "aria-label": control.label, min: control.least, max: control.largest, step: "any", onchange: () => apply(Number(Number(field.slider.value).toPrecision(3))) });
      parts.push(field.slider);
    }
    this.controls.append(h("div", { class: "control" }, ...parts, field.error));
    return field;
  }

  // start + pull + changes + work - dissipated = energy, up to the error.
  showLedger(ledger) {
    const rows = [["Energy at the start", ledger.start, ""], ["Pulling", ledger.pull, "+"], ["Changes between steps", ledger.changes, "+"], ["Work of forces and obstacles", ledger.work, "+"],
      ["Dissipated", ledger.dissipated, "\u2212"], ["Energy now", ledger.energy, "="], ["Error of the balance", ledger.error, ""]];
    this.ledger.replaceChildren(...rows.map(([name, value, sign]) =>
      h("tr", { class: sign === "=" ? "sum" : "" }, h("th", { scope: "row" }, name), h("td", { class: "sign" }, sign), h("td", {}, withUnit(number(value, 5), "J")))));
  }
}

const isNumber = (x) => typeof x === "number";

// The next slower or faster pace in the steps 1, 2, 5; from "as fast as it goes" the speed that it has.
export function nextPace({ pace, speed }, direction) {
  const now = pace > 0 ? pace : niceBelow(speed > 0 ? speed : 1);
  return direction > 0 ? niceBelow(2.6 * now) : niceBelow(0.51 * now);
}

// As a person would type it.
const plainNumber = (x) => String(Number(x.toPrecision(8)));

// The next value by a press of - or +: half or double on a logarithmic scale, else a tenth of its size.
function nudged({ value, log, least, largest }, direction) {
  let next = log ? (value === 0 ? Number(direction > 0) : value * 2 ** direction) : value + direction * (isNumber(least) && isNumber(largest) ? (largest - least) / 10 : Math.max(0.1 * Math.abs(value), value === 0 ? 1 : 0));
  if (isNumber(least)) next = Math.max(least, next);
  if (isNumber(largest)) next = Math.min(largest, next);
  return Number(next.toPrecision(4));
}
