// The page with recorded runs made by formulas (viewer/tests/mock_server.mjs).

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { changed, expect, mock, pageFile, picture, root, scratch, test, time, until } from "./support.mjs";

const shownField = (page) => page.evaluate("window.livens.moving[0].shown?.layout.field");

const hasField = (page, name) => until(page, `window.livens.moving[0].shown?.layout.field === "${name}"`, `the field ${name}`);

test("a run is drawn and coloured, without a word on the console", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address), seen = await picture(page);
  expect(seen.drawn > 2000 && seen.colourful > 1000, `too little is drawn: ${JSON.stringify(seen)}`);
  expect((await page.title()).startsWith("A bar of rubber"), "the title");
  expect(!(await page.title()).includes("secret"), "the key is in the title");
  expect((await page.locator(".legend-ticks span").count()) >= 3, "the legend has no numbers");
  expect((await page.locator(".plot-panel canvas").count()) >= 3, "there are no plots");
});

test("the control: an empty stage would be noticed", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address);
  await page.evaluate("window.livens.stage.views[0].scene.children.forEach((c) => (c.scale.set(0, 0, 0), c.updateMatrixWorld()))");
  const seen = await picture(page);
  expect(seen.drawn < 500, `a stage without bodies has ${seen.drawn} pixels`);
});

test("playing moves the picture and stops at the end; keys step, go home and change the speed", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address), before = await picture(page);
  await page.keyboard.press(" ");
  await changed(page, before, "while playing");
  await page.keyboard.press(" ");
  const stopped = await time(page);
  await page.waitForTimeout(300);
  expect((await time(page)) === stopped, "time goes on after the pause");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  expect(Math.abs((await time(page)) - 1 / 30) < 1e-9, "a step is one frame");
  await page.keyboard.press("End");
  expect((await time(page)) === 3, "the end");
  await page.keyboard.press("Home");
  for (let k = 0; k < 4; k++) await page.keyboard.press("]");
  await page.keyboard.press(" ");
  await until(page, "window.livens.timeline.t === 3 && !window.livens.timeline.isPlaying", "the end");
});

test("the slider and a click in a plot set the time", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address), before = await picture(page);
  await page.locator(".time-slider").fill("1.5");
  expect((await time(page)) === 1.5, "the slider");
  await changed(page, before, "after the slider");
  const box = await page.locator(".plot-panel .u-over").first().boundingBox();
  await page.mouse.click(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
  expect(Math.abs((await time(page)) - 0.75) < 0.05, `a click at a quarter of 3 s gave ${await time(page)}`);
});

test("every field colours, with its own legend; arrows, reference, edges and maps change the picture", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address);
  await page.locator(".time-slider").fill("0.4");
  await hasField(page, "displacement");
  let last = await picture(page);
  for (const name of ["von_mises", "speed", "energy_density"]) {
    const legend = await page.locator(".legend").getAttribute("aria-label");
    await page.selectOption(".field-select", name);
    await hasField(page, name);
    last = await changed(page, last, name);
    expect((await page.locator(".legend").getAttribute("aria-label")) !== legend, `the legend of ${name} is the old one`);
  }
  await page.locator(".display-more summary").click();
  await page.selectOption("#map-select", "diverging");
  last = await changed(page, last, "another map");
  await page.selectOption("#arrow-select", "configurational_force");
  last = await changed(page, last, "arrows");
  await page.getByRole("button", { name: "This frame" }).click();
  for (const key of ["r", "e"]) {
    await page.locator(".stage-canvas").focus();
    await page.keyboard.press(key);
    last = await changed(page, last, `the key ${key}`);
  }
  expect((await shownField(page)) === "energy_density", "the field stays");
});

test("the camera turns, zooms and fits", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address), first = await picture(page);
  await page.mouse.move(300, 400);
  await page.mouse.down();
  await page.mouse.move(420, 380, { steps: 4 });
  await page.mouse.up();
  const turned = await changed(page, first, "turning");
  await page.mouse.wheel(0, -400);
  const near = await changed(page, turned, "zooming");
  await page.keyboard.press("0");
  const again = await changed(page, near, "the default view");
  expect(again.hash === first.hash, "the default view is not that of the beginning");
});

test("particles, springs, a rigid body, a joint and obstacles are drawn", async ({ openPage }) => {
  const page = await openPage((await mock("mixed")).address);
  const all = await picture(page);
  expect(all.drawn > 1500, `too little is drawn: ${all.drawn}`);
  let last = all;
  for (let k = 0; k < 5; k++) {
    await page.evaluate((n) => (window.livens.stage.views[0].parts[n].material.visible = false), k);
    last = await changed(page, last, `without drawable ${k}`);
  }
});

test("runs side by side are shown at one time, overlaid on demand, with curves of each", async ({ openPage }) => {
  const page = await openPage((await mock("compare")).address), side = await picture(page);
  expect((await page.locator(".cell").count()) === 3, "there are not three cells");
  await page.locator(".time-slider").fill("0.99");
  await page.waitForTimeout(600);
  const shown = await page.evaluate("window.livens.moving.map((m) => m.shown.t)");
  expect(shown.every((t) => t <= 0.99 && t > 0.99 - 1 / 15 - 1e-9), `frames of ${shown} at 0.99 s`);
  expect((await page.locator(".plot-panel").first().locator(".plot-key").count()) === 3, "the plot has not one curve for each run");
  const then = await changed(page, side, "another time");
  await page.keyboard.press("o");
  await changed(page, then, "overlaid");
  expect((await page.locator(".cell").count()) === 1, "overlaid runs have one cell");
  await page.getByRole("tab", { name: "Runs" }).click();
  expect((await page.locator(".differs").innerText()).includes("implicit_midpoint"), "the keys that differ");
});

test("runs without bodies show phase portraits that follow the time", async ({ openPage }) => {
  const page = await openPage((await mock("portraits")).address);
  expect((await page.locator(".portrait").count()) === 4, "there are not four portraits");
  const look = () => page.locator(".portrait canvas").first().evaluate((canvas) => canvas.toDataURL().length + canvas.toDataURL().slice(-400));
  const before = await look();
  await page.locator(".time-slider").fill("10");
  expect((await look()) !== before, "the portrait did not change");
});

test("a screenshot is saved as a picture with the name of the run", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address);
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
  expect(/^bar-0\.\d+\.png$/.test(download.suggestedFilename()), download.suggestedFilename());
  const bytes = readFileSync(await download.path());
  expect(bytes.length > 10000 && bytes.subarray(1, 4).toString() === "PNG", `${bytes.length} bytes`);
});

test("light and dark by the system, and by choice", async ({ openPage }) => {
  const { address } = await mock("bar"), background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await openPage(address), dark = await openPage(address, { colours: "dark" });
  expect((await background(light)) !== (await background(dark)), "the system's preference changes nothing");
  const before = await background(light);
  await light.keyboard.press("t");
  expect((await background(light)) === (await background(dark)), "the key does not change to dark");
  await light.keyboard.press("t");
  expect((await background(light)) === before, "the key does not change back");
});

test("a small screen: nothing is wider than it, nothing smaller than 12 px", async ({ openPage }) => {
  for (const set of ["bar", "compare", "portraits", "live"]) {
    const page = await openPage((await mock(set)).address, { width: 390, height: 844 });
    await page.waitForTimeout(300);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide <= 390, `${set} is ${wide} px wide`);
    const small = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((e) => e.childNodes.length && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) && e.getClientRects().length && parseFloat(getComputedStyle(e).fontSize) < 12).map((e) => e.className));
    const visible = small.filter((name) => name !== "" && !String(name).includes("display-more"));
    expect(visible.length === 0, `too small in ${set}: ${visible}`);
  }
});

test("without WebGL the picture is drawn on a plain canvas and the plots work", async ({ openPage }) => {
  const page = await openPage((await mock("bar")).address, { script: "const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return /webgl/.test(kind) ? null : get.call(this, kind, ...more); };" });
  expect((await page.locator(".banner").innerText()).includes("no WebGL"), "nothing is said");
  const before = await picture(page);
  expect(before.drawn > 2000, `too little is drawn: ${before.drawn}`);
  await page.locator(".time-slider").fill("1.2");
  await changed(page, before, "another time");
  expect((await page.locator(".plot-panel canvas").count()) >= 3, "there are no plots");
});

test("the cache of frames stays within its bounds in a run of 10 000 frames", async ({ openPage }) => {
  const page = await openPage((await mock("long")).address);
  await page.evaluate(async () => {
    const { frames } = window.livens.moving[0];
    frames.budget = 4 << 20;
    for (let k = 0; k < 10000; k += 400) {
      window.livens.timeline.seek(frames.times[k]);
      while (!frames.has(k)) await new Promise((go) => setTimeout(go, 10));
    }
  });
  const { bytes, count, largest } = await page.evaluate(() => { const { frames } = window.livens.moving[0]; return { bytes: frames.bytes, count: frames.cache.size, largest: frames.batch * 2 * frames.layout.bytes }; });
  expect(count > 0 && bytes <= Math.max(4 << 20, largest), `${count} frames with ${bytes} bytes`);
});

test("a wrong key and a server that is gone are told", async ({ openPage }) => {
  const { address, child } = await mock("bar");
  const stranger = await openPage(address.replace(/key=.*/, "key=wrong"), { ready: false, expected: /status of 403/ });
  expect(!(await stranger.content()).includes("livens-viewer"), "a stranger gets the page");
  const page = await openPage(address, { expected: /ERR_CONNECTION|status of 403/ });
  child.kill("SIGTERM");
  await page.waitForTimeout(200);
  await page.locator(".time-slider").fill("2.9");
  await page.locator(".banner").filter({ hasText: "connection" }).waitFor({ timeout: 8000 });
});

// ---- exported pages -------------------------------------------------------------------------------------------------

// Fills the page as docs/view_protocol.md says.
async function exported() {
  const scenes = await import(join(root, "viewer/tests/mock_scenes.mjs")), scene = scenes.bar({ frames: 40 });
  const element = (id, bytes) => `<script type="application/octet-stream" id="${id}">${gzipSync(bytes).toString("base64")}</script>`;
  const size = 16, session = { version: "0.1.0", frames_in_piece: size, runs: [{ id: 0, name: scene.name, title: scene.title, frames: 40 }] };
  const parts = [`<script type="application/json" id="livens-data">${JSON.stringify(session).replace(/</g, "\\u003c")}</script>`,
    element("livens-0-run", Buffer.from(JSON.stringify(scenes.description(scene)))), element("livens-0-mesh", scenes.meshBytes(scene)), element("livens-0-history", scenes.historyBytes(scene))];
  for (let k = 0; k * size < 40; k++) {
    const times = scene.t.slice(k * size, (k + 1) * size);
    parts.push(element(`livens-0-motion-${k}`, Buffer.concat(times.map((t) => scenes.frameBytes(scene, t)))));
    parts.push(element(`livens-0-field-von_mises-${k}`, Buffer.concat(times.flatMap((t) => scenes.fieldBytes(scene.at(t), "von_mises")))));
  }
  const file = join(scratch, "exported.html");
  writeFileSync(file, readFileSync(pageFile, "utf8").replace("<!--livens-data-->", () => parts.join("\n")));
  return `file://${file}`;
}

test("an exported page plays from a file, without any request", async ({ openPage }) => {
  const page = await openPage(await exported()), before = await picture(page);
  expect(before.drawn > 2000, `too little is drawn: ${before.drawn}`);
  expect((await page.locator(".field-select option").count()) === 2, "only the field that is there is offered");
  await page.locator(".time-slider").fill("1.1");
  await hasField(page, "von_mises");
  const then = await changed(page, before, "another piece of frames");
  expect(then.colourful > 1000, "no colours");
  expect((await page.locator(".plot-panel canvas").count()) >= 3, "there are no plots");
});
