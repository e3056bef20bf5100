// Which vertex is meant by a ray from the eye: a corner of the first triangle that it meets, or the nearest point on the screen;
// `at` is where the ray meets.

import { Vector3 } from "three";

const reach = 26;

// Walls of rooms are behind everything, where the pointer turns the view.
const isHeld = (run, d) => d.pullable && !(d.room && run.dimension === 3);

export function pickVertex(model, frame, ray, camera, { cell, point }) {
  let best = null;
  model.run.drawables.forEach((d, k) => {
    if (!isHeld(model.run, d)) return;
    const positions = frame.positions[k];
    const found = d.kind === "surface" ? onSurface(model.mesh[k].triangles, positions, ray) : null;
    if (found && (!best || found.distance < best.distance)) best = { drawable: k, ...found };
  });
  if (!best) best = nearestOnScreen(model, frame, camera, cell, point);
  if (!best) return null;
  const p = frame.positions[best.drawable];
  const position = new Vector3(p[3 * best.vertex], p[3 * best.vertex + 1], p[3 * best.vertex + 2]);
  return { drawable: best.drawable, vertex: best.vertex, position, at: best.at ?? position };
}

function onSurface(triangles, positions, ray) {
  const [a, b, c, at] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  let best = null;
  for (let f = 0; f < triangles.length; f += 3) {
    a.fromArray(positions, 3 * triangles[f]);
    b.fromArray(positions, 3 * triangles[f + 1]);
    c.fromArray(positions, 3 * triangles[f + 2]);
    if (!ray.intersectTriangle(a, b, c, false, at)) continue;
    const distance = at.distanceTo(ray.origin);
    if (best && distance >= best.distance) continue;
    const corners = [a, b, c].map((corner) => corner.distanceTo(at));
    best = { distance, vertex: triangles[f + corners.indexOf(Math.min(...corners))], at: at.clone() };
  }
  return best;
}

function nearestOnScreen(model, frame, camera, cell, point) {
  const at = new Vector3();
  let best = null;
  model.run.drawables.forEach((d, k) => {
    if (!isHeld(model.run, d)) return;
    for (let v = 0; v < d.vertices; v++) {
      at.fromArray(frame.positions[k], 3 * v).project(camera);
      if (at.z > 1) continue;
      const pixels = Math.hypot(((at.x - point.x) * cell.width) / 2, ((at.y - point.y) * cell.height) / 2);
      if (pixels < reach && (!best || pixels + 20 * at.z < best.score)) best = { score: pixels + 20 * at.z, drawable: k, vertex: v };
    }
  });
  return best;
}
