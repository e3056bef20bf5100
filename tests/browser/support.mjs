// Tests in a browser: registering and running them, servers, pages, and what is on a canvas.

import { spawn, execFile } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const [program, scratch, chromium] = process.argv.slice(2);
const playwright = createRequire(join(scratch, "package.json"))("playwright-core");

const tests = [];
export const test = (name, body) => tests.push({ name, body });

export function expect(condition, message) {
  if (!condition) throw new Error(message);
}

// The bundled page as the build left it beside the program.
export const pageFile = join(dirname(program), "viewer/livens_viewer.html");
export const hasPage = () => existsSync(join(dirname(program), "viewer/bundled"));

let browser;
const children = new Set();

export async function runAll(only) {
  let passed = 0, failed = 0;
  browser = await playwright.chromium.launch({ executablePath: chromium, args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
  for (const { name, body } of tests) {
    if (only && !name.includes(only)) continue;
    const start = Date.now(), open = [];
    try {
      await body({ openPage: (address, options) => openPage(address, options, open) });
      for (const { faults } of open) expect(faults.length === 0, `the page complained: ${faults.join("; ")}`);
      passed += 1;
      console.log(`ok      ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}: ${error.message}`);
      if (open[0]) await open[0].page.screenshot({ path: join(scratch, `${name.replace(/\W+/g, "_")}.png`) }).catch(() => {});
    }
    for (const { context } of open) await context.close();
    endServers();
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}

function endServers() {
  for (const child of children) child.kill("SIGTERM");
  children.clear();
}
process.on("exit", endServers);

// Starts a process and waits for an address in what it writes.
function serve(command, args, options) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  children.add(child);
  return new Promise((done, fail) => {
    let text = "";
    const read = (piece) => {
      text += piece;
      const found = text.match(/http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]+/);
      if (found) done({ address: found[0], child });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", (code) => fail(new Error(`${command} ${args.join(" ")} ended with ${code}: ${text}`)));
    setTimeout(() => fail(new Error(`no address from ${command} ${args.join(" ")}: ${text}`)), 20000).unref();
  });
}

export const mock = (set, port = 0) => serve(process.execPath, [join(root, "viewer/tests/mock_server.mjs"), set, pageFile], { env: { ...process.env, PORT: String(port) } });
export const livensView = (...args) => serve(program, ["view", ...args], { cwd: scratch });
export const livens = (...args) => promisify(execFile)(program, args, { cwd: scratch, timeout: 240000 });

// A page with what went wrong in it: exceptions, errors on the console (answers with status 400 are part of the tests), and
// requests to anywhere but the server.
async function openPage(address, { width = 1200, height = 800, colours = "light", expected = /status of 400/, ready = true, script } = {}, open = []) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: colours, acceptDownloads: true });
  const page = await context.newPage(), faults = [], origin = new URL(address).origin;
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && !expected.test(message.text()) && faults.push(message.text()));
  page.on("request", (request) => !request.url().startsWith(origin) && !/^(data|blob|file):/.test(request.url()) && faults.push(`request to ${request.url()}`));
  if (script) await page.addInitScript(script);
  open.push({ page, context, faults });
  await page.goto(address);
  if (ready) await page.waitForSelector("html[data-ready]", { timeout: 30000 });
  return page;
}

// What the stage shows: how many pixels are not background, and all of them as one number.
export function picture(page) {
  return page.evaluate(() => {
    window.livens.stage.drawnAt = undefined; // a resting picture, with all pixels
    window.livens.draw();
    const from = window.livens.stage.canvas, canvas = document.createElement("canvas");
    Object.assign(canvas, { width: 300, height: 200 });
    const c = canvas.getContext("2d");
    c.drawImage(from, 0, 0, 300, 200);
    const { data } = c.getImageData(0, 0, 300, 200);
    let drawn = 0, hash = 7, colourful = 0;
    for (let k = 0; k < data.length; k += 4) {
      if (Math.abs(data[k] - data[0]) + Math.abs(data[k + 1] - data[1]) + Math.abs(data[k + 2] - data[2]) > 60) drawn += 1;
      if (Math.max(data[k], data[k + 1], data[k + 2]) - Math.min(data[k], data[k + 1], data[k + 2]) > 70) colourful += 1;
      hash = (Math.imul(hash, 31) + data[k] + 7 * data[k + 1] + 13 * data[k + 2]) | 0;
    }
    return { drawn, colourful, hash };
  });
}

// Waits until a picture differs from one taken before.
export async function changed(page, before, what) {
  for (let waited = 0; waited < 8000; waited += 200) {
    const now = await picture(page);
    if (now.hash !== before.hash) return now;
    await page.waitForTimeout(200);
  }
  throw new Error(`the picture did not change: ${what}`);
}

export const time = (page) => page.evaluate("window.livens.timeline.t");

// Waits until an expression of the page is true.
export async function until(page, expression, what) {
  for (let waited = 0; waited < 12000; waited += 100) {
    if (await page.evaluate(expression)) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`never seen: ${what}`);
}
