// Motions made by formulas, with the texts and bytes of docs/view_protocol.md, so that the page can be developed and tested
// without the program.

const field = (name, unit, per = "vertex", arrows = false) => ({ name, label: name.replace(/_/g, " "), unit, per, arrows, range: [Infinity, -Infinity] });

// The surface of a box of n[0] x n[1] x n[2] cells: squares cut in two, with the cut not an edge of an element.
function boxSurface(low, high, n) {
  const index = new Map(), points = [], triangles = [], edges = [];
  const vertex = (c) => {
    const key = c.join();
    if (!index.has(key)) {
      index.set(key, points.length / 3);
      for (let k = 0; k < 3; k++) points.push(low[k] + ((high[k] - low[k]) * c[k]) / n[k]);
    }
    return index.get(key);
  };
  for (let axis = 0; axis < 3; axis++) {
    const u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const side of [0, n[axis]]) {
      for (let i = 0; i < n[u]; i++) {
        for (let j = 0; j < n[v]; j++) {
          const corner = (a, b) => { const c = [0, 0, 0]; c[axis] = side; c[u] = i + a; c[v] = j + b; return vertex(c); };
          const [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
          if (side) triangles.push(a, b, c, a, c, d), edges.push(0b011, 0b110);
          else triangles.push(a, c, b, a, d, c), edges.push(0b110, 0b011);
        }
      }
    }
  }
  return { points, triangles, edges };
}

const surface = (name, mesh, more = {}) => ({
  name, body: name, kind: "surface", vertices: mesh.points.length / 3, triangles: mesh.triangles.length / 3, solid: true, pullable: true,
  reference: mesh.points, corners: mesh.triangles, edges: mesh.edges, ...more,
});

function rotate([x, y, z], angle) {
  return [x, y * Math.cos(angle) - z * Math.sin(angle), y * Math.sin(angle) + z * Math.cos(angle)];
}

// A bar that twists to and fro, with damping.
export function bar({ id = 0, name = "bar", damping = 0, frames = 91, every = 1 / 30, cells = [20, 5, 5], differs = [], obstacles = [], integrator = "hamilton_pontryagin" } = {}) {
  const mesh = boxSurface([0, -0.2, -0.2], [2, 0.2, 0.2], cells);
  const twist = (t) => 1.9 * Math.exp(-damping * t) * Math.sin(4 * t);
  const move = (p, t) => {
    const [x, y, z] = rotate(p, (twist(t) * p[0]) / 2);
    return [x, y, z + 0.05 * p[0] * p[0] * Math.sin(2.2 * t)];
  };
  const V = mesh.points.length / 3, T = mesh.triangles.length / 3;
  const point = (v) => mesh.points.slice(3 * v, 3 * v + 3);
  const at = (t) => {
    const positions = Array.from({ length: V }, (_, v) => move(point(v), t));
    const before = Array.from({ length: V }, (_, v) => move(point(v), t - 1e-4));
    return {
      positions: [positions.flat()],
      values: {
        displacement: [positions.map((p, v) => Math.hypot(...p.map((x, k) => x - mesh.points[3 * v + k])))],
        speed: [positions.map((p, v) => Math.hypot(...p.map((x, k) => (x - before[v][k]) / 1e-4)))],
        von_mises: [Array.from({ length: T }, (_, f) => {
          const c = [0, 1, 2].map((k) => point(mesh.triangles[3 * f + k]));
          const r = Math.hypot(c[0][1] + c[1][1] + c[2][1], c[0][2] + c[1][2] + c[2][2]) / 3;
          return 4e6 * r * Math.abs(twist(t)) * (1.2 - 0.3 * c[0][0]);
        })],
        energy_density: [Array.from({ length: T }, (_, f) => 2e5 * twist(t) ** 2 * (1.2 - 0.3 * point(mesh.triangles[3 * f])[0]) ** 2)],
        configurational_force: [positions.map((p, v) => (mesh.points[3 * v] === 0 ? Math.abs(twist(t)) * 12 : 0.3))],
      },
      arrows: { configurational_force: [positions.map((p, v) => (mesh.points[3 * v] === 0 ? [-12 * Math.abs(twist(t)), 3 * p[1], 3 * p[2]] : [0.3, 0, 0])).flat()] },
    };
  };
  const energy = (t) => {
    const total = 12 * Math.exp(-2 * damping * t), kinetic = total * Math.cos(4 * t) ** 2;
    return { total, kinetic, potential: total - kinetic };
  };
  return finish({
    id, name, title: "A bar of rubber, twisted and let go", integrator, damping,
    facts: [["Integrator", `${integrator}, step 0.002 s`], ["Time", "0 to 3 s in 1 500 steps, 4.2 s of the clock"], ["Body", "bar: 500 tet4, 216 nodes, neo-Hookean"],
      ["Mass", "320 kg"], ["Unknowns", "648"], ["Threads", "2"]],
    findings: ["Energy error at most 0.0021 J, 0.018 % of 12 J, without trend."], verdict: "kept", differs,
    warnings: name === "bar" && !damping ? ["Frames are 0.0333 s apart: motions faster than 15 Hz are not resolved by the recording."] : [],
    dimension: 3, frames, every, drawables: [surface("bar", mesh)], obstacles,
    fields: [field("displacement", "m"), field("speed", "m/s"), field("von_mises", "Pa", "triangle"), field("energy_density", "J/m^3", "triangle"),
      field("configurational_force", "N", "vertex", true)],
    at,
    columns: [
      ["energy", "J", "energy", (t) => energy(t).total], ["kinetic", "J", "energy", (t) => energy(t).kinetic], ["potential", "J", "energy", (t) => energy(t).potential],
      ["energy_error", "J", "energy", (t) => 2e-3 * Math.sin(4 * t) * Math.sin(31 * t) * (1 + damping)],
      ["linear_momentum_error", "N s", "momentum", (t) => 1e-15 * Math.sin(120 * t) * t], ["angular_momentum_error", "N m s", "momentum", (t) => 1e-14 * Math.cos(90 * t) * t],
      ["dissipated", "J", "dissipation", (t) => 12 - energy(t).total],
      ["constraint_position", "m", "constraint", (t) => 1e-13 * Math.abs(Math.sin(70 * t))],
      ["tip.z", "m", "probe", (t) => 0.2 * Math.sin(2.2 * t)], ["tip.angle", "rad", "probe", twist],
    ],
    phase: [],
  });
}

// The bar above a plate that can be dragged: away(t) is how far.
export function barAndPlate(away, more = {}) {
  const scene = bar(more), plate = boxSurface([0.6, -0.5, -0.62], [1.6, 0.5, -0.5], [1, 1, 1]), plain = scene.at;
  scene.drawables.push(surface("plate", plate, { solid: false, obstacle: true }));
  scene.box[2] = -0.62;
  scene.at = (t) => {
    const frame = plain(t), by = away(t);
    frame.positions.push(plate.points.map((x, k) => x + by[k % 3]));
    for (const { name, per } of scene.fields) frame.values[name].push(Array(per === "triangle" ? plate.triangles.length / 3 : plate.points.length / 3).fill(NaN));
    for (const list of Object.values(frame.arrows)) list.push(plate.points.map(() => NaN));
    return frame;
  };
  return scene;
}

// A lattice of particles with springs that falls on a floor, a rigid body on a joint, and a ball.
export function mixed({ id = 0 } = {}) {
  const grid = [];
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 3; k++) grid.push([0.3 * i - 0.45, 0.3 * j - 0.45, 0.3 * k + 0.5]);
  const pairs = [];
  grid.forEach((p, a) => grid.forEach((q, b) => { if (a < b && Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 0.31) pairs.push(a, b); }));
  const block = boxSurface([-0.15, -0.1, -0.8], [0.15, 0.1, 0], [1, 1, 1]);
  const star = (p, t) => {
    const height = Math.abs(Math.cos(2.5 * t)) * 0.9 - 0.45, squeeze = 1 - 0.25 * Math.exp(-8 * (height + 0.45));
    return [p[0] / Math.sqrt(squeeze), p[1] / Math.sqrt(squeeze), (p[2] - 0.5) * squeeze + 0.5 + height];
  };
  const swing = (p, t) => { const a = 0.8 * Math.cos(3 * t); return [1.4 + p[0] * Math.cos(a) - p[2] * Math.sin(a), p[1], 1.6 + p[0] * Math.sin(a) + p[2] * Math.cos(a)]; };
  const ends = (t) => pairs.flatMap((v) => star(grid[v], t));
  const blockPoints = (t) => Array.from({ length: block.points.length / 3 }, (_, v) => swing(block.points.slice(3 * v, 3 * v + 3), t));
  const rod = (t) => [1.4, 0, 2, ...swing([0, 0, 0], t)];
  const at = (t) => {
    const drawn = [grid.flatMap((p) => star(p, t)), ends(t), blockPoints(t).flat(), rod(t), [1.4, 0, 2, 1.4, 0, 1.6]];
    const before = [grid.flatMap((p) => star(p, t - 1e-4)), ends(t - 1e-4), blockPoints(t - 1e-4).flat(), rod(t), drawn[4]];
    return {
      positions: drawn,
      values: { speed: drawn.map((list, d) => Array.from({ length: list.length / 3 }, (_, v) => (d > 2 ? NaN : Math.hypot(...[0, 1, 2].map((k) => (list[3 * v + k] - before[d][3 * v + k]) / 1e-4))))) },
      arrows: { speed: drawn.map((list, d) => list.map((x, k) => (x - before[d][k]) / 1e-4)) },
    };
  };
  const first = at(0).positions;
  return finish({
    id, name: "stars", title: "Particles, a swinging block and a floor", integrator: "rattle", verdict: "not_judged",
    facts: [["Integrator", "rattle, step 0.001 s"], ["Bodies", "48 particles, 1 rigid body, 1 joint"]], findings: [], warnings: [], differs: [],
    dimension: 3, frames: 120, every: 1 / 40, fields: [field("speed", "m/s", "vertex", true)],
    drawables: [
      { name: "stars", body: "stars", kind: "points", vertices: grid.length, pullable: true, radius: 0.05, reference: first[0] },
      { name: "springs", kind: "lines", vertices: pairs.length, style: "spring", reference: first[1] },
      surface("block", block, { reference: first[2] }),
      { name: "rod", kind: "lines", vertices: 2, style: "rod", reference: first[3] },
      { name: "hinge", kind: "lines", vertices: 2, style: "joint", reference: first[4] },
    ],
    obstacles: [{ name: "floor", kind: "plane", point: [0, 0, 0], normal: [0, 0, 1] }, { name: "ball", kind: "sphere", point: [-1.3, 0.4, 0.35], radius: 0.35 }],
    at, columns: [["energy", "J", "energy", () => 3], ["kinetic", "J", "energy", (t) => 3 * Math.sin(2.5 * t) ** 2]], phase: [],
  });
}

// A plate in the plane.
export function plate({ id = 0 } = {}) {
  const n = 14, points = [], triangles = [], edges = [];
  for (let j = 0; j <= n / 2; j++) for (let i = 0; i <= n; i++) points.push(i / n, j / n, 0);
  for (let j = 0; j < n / 2; j++) for (let i = 0; i < n; i++) { const a = j * (n + 1) + i, b = a + n + 1; triangles.push(a, a + 1, b + 1, a, b + 1, b); edges.push(7, 7); }
  const mesh = { points, triangles, edges };
  const at = (t) => {
    const moved = points.map((x, k) => (k % 3 === 1 ? x + 0.15 * Math.sin(3 * t) * points[k - 1] ** 2 : x));
    return { positions: [moved], values: { displacement: [Array.from({ length: points.length / 3 }, (_, v) => moved[3 * v + 1] - points[3 * v + 1])] }, arrows: {} };
  };
  return finish({
    id, name: "plate", title: "A plate in the plane", integrator: "newmark", verdict: "kept", facts: [["Integrator", "newmark"]], findings: [], warnings: [], differs: [],
    dimension: 2, frames: 60, every: 1 / 30, fields: [field("displacement", "m")], drawables: [surface("plate", mesh)],
    obstacles: [{ name: "floor", kind: "plane", point: [0, -0.2, 0], normal: [0, 1, 0] }],
    at, columns: [["energy", "J", "energy", () => 1]], phase: [],
  });
}

// A pendulum without bodies: only its history, with a phase portrait.
export function pendulum({ id = 0, name = "pendulum", growth = 0, differs = [] } = {}) {
  const amplitude = (t) => 1.2 * Math.exp(growth * t);
  return finish({
    id, name, title: "Simple pendulum", integrator: name, verdict: growth ? "broken" : "kept", facts: [["Integrator", name]], findings: [], warnings: [], differs,
    dimension: 2, frames: 0, every: 0.02, rows: 1000, fields: [], drawables: [], obstacles: [], at: () => ({ positions: [], values: {}, arrows: {} }),
    columns: [["energy", "J", "energy", (t) => amplitude(t) ** 2 / 2], ["energy_error", "J", "energy", (t) => (amplitude(t) ** 2 - 1.44) / 2],
      ["theta", "rad", "coordinate", (t) => amplitude(t) * Math.cos(2 * t)], ["theta_dot", "rad/s", "coordinate", (t) => -2 * amplitude(t) * Math.sin(2 * t)]],
    phase: [["theta", "theta_dot"]],
  });
}

// Fills in ranges, box and times.
function finish(scene) {
  scene.t = Array.from({ length: scene.frames }, (_, k) => k * scene.every);
  scene.t_end = (scene.rows ?? scene.frames - 1) * scene.every;
  scene.box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let k = 0; k < scene.frames; k += Math.max(1, Math.floor(scene.frames / 40))) {
    const frame = scene.at(scene.t[k]);
    for (const list of frame.positions) list.forEach((x, i) => { scene.box[i % 3] = Math.min(scene.box[i % 3], x); scene.box[3 + (i % 3)] = Math.max(scene.box[3 + (i % 3)], x); });
    for (const f of scene.fields) {
      for (const list of frame.values[f.name]) for (const x of list) if (!Number.isNaN(x)) f.range = [Math.min(f.range[0], x), Math.max(f.range[1], x)];
    }
  }
  if (!scene.frames) scene.box = [0, 0, 0, 0, 0, 0];
  return scene;
}

export function description(scene, live = false) {
  const { at, every, rows, t_end, damping, drawables, columns, ...text } = scene;
  return {
    ...text, directory: `runs/${scene.name}`, status: live ? "running" : "done", command: `livens run scenes/${scene.name}.toml`,
    drawables: drawables.map(({ reference, corners, edges, ...d }) => d),
    columns: columns.map(([name, unit, group]) => ({ name, unit, group })),
  };
}

const floats = (list) => Buffer.from(new Float32Array(list).buffer);

export function meshBytes(scene) {
  const parts = [];
  for (const d of scene.drawables) {
    parts.push(floats(d.reference));
    if (d.kind !== "surface") continue;
    parts.push(Buffer.from(new Uint32Array(d.corners).buffer), Buffer.from(d.edges), Buffer.alloc((4 - (d.edges.length % 4)) % 4));
  }
  return Buffer.concat(parts);
}

export function frameBytes(scene, t, name, arrows) {
  const frame = scene.at(t), parts = [Buffer.from(new Float64Array([t]).buffer), ...frame.positions.map(floats)];
  return Buffer.concat([...parts, ...fieldBytes(frame, name), ...arrowBytes(scene, frame, arrows)]);
}

export const fieldBytes = (frame, name) => (name ? frame.values[name].map(floats) : []);
export const arrowBytes = (scene, frame, name) => (name ? frame.arrows[name].map(floats) : []);

export function historyBytes(scene, until = scene.t_end, after = -1) {
  const step = scene.live_step ?? scene.t_end / 600;
  const count = Math.floor(until / step + 1e-9) + 1, first = after + 1;
  const times = Array.from({ length: Math.max(0, count - first) }, (_, k) => (first + k) * step);
  const head = { rows: times.length, columns: ["t", ...scene.columns.map((c) => c[0])], ...(after >= 0 ? { first } : {}) };
  const numbers = [times, ...scene.columns.map((c) => times.map((t) => c[3](t)))].flat();
  return Buffer.concat([Buffer.from(JSON.stringify(head) + "\n"), Buffer.from(new Float64Array(numbers).buffer)]);
}
