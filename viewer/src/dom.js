// Elements by a call: h("button", { class: "key", onclick }, "text", child). Texts are never taken for HTML.

export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

// Paths on a grid of 20.
const icons = {
  play: "M6 3.8v12.4l10-6.2z",
  pause: "M5.5 4h3v12h-3zM11.5 4h3v12h-3z",
  next: "M5 4.5v11l7-5.5zM13 4.5h2.2v11H13z",
  previous: "M15 4.5v11L8 10zM4.8 4.5H7v11H4.8z",
  first: "M15.5 4.5v11L9.5 10zM9.5 4.5v11L3.5 10z",
  last: "M4.5 4.5v11l6-5.5zM10.5 4.5v11l6-5.5z",
  restart: "M10 3a7 7 0 1 1-6.6 4.7l1.7.6A5.2 5.2 0 1 0 10 4.8V7.6L5.8 3.9 10 .2z",
  fit: "M3 8V3h5v1.8H4.8V8zM12 3h5v5h-1.8V4.8H12zM3 12h1.8v3.2H8V17H3zM15.2 12H17v5h-5v-1.8h3.2z",
  camera: "M7.3 3.5 6 5.3H3.2c-.7 0-1.2.5-1.2 1.2v8.8c0 .7.5 1.2 1.2 1.2h13.6c.7 0 1.2-.5 1.2-1.2V6.5c0-.7-.5-1.2-1.2-1.2H14l-1.3-1.8zM10 7.2a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zm0 1.6a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8z",
  theme: "M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 1.8v12.4a6.2 6.2 0 0 1 0-12.4z",
  help: "M10 2a8 8 0 1 1 0 16 8 8 0 0 1 0-16zm0 1.7a6.3 6.3 0 1 0 0 12.6 6.3 6.3 0 0 0 0-12.6zM9.1 13h1.8v1.7H9.1zM10 5.4c1.8 0 3 1.1 3 2.6 0 1.2-.7 1.8-1.3 2.3-.6.4-.8.7-.8 1.2v.5H9.2v-.7c0-1.2.7-1.8 1.3-2.2.5-.4.8-.6.8-1.1 0-.6-.5-1-1.3-1s-1.3.5-1.4 1.2l-1.7-.2C7 6.5 8.2 5.4 10 5.4z",
  reference: "M3 6.5 10 3l7 3.5v7L10 17l-7-3.5zm1.6 1v5l4.6 2.3v-5zm10.8 0-4.6 2.3v5l4.6-2.3zM10 4.7 5.7 6.6 10 8.7l4.3-2.1z",
  edges: "M3 3h14v14H3zm1.5 1.5v3.7l3.7-3.7zm6 0-6 6v5l10.9-11zm5 1.8-9.2 9.2h9.2z",
  pull: "M9.1 2h1.8v6.2l1.7-1.7 1.2 1.2L10 11.5 6.2 7.7l1.2-1.2 1.7 1.7zM4 12.5h1.7v3.8h8.6v-3.8H16V18H4z",
  overlay: "M3 3h10v3.5h4V17H7v-3.5H3zm1.7 1.7v7.1H7V6.5h4.3V4.7zm4 3.5v7.1h6.6V8.2z",
  copy: "M7 2.5h9v11h-3V17H4V6h3zm1.6 1.6V6H13v5.9h1.4V4.1zM5.6 7.6v7.8h5.8V7.6z",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true", class: "icon" }, svg("path", { d: icons[name], fill: "currentColor", "fill-rule": "evenodd" }));
}

export function setIcon(button, name) {
  button.querySelector("path").setAttribute("d", icons[name]);
}

// A button with an icon; the label is what screen readers and the tooltip say.
export function iconButton(name, label, onclick, more = {}) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...more }, icon(name));
}

export const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
