import { App } from "./app.js";
import { EmbeddedSource, ServerSource } from "./source.js";

const host = document.getElementById("app");
const source = EmbeddedSource.isIn(document) ? new EmbeddedSource(document) : new ServerSource(location.href);
const app = new App(host, source);

// For tests and for the curious.
window.livens = app;

app.open().then(() => source.hideKey?.(window)).catch((error) => {
  app.shell.say(error.status === 403 ? "This address has no valid key. Open the address that livens view printed." : `The page could not be opened. ${error.message}`, "broken");
  document.documentElement.dataset.ready = "failed";
  if (!(error.status > 0)) console.warn(error);
});
