// A picture to keep: what is drawn, with title, time and legend.

import { cssColour } from "./dom.js";
import { colourAt, colourTable } from "./colours.js";
import { niceTicks, number, unitText } from "./format.js";

// picture: a canvas that has just been drawn, `pixels` device pixels a CSS pixel.
export function compose(picture, pixels, { title, time, legend }) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: picture.width, height: picture.height });
  const c = canvas.getContext("2d"), height = picture.height / pixels;
  c.drawImage(picture, 0, 0);
  c.scale(pixels, pixels);
  c.fillStyle = cssColour("--ink");
  c.font = "600 15px system-ui, sans-serif";
  c.fillText(title, 16, 26);
  c.font = "13px system-ui, sans-serif";
  c.fillStyle = cssColour("--soft");
  c.fillText(time, 16, 46);
  if (legend) drawLegend(c, legend, height);
  return canvas;
}

function drawLegend(c, { label, unit, range, map }, height) {
  const width = 240, left = 16, top = height - 50, table = colourTable(map);
  c.fillStyle = cssColour("--ink");
  c.fillText(unit ? `${label} in ${unitText(unit)}` : label, left, top - 8);
  for (let k = 0; k < width; k++) {
    c.fillStyle = `rgb(${colourAt(table, k / (width - 1)).join(" ")})`;
    c.fillRect(left + k, top, 1.5, 10);
  }
  c.fillStyle = cssColour("--soft");
  c.textAlign = "center";
  for (const x of niceTicks(...range, 4)) c.fillText(number(x, 3), left + (width * (x - range[0])) / (range[1] - range[0]), top + 26);
}

export function save(canvas, name) {
  return new Promise((done) => canvas.toBlob((blob) => {
    const link = document.createElement("a"), url = URL.createObjectURL(blob);
    Object.assign(link, { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    done(blob.size);
  }, "image/png"));
}
