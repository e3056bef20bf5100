// Keys of the page. Fields keep their own keys.

const isTyping = (element) => element.matches?.("input:not([type=range]), textarea, select") ?? false;

export function listen(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (event.key === " " && event.target.matches?.("button, summary")) return;
    if (event.key.startsWith("Arrow") && event.target.matches?.(".control-slider, #arrow-size, [role=tab]")) return;
    const name = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = actions[name];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
