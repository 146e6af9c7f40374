// SPDX-License-Identifier: BSD-3-Clause
// What a report knows of a motion: poses of the bodies and places of the contacts in frames, decoded from the numbers
// that the page carries (thenar/io/report/replay_data_internal.h), and looked up at any time between them.
import { Quaternion, Vector3 } from "three";

const POSE = 7; // x, y, z, qw, qx, qy, qz
const CONTACT = 13; // point on A in A's axes, point on B in B's axes, normal, force on A (both world), friction

function decode(text) {
  const bytes = atob(text),
    out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; ++i) out[i] = bytes.charCodeAt(i);
  return out.buffer;
}

export class Frames {
  constructor(data) {
    this.times = new Float64Array(decode(data.times));
    this.poses = new Float32Array(decode(data.poses));
    this.points = new Float32Array(decode(data.points));
    this.bodies = data.bodies;
    this.movers = data.bodies.filter((body) => body.moves).length;
    this.contacts = this.placeContacts(data.contacts);
  }

  get from() {
    return this.times[0];
  }
  get to() {
    return this.times[this.times.length - 1];
  }
  get count() {
    return this.times.length;
  }

  // Where the numbers of each stretch of a contact begin.
  placeContacts(contacts) {
    let offset = 0;
    return contacts.map((contact) => {
      const spans = contact.spans.map(([first, count]) => {
        const span = { first, count, offset };
        offset += count * CONTACT;
        return span;
      });
      return { ...contact, spans };
    });
  }

  // The last frame not after t: at a jump, that after it.
  find(t) {
    let low = 0,
      high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  // The frame before t and how far it is to the one after it, 0 to 1.
  locate(t) {
    const frame = this.find(t);
    if (frame + 1 >= this.count) return { frame, next: frame, share: 0 };
    const length = this.times[frame + 1] - this.times[frame];
    return {
      frame,
      next: frame + 1,
      share: length > 0 ? Math.min(1, Math.max(0, (t - this.times[frame]) / length)) : 0,
    };
  }

  readPose(frame, mover, position, rotation) {
    const k = (frame * this.movers + mover) * POSE,
      p = this.poses;
    position.set(p[k], p[k + 1], p[k + 2]);
    rotation.set(p[k + 4], p[k + 5], p[k + 6], p[k + 3]);
  }

  // Sets the pose of the body that is `mover`-th among those that move.
  poseAt(place, mover, position, rotation) {
    this.readPose(place.frame, mover, position, rotation);
    if (place.share === 0) return;
    this.readPose(place.next, mover, afterPosition, afterRotation);
    position.lerp(afterPosition, place.share);
    rotation.slerp(afterRotation, place.share);
  }

  // The numbers of a contact in a frame, or null.
  readContact(contact, frame) {
    const span = contact.spans.find((s) => frame >= s.first && frame < s.first + s.count);
    return span ? this.readPoint(span.offset + (frame - span.first) * CONTACT) : null;
  }

  readPoint(k) {
    const n = this.points,
      vector = (i) => new Vector3(n[k + i], n[k + i + 1], n[k + i + 2]);
    return { onA: vector(0), onB: vector(3), normal: vector(6), force: vector(9), friction: n[k + 12] };
  }

  // The contact between frames, or null where neither the one before nor the one after t has it.
  contactAt(contact, place) {
    const before = this.readContact(contact, place.frame);
    const after = place.share > 0 ? this.readContact(contact, place.next) : null;
    if (!before || !after) return before || after;
    for (const key of ["onA", "onB", "normal", "force"]) before[key].lerp(after[key], place.share);
    before.normal.normalize();
    return before;
  }

  // Largest size of a force that all but the strongest few stay below.
  typicalForce() {
    const sizes = [];
    for (let k = 0; k < this.points.length; k += CONTACT) {
      const size = Math.hypot(this.points[k + 9], this.points[k + 10], this.points[k + 11]);
      if (size > 0) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    return sizes.length > 0 ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 0;
  }
}

const afterPosition = new Vector3(),
  afterRotation = new Quaternion();
