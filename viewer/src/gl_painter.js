// Draws runs with WebGL: one canvas, one cell of it for each run, or all runs in one cell.

import { Color, ColorManagement, WebGLRenderer } from "three";
import { GlRun } from "./gl_run.js";

const wanted = { stencil: true, antialias: false, alpha: true, powerPreference: "default" };

// A canvas with a context for WebGL, and whether a processor has to do the work of a graphics card; null without WebGL. Smooth
// borders have to be asked for when a context is made: only a graphics card gets a second one with them.
export function openWebGl(makeCanvas) {
  const canvas = makeCanvas(), context = canvas.getContext("webgl2", wanted);
  if (!context) return null;
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  if (/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name)) return { canvas, context, software: true };
  const better = makeCanvas(), smooth = better.getContext("webgl2", { ...wanted, antialias: true });
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return { canvas: better, context: smooth, software: false };
}

ColorManagement.enabled = false;

export class GlPainter {
  constructor({ canvas, context, software }) {
    this.renderer = new WebGLRenderer({ canvas, context, ...wanted });
    this.renderer.debug.checkShaderErrors = false; // the check waits for the compiler
    this.renderer.autoClear = false;
    this.software = software;
    this.setMoving(false);
  }

  // Without a graphics card moving pictures have fewer pixels than resting ones.
  setMoving(isMoving) {
    this.setPixels(this.software ? (isMoving ? 0.6 : 1) : Math.min(window.devicePixelRatio || 1, 2));
  }

  // Device pixels of the picture for one CSS pixel.
  setPixels(pixels) {
    if (pixels === this.pixels) return;
    this.pixels = pixels;
    this.renderer.setPixelRatio(pixels);
  }

  add(run, mesh) {
    return new GlRun(run, mesh);
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
  }

  // cells: [{ left, top, width, height, items: [{ view, frame, style }] }] in CSS pixels from the upper left corner.
  draw(cells, camera, setAspect, background, height) {
    const { renderer } = this;
    renderer.setScissorTest(false);
    renderer.setClearColor(new Color(background), 1);
    renderer.clear();
    renderer.setScissorTest(true);
    for (const cell of cells) {
      const bottom = height - cell.top - cell.height;
      renderer.setViewport(cell.left, bottom, cell.width, cell.height);
      renderer.setScissor(cell.left, bottom, cell.width, cell.height);
      setAspect(cell.width / cell.height);
      renderer.clear(true, true, true);
      for (const { view, frame, style } of cell.items) {
        if (!frame) continue;
        view.shared.viewport.value = [cell.width * this.pixels, cell.height * this.pixels];
        view.shared.pixels.value = this.pixels;
        view.show(frame, style);
        renderer.render(view.scene, camera);
      }
    }
  }
}
