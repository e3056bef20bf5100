// The drawables of one run as objects of three.js.

import {
  BufferAttribute, BufferGeometry, CircleGeometry, DataTexture, DoubleSide, DynamicDrawUsage, FrontSide, BackSide, InstancedBufferAttribute, InstancedBufferGeometry, InstancedInterleavedBuffer,
  InterleavedBufferAttribute, LineSegments, Mesh, PlaneGeometry, Points, Quaternion, RGBAFormat, RingGeometry, Scene, SphereGeometry, UnsignedByteType, Vector3,
} from "three";
import { ballMaterial, floorMaterial, hatchMaterial, lineMaterial, noValue, plainMaterial, pointsMaterial, shadowMaterial, sharedUniforms, surfaceMaterial } from "./materials.js";
import { colourTable } from "./colours.js";
import { niceBelow } from "./format.js";

const quad = new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, -1, 0, 1, 1, 0, 0, 1, 0]);
const mostArrows = 6000;

function dynamic(count, size) {
  const attribute = new BufferAttribute(new Float32Array(count * size), size);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}

// Without bounding spheres three.js would compute them from positions that change all the time.
function unculled(object) {
  object.frustumCulled = false;
  return object;
}

// Instances of a quad from interleaved starts and ends.
function segments(count, values) {
  const geometry = new InstancedBufferGeometry(), ends = new InstancedInterleavedBuffer(new Float32Array(6 * count), 6);
  ends.setUsage(DynamicDrawUsage);
  geometry.setAttribute("position", new BufferAttribute(quad, 3));
  geometry.setAttribute("start", new InterleavedBufferAttribute(ends, 3, 0));
  geometry.setAttribute("end", new InterleavedBufferAttribute(ends, 3, 3));
  geometry.setAttribute("values", new InstancedBufferAttribute(values ?? new Float32Array(2 * count).fill(noValue), 2));
  geometry.instanceCount = count;
  return { geometry, ends };
}

// Pairs of vertices of the edges of elements, each once.
export function edgePairs(mesh) {
  const seen = new Set(), pairs = [];
  mesh.edges.forEach((bits, f) => {
    for (let k = 0; k < 3; k++) {
      if (!(bits & (1 << k))) continue;
      const a = mesh.triangles[3 * f + k], b = mesh.triangles[3 * f + ((k + 1) % 3)], key = a < b ? a * 2 ** 26 + b : b * 2 ** 26 + a;
      if (seen.has(key)) continue;
      seen.add(key);
      pairs.push(a, b);
    }
  });
  return pairs;
}

export class GlRun {
  constructor(run, mesh) {
    Object.assign(this, { run, mesh });
    this.scene = new Scene();
    this.table = new DataTexture(new Uint8Array(4 * 256), 256, 1, RGBAFormat, UnsignedByteType);
    this.shared = sharedUniforms(this.table);
    this.size = Math.hypot(...[0, 1, 2].map((k) => run.box[3 + k] - run.box[k])) || 1;
    this.shared.lit.value = run.dimension === 3 ? 1 : 0;
    this.floor = run.dimension === 3 ? floorOf(run) : null;
    this.parts = run.drawables.map((d, k) => this[d.kind](d, mesh[k]));
    this.makeObstacles();
    this.arrows = this.makeArrows();
    this.pull = this.line(1, "joint", 7, { depthTest: false });
    this.pull.mesh.renderOrder = 10;
  }

  add(object, order = 0) {
    object.renderOrder = order;
    this.scene.add(unculled(object));
    return object;
  }

  surface(d, mesh) {
    const geometry = new BufferGeometry(), position = dynamic(3 * d.triangles, 3), value = dynamic(3 * d.triangles, 1);
    geometry.setAttribute("position", position);
    geometry.setAttribute("value", value);
    if (d.obstacle) value.array.fill(noValue);
    geometry.setAttribute("sides", new BufferAttribute(Float32Array.from({ length: 3 * d.triangles }, (_, k) => mesh.edges[Math.floor(k / 3)]), 1));
    const material = surfaceMaterial(this.shared);
    if (d.room) material.side = FrontSide; // its triangles face inwards: the walls before it are left out
    this.add(new Mesh(geometry, material));
    let shadow = null;
    if (this.floor && !d.room) {
      shadow = shadowMaterial();
      shadow.uniforms.floor_plane.value = [...this.floor.normal, this.floor.level + 1e-3 * this.size];
      this.add(new Mesh(geometry, shadow), -1);
    }
    return { kind: "surface", position, value, material, shadow, drawable: d, mesh, wire: null };
  }

  points(d) {
    const geometry = new BufferGeometry(), position = dynamic(d.vertices, 3), value = dynamic(d.vertices, 1);
    geometry.setAttribute("position", position);
    geometry.setAttribute("value", value);
    const material = pointsMaterial(this.shared);
    material.uniforms.radius.value = d.radius || 0.006 * this.size;
    this.add(new Points(geometry, material), 2);
    return { kind: "points", position, value, material, drawable: d };
  }

  lines(d) {
    const [style, width] = { spring: ["coil", 11], joint: ["joint", 9] }[d.style] ?? ["plain", 5];
    return { kind: "lines", drawable: d, ...this.line(d.vertices / 2, style, width) };
  }

  line(count, style, width, more) {
    const { geometry, ends } = segments(count), material = lineMaterial(this.shared, style, width, more), mesh = new Mesh(geometry, material);
    this.add(mesh, 1);
    return { material, ends, geometry, mesh };
  }

  makeArrows() {
    const { geometry, ends } = segments(mostArrows), material = lineMaterial(this.shared, "arrow", 12, { depthTest: false, depthWrite: false });
    const mesh = this.add(new Mesh(geometry, material), 5);
    mesh.visible = false;
    return { geometry, ends, material, mesh };
  }

  // Planes and balls; a faint grid at the bottom of a scene in space without a floor.
  makeObstacles() {
    this.floors = [];
    this.hatches = [];
    this.balls = [];
    const planes = this.run.obstacles.filter((o) => o.kind === "plane");
    for (const plane of planes) this.run.dimension === 3 ? this.addFloor(plane, 1) : this.addHatch(plane);
    if (this.floor && !this.floor.isObstacle) this.ground = this.addFloor(this.floor, 0);
    for (const ball of this.run.obstacles.filter((o) => o.kind === "sphere")) {
      const flat = this.run.dimension !== 3;
      const material = flat ? plainMaterial() : ballMaterial(this.shared);
      if (ball.room) material.side = flat ? DoubleSide : BackSide;
      const circle = () => (ball.room ? new RingGeometry(ball.radius, ball.radius + 0.012 * this.size, 96) : new CircleGeometry(ball.radius, 96));
      const mesh = this.add(new Mesh(flat ? circle() : new SphereGeometry(ball.radius, 64, 32), material), -2);
      mesh.position.set(...ball.point);
      this.balls.push(material);
    }
  }

  addFloor({ point, normal }, fill) {
    const material = floorMaterial(), mesh = this.add(new Mesh(new PlaneGeometry(2, 2), material), -3);
    this.placeFloor(mesh, point, normal);
    material.uniforms.reach.value = 1.6 * this.size;
    material.uniforms.cell.value = niceBelow(this.size / 8);
    material.uniforms.fill.value = fill;
    this.floors.push(material);
    return mesh;
  }

  // Below the middle of the box.
  placeFloor(mesh, point, normal) {
    const centre = new Vector3(...[0, 1, 2].map((k) => (this.run.box[k] + this.run.box[3 + k]) / 2)), n = new Vector3(...normal).normalize();
    mesh.position.copy(centre).addScaledVector(n, n.dot(new Vector3(...point)) - n.dot(centre));
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), n));
  }

  // The ground that is no obstacle stays below everything.
  setBox(box) {
    this.run = { ...this.run, box };
    if (!this.ground) return;
    this.floor = floorOf(this.run);
    this.placeFloor(this.ground, this.floor.point, this.floor.normal);
    for (const { shadow } of this.parts) if (shadow) shadow.uniforms.floor_plane.value = [...this.floor.normal, this.floor.level + 1e-3 * this.size];
  }

  addHatch({ point, normal }) {
    const material = hatchMaterial(this.shared), band = 0.07 * this.size, mesh = new Mesh(new PlaneGeometry(8 * this.size, band), material);
    mesh.geometry.translate(0, -band / 2, 0);
    this.add(mesh, -3);
    const n = new Vector3(normal[0], normal[1], 0).normalize();
    mesh.position.set(...point);
    mesh.rotation.z = Math.atan2(-n.x, n.y);
    material.uniforms.band.value = band;
    this.hatches.push(material);
  }

  // Where the reference shape is, as a wireframe made at the first use.
  showReference(isShown, colours) {
    for (const part of this.parts) {
      if (part.kind !== "surface") continue;
      if (!part.wire && isShown) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(part.mesh.reference, 3));
        geometry.setIndex(edgePairs(part.mesh));
        part.wire = this.add(new LineSegments(geometry, plainMaterial()), 2);
      }
      if (!part.wire) continue;
      part.wire.visible = isShown;
      part.wire.material.uniforms.base.value.set(colours.reference);
      part.wire.material.uniforms.opacity.value = 0.42;
    }
  }

  show(frame, style) {
    if (frame !== this.shown || style.fieldKey !== this.shownKey) {
      this.parts.forEach((part, k) => this[`update_${part.kind}`](part, frame.positions[k], frame.values[k], frame.layout));
      this.updateArrows(frame, style);
      this.shown = frame;
      this.shownKey = style.fieldKey;
    }
    this.paint(style);
  }

  update_surface(part, positions, values, layout) {
    const { triangles } = part.mesh, to = part.position.array;
    for (let k = 0, at = 0; k < triangles.length; k++) {
      const v = 3 * triangles[k];
      to[at++] = positions[v];
      to[at++] = positions[v + 1];
      to[at++] = positions[v + 2];
    }
    part.position.needsUpdate = true;
    if (!values.length || part.drawable.obstacle) return;
    const shades = part.value.array;
    for (let k = 0; k < triangles.length; k++) {
      const x = layout.perTriangle ? values[(k / 3) | 0] : values[triangles[k]];
      shades[k] = x === x ? x : noValue;
    }
    part.value.needsUpdate = true;
  }

  update_points(part, positions, values) {
    part.position.array.set(positions);
    part.position.needsUpdate = true;
    if (!values.length) return;
    for (let k = 0; k < values.length; k++) part.value.array[k] = values[k] === values[k] ? values[k] : noValue;
    part.value.needsUpdate = true;
  }

  update_lines(part, positions, values) {
    part.ends.array.set(positions);
    part.ends.needsUpdate = true;
    if (!values.length) return;
    const to = part.geometry.getAttribute("values");
    for (let k = 0; k < values.length; k++) to.array[k] = values[k] === values[k] ? values[k] : noValue;
    to.needsUpdate = true;
  }

  // Arrows from vertices, without the short ones, thinned to what a picture can show.
  updateArrows(frame, style) {
    const { mesh, ends, geometry } = this.arrows;
    const scale = style.arrows && style.arrowLargest > 0 ? (style.arrowSize * 0.14 * this.size) / style.arrowLargest : 0;
    mesh.visible = scale > 0 && frame.layout.arrows !== "";
    if (!mesh.visible) return;
    const least = (0.01 * style.arrowLargest) ** 2, chosen = [];
    frame.arrows.forEach((list, d) => {
      if (this.run.drawables[d].kind === "lines") return;
      for (let v = 0; v < list.length; v += 3) if (list[v] ** 2 + list[v + 1] ** 2 + list[v + 2] ** 2 > least) chosen.push(d, v);
    });
    const stride = Math.ceil(chosen.length / 2 / mostArrows);
    let count = 0;
    for (let k = 0; k < chosen.length; k += 2 * stride) {
      const from = frame.positions[chosen[k]], by = frame.arrows[chosen[k]], v = chosen[k + 1];
      for (let i = 0; i < 3; i++) {
        ends.array[6 * count + i] = from[v + i];
        ends.array[6 * count + 3 + i] = from[v + i] + scale * by[v + i];
      }
      count += 1;
    }
    geometry.instanceCount = count;
    ends.needsUpdate = true;
  }

  setPull(pull) {
    this.pull.mesh.visible = pull !== null;
    if (!pull) return;
    this.pull.ends.array.set([...pull.from, ...pull.to]);
    this.pull.ends.needsUpdate = true;
  }

  // The drawable that the pointer could take hold of, or holds; -1: none.
  setMark(drawable) {
    this.marked = drawable;
  }

  // Colours and switches.
  paint(style) {
    const { colours } = style, shared = this.shared;
    if (this.tableName !== style.mapName) {
      this.table.image.data.set(colourTable(style.mapName));
      this.table.needsUpdate = true;
      this.tableName = style.mapName;
    }
    shared.range.value = style.range;
    shared.coloured.value = style.coloured ? 1 : 0;
    this.parts.forEach((part, k) => {
      const u = part.material.uniforms, isBody = part.kind !== "lines";
      const lineColour = { spring: colours.spring, joint: colours.joint }[part.drawable.style] ?? colours.rod;
      const obstacleColour = k === this.marked ? colours.held : colours.obstacle;
      u.base.value.set(part.drawable.obstacle ? obstacleColour : isBody ? style.bodyColour : lineColour);
      if (u.line) u.line.value.set(colours.edge);
      if (u.edges) u.edges.value = style.edges ? colours.edgeStrength : 0;
      if (part.shadow) part.shadow.uniforms.strength.value = style.isFirst ? colours.shadow : 0;
    });
    this.arrows.material.uniforms.base.value.set(colours.arrow);
    this.pull.material.uniforms.base.value.set(colours.joint);
    for (const floor of this.floors) {
      floor.uniforms.line.value.set(colours.grid);
      floor.uniforms.ground.value.set(colours.ground);
      floor.visible = style.isFirst;
    }
    for (const hatch of this.hatches) hatch.uniforms.line.value.set(colours.grid), (hatch.visible = style.isFirst);
    for (const ball of this.balls) ball.uniforms.base.value.set(colours.obstacle);
    this.showReference(style.reference && style.isFirst, colours);
  }
}

// The floor that shadows fall on: a plane facing up, or the bottom of the box of a scene in space.
function floorOf(run) {
  const up = run.up ?? [0, 0, 1], dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const plane = run.obstacles.find((o) => o.kind === "plane" && dot(o.normal, up) > 0.8 * Math.hypot(...o.normal));
  if (plane) {
    const normal = plane.normal.map((x) => x / Math.hypot(...plane.normal));
    return { normal, point: plane.point, level: dot(normal, plane.point), isObstacle: true };
  }
  const corners = [run.box.slice(0, 3), run.box.slice(3)], heights = corners.map((c) => dot(up, c));
  const span = Math.hypot(...[0, 1, 2].map((k) => run.box[3 + k] - run.box[k])) || 1, level = Math.min(...heights) - 0.04 * span;
  const middle = [0, 1, 2].map((k) => (run.box[k] + run.box[3 + k]) / 2), lift = level - dot(up, middle);
  return { normal: up, point: middle.map((x, k) => x + lift * up[k]), level, isObstacle: false };
}
