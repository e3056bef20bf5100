// The camera: in space a perspective one that circles around the bodies, in the plane an orthographic one from the front.

import { OrthographicCamera, PerspectiveCamera, Vector3, MOUSE, TOUCH } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export class CameraRig {
  constructor(element, dimension, up, onChange) {
    this.isFlat = dimension !== 3;
    this.up = new Vector3(...up);
    this.camera = this.isFlat ? new OrthographicCamera() : new PerspectiveCamera(30);
    this.camera.up.copy(this.isFlat ? new Vector3(0, 1, 0) : this.up);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.enableRotate = !this.isFlat;
    this.controls.zoomToCursor = true;
    if (this.isFlat) {
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    this.controls.addEventListener("change", onChange);
    this.halfHeight = 1;
    this.aspect = 1;
  }

  setAspect = (aspect) => {
    this.aspect = aspect;
    if (this.isFlat) {
      Object.assign(this.camera, { left: -this.halfHeight * aspect, right: this.halfHeight * aspect, top: this.halfHeight, bottom: -this.halfHeight });
    } else {
      this.camera.aspect = aspect;
    }
    this.camera.updateProjectionMatrix();
  };

  // The direction from the bodies to the eye that shows the long side of a box a little from above.
  defaultDirection(box) {
    if (this.isFlat) return new Vector3(0, 0, 1);
    const size = [0, 1, 2].map((k) => box[3 + k] - box[k]), vertical = [0, 1, 2].reduce((a, b) => (Math.abs(this.up.getComponent(b)) > Math.abs(this.up.getComponent(a)) ? b : a));
    const sides = [0, 1, 2].filter((k) => k !== vertical), long = size[sides[0]] >= size[sides[1]] ? sides[0] : sides[1];
    const along = new Vector3().setComponent(long, 1), across = new Vector3().crossVectors(along, this.up).normalize();
    return across.multiplyScalar(0.84).addScaledVector(along, 0.5).addScaledVector(this.up, 0.38).normalize();
  }

  // Width by height of a box as it is seen now, with some room.
  shapeOf(box) {
    this.camera.updateMatrixWorld();
    const [right, upward] = [0, 1].map((k) => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, k));
    const [wide, tall] = [right, upward].map((axis) => [0, 1, 2].reduce((sum, k) => sum + Math.abs(axis.getComponent(k)) * (box[3 + k] - box[k]), 0));
    return Math.min(4, Math.max(0.25, wide / tall || 1));
  }

  // Moves back along a direction until all corners of the box are in view, in the middle.
  fit(box, aspect, direction = this.camera.position.clone().sub(this.controls.target).normalize()) {
    const centre = new Vector3((box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2);
    const size = Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]) || 1, margin = 1.16;
    const out = direction.lengthSq() > 0 ? direction : this.defaultDirection(box);
    const right = new Vector3().crossVectors(this.camera.up, out);
    if (right.lengthSq() < 1e-12) right.set(1, 0, 0);
    right.normalize();
    const upward = new Vector3().crossVectors(out, right);
    const corners = Array.from({ length: 8 }, (_, k) => new Vector3(box[k & 1 ? 3 : 0], box[k & 2 ? 4 : 1], box[k & 4 ? 5 : 2]).sub(centre));
    if (this.isFlat) {
      const wide = Math.max(...corners.map((c) => Math.abs(c.dot(right)))), tall = Math.max(...corners.map((c) => Math.abs(c.dot(upward))));
      this.halfHeight = margin * Math.max(tall, wide / aspect, 0.05 * size);
      this.camera.zoom = 1;
      Object.assign(this.camera, { near: 0.01 * size, far: 20 * size });
      this.camera.position.copy(centre).addScaledVector(out, 5 * size);
    } else {
      const slope = Math.tan((this.camera.fov * Math.PI) / 360) / margin;
      const distance = Math.max(0.2 * size, ...corners.map((c) => c.dot(out) + Math.max(Math.abs(c.dot(upward)) / slope, Math.abs(c.dot(right)) / (slope * aspect))));
      Object.assign(this.camera, { near: 0.01 * size, far: 60 * size });
      this.camera.position.copy(centre).addScaledVector(out, distance);
      this.controls.minDistance = 0.05 * size;
      this.controls.maxDistance = 25 * size;
    }
    this.controls.target.copy(centre);
    this.setAspect(aspect);
    this.controls.update();
  }

  zoom(factor) {
    if (this.isFlat) {
      this.camera.zoom *= factor;
      this.setAspect(this.aspect);
    } else {
      this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    }
    this.controls.update();
    this.controls.dispatchEvent({ type: "change" });
  }

  // Turns around the upright axis and towards it.
  turn(around, upward) {
    if (this.isFlat) return;
    const offset = this.camera.position.clone().sub(this.controls.target), side = new Vector3().crossVectors(this.camera.up, offset).normalize();
    const tilt = offset.angleTo(this.camera.up) - upward;
    offset.applyAxisAngle(this.camera.up, around);
    if (tilt > 0.05 && tilt < 3.09) offset.applyAxisAngle(side.applyAxisAngle(this.camera.up, around), -upward);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.controls.dispatchEvent({ type: "change" });
  }
}
