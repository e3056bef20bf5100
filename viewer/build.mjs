// node build.mjs SOURCE OUTPUT: bundles SOURCE/src to one page without anything outside. Run where node_modules is.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

const [source = ".", output = "dist/livens_viewer.html"] = process.argv.slice(2);
const { buildSync } = createRequire(join(process.cwd(), "package.json"))("esbuild");

// Lines are limited, since the page is compiled into the program in pieces that end at line ends. Only ASCII comes out.
const common = { bundle: true, minify: true, write: false, lineLimit: 4000, charset: "ascii", legalComments: "none", target: ["chrome90", "firefox113", "safari16.4"], nodePaths: [resolve("node_modules")] };
const bundled = (entry, more) => buildSync({ entryPoints: [join(source, "src", entry)], ...common, ...more }).outputFiles[0].text.trimEnd();

// An end tag within a string would end the element.
const script = bundled("main.js", { format: "iife" }).replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
const style = bundled("style.css", { loader: { ".css": "css" } });
const hash = createHash("sha256").update(script).digest("base64");

// The licences of what is in the bundle go with it.
const licence = (name) => {
  const { version } = JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join("node_modules", name, "LICENSE"), "utf8").replace(/\u00a9/g, "(c)").replace(/--+/g, "-")}`;
};

const page = readFileSync(join(source, "index.html"), "utf8")
  .replace("LICENCES", () => ["three", "uplot"].map(licence).join("\n"))
  .replace("SCRIPT-HASH", () => hash)
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => script);
if (page.split("<!--livens-data-->").length !== 2) throw new Error("The place for data must be in the page exactly once.");
if (/[^\x00-\x7f]/.test(page)) throw new Error("The page must be ASCII.");
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1024).toFixed(0)} KB`);
