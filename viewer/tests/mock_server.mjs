// node viewer/tests/mock_server.mjs SET [PAGE]: serves the page with motions made by formulas.
//   SET: bar, mixed, plate, pendulum, compare, portraits, live, dragged, long (10 000 frames)
// Writes "address http://127.0.0.1:PORT/?key=KEY" and serves until it is ended.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { bar, barAndPlate, mixed, plate, pendulum, description, meshBytes, frameBytes, historyBytes } from "./mock_scenes.mjs";

const sets = {
  bar: () => [bar()],
  mixed: () => [mixed()],
  plate: () => [plate()],
  pendulum: () => [pendulum()],
  compare: () => [
    bar({ id: 0, name: "implicit_euler", damping: 0.8, integrator: "implicit_euler", differs: [["integrator.kind", "implicit_euler"], ["integrator.step", "0.01"]] }),
    bar({ id: 1, name: "midpoint", damping: 0.15, frames: 46, every: 1 / 15, integrator: "implicit_midpoint", differs: [["integrator.kind", "implicit_midpoint"], ["integrator.step", "0.01"]] }),
    bar({ id: 2, name: "energy_momentum", integrator: "energy_momentum", differs: [["integrator.kind", "energy_momentum"], ["integrator.step", "0.02"]] }),
  ],
  portraits: () => [
    pendulum({ id: 0, name: "explicit_euler", growth: 0.05, differs: [["integrator.kind", "explicit_euler"]] }),
    pendulum({ id: 1, name: "implicit_euler", growth: -0.05, differs: [["integrator.kind", "implicit_euler"]] }),
    pendulum({ id: 2, name: "symplectic_euler_a", differs: [["integrator.kind", "symplectic_euler_a"]] }),
    pendulum({ id: 3, name: "stormer_verlet", differs: [["integrator.kind", "stormer_verlet"]] }),
  ],
  live: () => [bar({ name: "bar", obstacles: [{ name: "floor", kind: "plane", point: [0, 0, -0.7], normal: [0, 0, 1] }] })],
  dragged: () => [barAndPlate(() => run.away, { name: "bar" })],
  long: () => [bar({ name: "long", frames: 10000, every: 0.01, cells: [40, 10, 10] })],
};

const [set = "bar", pageFile = new URL("../dist/livens_viewer.html", import.meta.url)] = process.argv.slice(2);
const live = set === "live" || set === "dragged", key = "secret-of-the-mock", seen = [];

// ---- the live simulation -------------------------------------------------------------------------------------------

const freshLive = () => ({ state: "running", message: "", t: 0, t_end: 60, steps: 0, speed: 1, pace: 1, seq: 0, pull: null, pulled: 0, changed: 0, away: [0, 0, 0] });
let run = freshLive(), generation = 0, interventions = [];
const scenes = sets[set](), isObstacle = (order) => scenes[0].drawables[order.drawable].obstacle === true;
const controls = [
  { key: "integrator.step", label: "step", unit: "s", value: 0.002, least: 0, log: true },
  { key: "integrator.alpha", label: "alpha", unit: "", value: 0.5, least: 0, largest: 1, log: false },
  { key: "damping.viscosity", label: "damping", unit: "Pa s", value: 20, least: 0, log: true },
  { key: "gravity.acceleration.z", label: "gravity z", unit: "m/s^2", value: -9.81, log: false },
];

function advance(dt) {
  run.t += dt;
  run.steps += Math.round(dt / controls[0].value);
  run.seq += 1;
  if (!run.pull) return;
  if (isObstacle(run.pull)) run.away = run.away.map((x, k) => x + 0.4 * (run.pull.to[k] - run.grabbed[k] - x));
  else run.pulled += 0.02;
}

if (live) {
  const plain = scenes[0].at;
  scenes[0].live_step = 0.02;
  scenes[0].at = (t) => {
    const frame = plain(t);
    if (!run.pull || isObstacle(run.pull)) return frame;
    const list = frame.positions[0], [px, py, pz] = [0, 1, 2].map((k) => list[3 * run.pull.vertex + k]);
    for (let v = 0; v < list.length / 3; v++) {
      const near = 0.7 * Math.exp(-6 * Math.hypot(list[3 * v] - px, list[3 * v + 1] - py, list[3 * v + 2] - pz));
      for (let k = 0; k < 3; k++) list[3 * v + k] += near * (run.pull.to[k] - [px, py, pz][k]);
    }
    return frame;
  };
  setInterval(() => { if (run.state === "running") advance(0.02 * (run.pace || 3)); }, 20).unref();
}

const state = () => ({
  ...run, pull: undefined, pulled: undefined, changed: undefined, away: undefined, grabbed: undefined, speed: run.state === "running" ? 0.97 : 0, generation, controls,
  ledger: { energy: 12 + run.pulled + run.changed, start: 12, pull: run.pulled, changes: run.changed, dissipated: 0, work: 0, error: 3.1e-15 }, interventions,
});

function obey(order) {
  const note = (text) => interventions.push({ t: run.t, text });
  if (order.command === "pause") run.state = "paused";
  else if (order.command === "play") run.state = "running";
  else if (order.command === "step") run.state = "paused", advance(controls[0].value);
  else if (order.command === "restart") run = { ...freshLive(), seq: run.seq + 1 }, generation += 1, (interventions = []);
  else if (order.command === "speed") run.pace = order.value;
  else if (order.command === "set") {
    const control = controls.find((c) => c.key === order.key);
    if (!control) return `There is no control '${order.key}'.`;
    if (!(typeof order.value === "number")) return `${order.key} must be a number.`;
    if (control.least !== undefined && order.value <= control.least && control.log) return `${order.key} is ${order.value}, but must be above ${control.least}. Try ${control.value}.`;
    note(`${order.key} ${control.value} -> ${order.value}`);
    run.changed += 0.1;
    control.value = order.value;
  } else if (order.command === "pull") {
    if (isObstacle(order) && order.to[2] > 0.2) return "plate cannot go there";
    if (!run.pull) note(isObstacle(order) ? "drag plate" : `pulled vertex ${order.vertex} of bar`);
    if (!run.pull) run.grabbed = order.to.map((x, k) => x - run.away[k]);
    run.pull = order;
  } else if (order.command === "release") run.pull = null;
  else return `unknown command '${order.command}'`;
  return "";
}

// ---- requests ------------------------------------------------------------------------------------------------------

function sendJson(response, value, status = 200) {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}
const sendBytes = (response, bytes) => response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(bytes);

async function answer(request, response) {
  const url = new URL(request.url, "http://mock"), path = url.pathname, ask = url.searchParams;
  seen.push(path);
  if ((ask.get("key") ?? request.headers["x-livens-key"]) !== key) return sendJson(response, { error: "wrong key" }, 403);
  if (path === "/") return response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(readFileSync(pageFile));
  if (path === "/seen") return sendJson(response, seen);
  if (path === "/api/session") return sendJson(response, { version: "mock", live, runs: scenes.map(({ id, name, title }) => ({ id, name, title })) });
  if (live && path === "/api/live" && request.method === "POST") {
    let body = "";
    for await (const piece of request) body += piece;
    const wrong = obey(JSON.parse(body));
    return wrong ? sendJson(response, { error: wrong }, 400) : sendJson(response, state());
  }
  if (live && path === "/api/live") return sendJson(response, state());
  if (live && path === "/api/live/frame") {
    for (let waited = 0; waited < 2000 && run.seq <= Number(ask.get("after")); waited += 20) await new Promise((go) => setTimeout(go, 20));
    if (run.seq <= Number(ask.get("after"))) return response.writeHead(204).end();
    const rows = Math.floor(run.t / 0.02) + 1;
    return sendBytes(response, Buffer.concat([Buffer.from(new Float64Array([run.seq, rows]).buffer), frameBytes(scenes[0], run.t, ask.get("field"), ask.get("arrows"))]));
  }
  const [, id, what] = path.match(/^\/api\/runs\/(\d+)(?:\/(\w+))?$/) ?? [];
  const scene = scenes[Number(id)];
  if (!scene) return sendJson(response, { error: "not found" }, 404);
  if (!what) return sendJson(response, description(scene, live));
  if (what === "mesh") return sendBytes(response, meshBytes(scene));
  if (what === "history") return sendBytes(response, historyBytes(scene, live ? run.t : scene.t_end, Number(ask.get("after") ?? -1)));
  const from = Number(ask.get("from")), count = Math.min(64, Number(ask.get("count")), scene.frames - from);
  sendBytes(response, Buffer.concat(scene.t.slice(from, from + count).map((t) => frameBytes(scene, t, ask.get("field"), ask.get("arrows")))));
}

const server = createServer((request, response) => answer(request, response).catch((error) => sendJson(response, { error: String(error) }, 500)));
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(`address http://127.0.0.1:${server.address().port}/?key=${key}`));
