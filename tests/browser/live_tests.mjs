// The page with a live run made by formulas.

import { changed, expect, mock, picture, test, time, until } from "./support.mjs";

const state = (page) => page.evaluate("window.livens.live.state");

test("a live run goes on, pauses, steps and restarts", async ({ openPage }) => {
  const page = await openPage((await mock("live")).address);
  await until(page, "window.livens.timeline.t > 0.1", "time that goes on");
  const before = await picture(page);
  await changed(page, before, "a running simulation");
  await page.keyboard.press(" ");
  await until(page, "window.livens.live.state.state === 'paused'", "the pause");
  await page.waitForTimeout(700);
  const { t, steps } = await state(page);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await until(page, `window.livens.live.state.steps === ${steps + 1}`, "one more step");
  expect((await state(page)).t > t, "a step takes time");
  await page.getByRole("button", { name: "Restart" }).click();
  await until(page, `window.livens.live.state.generation === 1 && window.livens.timeline.end < ${t}`, "the restart");
});

test("numbers change between steps; a refusal is shown at its field", async ({ openPage }) => {
  const page = await openPage((await mock("live")).address), step = page.locator("#control-integrator-step");
  await step.waitFor();
  await step.fill("0.004");
  await step.press("Enter");
  await until(page, "window.livens.live.state.controls[0].value === 0.004", "the new step");
  await page.locator(".interventions li").filter({ hasText: "0.002 -> 0.004" }).waitFor();
  await step.fill("-1");
  await step.press("Enter");
  await page.locator("#control-integrator-step-error").filter({ hasText: "must be above 0" }).waitFor();
  expect((await step.getAttribute("aria-invalid")) === "true", "the field is not marked");
  expect((await state(page)).controls[0].value === 0.004, "the wrong number was taken");
});

test("a vertex is pulled with the mouse, booked and let go", async ({ openPage }) => {
  const page = await openPage((await mock("live")).address);
  await until(page, "window.livens.moving[0].shown", "a frame");
  const box = await page.locator(".stage-canvas").boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 90, { steps: 5 });
  await until(page, "window.livens.live.state.ledger.pull > 0", "work of the pull");
  const spring = await page.evaluate("window.livens.puller.spring(window.livens.moving[0].shown)");
  expect(Math.hypot(...spring.from.map((value, k) => value - spring.to[k])) > 0.01, "the spring has no length");
  await page.mouse.up();
  await page.locator(".interventions li").filter({ hasText: "pulled" }).waitFor();
  await page.waitForTimeout(600);
  const { pull } = (await state(page)).ledger;
  await page.waitForTimeout(600);
  expect((await state(page)).ledger.pull === pull, "the pull goes on after the release");
});

// Where the middle of a drawable is on the screen.
const middleOf = (page, drawable) => page.evaluate((d) => {
  const { stage, moving } = window.livens, list = moving[0].shown.positions[d], p = stage.rig.controls.target.clone().set(0, 0, 0), area = stage.canvas.getBoundingClientRect();
  for (let k = 0; k < 3; k++) p.setComponent(k, list.reduce((sum, x, i) => sum + (i % 3 === k ? (3 * x) / list.length : 0), 0));
  p.project(stage.rig.camera);
  return { x: area.left + ((p.x + 1) / 2) * area.width, y: area.top + ((1 - p.y) / 2) * area.height };
}, drawable);

test("an obstacle is named and marked below the pointer, dragged, and stays where it is let go", async ({ openPage }) => {
  const page = await openPage((await mock("dragged")).address), label = page.locator(".hold-label");
  await until(page, "window.livens.moving[0].shown", "a frame");
  expect(await label.isHidden(), "a label before the pointer came");
  await page.keyboard.press(" ");
  await until(page, "window.livens.live.state.state === 'paused'", "the pause");
  const colour = () => page.evaluate("window.livens.stage.views[0].parts[1].material.uniforms.base.value.getHexString()");
  const plain = await picture(page), plainColour = await colour(), { x, y } = await middleOf(page, 1);
  await page.mouse.move(x, y);
  await label.waitFor();
  expect((await label.innerText()).replace(/\s+/g, " ") === "plate drag to move it", `the label says ${await label.innerText()}`);
  await changed(page, plain, "the mark");
  expect((await colour()) !== plainColour, "the plate has the colour that it had");
  await page.mouse.move(20, 120);
  await label.waitFor({ state: "hidden" });
  await picture(page);
  expect((await colour()) === plainColour, "the mark stays");
  await page.keyboard.press(" ");
  const corner = () => page.evaluate("Array.from(window.livens.moving[0].shown.positions[1].slice(0, 3))"), before = await corner();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.waitForTimeout(300);
  expect(Math.hypot(...(await corner()).map((c, k) => c - before[k])) < 1e-6, "it jumps when it is taken hold of");
  await page.mouse.move(x + 90, y + 20, { steps: 5 });
  await until(page, `Math.abs(window.livens.moving[0].shown.positions[1][0] - ${before[0]}) > 0.05`, "the plate away");
  expect((await state(page)).ledger.pull === 0, "a spring pulls at the plate");
  let there = { x: 0, y: 0 };
  for (let waited = 0; waited < 12000 && Math.hypot(there.x - x - 90, there.y - y - 20) > 12; waited += 100) {
    await page.waitForTimeout(100);
    there = await middleOf(page, 1);
  }
  expect(Math.hypot(there.x - x - 90, there.y - y - 20) < 12, `the plate is ${there.x - x}, ${there.y - y} pixels away, the pointer 90, 20`);
  await page.mouse.up();
  await page.locator(".interventions li").filter({ hasText: "drag plate" }).waitFor();
  await page.waitForTimeout(600);
  const rest = await corner();
  await page.waitForTimeout(600);
  expect(Math.hypot(...(await corner()).map((c, k) => c - rest[k])) < 1e-6, "it moves after the release");
});

test("an obstacle that may not go there is let go, and the reason is told", async ({ openPage }) => {
  const page = await openPage((await mock("dragged")).address);
  await until(page, "window.livens.moving[0].shown", "a frame");
  const { x, y } = await middleOf(page, 1);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, 70, { steps: 5 });
  await page.locator(".toast").filter({ hasText: "plate cannot go there" }).waitFor();
  await until(page, "window.livens.puller.active === null", "the release");
  await page.mouse.up();
});

test("beside a body, and with pulling off, the mouse turns the view", async ({ openPage }) => {
  const page = await openPage((await mock("live")).address);
  await until(page, "window.livens.moving[0].shown", "a frame");
  const box = await page.locator(".stage-canvas").boundingBox(), drag = async (x, y) => {
    const before = await page.evaluate("window.livens.stage.rig.camera.position.x");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 50, y, { steps: 3 });
    await page.mouse.up();
    return (await page.evaluate("window.livens.stage.rig.camera.position.x")) !== before;
  };
  expect(await drag(box.x + 20, box.y + 20), "the background does not turn the view");
  await page.keyboard.press("p");
  expect(await drag(box.x + box.width / 2, box.y + box.height / 2), "with pulling off a body does not turn the view");
  expect((await state(page)).interventions.length === 0, "something was pulled");
});

test("the past of a live run can be looked at while it goes on", async ({ openPage }) => {
  const page = await openPage((await mock("live")).address);
  await until(page, "window.livens.timeline.t > 0.5", "some time");
  await page.keyboard.press("Home");
  const looked = await time(page);
  await until(page, "window.livens.timeline.end > 1.5", "more time");
  expect((await time(page)) === looked, "the page jumped back to the end");
  await page.keyboard.press("End");
  await until(page, "window.livens.timeline.t > 1.5", "the end again");
});

test("a lost connection to a live run is told, and found again", async ({ openPage }) => {
  const { address, child } = await mock("live"), page = await openPage(address, { expected: /ERR_|Failed to load/ });
  await until(page, "window.livens.moving[0].shown", "a frame");
  child.kill("SIGTERM");
  await page.locator(".banner").filter({ hasText: "connection" }).waitFor({ timeout: 8000 });
  await mock("live", new URL(address).port);
  await page.locator(".banner").waitFor({ state: "hidden", timeout: 8000 });
  const then = await page.evaluate("window.livens.live.seq");
  await until(page, `window.livens.live.seq >= 0 && window.livens.live.seq !== ${then}`, "new frames");
});

test("frames of a live run stay within their bounds and reach from start to end", async ({ openPage }) => {
  const page = await openPage((await mock("live")).address);
  await until(page, "window.livens.moving[0].shown", "a frame");
  const begin = await page.evaluate("window.livens.moving[0].frames.budget = 200000, window.livens.moving[0].frames.times[0]");
  await until(page, "window.livens.moving[0].frames.stride >= 4", "thinning");
  const { bytes, first, last, end } = await page.evaluate("(() => { const f = window.livens.moving[0].frames; return { bytes: f.bytes, first: f.times[0], last: f.times.at(-1), end: window.livens.timeline.end }; })()");
  expect(bytes <= 200000 + 20000 && first === begin && last === end, JSON.stringify({ bytes, begin, first, last, end }));
});
