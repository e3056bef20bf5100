// Where the page gets its texts and bytes from: the server that sent it, or the data embedded in an exported page.
// Both answer to the same calls (docs/view_protocol.md).

export class RequestError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

const storedKey = "livens-key";

export class ServerSource {
  constructor(address) {
    this.base = new URL("api/", new URL(".", address));
    this.key = new URL(address).searchParams.get("key") ?? "";
  }

  // Takes the key out of the address bar, where others may read it and browsers remember it. The tab keeps it for a reload.
  hideKey(window) {
    const address = new URL(window.location.href);
    if (!address.searchParams.has("key")) return;
    try {
      window.sessionStorage.setItem(storedKey, this.key);
    } catch {
      return; // without storage a reload needs the address as it is
    }
    address.searchParams.delete("key");
    window.history.replaceState(window.history.state, "", address);
  }

  async request(path, { query = {}, signal, body } = {}) {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") url.searchParams.set(name, value);
    const options = { headers: { "X-Livens-Key": this.key }, signal, cache: "no-store" };
    if (body) {
      options.method = "POST";
      options.body = JSON.stringify(body);
      options.headers["Content-Type"] = "application/json";
    }
    let response;
    try {
      response = await fetch(url, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new RequestError("The server does not answer.");
    }
    if (response.ok) return response;
    const text = await response.json().then((j) => j.error, () => "");
    throw new RequestError(text || `The server answered with status ${response.status}.`, response.status);
  }

  async json(path, options) {
    return (await this.request(path, options)).json();
  }

  async bytes(path, options) {
    return (await this.request(path, options)).arrayBuffer();
  }

  session() {
    return this.json("session");
  }

  run(id) {
    return this.json(`runs/${id}`);
  }

  mesh(id) {
    return this.bytes(`runs/${id}/mesh`);
  }

  history(id, after) {
    return this.bytes(`runs/${id}/history`, { query: { after } });
  }

  frames(id, { from, count, field, arrows, signal }) {
    return this.bytes(`runs/${id}/frames`, { query: { from, count, field, arrows }, signal });
  }

  // The newest frame after number `after`, or null if none came within the server's patience.
  async liveFrame({ after, field, arrows, signal }) {
    const response = await this.request("live/frame", { query: { after, field, arrows }, signal });
    return response.status === 204 ? null : response.arrayBuffer();
  }

  live() {
    return this.json("live");
  }

  order(command) {
    return this.json("live", { body: command });
  }
}

// Elements <script type="application/octet-stream" id="livens-0-mesh">: gzip, in base64.
export class EmbeddedSource {
  constructor(documentWithData) {
    this.document = documentWithData;
    this.recent = new Map();
  }

  static isIn(anyDocument) {
    return anyDocument.getElementById("livens-data") !== null;
  }

  async session() {
    this.content = JSON.parse(this.document.getElementById("livens-data").textContent);
    return { ...this.content, live: false };
  }

  async unpack(id) {
    const element = this.document.getElementById(id);
    if (!element) throw new RequestError(`This page does not contain ${id}.`, 404);
    const packed = Uint8Array.from(atob(element.textContent.trim()), (sign) => sign.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  // Unpacked pieces, the last few of them kept: neighbouring requests ask for the same one.
  piece(id) {
    const known = this.recent.get(id) ?? this.unpack(id);
    this.recent.delete(id);
    this.recent.set(id, known);
    if (this.recent.size > 6) this.recent.delete(this.recent.keys().next().value);
    return known;
  }

  async run(id) {
    const run = JSON.parse(new TextDecoder().decode(await this.unpack(`livens-${id}-run`)));
    const has = (f, kind) => this.document.getElementById(`livens-${id}-${kind}-${f.name}-0`) !== null;
    run.fields = run.fields
      .filter((f) => has(f, "field") || has(f, "arrows"))
      .map((f) => ({ ...f, arrows: f.arrows && has(f, "arrows"), coloured: has(f, "field") }));
    return run;
  }

  mesh(id) {
    return this.unpack(`livens-${id}-mesh`);
  }

  history(id) {
    return this.unpack(`livens-${id}-history`);
  }

  // Frames lie in pieces of `frames_in_piece`; motion, fields and arrows in separate ones. Put together as the server does.
  async frames(id, { from, count, field, arrows }) {
    const size = this.content.frames_in_piece, parts = [];
    const run = this.content.runs.find((r) => r.id === id);
    for (let frame = from; frame < from + count; ) {
      const k = Math.floor(frame / size), end = Math.min(from + count, (k + 1) * size), inPiece = Math.min(size, run.frames - k * size);
      const names = [`livens-${id}-motion-${k}`, field && `livens-${id}-field-${field}-${k}`, arrows && `livens-${id}-arrows-${arrows}-${k}`];
      const pieces = await Promise.all(names.filter(Boolean).map((name) => this.piece(name)));
      for (; frame < end; frame++) {
        for (const piece of pieces) {
          const bytes = piece.byteLength / inPiece, start = (frame - k * size) * bytes;
          parts.push(new Uint8Array(piece, start, bytes));
        }
      }
    }
    return new Blob(parts).arrayBuffer();
  }
}
