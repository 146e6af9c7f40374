// SPDX-License-Identifier: BSD-3-Clause
// The shapes of scenario files as meshes, each in its own frame (thenar/geometry/shape.h).
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  Group,
  LatheGeometry,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  SphereGeometry,
  TorusGeometry,
  Vector2,
} from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";

const AROUND = 64; // Pieces of a full turn; a multiple of the sectors below.
const SECTORS = 8;
const LAYERS = 4;
const GROUND_LAYER = LAYERS;

// Sectors in two tones, so that one sees what turns. `flips`: the tones change places below z = 0.
function paintSectors(geometry, flips) {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry,
    p = plain.attributes.position;
  const tones = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i += 3) {
    const x = p.getX(i) + p.getX(i + 1) + p.getX(i + 2),
      y = p.getY(i) + p.getY(i + 1) + p.getY(i + 2);
    const z = p.getZ(i) + p.getZ(i + 1) + p.getZ(i + 2);
    const sector = Math.floor((Math.atan2(y, x) / (2 * Math.PI) + 1) * SECTORS) + (flips && z < 0 ? 1 : 0);
    tones.fill(sector % 2 === 0 ? 1 : 0.72, 3 * i, 3 * i + 9);
  }
  plain.setAttribute("color", new BufferAttribute(tones, 3));
  return plain;
}

// Sides of a box that face each other share a tone, so that one sees what turns.
function paintSides(geometry) {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry,
    normal = plain.attributes.normal,
    tones = new Float32Array(3 * normal.count);
  for (let i = 0; i < normal.count; ++i) {
    const sizes = [normal.getX(i), normal.getY(i), normal.getZ(i)].map(Math.abs);
    const axis = sizes.indexOf(Math.max(...sizes));
    tones.fill([0.8, 0.9, 1][axis], 3 * i, 3 * i + 3);
  }
  plain.setAttribute("color", new BufferAttribute(tones, 3));
  return plain;
}

// three.js has the axis of round shapes along y; ours is z.
function upright(geometry) {
  return geometry.rotateX(Math.PI / 2);
}

function roundGeometry(kind, size, thin) {
  switch (kind) {
    case "sphere":
      return paintSectors(upright(new SphereGeometry(size, AROUND, AROUND / 2)), true);
    case "ellipsoid":
      return paintSectors(upright(new SphereGeometry(1, AROUND, AROUND / 2)), true).scale(...size);
    case "cylinder":
      return paintSectors(upright(new CylinderGeometry(size.radius, size.radius, size.length, AROUND)), false);
    case "capsule":
      return paintSectors(upright(new CapsuleGeometry(size.radius, size.length, 12, AROUND)), false);
    case "cone":
      return paintSectors(upright(new ConeGeometry(size.radius, size.height, AROUND)), false);
    case "torus":
      return paintSectors(new TorusGeometry(size.radius, size.tube, 24, 2 * AROUND), false);
    case "ellipse":
      return paintSectors(upright(new CylinderGeometry(1, 1, thin, AROUND)), false).scale(size[0], size[1], 1);
    case "rod":
      return paintSectors(upright(new CapsuleGeometry(thin, size, 6, 16)), false);
    default:
      return null;
  }
}

function flatGeometry(kind, size) {
  if (kind === "box") return new BoxGeometry(...size);
  if (kind === "rounded_box") return paintSides(new RoundedBoxGeometry(...size.sides, 6, size.radius));
  return null;
}

// The rest of a bowl: from its lowest point up the ball to the rim, then out over the plane.
function bowlGeometry(size, reach) {
  const { radius, depth } = size,
    centre = radius - depth,
    rim = Math.acos(Math.min(1, Math.max(-1, centre / radius)));
  const profile = [];
  for (let i = 0; i <= 48; ++i) {
    const angle = (rim * i) / 48;
    profile.push(new Vector2(radius * Math.sin(angle), centre - radius * Math.cos(angle)));
  }
  profile.push(new Vector2(Math.max(reach, 1.3 * radius), 0));
  return new LatheGeometry(profile, 2 * AROUND).rotateX(Math.PI / 2);
}

function addEdges(group, geometry, colour) {
  const edges = new LineSegments(
    new EdgesGeometry(geometry, 35),
    new LineBasicMaterial({ color: colour.clone().multiplyScalar(0.45) }),
  );
  edges.renderOrder = 1;
  group.add(edges);
}

// `layer`: of two surfaces in the same place, as of neighbouring links, that with the higher one is hidden.
function makeMaterial(colour, layer, more = {}) {
  return new MeshStandardMaterial({
    color: colour,
    roughness: 0.62,
    metalness: 0.05,
    polygonOffset: true,
    polygonOffsetFactor: 1 + layer,
    polygonOffsetUnits: 1 + 4 * layer,
    ...more,
  });
}

// A wide disc that fades out towards its edge, with lines on it; `spacing` m apart.
function makeGround(reach, spacing, colours) {
  const group = new Group(),
    rings = 24,
    positions = [],
    alphas = [],
    index = [];
  for (let i = 0; i <= rings; ++i) {
    for (let k = 0; k <= AROUND; ++k) {
      const r = (reach * i) / rings,
        angle = (2 * Math.PI * k) / AROUND;
      positions.push(r * Math.cos(angle), r * Math.sin(angle), 0);
      alphas.push(1, 1, 1, 1 - (i / rings) ** 2);
      const a = i * (AROUND + 1) + k,
        b = a + AROUND + 1;
      if (i < rings && k < AROUND) index.push(a, b, b + 1, a, b + 1, a + 1);
    }
  }
  const disc = new BufferGeometry();
  disc.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  disc.setAttribute("color", new BufferAttribute(new Float32Array(alphas), 4));
  disc.setIndex(index);
  disc.computeVertexNormals();
  const mesh = new Mesh(
    disc,
    makeMaterial(colours.ground, GROUND_LAYER, { vertexColors: true, transparent: true, side: DoubleSide }),
  );
  mesh.receiveShadow = true;
  group.add(mesh, makeGroundLines(reach, spacing, colours.lines));
  return group;
}

function makeGroundLines(reach, spacing, colour) {
  const positions = [],
    alphas = [],
    pieces = 24,
    most = Math.floor(reach / spacing);
  const add = (x, y) => {
    positions.push(x, y, 0);
    alphas.push(1, 1, 1, Math.max(0, 1 - (x * x + y * y) / (reach * reach)) * 0.8);
  };
  for (let i = -most; i <= most; ++i) {
    for (let k = 0; k < pieces; ++k) {
      const a = reach * ((2 * k) / pieces - 1),
        b = reach * ((2 * (k + 1)) / pieces - 1);
      add(i * spacing, a);
      add(i * spacing, b);
      add(a, i * spacing);
      add(b, i * spacing);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(alphas), 4));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour, vertexColors: true, transparent: true }));
}

// 1, 2 or 5 times a power of ten, near the wanted length.
export function niceLength(wanted) {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * [1, 2, 5, 10].find((m) => m * power >= 0.999 * wanted);
}

const boxes = new WeakMap();

// The box around a shape, in its own frame, m; of a bowl, around its rim.
export function boxOf(shape) {
  if (!boxes.has(shape)) {
    const kind = Object.keys(shape)[0],
      size = shape[kind];
    const geometry = kind === "bowl" ? bowlGeometry(size, 0) : (flatGeometry(kind, size) ?? roundGeometry(kind, size, 0));
    geometry.computeBoundingBox();
    boxes.set(shape, geometry.boundingBox);
    geometry.dispose();
  }
  return boxes.get(shape);
}

// The mesh of a shape of the body with the number `index`. `room` has the size of the scene (m) and whether it is planar.
export function makeShape(shape, index, colour, room, colours) {
  const kind = Object.keys(shape)[0],
    size = shape[kind],
    group = new Group(),
    thin = 0.008 * room.size;
  const tint = new Color(colour);
  if (kind === "plane" && !room.planar) {
    group.add(makeGround(4 * room.size, niceLength(room.size / 4), colours));
    return group;
  }
  let geometry,
    more = {};
  if (kind === "plane") {
    geometry = new BoxGeometry(12 * room.size, 12 * room.size, 0.05 * room.size).translate(0, 0, -0.025 * room.size);
  } else if (kind === "bowl") {
    geometry = bowlGeometry(size, 1.5 * room.size);
    more = { side: DoubleSide };
  } else {
    geometry = flatGeometry(kind, size) ?? roundGeometry(kind, size, thin);
  }
  if (!geometry) throw new Error("a shape of a kind that this page does not know: " + kind);
  if (geometry.attributes.color) more = { ...more, vertexColors: true };
  const mesh = new Mesh(geometry, makeMaterial(tint, index % LAYERS, more));
  mesh.castShadow = kind !== "bowl" && kind !== "plane";
  mesh.receiveShadow = true;
  group.add(mesh);
  if (["box", "cylinder", "cone", "ellipse", "bowl", "plane"].includes(kind)) addEdges(group, geometry, tint);
  return group;
}
