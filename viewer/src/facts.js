// What there is to know about the runs: facts, findings, warnings, keys that differ.

import { h, iconButton } from "./dom.js";
import { words } from "./format.js";

const verdictWords = { kept: "Verdict: kept", broken: "Verdict: broken", not_judged: "Verdict: none" };
const statusTone = { done: "neutral", running: "accent", failed: "broken", interrupted: "warn" };
const verdictTone = { kept: "kept", broken: "broken" };

export const pill = (text, tone) => h("span", { class: `pill ${tone}` }, text);

export function statusPills(run) {
  const pills = [pill(words(run.status ?? "done"), statusTone[run.status] ?? "neutral")];
  if (run.verdict) pills.push(pill(verdictWords[run.verdict] ?? words(run.verdict), verdictTone[run.verdict] ?? "neutral"));
  return pills;
}

function notes(list, title, tone) {
  if (!list?.length) return null;
  return h("div", { class: `notes ${tone}` }, h("h3", {}, title), h("ul", {}, list.map((text) => h("li", {}, text))));
}

function copyable(text) {
  const button = iconButton("copy", "Copy", async () => {
    await navigator.clipboard?.writeText(text);
    button.title = "Copied";
  });
  return h("div", { class: "command" }, h("code", {}, text), button);
}

function oneRun(model, isOne) {
  const { run } = model;
  const title = isOne ? run.title || run.name : model.label;
  return h("section", { class: "panel facts" },
    h("h2", { class: "panel-title" }, isOne ? null : h("i", { class: "dot", style: `background: var(--c${model.index % 8})` }), title),
    h("div", { class: "pills" }, statusPills(run)),
    notes(run.warnings, "Warnings", "warn"), notes(run.findings, "Findings", run.verdict === "broken" ? "broken" : "plain"),
    h("dl", {}, run.facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]), run.directory ? [h("dt", {}, "Directory"), h("dd", {}, run.directory)] : []),
    run.command ? copyable(run.command) : null);
}

// Keys as rows, runs as columns.
function differences(models) {
  const keys = [...new Set(models.flatMap((m) => (m.run.differs ?? []).map(([key]) => key)))];
  if (!keys.length) return null;
  const value = (m, key) => m.run.differs.find(([k]) => k === key)?.[1] ?? "\u2013";
  return h("section", { class: "panel" }, h("h2", { class: "panel-title" }, "What differs"),
    h("div", { class: "scroll-x" }, h("table", { class: "differs" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Run"), keys.map((key) => h("th", { scope: "col" }, key)))),
      h("tbody", {}, models.map((m) => h("tr", {}, h("th", { scope: "row" }, h("i", { class: "dot", style: `background: var(--c${m.index % 8})` }), m.label), keys.map((key) => h("td", {}, value(m, key)))))))));
}

export function showFacts(host, models) {
  host.replaceChildren(...[models.length > 1 ? differences(models) : null, ...models.map((m) => oneRun(m, models.length === 1))].filter(Boolean));
}
