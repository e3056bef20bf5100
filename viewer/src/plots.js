// Curves over time: one panel for each group of columns, with a line at the time that the picture shows.

import uPlot from "uplot";
import { h, cssColour } from "./dom.js";
import { number, unitText, withUnit, words } from "./format.js";
import { indexAt } from "./frames.js";

const titles = {
  energy: "Energy", "energy error": "Energy error", momentum: "Momenta", "momentum error": "Momentum errors", dissipation: "Dissipation and work",
  constraint: "Constraints", coordinate: "Coordinates", probe: "Probes", other: "Other",
};
const order = Object.keys(titles), openAtFirst = new Set(["energy", "energy error", "momentum error", "dissipation", "constraint"]);
const mostShown = 8;

// Names that a user gave stand as they are.
const columnName = (column) => (column.group === "coordinate" || column.group === "probe" ? column.name : words(column.name));

const isError = (column) => /(^|_)error$/.test(column.name) && (column.group === "energy" || column.group === "momentum");
const panelOf = (column) => (isError(column) ? `${column.group} error` : titles[column.group] ? column.group : "other");
const hasNumbers = (list) => list !== undefined && list.some((x) => Number.isFinite(x));

// The words that names begin with: "linear_momentum_x", "linear_momentum_y" -> "linear_momentum".
function commonStart(names) {
  const parts = names.map((name) => name.split("_"));
  const count = parts[0].findIndex((word, k) => parts.some((p) => p[k] !== word));
  return parts[0].slice(0, count < 0 ? undefined : count).join("_");
}

// Parts of an energy and its discrete twin are there on demand.
const isDetail = (column) => column.group === "energy" && (/\./.test(column.name) || /^(discrete_energy|work)$/.test(column.name));

// Panels as data: key, title, unit and the columns in them. Columns of other units go to panels of their own.
function panelsFor(models) {
  const panels = new Map();
  for (const { run, history } of models) {
    for (const column of run.columns) {
      if (column.name === "t" || !hasNumbers(history.columns[column.name])) continue;
      const group = panelOf(column), key = `${group}|${column.unit}`;
      if (!panels.has(key)) panels.set(key, { key, group, unit: column.unit, columns: [] });
      const { columns } = panels.get(key);
      if (!columns.some((c) => c.name === column.name)) columns.push(column);
    }
  }
  return [...panels.values()].sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

export class Plots {
  constructor(host, { onSeek }) {
    Object.assign(this, { host, onSeek });
    this.panels = [];
    this.open = new Map();
    this.chosen = new Map();
    this.hidden = new Map();
    this.models = [];
    this.t = 0;
    this.portraits = h("div", { class: "portraits" });
    this.list = h("div", { class: "plot-list" });
    host.append(this.portraits, this.list);
  }

  setModels(models) {
    this.models = models.filter((m) => m.history);
    this.rebuild();
  }

  // Panels from scratch: after a change of theme, of runs or of columns.
  rebuild() {
    for (const panel of this.panels) panel.chart?.destroy();
    const found = panelsFor(this.models), several = new Set(found.map((p) => p.group).filter((g, k, all) => all.indexOf(g) !== k));
    this.panels = found.map((panel) => this.makePanel(panel, several.has(panel.group)));
    this.list.replaceChildren(...this.panels.map((p) => p.element));
    if (!this.panels.length) this.list.append(h("p", { class: "empty" }, "No history yet."));
    for (const panel of this.panels) if (panel.element.open) this.fillPanel(panel);
  }

  makePanel(panel, needsUnit) {
    const open = this.open.get(panel.key) ?? openAtFirst.has(panel.group);
    const common = needsUnit ? commonStart(panel.columns.map((c) => c.name)) : "";
    const title = common ? columnName({ group: panel.group, name: common }) : titles[panel.group];
    const body = h("div", { class: "plot-body" });
    const element = h("details", { class: "panel plot-panel", open, "data-group": panel.group },
      h("summary", {}, h("span", { class: "panel-title" }, title), h("span", { class: "panel-unit" }, unitText(panel.unit))), body);
    const made = { ...panel, body, element, chart: null };
    element.addEventListener("toggle", () => {
      this.open.set(panel.key, element.open);
      if (element.open && !made.chart) this.fillPanel(made);
    });
    return made;
  }

  fillPanel(panel) {
    panel.chart?.destroy();
    panel.body.replaceChildren();
    const several = this.models.length > 1;
    panel.series = several ? this.seriesOfRuns(panel) : this.seriesOfColumns(panel);
    panel.legend = h("div", { class: "plot-legend" });
    if (several && panel.columns.length > 1) panel.body.append(this.columnChooser(panel));
    const box = h("div", { class: "plot-box" });
    panel.body.append(box, panel.legend);
    this.makeLegend(panel);
    panel.chart = this.makeChart(panel, box);
    this.moveMarker(panel);
  }

  columnChooser(panel) {
    const chosen = this.chosen.get(panel.key) ?? panel.columns[0].name;
    return h("select", {
      class: "plot-choice", "aria-label": "Column", onchange: (event) => {
        this.chosen.set(panel.key, event.target.value);
        this.fillPanel(panel);
      },
    }, panel.columns.map((c) => h("option", { value: c.name, selected: c.name === chosen }, columnName(c))));
  }

  seriesOfColumns(panel) {
    const [{ history }] = this.models;
    return panel.columns.map((c, k) => ({ name: columnName(c), colour: `--c${k % 8}`, t: history.columns.t, y: history.columns[c.name], unit: c.unit, meaning: c.meaning, key: `${panel.key}|${c.name}`, late: k >= mostShown || isDetail(c) }));
  }

  seriesOfRuns(panel) {
    const column = this.chosen.get(panel.key) ?? panel.columns[0].name;
    return this.models.map((m) => ({ name: m.label, colour: `--c${m.index % 8}`, t: m.history.columns.t, y: m.history.columns[column] ?? m.history.columns.t.map(() => NaN), unit: panel.unit, key: `run|${m.index}` }));
  }

  isHidden(series) {
    return this.hidden.get(series.key) ?? series.late === true;
  }

  makeLegend(panel) {
    panel.values = panel.series.map(() => h("b", { class: "plot-value" }));
    panel.legend.replaceChildren(...panel.series.map((s, k) =>
      h("button", {
        type: "button", class: "plot-key", "aria-pressed": String(!this.isHidden(s)), title: s.meaning || "Show or hide this curve", onclick: (event) => {
          this.hidden.set(s.key, !this.isHidden(s));
          event.currentTarget.setAttribute("aria-pressed", String(!this.isHidden(s)));
          panel.chart.setSeries(k + 1, { show: !this.isHidden(s) });
        },
      }, h("i", { class: "dot", style: `background: var(${s.colour})` }), h("span", {}, s.name), panel.values[k])));
  }

  chartData(panel) {
    const clean = (list) => Array.from(list, (x) => (Number.isFinite(x) ? x : null));
    const tables = panel.series.map((s) => [Array.from(s.t), clean(s.y)]);
    const isShared = panel.series.every((s) => s.t === panel.series[0].t);
    return isShared ? [tables[0][0], ...tables.map((t) => t[1])] : uPlot.join(tables);
  }

  makeChart(panel, box) {
    const ink = cssColour("--soft"), grid = cssColour("--grid"), font = "12px system-ui, sans-serif";
    const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false }, values: (_, splits) => splits.map((x) => number(x, 4)) };
    const chart = new uPlot({
      width: Math.max(120, box.clientWidth), height: 148, padding: [8, 18, 0, 0], legend: { show: false },
      cursor: { points: { size: 6 }, drag: { x: true, y: false }, sync: { key: "livens", setSeries: false } },
      scales: { x: { time: false }, y: { range: (_, low, high) => roomy(low, high) } },
      axes: [{ ...axis, size: 26, gap: 4, space: 54 }, { ...axis, size: 58, gap: 4, space: 30 }],
      series: [{}, ...panel.series.map((s) => ({ label: s.name, stroke: cssColour(s.colour), width: 1.6, points: { show: false }, spanGaps: true, show: !this.isHidden(s) }))],
      hooks: { setSize: [() => this.moveMarker(panel)], setScale: [() => this.moveMarker(panel)] },
    }, this.chartData(panel), box);
    panel.marker = h("div", { class: "plot-now" });
    chart.over.append(panel.marker);
    let pressedAt = 0;
    chart.over.addEventListener("mousedown", (event) => (pressedAt = event.clientX));
    chart.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressedAt) < 4) this.onSeek(chart.posToVal(event.clientX - chart.over.getBoundingClientRect().left, "x"));
    });
    panel.observer?.disconnect();
    panel.observer = new ResizeObserver(() => {
      if (box.clientWidth > 60 && Math.abs(box.clientWidth - chart.width) > 1) chart.setSize({ width: box.clientWidth, height: 148 });
    });
    panel.observer.observe(box);
    return chart;
  }

  // New rows of a live history.
  refresh() {
    const before = this.panels.map((p) => p.key + p.columns.map((c) => c.name)).join();
    if (panelsFor(this.models).map((p) => p.key + p.columns.map((c) => c.name)).join() !== before) return this.rebuild();
    for (const panel of this.panels) {
      if (!panel.chart || !panel.element.open) continue;
      panel.series = this.models.length > 1 ? this.seriesOfRuns(panel) : this.seriesOfColumns(panel);
      panel.chart.setData(this.chartData(panel));
    }
    this.setTime(this.t);
  }

  setTime(t) {
    this.t = t;
    for (const panel of this.panels) if (panel.chart && panel.element.open) this.moveMarker(panel);
  }

  moveMarker(panel) {
    if (!panel.chart || !panel.marker) return;
    const { chart } = panel, { min, max } = chart.scales.x, isIn = this.t >= min && this.t <= max;
    panel.marker.style.display = isIn ? "" : "none";
    if (isIn) panel.marker.style.transform = `translateX(${chart.valToPos(this.t, "x")}px)`;
    panel.series.forEach((s, k) => {
      const isIn = s.t.length && this.t <= s.t[s.t.length - 1] * (1 + 1e-9);
      panel.values[k].textContent = isIn ? withUnit(number(s.y[indexAt(s.t, this.t)], 4), s.unit) : "\u2013";
    });
  }
}

// A range with some air; around a constant it is a small one.
function roomy(low, high) {
  if (low === null || high === null) return [0, 1];
  if (low === high) return low === 0 ? [-1, 1] : [low - 0.1 * Math.abs(low), high + 0.1 * Math.abs(low)];
  const air = 0.06 * (high - low);
  return [low - air, high + air];
}
