// SPDX-License-Identifier: BSD-3-Clause
// The picture: bodies at their poses, light, camera. Draws only when something has changed.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  OrthographicCamera,
  PCFShadowMap,
  PerspectiveCamera,
  Quaternion,
  Raycaster,
  Scene,
  SphereGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Contacts } from "./contacts.js";
import { boxOf, makeShape } from "./shapes.js";

const OBJECTS = ["#ecd6a8", "#cfdcb4", "#e2c3cb", "#cdc5e6", "#bcd9e0"]; // Pale, so that modes stand out on them.
const LINKS = ["#9db2c9", "#b5c5d5", "#879fb9"];
const FIXED = "#b9bfc6";
const THEMES = {
  light: { background: "#eef1f4", ground: "#dfe4e9", lines: "#b4bdc6", sky: "#ffffff", below: "#aab2ba" },
  dark: { background: "#1b1f24", ground: "#262b31", lines: "#444c55", sky: "#dfe6ee", below: "#3a4048" },
};
const FIELD_OF_VIEW = 32; // degrees
const SMALL_HEIGHT = 420; // pixels: in smaller pictures points and arrows are thinner, too
// Where the camera stands, seen from the middle of the scene.
const VIEWS = {
  space: new Vector3(0.9, -1.5, 0.75),
  front: new Vector3(0, -1, 0),
  side: new Vector3(1, 0, 0),
  top: new Vector3(0, 0, 1),
};

function isUnbounded(shape) {
  return "plane" in shape || "bowl" in shape;
}

export class Viewer {
  constructor(canvas, data, frames, report) {
    this.canvas = canvas;
    this.data = data;
    this.frames = frames;
    this.planar = data.planar;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = !this.planar;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.t = frames.from;
    this.followed = -1;
    this.forceScale = 1;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.colours = THEMES[this.dark ? "dark" : "light"];
    this.scene.background = new Color(this.colours.background);
    this.addBodies();
    this.measure();
    this.addShapes();
    this.addLight();
    this.contacts = new Contacts(frames, this.bodies, report, this.size);
    this.scene.add(this.contacts.group);
    this.typicalForce = frames.typicalForce();
    this.addCamera();
    this.resize();
  }

  addBodies() {
    this.bodies = this.data.bodies.map((body) => {
      const group = new Group();
      group.name = body.name;
      if (!body.moves) {
        group.position.fromArray(body.pose);
        group.quaternion.set(body.pose[4], body.pose[5], body.pose[6], body.pose[3]);
      }
      this.scene.add(group);
      return group;
    });
    this.movers = this.data.bodies.map((body, i) => i).filter((i) => this.data.bodies[i].moves);
  }

  // The box around everything that is bounded, at all times; its size gives lengths to what has none of its own. Where
  // there are hands, objects count as long as they are near them, so that one that is thrown away does not make all
  // the rest small.
  measure() {
    const links = this.enclose((body) => body.is_link && body.moves, null);
    const near = links.isEmpty() ? null : links.clone().expandByScalar(links.getSize(new Vector3()).length());
    const box = this.enclose((body) => !(body.is_link && body.moves), near).union(links);
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    this.box = box;
    this.middle = box.getCenter(new Vector3());
    this.size = Math.max(box.getSize(new Vector3()).length() / 2, 1e-6);
    this.pose({ frame: 0, next: 0, share: 0 });
  }

  // The box around the bodies that are `wanted`, as far as they are inside of `near`.
  enclose(wanted, near) {
    const box = new Box3(),
      step = Math.max(1, Math.floor(this.frames.count / 300));
    const add = (points) => {
      if (near && !near.containsPoint(points[0])) return;
      for (const point of points) box.expandByPoint(point);
    };
    for (let frame = 0; frame < this.frames.count; frame += step) {
      this.pose({ frame, next: frame, share: 0 });
      this.data.bodies.forEach((body, i) => {
        if (wanted(body)) this.reach(body, this.bodies[i], add);
      });
    }
    return box;
  }

  // Tells the points between which a body lies, the middle of each shape first.
  reach(body, group, add) {
    for (const { shape, pose } of body.shapes) {
      if ("plane" in shape) continue;
      const middle = new Vector3().fromArray(pose.xyz),
        [w, x, y, z] = pose.quaternion,
        turn = new Quaternion(x, y, z, w);
      const box = boxOf(shape),
        points = [middle];
      for (let i = 0; i < 8; ++i) {
        const corner = new Vector3(...["x", "y", "z"].map((axis, k) => (i & (1 << k) ? box.max : box.min)[axis]));
        points.push(corner.applyQuaternion(turn).add(middle));
      }
      add(points.map((point) => group.localToWorld(point.clone())));
    }
    for (const bone of body.bones) add([group.localToWorld(new Vector3().fromArray(bone, 3))]);
  }

  colourOf(body, index) {
    if (body.shapes.length > 0 && body.shapes.every(({ shape }) => isUnbounded(shape))) return FIXED;
    if (!body.moves) return FIXED;
    const list = body.is_link ? LINKS : OBJECTS;
    const same = this.data.bodies.slice(0, index).filter((other) => other.is_link === body.is_link && other.moves);
    return list[same.length % list.length];
  }

  addShapes() {
    const room = { size: this.size, planar: this.planar };
    this.data.bodies.forEach((body, i) => {
      const colour = this.colourOf(body, i);
      for (const { shape, pose } of body.shapes) {
        const mesh = makeShape(shape, i, colour, room, this.colours),
          q = pose.quaternion;
        mesh.position.fromArray(pose.xyz);
        mesh.quaternion.set(q[1], q[2], q[3], q[0]);
        if ("plane" in shape) this.centreGround(this.bodies[i], mesh);
        this.bodies[i].add(mesh);
      }
      if (body.shapes.length === 0) this.addBones(body, this.bodies[i], colour);
    });
  }

  // A plane has no middle: it is drawn around the scene, in whole steps of its lines.
  centreGround(body, mesh) {
    body.updateMatrixWorld();
    const middle = body
      .worldToLocal(this.middle.clone())
      .sub(mesh.position)
      .applyQuaternion(mesh.quaternion.clone().invert());
    const step = this.size;
    mesh.position.add(
      new Vector3(Math.round(middle.x / step) * step, Math.round(middle.y / step) * step, 0).applyQuaternion(
        mesh.quaternion,
      ),
    );
  }

  // What a body without shapes joins.
  addBones(body, group, colour) {
    if (body.bones.length === 0) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(body.bones.flat()), 3));
    group.add(new LineSegments(geometry, new LineBasicMaterial({ color: colour })));
    const ball = new Mesh(new SphereGeometry(0.008 * this.size, 16, 12), new MeshBasicMaterial({ color: colour }));
    group.add(ball);
  }

  addLight() {
    this.scene.add(new HemisphereLight(this.colours.sky, this.colours.below, this.dark ? 1.9 : 2.5));
    const sun = new DirectionalLight("#ffffff", this.dark ? 2.2 : 2.3),
      reach = 1.6 * this.size;
    sun.position
      .copy(this.middle)
      .add(
        this.planar
          ? new Vector3(-0.4, 0.7, 2).multiplyScalar(this.size)
          : new Vector3(-0.8, -1.1, 2.4).multiplyScalar(this.size),
      );
    sun.target.position.copy(this.middle);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, {
      left: -reach,
      right: reach,
      top: reach,
      bottom: -reach,
      near: 0.1 * this.size,
      far: 6 * this.size,
    });
    sun.shadow.normalBias = (2 * reach) / 2048; // A pixel of the map.
    sun.shadow.radius = 3;
    this.scene.add(sun, sun.target);
  }

  addCamera() {
    const near = 1e-3 * this.size,
      far = 100 * this.size;
    this.camera = this.planar
      ? new OrthographicCamera(-1, 1, 1, -1, near, far)
      : new PerspectiveCamera(FIELD_OF_VIEW, 1, near, far);
    if (!this.planar) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => {
      this.isUntouched = false;
    });
    this.look(this.planar ? "top" : "space");
  }

  look(view) {
    const direction = VIEWS[view].clone().normalize();
    // Straight from above the camera has no up of its own; a little off it is y.
    if (!this.planar && view === "top") direction.set(0, -1e-3, 1).normalize();
    this.direction = direction;
    this.isUntouched = true;
    this.fit();
    if (this.followed >= 0) this.follow(this.followed);
    this.draw();
  }

  // Goes as near along the present direction as the whole scene allows.
  fit() {
    const up = this.camera.up,
      right = up.clone().cross(this.direction).normalize(),
      over = this.direction.clone().cross(right);
    let across = 0,
      high = 0,
      distance = 0;
    const slope = this.planar ? 1 : Math.tan((this.camera.fov * Math.PI) / 360),
      aspect = this.aspect || 1;
    for (let i = 0; i < 8; ++i) {
      const { min, max } = this.box,
        corner = new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z).sub(this.middle);
      const x = Math.abs(corner.dot(right)),
        y = Math.abs(corner.dot(over)),
        z = corner.dot(this.direction);
      across = Math.max(across, x);
      high = Math.max(high, y);
      distance = Math.max(distance, z + x / (slope * aspect), z + y / slope);
    }
    if (this.planar) {
      this.half = 1.08 * Math.max(high, across / aspect, 1e-3 * this.size);
      distance = 20 * this.size; // In front of everything, also of the ground.
    }
    this.controls.target.copy(this.middle);
    this.camera.position.copy(this.middle).addScaledVector(this.direction, 1.06 * distance);
    this.camera.zoom = 1;
    this.frame();
    this.controls.update();
  }

  // Fits the camera to the shape of the canvas.
  frame() {
    const aspect = this.aspect || 1;
    if (this.planar) {
      Object.assign(this.camera, {
        left: -this.half * aspect,
        right: this.half * aspect,
        top: this.half,
        bottom: -this.half,
      });
    } else {
      this.camera.aspect = aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  // Keeps the body in the middle; −1: none.
  follow(index) {
    this.followed = index;
    if (index < 0) return;
    this.followPoint = this.bodies[index].position.clone();
    const shift = this.followPoint.clone().sub(this.controls.target);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.controls.update();
    this.draw();
  }

  resize() {
    const width = this.canvas.clientWidth,
      height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.aspect = width / height;
    if (this.isUntouched && this.followed < 0) this.fit();
    else this.frame();
    this.contacts.setResolution(width, height);
    this.draw();
  }

  pose(place) {
    (this.movers || []).forEach((index, mover) => {
      this.frames.poseAt(place, mover, this.bodies[index].position, this.bodies[index].quaternion);
      this.bodies[index].updateMatrixWorld();
    });
  }

  show(t) {
    this.t = t;
    this.pose(this.frames.locate(t));
    if (this.followed >= 0) {
      const shift = this.bodies[this.followed].position.clone().sub(this.followPoint);
      this.followPoint.add(shift);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
      this.controls.update();
    }
    this.draw();
  }

  // The size of a pixel at a point, m, for what is drawn in pixels.
  pixelAt(point) {
    const height = Math.max(SMALL_HEIGHT, this.canvas.clientHeight);
    if (this.planar) return (this.camera.top - this.camera.bottom) / this.camera.zoom / height;
    const depth = Math.max(this.camera.near, point.distanceTo(this.camera.position));
    return (2 * depth * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
  }

  // Length of arrows, m/N: a typical force is as long as a third of the scene.
  get perNewton() {
    return this.typicalForce > 0 ? ((0.35 * this.size) / this.typicalForce) * this.forceScale : 0;
  }

  draw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.drawNow();
    });
  }

  drawNow() {
    if (!this.contacts) return;
    this.contacts.update(this.t, this.frames.locate(this.t), (point) => this.pixelAt(point), this.perNewton);
    this.renderer.render(this.scene, this.camera);
  }

  // The name of the body under the pointer, or "".
  nameAt(x, y) {
    const ray = new Raycaster(),
      place = new Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    ray.setFromCamera(place, this.camera);
    for (const hit of ray.intersectObjects(this.bodies, true)) {
      if (!hit.object.isMesh || hit.object.isLineSegments2) continue;
      for (let node = hit.object; node; node = node.parent) if (this.bodies.includes(node)) return node.name;
    }
    return "";
  }
}
