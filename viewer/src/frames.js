// Frames of a run: their layout in bytes, and a store that keeps a bounded number of them.

// Sizes in bytes of one frame of a run, with or without a field and arrows.
export function frameLayout(run, field, arrows) {
  const perTriangle = run.fields.find((f) => f.name === field)?.per === "triangle";
  const drawables = run.drawables.map((d) => ({
    positions: 3 * d.vertices,
    values: field ? (perTriangle && d.kind === "surface" ? d.triangles : d.vertices) : 0,
    arrows: arrows ? 3 * d.vertices : 0,
  }));
  const numbers = drawables.reduce((sum, d) => sum + d.positions + d.values + d.arrows, 0);
  return { drawables, bytes: 8 + 4 * numbers, perTriangle, field, arrows };
}

// One frame out of a buffer. Floats behind a float64 stay aligned to 4 bytes; the buffer is shared, not copied.
export function readFrame(buffer, start, layout) {
  const frame = { t: new DataView(buffer).getFloat64(start, true), positions: [], values: [], arrows: [], bytes: layout.bytes, layout };
  let at = start + 8;
  for (const part of ["positions", "values", "arrows"]) {
    for (const d of layout.drawables) {
      frame[part].push(new Float32Array(buffer, at, d[part]));
      at += 4 * d[part];
    }
  }
  return frame;
}

export function readMesh(buffer, drawables) {
  let at = 0;
  return drawables.map((d) => {
    const mesh = { reference: new Float32Array(buffer, at, 3 * d.vertices) };
    at += 12 * d.vertices;
    if (d.kind !== "surface") return mesh;
    mesh.triangles = new Uint32Array(buffer, at, 3 * d.triangles);
    at += 12 * d.triangles;
    mesh.edges = new Uint8Array(buffer, at, d.triangles);
    at += 4 * Math.ceil(d.triangles / 4);
    return mesh;
  });
}

// Small frames come in large batches. The server takes at most 64.
const batchFrames = 64, batchBytes = 2 << 20, mostPending = 4;

// A frame with displacements from the reference shape made larger.
export function magnified(frame, mesh, factor) {
  if (factor === 1 || !frame) return frame;
  const positions = frame.positions.map((list, k) => list.map((x, i) => mesh[k].reference[i] + factor * (x - mesh[k].reference[i])));
  return { ...frame, positions };
}

// Frames of a recorded run, fetched in batches and kept up to a budget; those used longest ago go first.
export class RecordedFrames {
  constructor(source, run, budget) {
    Object.assign(this, { source, run, budget });
    this.cache = new Map();
    this.bytes = 0;
    this.pending = new Map();
    this.waiters = new Set();
    this.choose("", "");
  }

  get times() {
    return this.run.t;
  }

  choose(field, arrows) {
    const known = (name) => (this.run.fields.some((f) => f.name === name) ? name : "");
    const layout = frameLayout(this.run, known(field), known(arrows));
    if (this.layout && layout.field === this.layout.field && layout.arrows === this.layout.arrows) return;
    this.layout = layout;
    for (const request of this.pending.values()) request.abort.abort();
    this.pending.clear();
    this.stale = this.cache;
    this.cache = new Map();
    this.bytes = 0;
  }

  get batch() {
    return Math.max(1, Math.min(batchFrames, Math.floor(batchBytes / this.layout.bytes)));
  }

  // The frame if it is here. A frame of the previous choice of field serves until the right one has come.
  peek(index) {
    const frame = this.cache.get(index);
    if (!frame) return this.stale?.get(index);
    this.cache.delete(index);
    this.cache.set(index, frame);
    return frame;
  }

  has(index) {
    return this.cache.has(index);
  }

  // Sees to it that a frame comes, and `ahead` more behind it.
  want(index, ahead = 0) {
    this.request(index, true);
    const last = Math.min(index + ahead, this.run.frames - 1, index + Math.floor((0.5 * this.budget) / this.layout.bytes));
    for (let k = index + this.batch; ahead > 0 && k < last + this.batch; k += this.batch) this.request(Math.min(k, last), false);
  }

  // What is needed now takes the place of the oldest request; what may be needed later waits.
  request(index, isUrgent) {
    if (!(index >= 0 && index < this.run.frames) || this.cache.has(index)) return;
    const block = Math.floor(index / this.batch);
    if (this.pending.has(block)) return;
    if (this.pending.size >= mostPending) {
      if (!isUrgent) return;
      const [oldest, request] = this.pending.entries().next().value;
      request.abort.abort();
      this.pending.delete(oldest);
    }
    const abort = new AbortController(), layout = this.layout, from = block * this.batch;
    const count = Math.min(this.batch, this.run.frames - from);
    this.pending.set(block, { abort });
    this.source
      .frames(this.run.id, { from, count, field: layout.field, arrows: layout.arrows, signal: abort.signal })
      .then((buffer) => {
        if (abort.signal.aborted || layout !== this.layout) return;
        for (let k = 0; k < count && (k + 1) * layout.bytes <= buffer.byteLength; k++) this.keep(from + k, readFrame(buffer, k * layout.bytes, layout));
        this.stale = undefined;
        this.error = undefined;
      })
      .catch((error) => {
        if (error.name !== "AbortError") this.error = error;
      })
      .finally(() => {
        if (this.pending.get(block)?.abort === abort) this.pending.delete(block);
        for (const waiter of this.waiters) waiter();
      });
  }

  keep(index, frame) {
    if (this.cache.has(index)) return;
    this.cache.set(index, frame);
    this.bytes += frame.bytes;
    while (this.bytes > this.budget && this.cache.size > 2 * Math.min(this.batch, 16)) {
      const [oldest, gone] = this.cache.entries().next().value;
      this.cache.delete(oldest);
      this.bytes -= gone.bytes;
    }
  }

  onArrival(action) {
    this.waiters.add(action);
  }
}

// Frames of a live run as they came. When the budget is full every second one goes, so that the whole run stays in reach.
export class LiveFrames {
  constructor(source, run, budget) {
    Object.assign(this, { source, run, budget });
    this.clear();
    this.choose("", "");
  }

  clear() {
    this.frames = [];
    this.times = [];
    this.bytes = 0;
    this.stride = 1;
    this.arrived = 0;
  }

  choose(field, arrows) {
    const known = (name) => (this.run.fields.some((f) => f.name === name) ? name : "");
    this.layout = frameLayout(this.run, known(field), known(arrows));
  }

  // A frame too close to the last kept one takes its place, so that the newest is always there.
  push(frame) {
    if (this.frames.length > 1 && this.arrived % this.stride !== 0) {
      this.bytes -= this.frames.pop().bytes;
      this.times.pop();
    }
    this.arrived += 1;
    this.frames.push(frame);
    this.times.push(frame.t);
    this.bytes += frame.bytes;
    if (this.bytes > this.budget && this.frames.length > 8) this.thin();
  }

  thin() {
    const last = this.frames.length - 1;
    this.frames = this.frames.filter((_, k) => k % 2 === 0 || k === last);
    this.times = this.frames.map((f) => f.t);
    this.bytes = this.frames.reduce((sum, f) => sum + f.bytes, 0);
    this.stride *= 2;
  }

  peek(index) {
    return this.frames[index];
  }

  has(index) {
    return index < this.frames.length;
  }

  want() {}
  onArrival() {}
}

// The last index whose time is not after t (times ascend), at least 0.
export function indexAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t + 1e-12 * Math.abs(t)) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function readHistory(buffer) {
  const bytes = new Uint8Array(buffer), end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const numbers = new Float64Array(buffer.slice(end + 1)), columns = {};
  head.columns.forEach((name, k) => { columns[name] = numbers.subarray(k * head.rows, (k + 1) * head.rows); });
  return { rows: head.rows, first: head.first ?? 0, columns };
}
