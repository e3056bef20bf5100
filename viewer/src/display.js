// The bar above the picture: which field colours the bodies, its legend, the colour map, arrows.

import { h } from "./dom.js";
import { colourMaps, gradient } from "./colours.js";
import { niceTicks, number, unitText } from "./format.js";

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export class DisplayBar {
  constructor(host, fields, choice, { hasSolids }, onChange) {
    Object.assign(this, { fields, choice, onChange });
    const option = (value, label, chosen) => h("option", { value, selected: value === chosen }, capital(label));
    const colourable = fields.filter((f) => f.coloured !== false), vectors = fields.filter((f) => f.arrows);
    const set = (name, read = (e) => e.target.value) => (event) => {
      this.choice[name] = read(event);
      this.onChange();
    };
    this.fieldSelect = h("select", { "aria-label": "Colour by", class: "field-select", onchange: set("field") }, option("", "Body colour", choice.field), colourable.map((f) => option(f.name, f.label, choice.field)));
    this.unit = h("span", { class: "legend-unit" });
    this.bar = h("div", { class: "legend-bar" });
    this.ticks = h("div", { class: "legend-ticks" });
    this.legend = h("div", { class: "legend", role: "img" }, this.bar, this.ticks);
    this.rangeButtons = [["run", "Whole run"], ["frame", "This frame"]].map(([value, label]) => h("button", { type: "button", "aria-pressed": String(choice.range === value), onclick: () => this.setRange(value) }, label));
    const map = h("select", { id: "map-select", onchange: set("map") }, colourMaps.map((m) => option(m.name, m.label, choice.map)));
    const rows = [
      h("div", { class: "option" }, h("span", { class: "option-name" }, "Range"), h("div", { class: "segments", role: "group", "aria-label": "Range of the colours" }, this.rangeButtons)),
      h("div", { class: "option" }, h("label", { class: "option-name", for: "map-select" }, "Colours"), map),
    ];
    if (vectors.length) {
      const arrows = h("select", { id: "arrow-select", onchange: set("arrows") }, option("", "None", choice.arrows), vectors.map((f) => option(f.name, f.label, choice.arrows)));
      const size = h("input", { id: "arrow-size", type: "range", min: -1, max: 1, step: 0.05, value: 0, oninput: set("arrowSize", (e) => 10 ** Number(e.target.value)) });
      rows.push(h("div", { class: "option" }, h("label", { class: "option-name", for: "arrow-select" }, "Arrows"), arrows), h("div", { class: "option" }, h("label", { class: "option-name", for: "arrow-size" }, "Arrow size"), size));
    }
    if (hasSolids) {
      const shown = h("output", { class: "option-value" }, "1\u00d7");
      const scale = h("input", { id: "magnify", type: "range", min: 0, max: 3, step: 0.1, value: 0, oninput: (event) => {
        this.choice.magnify = Number((10 ** Number(event.target.value)).toPrecision(2));
        shown.textContent = `${this.choice.magnify}\u00d7`;
        this.onChange();
      } });
      rows.push(h("div", { class: "option" }, h("label", { class: "option-name", for: "magnify" }, "Deformation"), h("div", { class: "option-pair" }, scale, shown)));
    }
    const more = h("details", { class: "display-more" }, h("summary", { "aria-label": "Options of the picture" }, "Options"), h("div", { class: "display-options" }, rows));
    addEventListener("pointerdown", (event) => more.contains(event.target) || (more.open = false));
    host.append(this.fieldSelect, this.legend, this.unit, more);
    host.hidden = !fields.length && !hasSolids;
  }

  setRange(value) {
    this.choice.range = value;
    this.rangeButtons.forEach((b, k) => b.setAttribute("aria-pressed", String((k === 0) === (value === "run"))));
    this.onChange();
  }

  setField(name) {
    this.fieldSelect.value = name;
  }

  // The legend for a range, in round numbers.
  show(range, isHidden = false) {
    const field = this.fields.find((f) => f.name === this.choice.field), key = `${this.choice.field} ${this.choice.map} ${range}`;
    this.legend.style.visibility = field && !isHidden ? "" : "hidden";
    this.unit.textContent = field && !isHidden ? unitText(field.unit) : "";
    if (!field || key === this.shown) return;
    this.shown = key;
    const [low, high] = range, ticks = niceTicks(low, high, 4);
    this.bar.style.background = gradient(this.choice.map);
    this.ticks.replaceChildren(...ticks.map((x) => {
      const tick = h("span", {}, number(x, 3)), part = (x - low) / (high - low);
      tick.style.left = `${100 * part}%`;
      tick.style.transform = `translateX(${part < 0.08 ? 0 : part > 0.92 ? -100 : -50}%)`;
      return tick;
    }));
    this.legend.setAttribute("aria-label", `${field.label} from ${number(low)} to ${number(high)} ${field.unit}`);
  }
}
