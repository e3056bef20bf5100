// Colour maps made by formulas in OKLCh (lightness, chroma, hue): lightness changes evenly, so that equal differences of the
// value look equally large, also in grey and for most people who see fewer colours.

const steps = 256;

function oklchToRgb(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180), b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
}

// The largest chroma of that lightness and hue that a screen can show.
function largestChroma(lightness, hue) {
  let low = 0, high = 0.4;
  for (let k = 0; k < 16; k++) {
    const middle = (low + high) / 2;
    oklchToRgb(lightness, middle, hue).every((x) => x > -1e-4 && x < 1.0001) ? (low = middle) : (high = middle);
  }
  return low;
}

// Linear light to the bytes of sRGB.
const toBytes = (colour) => colour.map((x) => {
  const light = Math.min(1, Math.max(0, x));
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});

// The least in a window around each number, then the mean in that window: below the list everywhere, without corners.
function smoothBelow(list) {
  const reach = 28, window = (from, k) => from.slice(Math.max(0, k - reach), k + reach + 1);
  const least = list.map((_, k) => Math.min(...window(list, k)));
  return least.map((_, k) => window(least, k).reduce((a, b) => a + b, 0) / window(least, k).length);
}

const mix = (from, to, s) => from + (to - from) * s;

const formulas = {
  spectrum: { label: "Violet to yellow", at: (s) => [mix(0.35, 0.92, s), 0.14 + 0.04 * s, mix(297, 103, s)] },
  safe: { label: "Blue to yellow (colour-blind safe)", at: (s) => (s < 0.5 ? [mix(0.3, 0.61, 2 * s), mix(0.1, 0.01, 2 * s), 262] : [mix(0.61, 0.93, 2 * s - 1), mix(0.01, 0.15, 2 * s - 1), 97]) },
  heat: { label: "Dark to hot", at: (s) => [mix(0.22, 0.95, s), 0.03 + 0.5 * s * (1 - s) + 0.07 * s, mix(-50, 100, s)] },
  diverging: { label: "Blue to red, signed", signed: true, at: (s) => [0.96 - 0.46 * Math.abs(2 * s - 1), 0.145 * Math.abs(2 * s - 1), s < 0.5 ? 250 : 28] },
  grey: { label: "Grey", at: (s) => [mix(0.3, 0.96, s), 0, 0] },
};

export const colourMaps = Object.entries(formulas).map(([name, { label }]) => ({ name, label }));
export const isSigned = (name) => formulas[name].signed === true;

const tables = new Map();

// RGBA bytes of a map, from the least to the largest value.
export function colourTable(name) {
  if (!tables.has(name)) {
    const bytes = new Uint8Array(4 * steps), wanted = Array.from({ length: steps }, (_, k) => formulas[name].at(k / (steps - 1)));
    const chroma = smoothBelow(wanted.map(([lightness, most, hue]) => Math.min(most, largestChroma(lightness, hue))));
    wanted.forEach(([lightness, , hue], k) => bytes.set([...toBytes(oklchToRgb(lightness, formulas[name].signed ? wanted[k][1] : chroma[k], hue)), 255], 4 * k));
    tables.set(name, bytes);
  }
  return tables.get(name);
}

export function colourAt(table, s) {
  const k = 4 * Math.round((steps - 1) * Math.min(1, Math.max(0, s)));
  return [table[k], table[k + 1], table[k + 2]];
}

export function gradient(name, direction = "to right") {
  const table = colourTable(name), stops = [];
  for (let k = 0; k <= 24; k++) stops.push(`rgb(${colourAt(table, k / 24).join(" ")})`);
  return `linear-gradient(${direction}, ${stops.join(", ")})`;
}

// What a field's values are coloured by: a range with room, symmetric about zero for signed maps.
export function colourRange([low, high], mapName) {
  if (!(Number.isFinite(low) && Number.isFinite(high))) return [0, 1];
  if (isSigned(mapName)) {
    const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
    return [-size, size];
  }
  if (high > low) return [low, high];
  return low === 0 ? [0, 1] : [low - 0.5 * Math.abs(low), low + 0.5 * Math.abs(low)];
}

// The least and largest value of one frame.
export function frameRange(frame) {
  let low = Infinity, high = -Infinity;
  for (const list of frame?.values ?? []) {
    for (const x of list) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
  }
  return [low, high];
}
