// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The passes of forward and inverse dynamics over fingers side by side (model/finger_lanes.h): the same steps as for
/// single links, on packs whose lanes are fingers. The carrier's state is spread over the lanes on the way out, and
/// what the fingers ask of it is summed over the lanes on the way in.

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar::internal {

inline Pack4 gather(const double* from, const std::array<int, Pack4::kLanes>& index) {
  return Pack4(Pack4::Vector{from[index[0]], from[index[1]], from[index[2]], from[index[3]]});
}

/// Writes the lanes that hold a link.
inline void scatter(const FingerGroup::Step& step, Pack4 values, double* to) {
  for (int lane = 0; lane < FingerGroup::kLanes; ++lane) {
    if (step.link[lane] != 0) to[step.v[lane]] = values[lane];
  }
}

inline Vec3<double> sum_lanes(const Vec3<Pack4>& a) {
  return {thenar::sum_lanes(a.x), thenar::sum_lanes(a.y), thenar::sum_lanes(a.z)};
}

inline Symmetric3<double> sum_lanes(const Symmetric3<Pack4>& a) {
  using thenar::sum_lanes;
  return {sum_lanes(a.xx), sum_lanes(a.yy), sum_lanes(a.zz), sum_lanes(a.xy), sum_lanes(a.xz), sum_lanes(a.yz)};
}

inline ArticulatedInertia<double> sum_lanes(const ArticulatedInertia<Pack4>& a) {
  return {sum_lanes(a.J), {sum_lanes(a.H.x), sum_lanes(a.H.y), sum_lanes(a.H.z)}, sum_lanes(a.M)};
}

/// Frames and motions of a group's links, from the carrier outwards; `finish` completes each step.
template <class Finish>
inline void outward_group(const FingerGroup& group, const double* q, const double* v, Workspace<double>& ws,
                          const Finish& finish) {
  const LinkMotion<double>& base = ws.motion[group.parent];
  Mat3<Pack4> R_WP = ws.frame[group.parent].R.cast<Pack4>();
  LinkMotion<Pack4> parent{base.w.cast<Pack4>(), base.alpha.cast<Pack4>(), base.a.cast<Pack4>()};
  LaneStep* out = &ws.lane[group.first_step];
  for (const FingerGroup::Step& step : group.steps) {
    const Pack4 position = gather(q, step.q), velocity = gather(v, step.v);
    position_step(LinkKind::revolute, step.constants, R_WP, &position, out->frame, &out->axis);
    velocity_step(LinkKind::revolute, out->frame.r, &out->axis, &velocity, parent, out->motion);
    finish(step, *out);
    R_WP = out->frame.R;
    parent = out->motion;
    ++out;
  }
}

/// Outward pass of forward dynamics: inertias and bias forces for v̇ = 0.
inline void outward_group(const FingerGroup& group, const Vec3<double>& gravity, const double* q, const double* v,
                          Workspace<double>& ws) {
  const Vec3<Pack4> g = gravity.cast<Pack4>();
  outward_group(group, q, v, ws, [&](const FingerGroup::Step& step, LaneStep& out) {
    const RigidInertia<Pack4> inertia = rotated_inertia(step.constants.inertia, out.frame.R);
    out.articulated.set_rigid(inertia);
    out.force = newton_euler(inertia, out.motion, g);
  });
}

/// Outward pass of inverse dynamics: the forces that the motion with v̇ (or none) asks for.
inline void outward_group_with_acceleration(const FingerGroup& group, const Vec3<double>& gravity, const double* q,
                                            const double* v, const double* vdot, Workspace<double>& ws) {
  const Vec3<Pack4> g = gravity.cast<Pack4>();
  outward_group(group, q, v, ws, [&](const FingerGroup::Step& step, LaneStep& out) {
    if (vdot != nullptr) out.motion.alpha += out.axis * gather(vdot, step.v);
    out.force = newton_euler_in_link(step.constants.inertia, out.frame.R, out.motion, g);
  });
}

/// Outward pass of gravity's forces alone.
inline void weigh_group(const FingerGroup& group, const Vec3<double>& gravity, const double* q, Workspace<double>& ws) {
  const Vec3<Pack4> g = gravity.cast<Pack4>();
  Mat3<Pack4> R_WP = ws.frame[group.parent].R.cast<Pack4>();
  LaneStep* out = &ws.lane[group.first_step];
  for (const FingerGroup::Step& step : group.steps) {
    const Pack4 position = gather(q, step.q);
    position_step(LinkKind::revolute, step.constants, R_WP, &position, out->frame, &out->axis);
    out->force = weigh(step.constants.inertia, out->frame.R, g);
    R_WP = out->frame.R;
    ++out;
  }
}

/// Inward pass of inverse dynamics: writes tau of the fingers and hands their forces to the carrier.
inline void collect_group(const FingerGroup& group, const double* vdot, Workspace<double>& ws, double* tau) {
  Wrench<Pack4> f = Wrench<Pack4>::zero();
  for (int s = static_cast<int>(group.steps.size()) - 1; s >= 0; --s) {
    const FingerGroup::Step& step = group.steps[s];
    const LaneStep& lane = ws.lane[group.first_step + s];
    f += lane.force;
    Pack4 effort = project<true>(lane.axis, f);
    if (vdot != nullptr) effort += step.armature * gather(vdot, step.v);
    scatter(step, effort, tau);
    f = f.moved_by(lane.frame.r);
  }
  if (group.parent != 0) ws.force[group.parent] += Wrench<double>{sum_lanes(f.moment), sum_lanes(f.force)};
}

inline void inward_group(const FingerGroup& group, const double* tau, Workspace<double>& ws) {
  ArticulatedInertia<Pack4> I = ArticulatedInertia<Pack4>::zero();
  Wrench<Pack4> p = Wrench<Pack4>::zero();
  for (int s = static_cast<int>(group.steps.size()) - 1; s >= 0; --s) {
    const FingerGroup::Step& step = group.steps[s];
    LaneStep& lane = ws.lane[group.first_step + s];
    I += lane.articulated;
    p += lane.force;
    eliminate_inertia<true>(lane.axis, step.armature, I, lane.dof);
    eliminate_force<true>(lane.axis, gather(tau, step.v), lane.dof, p);
    if (s == 0 && group.parent == 0) return;
    I = I.moved_by(lane.frame.r);
    p = p.moved_by(lane.frame.r);
  }
  ws.articulated[group.parent] += sum_lanes(I);
  ws.force[group.parent] += Wrench<double>{sum_lanes(p.moment), sum_lanes(p.force)};
}

inline void accelerate_group(const FingerGroup& group, const Workspace<double>& ws, double* vdot) {
  const Motion<double>& base = ws.acceleration[group.parent];
  Motion<Pack4> a{base.angular.cast<Pack4>(), base.linear.cast<Pack4>()};
  const LaneStep* lane = &ws.lane[group.first_step];
  for (const FingerGroup::Step& step : group.steps) {
    a = a.shifted(lane->frame.r);
    scatter(step, accelerate<true>(lane->axis, lane->dof, a), vdot);
    ++lane;
  }
}

inline Vec3<double> lane_of(const Vec3<Pack4>& a, int lane) { return {a.x[lane], a.y[lane], a.z[lane]}; }

inline Mat3<double> lane_of(const Mat3<Pack4>& a, int lane) {
  return {lane_of(a.x, lane), lane_of(a.y, lane), lane_of(a.z, lane)};
}

inline void subtract_in_lane(const Vec3<double>& a, int lane, Vec3<Pack4>& from) {
  from.x.set(lane, from.x[lane] - a.x), from.y.set(lane, from.y[lane] - a.y), from.z.set(lane, from.z[lane] - a.z);
}

inline void subtract_in_lane(const Wrench<double>& f, int lane, Wrench<Pack4>& from) {
  subtract_in_lane(f.moment, lane, from.moment);
  subtract_in_lane(f.force, lane, from.force);
}

/// Writes the frames, motions and eliminations of a group where those of single links are.
inline void spread_group(const FingerGroup& group, Workspace<double>& ws) {
  const LaneStep* from = &ws.lane[group.first_step];
  for (const FingerGroup::Step& step : group.steps) {
    for (int lane = 0; lane < FingerGroup::kLanes; ++lane) {
      const int i = step.link[lane], j = step.v[lane];
      if (i == 0) continue;
      ws.frame[i] = {lane_of(from->frame.R, lane), lane_of(from->frame.r, lane)};
      ws.axis[j] = lane_of(from->axis, lane);
      ws.motion[i] = {lane_of(from->motion.w, lane), lane_of(from->motion.alpha, lane), lane_of(from->motion.a, lane)};
      ws.dof[j].U = {lane_of(from->dof.U.moment, lane), lane_of(from->dof.U.force, lane)};
      ws.dof[j].inverse_d = from->dof.inverse_d[lane];
    }
    ++from;
  }
}

/// Takes the outer wrenches off the links' forces, wherever a link is computed.
inline void subtract_wrenches_in_lanes(const Model& model, std::span<const BodyWrench<double>> wrenches,
                                       Workspace<double>& ws) {
  for (const BodyWrench<double>& applied : wrenches) {
    const Body& body = model.body(applied.body);
    const FingerLanes::Place& place = model.finger_lanes().place[body.link];
    if (place.is_trunk()) {
      ws.force[body.link] -= at_link(body, ws.frame[body.link].R, applied.wrench);
    } else {
      LaneStep& step = ws.lane[place.step];
      subtract_in_lane(at_link(body, lane_of(step.frame.R, place.lane), applied.wrench), place.lane, step.force);
    }
  }
}

}  // namespace thenar::internal
