// Light and dark: by the system's preference until a choice is made, which is remembered if the browser allows.

import { cssColour } from "./dom.js";

const storage = {
  read: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
  write: (name, value) => { try { localStorage.setItem(name, value); } catch { /* pages from files may have no storage */ } },
};

const dark = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => document.documentElement.dataset.theme === "dark";

export function startTheme(onChange) {
  const apply = () => (document.documentElement.dataset.theme = storage.read("livens-theme") ?? (dark.matches ? "dark" : "light"));
  apply();
  dark.addEventListener("change", () => {
    apply();
    onChange();
  });
}

export function toggleTheme() {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  storage.write("livens-theme", next);
}

// Colours of the picture, from the style sheet.
export function pictureColours() {
  const names = ["body", "edge", "reference", "grid", "ground", "rod", "spring", "joint", "arrow", "obstacle", "held"];
  const colours = Object.fromEntries(names.map((name) => [name, cssColour(`--p-${name}`)]));
  return { ...colours, edgeStrength: isDark() ? 0.5 : 0.45, shadow: isDark() ? 0.35 : 0.11, runs: Array.from({ length: 8 }, (_, k) => cssColour(`--c${k}`)) };
}
