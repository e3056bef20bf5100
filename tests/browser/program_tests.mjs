// The page with the program itself: finished runs, several of them, and live scenes.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changed, expect, livens, livensView, picture, root, scratch, test, time, until } from "./support.mjs";

const scene = (name) => join(root, "scenes", name);

async function run(name, ...args) {
  const out = join(scratch, name);
  await livens("run", ...args, "--out", out);
  return out;
}

test("program: a solid is drawn, plays, and has its fields, plots and facts", async ({ openPage }) => {
  const bar = join(scratch, "bar.toml");
  writeFileSync(bar, `include = ["${scene("twisted_bar.toml")}"]\ntime = { end = 1 }\noutput = [{ kind = "frames", every = 0.002, fields = ["displacement", "speed", "von_mises"] }]\n`);
  const { address } = await livensView(await run("bar", bar)), page = await openPage(address);
  console.log(`        first picture of a run with ${await page.evaluate("window.livens.moving[0].run.frames")} frames after ${await page.evaluate("document.documentElement.dataset.drawn")} ms`);
  const first = await picture(page);
  expect(first.drawn > 2000 && first.colourful > 500, `too little is drawn: ${JSON.stringify(first)}`);
  await page.keyboard.press(" ");
  const later = await changed(page, first, "while playing");
  await page.keyboard.press("End");
  await page.selectOption(".field-select", "von_mises");
  await until(page, "window.livens.moving[0].shown.layout.field === 'von_mises'", "the stress");
  await changed(page, later, "another field");
  expect((await page.locator(".plot-panel canvas").count()) >= 3, "there are no plots");
  await page.getByRole("tab", { name: "Run" }).click();
  expect((await page.locator(".facts").innerText()).includes("Findings"), "there are no findings");
});

test("program: the key leaves the address bar, and a reload works nevertheless", async ({ openPage }) => {
  const { address } = await livensView(await run("reloaded", scene("s15_pendulum/pendulum.toml")));
  const page = await openPage(address, { expected: /status of 403/ });
  await until(page, "!location.href.includes('key')", "an address without the key");
  await page.reload();
  await until(page, "document.documentElement.dataset.ready === 'true' || window.livens?.models?.length > 0", "the page again");
  await until(page, "!location.href.includes('key')", "an address without the key, again");
  const stranger = await openPage(address.replace(/\?key=.*/, ""), { ready: false, expected: /status of 403/ });
  expect((await stranger.content()).includes("key is missing or wrong"), "a stranger is not told");
});

test("program: a report and its plots under their content policy", async ({ openPage }) => {
  const out = await run("reported", scene("s15_pendulum/pendulum.toml"));
  const page = await openPage(`file://${out}/report.html`, { ready: false });
  await until(page, "document.querySelectorAll('figure svg path').length > 3", "the plots");
  expect(await page.evaluate("!!document.querySelector('meta[http-equiv=Content-Security-Policy]')"), "there is no policy");
});

test("program: pendulums compared, with phase portraits", async ({ openPage }) => {
  const kinds = ["explicit_euler", "implicit_euler", "symplectic_euler_a"], outs = [];
  for (const kind of kinds) outs.push(await run(kind, scene("s15_pendulum/pendulum.toml"), "--set", `integrator.kind=${kind}`));
  const { address } = await livensView(...outs), page = await openPage(address);
  expect((await page.locator(".portrait").count()) === 3, "there are not three portraits");
  expect((await page.locator(".plot-panel").first().locator(".plot-key").count()) === 3, "curves of all runs");
  const energies = await page.evaluate("window.livens.models.map((m) => Array.from(m.history.columns.energy).at(-1) / m.history.columns.energy[0])");
  expect(energies[0] > 1.1 && energies[1] < 0.9 && Math.abs(energies[2] - 1) < 0.05, `energies grew by ${energies}`);
  await page.locator(".time-slider").fill("5");
  const before = await picture(page);
  await page.locator(".time-slider").fill("6");
  await changed(page, before, "another time");
  await page.getByRole("tab", { name: "Runs" }).click();
  expect((await page.locator(".differs").innerText()).includes("integrator.kind"), "the key that differs");
});

test("program: a live pendulum pauses, steps, takes a new step, is pulled, and starts again", async ({ openPage }) => {
  const { address } = await livensView(scene("multibody_spherical_pendulum.toml"), "--set", "time.end=60"), page = await openPage(address);
  const state = () => page.evaluate("window.livens.live.state");
  await until(page, "window.livens.moving[0].shown && window.livens.timeline.t > 0.05", "a moving pendulum");
  await changed(page, await picture(page), "a running simulation");
  await page.keyboard.press(" ");
  await until(page, "window.livens.live.state.state === 'paused'", "the pause");
  await page.waitForTimeout(700);
  const { steps } = await state();
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await until(page, `window.livens.live.state.steps === ${steps + 1}`, "one more step");
  await page.locator("#control-integrator-step").fill("0.004");
  await page.locator("#control-integrator-step").press("Enter");
  await until(page, "window.livens.live.state.controls.find((c) => c.key === 'integrator.step').value === 0.004", "the new step");
  await page.locator("#control-integrator-step").fill("-3");
  await page.locator("#control-integrator-step").press("Enter");
  await until(page, "document.querySelector('#control-integrator-step-error').textContent !== ''", "the refusal");
  // The last point that can be pulled, where it is on the screen.
  const at = await page.evaluate(() => {
    const { stage, moving } = window.livens, k = moving[0].run.drawables.findIndex((d) => d.pullable), list = moving[0].shown.positions[k], v = list.length - 3, area = stage.canvas.getBoundingClientRect();
    const p = stage.rig.controls.target.clone().set(list[v], list[v + 1], list[v + 2]).project(stage.rig.camera);
    return { x: area.left + ((p.x + 1) / 2) * area.width, y: area.top + ((1 - p.y) / 2) * area.height };
  });
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 40, at.y - 40, { steps: 4 });
  await page.keyboard.press(" ");
  await until(page, "window.livens.live.state.ledger.pull !== 0", "work of the pull");
  await page.mouse.up();
  await until(page, "window.livens.live.state.interventions.some((i) => i.text.includes('pull'))", "the pull in the list");
  await until(page, "window.livens.live.state.pulling === false", "the release");
  const { energy, error } = (await state()).ledger;
  expect(Math.abs(error) < 0.01 * (1 + Math.abs(energy)), `the ledger has an error of ${error} J`);
  const before = await time(page);
  await page.getByRole("button", { name: "Restart" }).click();
  await until(page, `window.livens.live.state.generation === 1 && window.livens.timeline.end < ${before}`, "the restart");
});

test("program: an exported page opens from the disk, with arrows of configurational forces", async ({ openPage }) => {
  const crack = join(scratch, "crack.toml"), out = join(scratch, "crack.html");
  writeFileSync(crack, `include = ["${scene("l04_crack_adapted.toml")}"]\noutput = [{ kind = "frames", every = 1, fields = ["von_mises", "configurational_force"] }]\n`);
  rmSync(out, { force: true });
  await livens("export", await run("crack", crack), "--format", "html", "--fields", "von_mises", "--fields", "configurational_force", "--out", out);
  const page = await openPage(`file://${out}`);
  const first = await picture(page);
  expect(first.drawn > 2000 && first.colourful > 500, `too little is drawn: ${JSON.stringify(first)}`);
  await page.keyboard.press("End");
  await page.selectOption(".field-select", "configurational_force");
  await changed(page, first, "another field");
  const fields = await page.evaluate("window.livens.moving[0].run.fields.map((f) => [f.name, f.arrows])");
  expect(fields.some(([name, arrows]) => name === "configurational_force" && arrows), `no arrows: ${JSON.stringify(fields)}`);
});

test("program: an obstacle of a live scene is dragged with the mouse, and its work is in the ledger", async ({ openPage }) => {
  const file = join(scratch, "dragged.toml");
  writeFileSync(file, `time = { end = 60 }
integrator = { kind = "energy_momentum", step = 0.005 }
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }, { kind = "strain_damping", damping_time = 0.005 }]
contact = [{ name = "floor", kind = "plane", rule = "barrier", point = [0, 0, 0], normal = [0, 0, 1] }, { name = "touch", kind = "bodies" }]
[[body]]
name = "block"
kind = "solid"
material = "rubber"
mesh = { kind = "box", size = [0.2, 0.1, 0.1], cells = [2, 1, 1], corner = [0, 0, 0.005] }
[[body]]
name = "plate"
kind = "obstacle"
shape = { kind = "box", size = [0.02, 0.2, 0.1] }
position = [-0.05, 0.05, 0.06]
`);
  const { address } = await livensView(file, "--set", "time.end=50"), page = await openPage(address);
  await until(page, "window.livens.moving[0].shown && window.livens.timeline.t > 0.1", "a running simulation");
  const at = await page.evaluate(() => {
    const { stage } = window.livens, p = stage.rig.controls.target.clone().set(-0.05, 0.05, 0.11).project(stage.rig.camera), area = stage.canvas.getBoundingClientRect();
    const q = stage.rig.controls.target.clone().set(0, 0.05, 0.11).project(stage.rig.camera);
    return { x: area.left + ((p.x + 1) / 2) * area.width, y: area.top + ((1 - p.y) / 2) * area.height, dx: ((q.x - p.x) / 2) * area.width, dy: ((p.y - q.y) / 2) * area.height };
  });
  await page.mouse.move(at.x, at.y);
  await page.locator(".hold-label").filter({ hasText: "plate" }).waitFor();
  await page.mouse.down();
  for (let k = 1; k <= 20; k++) {
    await page.mouse.move(at.x + (2 * k * at.dx) / 20, at.y + (2 * k * at.dy) / 20);
    await page.waitForTimeout(60);
  }
  await until(page, "window.livens.live.state.interventions.some((i) => i.text === 'drag plate')", "the drag in the list");
  await until(page, "window.livens.live.state.ledger.work > 1e-4", "work of the plate");
  await page.mouse.up();
  await until(page, "window.livens.live.state.pulling === false", "the release");
  const { error, pull, energy } = (await page.evaluate("window.livens.live.state")).ledger;
  expect(pull === 0 && Math.abs(error) < 1e-6 * (1 + Math.abs(energy)), `the ledger has a pull of ${pull} J and an error of ${error} J`);
  const block = await page.evaluate("Math.min(...window.livens.moving[0].shown.positions[0].filter((x, k) => k % 3 === 0))");
  expect(block > 0.01, `the block was not pushed: it begins at ${block} m`);
});
