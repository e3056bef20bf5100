// Shaders. Colours are given as they shall appear on the screen; no colour management takes part.

import { ShaderMaterial, DoubleSide, GLSL3, Color, EqualStencilFunc, IncrementStencilOp, KeepStencilOp } from "three";

// Values at or below this stand for "has none".
export const noValue = -1e30;

const colouring = /* glsl */ `
  uniform sampler2D map;
  uniform vec2 range;
  uniform float coloured;
  uniform vec3 base;
  vec3 coloured_by(float value) {
    if (coloured < 0.5 || value < -1e20) return base;
    return texture(map, vec2(clamp((value - range.x) / (range.y - range.x), 0.002, 0.998), 0.5)).rgb;
  }`;

const lighting = /* glsl */ `
  uniform float lit;
  vec3 shaded(vec3 colour, vec3 n) {
    float key = max(0.0, dot(n, normalize(vec3(-0.42, 0.68, 0.6)))), fill = max(0.0, dot(n, normalize(vec3(0.75, -0.15, 0.6))));
    float shine = pow(max(0.0, dot(n, normalize(vec3(-0.25, 0.4, 0.88)))), 24.0);
    return mix(colour, colour * (0.62 + 0.4 * key + 0.14 * fill) + 0.05 * shine, lit);
  }`;

function material(vertexShader, fragmentShader, uniforms, more = {}) {
  return new ShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader: `out vec4 result;\n${fragmentShader}`, uniforms, side: DoubleSide, ...more });
}

// Uniforms that all drawables of a view share by reference.
export function sharedUniforms(mapTexture) {
  return { map: { value: mapTexture }, range: { value: [0, 1] }, coloured: { value: 0 }, lit: { value: 1 }, viewport: { value: [1, 1] }, pixels: { value: 1 } };
}

// Triangles without an index: three vertices each, so that values may belong to triangles; flat normals by derivatives; the
// edges of elements drawn where the barycentric coordinate of the opposite corner is small.
export function surfaceMaterial(shared) {
  return material(
    /* glsl */ `
    in float value;
    in float sides;
    out vec3 seen, corner;
    out float at;
    flat out int drawn;
    void main() {
      vec4 view = modelViewMatrix * vec4(position, 1.0);
      seen = view.xyz;
      int k = gl_VertexID % 3;
      corner = vec3(k == 0, k == 1, k == 2);
      at = value;
      drawn = int(sides + 0.5);
      gl_Position = projectionMatrix * view;
    }`,
    /* glsl */ `
    in vec3 seen, corner;
    in float at;
    flat in int drawn;
    uniform vec3 line;
    uniform float edges, opacity;
    ${colouring} ${lighting}
    float side(int bit, float c, float width) { return (drawn & bit) == 0 ? 0.0 : 1.0 - smoothstep(0.15, 1.05, c / width); }
    void main() {
      vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
      if (n.z < 0.0) n = -n;
      vec3 colour = shaded(coloured_by(at), n), width = fwidth(corner);
      float on = max(side(1, corner.z, width.z), max(side(2, corner.x, width.x), side(4, corner.y, width.y)));
      float small = clamp((1.0 / max(width.x, max(width.y, width.z)) - 5.0) / 14.0, 0.0, 1.0); // triangles of few pixels have none
      result = vec4(mix(colour, line, on * edges * small), opacity);
    }`,
    { ...shared, base: { value: new Color() }, line: { value: new Color() }, edges: { value: 0.5 }, opacity: { value: 1 } },
  );
}

// Balls drawn as round points.
export function pointsMaterial(shared) {
  return material(
    /* glsl */ `
    in float value;
    uniform float radius, pixels;
    uniform vec2 viewport;
    out float at, size;
    void main() {
      at = value;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      size = max(7.0 * pixels, radius * projectionMatrix[1][1] * viewport.y / gl_Position.w);
      gl_PointSize = size + 1.0;
    }`,
    /* glsl */ `
    in float at, size;
    uniform vec3 line;
    ${colouring} ${lighting}
    void main() {
      vec2 p = (2.0 * gl_PointCoord - 1.0) * vec2(1.0, -1.0) * (size + 1.0) / size;
      float r = length(p);
      if (r > 1.0) discard;
      vec3 colour = shaded(coloured_by(at), vec3(p, sqrt(1.0 - r * r)));
      result = vec4(mix(colour, line, 0.55 * smoothstep(1.0 - 3.5 / size, 1.0 - 1.5 / size, r)), 1.0);
    }`,
    { ...shared, base: { value: new Color() }, line: { value: new Color() }, radius: { value: 0 } },
    { transparent: true }, // so that they come behind lines, which are
  );
}

export const lineStyles = { plain: 0, coil: 1, arrow: 2, joint: 3 };

// Segments as quads of some width in pixels, one instance each; the fragment cuts a line, a coil or an arrow out of the quad.
export function lineMaterial(shared, style, width, more = {}) {
  return material(
    /* glsl */ `
    in vec3 start, end;
    in vec2 values;
    uniform vec2 viewport;
    uniform float width, pixels;
    out vec2 place;
    out float at, size;
    void main() {
      vec4 a = projectionMatrix * modelViewMatrix * vec4(start, 1.0), b = projectionMatrix * modelViewMatrix * vec4(end, 1.0);
      float near = 1e-4;
      if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
      if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
      vec3 na = a.xyz / a.w, nb = b.xyz / b.w;
      vec2 along = (nb.xy - na.xy) * viewport * 0.5;
      size = length(along);
      vec2 u = size > 1e-6 ? along / size : vec2(1.0, 0.0), v = vec2(-u.y, u.x);
      float reach = 0.5 * width * pixels + 1.0;
      vec2 offset = (position.x < 0.5 ? -u : u) * reach + v * position.y * reach;
      vec3 n = position.x < 0.5 ? na : nb;
      place = vec2(position.x < 0.5 ? -reach : size + reach, position.y * reach);
      at = position.x < 0.5 ? values.x : values.y;
      gl_Position = vec4(n.xy + offset * 2.0 / viewport, n.z, 1.0);
    }`,
    /* glsl */ `
    in vec2 place;
    in float at, size;
    uniform float width, pixels, opacity;
    ${colouring}
    void main() {
      float w = 0.5 * width * pixels, d;
      vec2 beyond = vec2(max(0.0, max(-place.x, place.x - size)), place.y);
      ${{
        plain: "d = length(beyond) - w;",
        coil: `
      float thin = 0.9 * pixels, reach = w - thin, ends = 0.14 * size, turns = 7.0;
      float s = clamp((place.x - ends) / max(1.0, size - 2.0 * ends), 0.0, 1.0), angle = 6.2832 * turns * s;
      float slope = s > 0.0 && s < 1.0 ? reach * cos(angle) * 6.2832 * turns / max(1.0, size - 2.0 * ends) : 0.0;
      float wave = size > 7.0 * w ? reach * sin(angle) : 0.0;
      d = size > 7.0 * w ? abs(place.y - wave) / sqrt(1.0 + slope * slope) - thin : length(beyond) - thin;`,
        arrow: `
      float head = min(2.6 * w, 0.6 * size), half_shaft = 0.2 * w;
      float shaft = max(abs(place.y) - half_shaft, max(-place.x, place.x - (size - 0.6 * head)));
      float tip = max((abs(place.y) - (size - place.x) * min(1.0, w / max(head, 0.01))) * 0.8, (size - head) - place.x);
      d = min(shaft, tip);`,
        joint: "float ball = min(length(place), length(place - vec2(size, 0.0))) - w; d = min(ball, length(beyond) - 0.3 * w);",
      }[style]}
      float cover = 1.0 - smoothstep(-0.5, 0.5, d);
      if (cover < 0.02) discard;
      result = vec4(coloured_by(at), cover * opacity);
    }`,
    { ...shared, base: { value: new Color() }, width: { value: width }, opacity: { value: 1 } },
    { transparent: true, ...more },
  );
}

// The plane of a floor, with a grid that fades out away from the bodies.
export function floorMaterial() {
  return material(
    /* glsl */ `
    out vec2 place;
    uniform float reach;
    void main() {
      place = position.xy * reach;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position.xy * reach, 0.0, 1.0);
    }`,
    /* glsl */ `
    in vec2 place;
    uniform float reach, cell, fill;
    uniform vec3 line, ground;
    float grid(float size) {
      vec2 c = place / size, w = fwidth(c), d = abs(fract(c - 0.5) - 0.5) / w;
      vec2 on = (1.0 - smoothstep(0.0, 1.1, d)) * (1.0 - smoothstep(0.15, 0.5, w));
      return max(on.x, on.y);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.25, 1.0, length(place) / reach);
      float lines = max(0.4 * grid(cell), 0.8 * grid(5.0 * cell));
      vec3 colour = mix(ground, line, lines);
      result = vec4(colour, fade * mix(lines * 0.5, max(0.75, lines), fill));
    }`,
    { reach: { value: 1 }, cell: { value: 1 }, fill: { value: 0 }, line: { value: new Color() }, ground: { value: new Color() } },
    { transparent: true, depthWrite: false },
  );
}

// A half-plane below a floor in the plane, hatched.
export function hatchMaterial(shared) {
  return material(
    /* glsl */ `
    out float depth;
    void main() {
      depth = -position.y;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    }`,
    /* glsl */ `
    in float depth;
    uniform vec3 line;
    uniform float pixels, band;
    void main() {
      float stripe = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (9.0 * pixels)) - 0.5) * 9.0;
      float edge = 1.0 - smoothstep(1.0, 2.0, depth / fwidth(depth) / pixels);
      float fade = 1.0 - smoothstep(0.0, band, depth);
      result = vec4(line, max(edge, 0.75 * fade * (1.0 - smoothstep(0.4, 1.1, stripe))));
    }`,
    { ...shared, line: { value: new Color() }, band: { value: 1 } },
    { transparent: true, depthWrite: false },
  );
}

// The shadow that a surface throws on a horizontal floor along a slanting light; the stencil keeps it from adding up.
export function shadowMaterial() {
  return material(
    /* glsl */ `
    uniform vec4 floor_plane;
    uniform vec3 light;
    void main() {
      float above = dot(floor_plane.xyz, position) - floor_plane.w;
      vec3 fallen = position - light * above / dot(floor_plane.xyz, light);
      gl_Position = projectionMatrix * modelViewMatrix * vec4(fallen, 1.0);
    }`,
    /* glsl */ `
    uniform float strength;
    void main() { result = vec4(0.0, 0.0, 0.0, strength); }`,
    { floor_plane: { value: [0, 0, 1, 0] }, light: { value: [0.25, 0.15, 1] }, strength: { value: 0.12 } },
    { transparent: true, depthWrite: false, depthTest: true, stencilWrite: true, stencilRef: 0, stencilFunc: EqualStencilFunc, stencilZPass: IncrementStencilOp, stencilZFail: KeepStencilOp, stencilFail: KeepStencilOp },
  );
}

// One colour; used for wireframes and as the body of balls that stand in the way.
export function plainMaterial() {
  return material(
    /* glsl */ `void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    /* glsl */ `uniform vec3 base; uniform float opacity; void main() { result = vec4(base, opacity); }`,
    { base: { value: new Color() }, opacity: { value: 1 } },
    { transparent: true, depthWrite: false },
  );
}

export function ballMaterial(shared) {
  return material(
    /* glsl */ `
    out vec3 n;
    void main() { n = normalize(normalMatrix * normal); gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    /* glsl */ `
    in vec3 n;
    uniform vec3 base;
    ${lighting}
    void main() { result = vec4(shaded(base, normalize(n)), 1.0); }`,
    { ...shared, base: { value: new Color() } },
  );
}
