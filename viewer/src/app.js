// The page: one or several runs, recorded or live, shown at one time.

import { Shell } from "./shell.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";
import { Plots } from "./plots.js";
import { portraitsOf } from "./portrait.js";
import { DisplayBar } from "./display.js";
import { Live, LivePanel, nextPace } from "./live.js";
import { Puller } from "./pull.js";
import { LiveFrames, RecordedFrames, indexAt, magnified, readHistory, readMesh } from "./frames.js";
import { colourRange, frameRange } from "./colours.js";
import { pictureColours, startTheme, toggleTheme } from "./theme.js";
import { showFacts } from "./facts.js";
import { compose, save } from "./screenshot.js";
import { listen } from "./keyboard.js";
import { h } from "./dom.js";

const cacheBudget = 64 << 20;

export class App {
  constructor(host, source) {
    this.source = source;
    this.choice = { field: "", map: "spectrum", range: "run", arrows: "", arrowSize: 1, magnify: 1, reference: false, edges: true, overlay: false };
    this.models = [];
    this.portraits = [];
    startTheme(() => this.themeChanged());
    this.shell = new Shell(host, {
      overlay: () => this.toggleOverlay(), pull: () => this.togglePull(), reference: () => this.toggleSwitch("reference"), edges: () => this.toggleSwitch("edges"),
      fit: () => this.stage?.fit(), screenshot: () => this.screenshot(), theme: () => this.switchTheme(),
    });
    this.timeline = new Timeline(this.shell.timeline, { onTime: () => this.timeChanged(), ready: (t) => this.framesReady(t) });
    this.listenToKeys();
  }

  // ---- opening ------------------------------------------------------------------------------------------------------

  async open() {
    const answer = this.source.session();
    // Making a context takes as long as the first requests do.
    this.stage = new Stage(this.shell.stage, { onMove: () => this.requestDraw() });
    const session = await answer;
    this.isLive = session.live;
    this.models = await Promise.all(session.runs.map((entry, index) => this.openRun(entry, index, session.runs.length)));
    this.moving = this.models.filter((m) => m.run.drawables.length && (this.isLive || m.run.frames > 0));
    this.makeTabs();
    const [first] = this.models;
    this.shell.setTitle(this.models.length > 1 ? `${this.models.length} runs compared` : first.run.title || first.run.name, this.models.length > 1 ? null : first.run);
    if (this.moving.length) this.openPicture();
    else this.leavePictureOut();
    this.setTimes();
    this.timeline.chooseSpeed();
    this.timeline.seek(this.timeline.start);
    if (this.isLive) this.openLive();
    else await this.readHistories();
    document.documentElement.dataset.ready = "true";
  }

  leavePictureOut() {
    this.stage = undefined;
    this.shell.stage.replaceChildren();
    for (const tool of ["reference", "edges", "fit", "screenshot"]) this.shell.tools[tool].hidden = true;
  }

  async openRun(entry, index, count) {
    const [run, buffer] = await Promise.all([this.source.run(entry.id), this.source.mesh(entry.id).catch(() => new ArrayBuffer(0))]);
    const Frames = this.isLive ? LiveFrames : RecordedFrames;
    const model = { run, index, label: entry.name, mesh: buffer.byteLength ? readMesh(buffer, run.drawables) : [], history: null };
    model.frames = new Frames(this.source, run, cacheBudget / count);
    model.frames.onArrival(() => {
      this.connectionChanged(model.frames.error === undefined || model.frames.error.status > 0);
      this.requestDraw();
    });
    return model;
  }

  makeTabs() {
    const { shell } = this;
    if (this.isLive) this.livePane = shell.addTab("live", "Live");
    this.plots = new Plots(shell.addTab("plots", "Plots"), { onSeek: (t) => this.seekTo(t) });
    showFacts(shell.addTab("facts", this.models.length > 1 ? "Runs" : "Run"), this.models);
    shell.setBadge("facts", this.models.reduce((sum, m) => sum + (m.run.warnings?.length ?? 0), 0));
    shell.tools.overlay.hidden = this.models.length < 2;
    shell.tools.pull.hidden = !this.isLive;
  }

  openPicture() {
    const fields = [];
    for (const { run } of this.moving) for (const f of run.fields) if (!fields.some((g) => g.name === f.name)) fields.push(f);
    this.fields = fields;
    this.choice.field = fields.find((f) => f.coloured !== false)?.name ?? "";
    for (const model of this.moving) {
      model.frames.choose(this.choice.field, "");
      model.frames.want(0);
    }
    if (this.stage.isPlain) this.shell.say("This browser has no WebGL: the picture is drawn in a simple way.", "neutral");
    this.stage.onLost = () => this.shell.say("The graphics card was lost. Load the page again to see the picture.", "warn");
    this.stage.setRuns(this.moving);
    this.bar = new DisplayBar(this.shell.display, fields, this.choice, { hasSolids: this.moving.some((m) => m.run.drawables.some((d) => d.kind === "surface")) }, () => this.choiceChanged());
    this.shell.stage.append(h("div", { class: "loading", hidden: true }, "Loading \u2026"));
    this.loading = this.shell.stage.querySelector(".loading");
  }

  async readHistories() {
    await Promise.all(this.models.map(async (model) => {
      model.history = await this.source.history(model.run.id).then(readHistory, () => null);
    }));
    this.setTimes();
    this.plots.setModels(this.models);
    this.showPortraits();
    this.timeChanged();
  }

  // In the place of the picture if there is none, else above the plots.
  showPortraits() {
    this.portraits = portraitsOf(this.models, this.choice.overlay);
    const inStage = !this.moving.length, place = inStage ? this.shell.stage : this.plots.portraits;
    if (!this.portraits.length) {
      if (inStage && !this.shell.stage.childElementCount) this.shell.showEmpty("Nothing to draw", "This run has no recording of the motion. Its plots are beside; an output { kind = \"frames\" } in the scene records the motion.");
      return;
    }
    place.replaceChildren(...this.portraits.map((p) => p.element));
    place.classList.toggle("portrait-grid", inStage);
    place.style.setProperty("--columns", Math.ceil(Math.sqrt(this.portraits.length)));
    for (const portrait of this.portraits) portrait.setTime(this.timeline.t);
  }

  // ---- time ---------------------------------------------------------------------------------------------------------

  // Steps go through the times of the run with most frames; the end is that of the longest run.
  setTimes() {
    const lists = this.moving.length ? this.moving.map((m) => m.frames.times) : this.models.filter((m) => m.history).map((m) => m.history.columns.t);
    if (!lists.length) return;
    const densest = lists.reduce((a, b) => (b.length > a.length ? b : a)), end = Math.max(...lists.map((l) => l[l.length - 1] ?? 0));
    this.timeline.setTimes(end > densest[densest.length - 1] ? [...densest, end] : densest);
  }

  seekTo(t) {
    if (this.isLive) this.setFollowing(false);
    this.timeline.seek(t);
  }

  timeChanged() {
    if (this.isLive && this.timeline.t < this.timeline.end) this.setFollowing(false);
    this.plots?.setTime(this.timeline.t);
    for (const portrait of this.portraits) portrait.setTime(this.timeline.t);
    for (const model of this.moving ?? []) model.frames.want(indexAt(model.frames.times, this.timeline.t));
    this.requestDraw();
  }

  // Frames of that time and of the next second of the clock are asked for.
  framesReady(t) {
    let isReady = true;
    for (const { frames } of this.moving) {
      const index = indexAt(frames.times, t);
      frames.want(index, Math.max(8, indexAt(frames.times, t + this.timeline.speed) - index));
      isReady &&= frames.has(index);
    }
    return isReady;
  }

  // ---- drawing ------------------------------------------------------------------------------------------------------

  requestDraw() {
    if (this.isAsked || !this.stage?.rig) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  // Frames at the time of the page; while one is on its way, the last that was shown.
  framesNow() {
    return this.moving.map((model) => {
      const frame = model.frames.peek(indexAt(model.frames.times, this.timeline.t));
      model.awaits = !frame;
      if (frame) model.shown = frame;
      return model.shown;
    });
  }

  magnify(model) {
    const key = this.choice.magnify;
    if (model.magnifiedFrom !== model.shown || model.magnifiedBy !== key) Object.assign(model, { magnifiedFrom: model.shown, magnifiedBy: key, drawn: magnified(model.shown, model.mesh, key) });
    return model.drawn;
  }

  rangeNow(frames) {
    const { field, map, range } = this.choice, those = this.moving.map((m) => m.run.fields.find((f) => f.name === field)?.range).filter(Boolean);
    const wholeRun = those.length && those.every((r) => Number.isFinite(r[0]) && r[1] > r[0]);
    const parts = range === "frame" || !wholeRun ? frames.map(frameRange) : this.isLive ? [...those, ...frames.map(frameRange)] : those;
    const joined = [Math.min(...parts.map((r) => r[0])), Math.max(...parts.map((r) => r[1]))];
    if (this.isLive && range === "run") {
      const before = this.liveRange?.field === field ? this.liveRange.range : [Infinity, -Infinity];
      this.liveRange = { field, range: [Math.min(before[0], joined[0]), Math.max(before[1], joined[1])] };
      return colourRange(this.liveRange.range, map);
    }
    return colourRange(joined, map);
  }

  draw(pixels) {
    const frames = this.framesNow();
    this.loading.hidden = !this.moving.some((m) => m.awaits);
    if (!frames.some(Boolean)) return;
    const range = this.rangeNow(frames), colours = pictureColours(), isOverlaid = this.choice.overlay && this.moving.length > 1;
    const styles = this.moving.map((model, k) => {
      const arrowField = model.run.fields.find((f) => f.name === this.choice.arrows);
      return {
        colours, range, mapName: this.choice.map, coloured: !isOverlaid && this.choice.field !== "" && frames[k]?.layout.field === this.choice.field,
        bodyColour: isOverlaid || (this.moving.length > 1 && this.choice.field === "") ? colours.runs[model.index % 8] : colours.body, edges: this.choice.edges, reference: this.choice.reference,
        arrows: this.choice.arrows, arrowSize: this.choice.arrowSize, arrowLargest: arrowField ? Math.max(...arrowField.range.map(Math.abs)) || 1 : 0,
        fieldKey: `${this.choice.arrows} ${this.choice.arrowSize}`,
      };
    });
    if (this.puller) {
      this.puller.lookAgain();
      this.stage.views[0].setPull(this.puller.spring(frames[0]));
      this.stage.views[0].setMark(this.puller.marked);
    }
    this.stage.draw(this.moving.map((model) => this.magnify(model)), styles, pixels);
    this.stage.markEnds(this.moving.map(({ frames: { times } }) => times[times.length - 1]), this.timeline.t);
    this.bar?.show(range, isOverlaid);
    this.range = range;

    document.documentElement.dataset.drawn ??= performance.now().toFixed(0);
  }

  // ---- choices ------------------------------------------------------------------------------------------------------

  choiceChanged() {
    for (const model of this.moving) {
      model.frames.choose(this.choice.field, this.choice.arrows);
      model.frames.want(indexAt(model.frames.times, this.timeline.t));
    }
    this.requestDraw();
  }

  nextField() {
    const names = ["", ...(this.fields ?? []).filter((f) => f.coloured !== false).map((f) => f.name)];
    this.choice.field = names[(names.indexOf(this.choice.field) + 1) % names.length];
    this.bar?.setField(this.choice.field);
    this.choiceChanged();
  }

  toggleSwitch(name) {
    this.choice[name] = !this.choice[name];
    this.shell.press(name, this.choice[name]);
    this.requestDraw();
  }

  toggleOverlay() {
    if (this.models.length < 2) return;
    this.choice.overlay = !this.choice.overlay;
    this.shell.press("overlay", this.choice.overlay);
    this.stage?.setOverlay(this.choice.overlay);
    this.showPortraits();
    this.requestDraw();
  }

  togglePull() {
    if (!this.puller) return;
    this.puller.setOn(!this.puller.isOn);
    this.shell.press("pull", this.puller.isOn);
  }

  // A refusal is to be seen where the pointer is, whichever tab is open.
  async sendPull(command) {
    const isTaken = await this.livePanel.send(command);
    if (!isTaken) this.shell.toast(this.livePanel.message.textContent, 6000);
    return isTaken;
  }

  // Where a body is drawn larger than it is, the pointer is not where the spring would be.
  mayPull() {
    if (this.choice.magnify !== 1) this.shell.toast("Set the deformation to 1\u00d7 to pull");
    return this.choice.magnify === 1;
  }

  switchTheme() {
    toggleTheme();
    this.themeChanged();
  }

  themeChanged() {
    this.plots?.rebuild();
    for (const portrait of this.portraits) portrait.draw();
    this.requestDraw();
  }

  async screenshot() {
    if (!this.stage) return this.shell.toast("There is no picture to save.");
    this.draw(2);
    const field = this.choice.field && this.fields.find((f) => f.name === this.choice.field), name = this.models.map((m) => m.run.name).join("-");
    const canvas = compose(this.stage.canvas, this.stage.painter.pixels, {
      title: this.shell.title.textContent, time: `t = ${this.timeline.t.toFixed(this.timeline.decimals)} s`,
      legend: field && !this.choice.overlay ? { label: field.label, unit: field.unit, range: this.range, map: this.choice.map } : null,
    });
    this.requestDraw();
    await save(canvas, `${name}-${this.timeline.t.toFixed(this.timeline.decimals)}.png`);
    this.shell.toast("Screenshot saved");
  }

  // ---- live ---------------------------------------------------------------------------------------------------------

  openLive() {
    const [model] = this.models;
    this.live = new Live(this.source, model, {
      onFrame: (frame) => this.takeLiveFrame(frame), onState: (state) => this.showLiveState(state), onHistory: () => this.liveHistoryChanged(),
      onRestart: (state) => this.liveRestarted(state), onConnection: (isThere) => this.connectionChanged(isThere),
    });
    this.livePanel = new LivePanel(this.livePane, this.live, {});
    if (this.stage) {
      this.puller = new Puller(this.stage, {
        frames: () => this.moving.map((m) => m.shown), drawables: () => model.run.drawables, send: (command) => this.sendPull(command),
        onChange: () => this.requestDraw(), isAllowed: () => this.mayPull(),
      });
    }
    this.followButton = h("button", { type: "button", class: "follow", "aria-pressed": "true", onclick: () => this.setFollowing(!this.isFollowing) }, "Live");
    this.shell.timeline.classList.add("is-live");
    this.shell.timeline.append(this.followButton);
    this.timeline.drive({
      toggle: () => this.livePanel.togglePlay(), step: (direction) => this.step(direction), toEnd: () => this.setFollowing(true),
      changeSpeed: (direction) => this.live.state && this.livePanel.send({ command: "speed", value: nextPace(this.live.state, direction) }),
    });
    this.setFollowing(true);
    this.live.start();
  }

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    this.followButton?.setAttribute("aria-pressed", String(isFollowing));
    if (isFollowing) this.timeline.seek(this.timeline.end);
  }

  takeLiveFrame(frame) {
    const { frames } = this.models[0];
    if (frame.t < frames.times[frames.times.length - 1]) frames.clear(); // started again
    frames.push(frame);
    if (!this.puller?.active) this.stage?.include(frame);
    this.timeline.setTimes(frames.times);
    if (this.isFollowing) this.timeline.seek(this.timeline.end);
  }

  showLiveState(state) {
    this.livePanel.show(state);
    this.timeline.markPlaying(state.state === "running");
    this.timeline.setSpeed(state.pace ?? 1);
    const status = { running: "running", paused: "paused", ended: "done", failed: "failed" }[state.state];
    if (status !== this.shownStatus) this.shell.setTitle(this.shell.title.textContent, { ...this.models[0].run, status, verdict: "" });
    this.shownStatus = status;
  }

  liveHistoryChanged() {
    if (!this.plots.models.length) this.plots.setModels(this.models);
    this.plots.refresh();
    if (!this.portraits.length) this.showPortraits();
    for (const portrait of this.portraits) portrait.refresh();
  }

  liveRestarted(state) {
    if (this.timeline.end > state.t) this.models[0].frames.clear();
    this.models[0].history = null;
    this.portraits = [];
    this.plots.portraits.replaceChildren();
    this.plots.setModels([]);
    this.liveRange = undefined;
    this.setFollowing(true);
  }

  connectionChanged(isThere) {
    if (isThere === this.isConnected) return;
    if (!isThere) this.shell.say("The connection to the simulation is lost. Trying again \u2026", "broken");
    else if (this.isConnected === false) this.shell.say("");
    this.isConnected = isThere;
  }

  // ---- keys ---------------------------------------------------------------------------------------------------------

  listenToKeys() {
    const { timeline, shell } = this, turn = (around, upward) => () => this.stage?.rig?.turn(around, upward), look = (...direction) => () => this.stage?.rig && !this.stage.rig.isFlat && this.stage.look(direction);
    listen({
      " ": () => timeline.driver.toggle(), ArrowLeft: () => timeline.driver.step(-1), ArrowRight: () => timeline.driver.step(1),
      Home: () => this.seekTo(timeline.start), End: () => timeline.driver.toEnd(),
      "[": () => timeline.driver.changeSpeed(-1), "]": () => timeline.driver.changeSpeed(1), l: () => timeline.toggleLoop(),
      f: () => this.stage?.fit(), r: () => this.toggleSwitch("reference"), e: () => this.toggleSwitch("edges"), c: () => this.nextField(), o: () => this.toggleOverlay(), p: () => this.togglePull(),
      s: () => this.screenshot(), t: () => this.switchTheme(), "?": () => shell.toggleHelp(), "+": () => this.stage?.rig?.zoom(1.25), "=": () => this.stage?.rig?.zoom(1.25), "-": () => this.stage?.rig?.zoom(0.8),
      1: look(0, 1, 0), 2: look(1, 0, 0), 3: look(0, 0, 1), 0: () => this.stage?.fit(this.stage.rig.defaultDirection(this.stage.box)),
      "Shift+ArrowLeft": turn(-0.12, 0), "Shift+ArrowRight": turn(0.12, 0), "Shift+ArrowUp": turn(0, 0.12), "Shift+ArrowDown": turn(0, -0.12),
    });
  }

  // A live run that is watched at its end steps on by the simulation.
  step(direction) {
    if (this.isLive && this.isFollowing && direction > 0) return this.livePanel.send({ command: "step" });
    if (this.isLive) this.setFollowing(false);
    this.timeline.stepShown(direction);
  }
}
