// SPDX-License-Identifier: BSD-3-Clause
// Contacts of the moment: points, arrows of forces and friction cones in the colours of the modes; and the paths that
// contacts have left on both bodies.
import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

// As in the style of the page (thenar/io/report/report_template_internal.cc).
export const MODE_COLOURS = { stick: "#0072b2", roll: "#009e73", slide: "#e69f00", spin: "#cc79a7", open: "#9aa4af" };

const UP = new Vector3(0, 1, 0);
const BALL = new SphereGeometry(1, 16, 12),
  SHAFT = new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
const HEAD = new ConeGeometry(1, 1, 16).translate(0, 0.5, 0);
// Apex at the origin, opening along +y.
const CONE = new ConeGeometry(1, 1, 48, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);

// Pixels.
const POINT_RADIUS = 4.5,
  SHAFT_RADIUS = 1.8,
  HEAD_RADIUS = 5.5,
  HEAD_LENGTH = 14;

// Drawn over everything: contacts lie between bodies, where nothing else would show them.
function overlay(order, more = {}) {
  return { depthTest: false, depthWrite: false, transparent: true, fog: false, toneMapped: false, ...more, order };
}
function makeMesh(geometry, options) {
  const { order, ...rest } = options,
    mesh = new Mesh(geometry, new MeshBasicMaterial(rest));
  mesh.renderOrder = order;
  return mesh;
}

class ContactMark {
  constructor() {
    this.group = new Group();
    this.point = makeMesh(BALL, overlay(12));
    this.shaft = makeMesh(SHAFT, overlay(10));
    this.head = makeMesh(HEAD, overlay(11));
    this.cone = makeMesh(CONE, overlay(9, { opacity: 0.22, side: DoubleSide }));
    this.group.add(this.cone, this.shaft, this.head, this.point);
  }

  // `pixel`: the size of a pixel there, m; `perNewton`: length of arrows, m/N.
  show(at, contact, mode, pixel, perNewton, shown) {
    const colour = new Color(MODE_COLOURS[mode] || MODE_COLOURS.open),
      held = mode !== "open";
    for (const mesh of [this.point, this.shaft, this.head, this.cone]) mesh.material.color = colour;
    this.group.visible = true;
    this.point.visible = shown.points;
    this.point.position.copy(at);
    this.point.scale.setScalar((held ? 1 : 0.6) * POINT_RADIUS * pixel);
    const length = contact.force.length() * perNewton,
      visible = shown.forces && held && length > pixel;
    this.shaft.visible = this.head.visible = visible;
    if (visible) this.pointArrow(at, contact.force, length, pixel);
    this.cone.visible = shown.cones && held && contact.friction > 0;
    if (this.cone.visible)
      this.openCone(at, contact, Math.max(60 * pixel, contact.force.dot(contact.normal) * perNewton));
  }

  pointArrow(at, force, length, pixel) {
    const turn = new Quaternion().setFromUnitVectors(UP, force.clone().normalize());
    const head = Math.min(HEAD_LENGTH * pixel, 0.6 * length);
    this.shaft.position.copy(at);
    this.shaft.quaternion.copy(turn);
    this.shaft.scale.set(SHAFT_RADIUS * pixel, length - head, SHAFT_RADIUS * pixel);
    this.head.quaternion.copy(turn);
    this.head.position
      .copy(force)
      .setLength(length - head)
      .add(at);
    this.head.scale.set(HEAD_RADIUS * pixel, head, HEAD_RADIUS * pixel);
  }

  openCone(at, contact, height) {
    const width = height * contact.friction;
    this.cone.position.copy(at);
    this.cone.quaternion.setFromUnitVectors(UP, contact.normal);
    this.cone.scale.set(width, height, width);
  }
}

// Where a contact has been on one body: pieces of line, each with the number of the frame in which it ends.
class ContactPath {
  constructor(segments, ends, colours) {
    this.ends = ends;
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(segments);
    geometry.setColors(colours);
    this.line = new LineSegments2(
      geometry,
      new LineMaterial({ linewidth: 2.5, vertexColors: true, toneMapped: false }),
    );
    this.line.frustumCulled = false; // Its box is that of all pieces.
    this.line.renderOrder = 2;
  }

  showUntil(frame) {
    let count = 0;
    while (count < this.ends.length && this.ends[count] <= frame) ++count;
    this.line.geometry.instanceCount = count;
    this.line.visible = count > 0;
  }
}

// Both paths of a contact; `modeAt(t)` tells its mode. A jump from place to place is not drawn.
function makePaths(frames, contact, modeAt, longest) {
  const sides = { onA: { segments: [], ends: [], colours: [] }, onB: { segments: [], ends: [], colours: [] } };
  for (const span of contact.spans) {
    let last = null;
    for (let frame = span.first; frame < span.first + span.count; ++frame) {
      const mode = modeAt(frames.times[frame]),
        now = mode === "open" ? null : frames.readContact(contact, frame);
      if (last && now) addPieces(sides, last, now, frame, new Color(MODE_COLOURS[mode] || MODE_COLOURS.open), longest);
      last = now;
    }
  }
  return sides;
}

function addPieces(sides, last, now, frame, colour, longest) {
  for (const side of ["onA", "onB"]) {
    const length = last[side].distanceTo(now[side]);
    if (length === 0 || length > longest) continue;
    sides[side].segments.push(...last[side].toArray(), ...now[side].toArray());
    sides[side].colours.push(...colour.toArray(), ...colour.toArray());
    sides[side].ends.push(frame);
  }
}

export class Contacts {
  // `bodies`: the groups of the bodies, in the order of the data.
  constructor(frames, bodies, report, size) {
    this.frames = frames;
    this.bodies = bodies;
    this.report = report;
    this.group = new Group();
    this.shown = { points: true, forces: true, cones: false, paths: true };
    this.marks = frames.contacts.map(() => new ContactMark());
    for (const mark of this.marks) this.group.add(mark.group);
    this.paths = [];
    for (const contact of frames.contacts) this.addPaths(contact, size);
  }

  addPaths(contact, size) {
    const sides = makePaths(this.frames, contact, (t) => this.report.modeAt(contact.name, t), 0.25 * size);
    for (const [side, body] of [
      ["onA", contact.A],
      ["onB", contact.B],
    ]) {
      const { segments, ends, colours } = sides[side];
      if (segments.length === 0) continue;
      const path = new ContactPath(segments, ends, colours);
      this.paths.push(path);
      this.bodies[body].add(path.line);
    }
  }

  setResolution(width, height) {
    for (const path of this.paths) path.line.material.resolution.set(width, height);
  }

  // `pixelAt(point)`: the size of a pixel there, m.
  update(t, place, pixelAt, perNewton) {
    this.frames.contacts.forEach((contact, i) => {
      const mark = this.marks[i],
        mode = this.report.modeAt(contact.name, t);
      const found = mode === "" ? null : this.frames.contactAt(contact, place);
      mark.group.visible = found !== null;
      if (!found) return;
      const at = this.bodies[contact.A].localToWorld(found.onA);
      mark.show(at, found, mode, pixelAt(at), perNewton, this.shown);
    });
    for (const path of this.paths) {
      if (this.shown.paths) path.showUntil(place.frame);
      else path.line.visible = false;
    }
  }
}
