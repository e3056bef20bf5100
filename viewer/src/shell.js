// The frame of the page: header, picture, timeline, tabs; the help; messages.

import { h, iconButton } from "./dom.js";
import { statusPills } from "./facts.js";

const keys = [
  ["Space", "play, pause"], ["\u2190 \u2192", "one frame back, on"], ["Home End", "start, end"], ["[ ]", "slower, faster"], ["L", "play again and again"],
  ["F", "fit to view"], ["1 2 3 0", "front, side, top, default view"], ["+ \u2212", "nearer, farther"], ["Shift + \u2190\u2192", "turn"],
  ["R", "reference shape"], ["E", "edges of elements"], ["C", "next field"], ["O", "runs side by side, overlaid"], ["P", "pull on, off (live)"],
  ["S", "screenshot"], ["T", "light, dark"], ["?", "this help"],
];

export class Shell {
  constructor(host, actions) {
    this.tools = {
      overlay: iconButton("overlay", "Overlay the runs (O)", actions.overlay, { "aria-pressed": "false", hidden: true }),
      pull: iconButton("pull", "Pull bodies with the pointer (P)", actions.pull, { "aria-pressed": "true", hidden: true }),
      reference: iconButton("reference", "Reference shape (R)", actions.reference, { "aria-pressed": "false" }),
      edges: iconButton("edges", "Edges of elements (E)", actions.edges, { "aria-pressed": "true" }),
      fit: iconButton("fit", "Fit to view (F)", actions.fit),
      screenshot: iconButton("camera", "Save a screenshot (S)", actions.screenshot),
      theme: iconButton("theme", "Light or dark (T)", actions.theme),
      help: iconButton("help", "Keys and help (?)", () => this.toggleHelp()),
    };
    this.title = h("h1", { class: "title" }, "Livens");
    this.pills = h("div", { class: "pills header-pills" });
    this.banner = h("div", { class: "banner", role: "status", hidden: true });
    this.display = h("div", { class: "display", role: "group", "aria-label": "Colours", hidden: true });
    this.stage = h("div", { class: "stage" });
    this.timeline = h("div", { class: "timeline", role: "group", "aria-label": "Timeline" });
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    this.panes = h("div", { class: "panes" });
    this.note = h("div", { class: "toast", role: "status", hidden: true });
    this.help = this.makeHelp();
    const { overlay, pull, reference, edges, fit, screenshot, theme, help } = this.tools;
    const logo = h("span", { class: "logo", "aria-hidden": "true" });
    host.replaceChildren(
      h("header", { class: "header" }, logo, this.title, this.pills,
        h("div", { class: "tools" }, h("div", { class: "tool-group picture-tools" }, overlay, pull, reference, edges, fit, screenshot), h("div", { class: "tool-group" }, theme, help))),
      this.banner,
      h("main", { class: "main" }, h("section", { class: "view", "aria-label": "Picture" }, this.display, this.stage, this.timeline), h("aside", { class: "side", "aria-label": "Panels" }, this.tabs, this.panes)),
      this.note, this.help);
    this.pages = new Map();
  }

  addTab(name, label) {
    const pane = h("div", { class: "pane", role: "tabpanel", id: `pane-${name}`, "aria-labelledby": `tab-${name}`, hidden: true });
    const badge = h("span", { class: "badge", hidden: true });
    const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `pane-${name}`, "aria-selected": "false", onclick: () => this.openTab(name), onkeydown: (event) => this.moveTab(event) }, label, badge);
    this.tabs.append(tab);
    this.panes.append(pane);
    this.pages.set(name, { tab, pane, badge });
    if (this.pages.size === 1) this.openTab(name);
    return pane;
  }

  openTab(name) {
    for (const [other, { tab, pane }] of this.pages) {
      tab.setAttribute("aria-selected", String(other === name));
      pane.hidden = other !== name;
    }
  }

  // Left and right arrows go through the tabs.
  moveTab(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], names = [...this.pages.keys()];
    if (!by) return;
    const now = names.findIndex((name) => this.pages.get(name).tab === event.currentTarget), next = names[(now + by + names.length) % names.length];
    this.openTab(next);
    this.pages.get(next).tab.focus();
  }

  setBadge(name, count) {
    const { badge } = this.pages.get(name);
    badge.hidden = count === 0;
    badge.textContent = count;
  }

  setTitle(text, run) {
    this.title.textContent = text;
    document.title = `${text} \u2013 Livens`;
    this.pills.replaceChildren(...(run ? statusPills(run) : []));
  }

  say(text, tone = "warn") {
    this.banner.hidden = !text;
    this.banner.className = `banner ${tone}`;
    this.banner.textContent = text ?? "";
  }

  toast(text, ms = 2500) {
    this.note.textContent = text;
    this.note.hidden = false;
    clearTimeout(this.fading);
    this.fading = setTimeout(() => (this.note.hidden = true), ms);
  }

  // In the place of the picture.
  showEmpty(title, text) {
    this.stage.append(h("div", { class: "stage-empty" }, h("h2", {}, title), h("p", {}, text)));
  }

  makeHelp() {
    const rows = keys.map(([key, what]) => h("div", { class: "help-row" }, h("dt", {}, key.split(" ").map((k) => (k === "+" && key.length > 5 ? " + " : h("kbd", {}, k)))), h("dd", {}, what)));
    return h("dialog", { class: "help", "aria-label": "Keys and help", onclick: (event) => event.target === this.help && this.help.close() },
      h("div", { class: "help-inner" },
        h("div", { class: "help-head" }, h("h2", {}, "Keys"), h("button", { type: "button", class: "button", onclick: () => this.help.close() }, "Close")),
        h("dl", {}, rows),
        h("p", { class: "help-text" }, "Drag to turn, drag with the right button or two fingers to move, turn the wheel or pinch to zoom. A click in a plot goes to that time; dragging in it zooms, a double click shows everything again. In a live run, drag a body to pull it with a spring, or an obstacle to move it; with Shift the drag turns the view.")));
  }

  toggleHelp() {
    this.help.open ? this.help.close() : this.help.showModal();
  }

  press(tool, isPressed) {
    this.tools[tool].setAttribute("aria-pressed", String(isPressed));
  }
}

