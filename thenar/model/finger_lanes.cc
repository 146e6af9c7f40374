// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/model/finger_lanes.h"

#include <algorithm>

namespace thenar {
namespace {

using Finger = std::vector<int>;  // link numbers, from the knuckle to the tip

std::vector<std::vector<int>> children_of(std::span<const Link> links) {
  std::vector<std::vector<int>> children(links.size());
  for (std::size_t i = 1; i < links.size(); ++i) {
    children[static_cast<std::size_t>(links[i].parent)].push_back(static_cast<int>(i));
  }
  return children;
}

/// The chain of revolute links that starts at `link` and ends in a tip; empty if it branches or has other joints.
Finger trace_finger(int link, std::span<const Link> links, const std::vector<std::vector<int>>& children) {
  Finger finger;
  for (;;) {
    if (links[static_cast<std::size_t>(link)].kind != LinkKind::revolute) return {};
    finger.push_back(link);
    const std::vector<int>& next = children[static_cast<std::size_t>(link)];
    if (next.empty()) return finger;
    if (next.size() > 1) return {};
    link = next.front();
  }
}

void set_lane(Vec3<Pack4>& to, int lane, const Vec3<double>& from) {
  to.x.set(lane, from.x), to.y.set(lane, from.y), to.z.set(lane, from.z);
}

void set_lane(LinkConstants<Pack4>& to, int lane, const LinkConstants<double>& from) {
  set_lane(to.R_PF.x, lane, from.R_PF.x), set_lane(to.R_PF.y, lane, from.R_PF.y),
      set_lane(to.R_PF.z, lane, from.R_PF.z);
  set_lane(to.p_PF, lane, from.p_PF);
  const RigidInertia<double>& I = from.inertia;
  to.inertia.mass.set(lane, I.mass);
  set_lane(to.inertia.h, lane, I.h);
  Symmetric3<Pack4>& J = to.inertia.J;
  J.xx.set(lane, I.J.xx), J.yy.set(lane, I.J.yy), J.zz.set(lane, I.J.zz);
  J.xy.set(lane, I.J.xy), J.xz.set(lane, I.J.xz), J.yz.set(lane, I.J.yz);
}

/// A link that weighs nothing and stays at its parent; unit armature keeps its elimination finite.
FingerGroup::Step spare_step(const Link& neighbour) {
  FingerGroup::Step step;
  step.constants = {Mat3<Pack4>::identity(), Vec3<Pack4>::zero(), RigidInertia<Pack4>::zero()};
  step.armature = Pack4(1.0);
  step.link.fill(0);
  step.q.fill(neighbour.q);
  step.v.fill(neighbour.v);
  return step;
}

FingerGroup make_group(int parent, std::span<const Finger> fingers, std::span<const Link> links,
                       std::span<const LinkConstants<double>> constants, const VectorX<double>& armature) {
  FingerGroup group{.parent = parent};
  std::size_t length = 0;
  for (const Finger& finger : fingers) length = std::max(length, finger.size());
  for (std::size_t s = 0; s < length; ++s) {
    const auto longest = std::ranges::max_element(fingers, {}, &Finger::size);
    FingerGroup::Step step = spare_step(links[static_cast<std::size_t>((*longest)[s])]);
    for (std::size_t f = 0; f < fingers.size(); ++f) {
      if (s >= fingers[f].size()) continue;
      const int lane = static_cast<int>(f), number = fingers[f][s];
      const Link& link = links[static_cast<std::size_t>(number)];
      step.link[f] = number;
      step.q[f] = link.q;
      step.v[f] = link.v;
      step.armature.set(lane, armature(link.v));
      set_lane(step.constants, lane, constants[static_cast<std::size_t>(number)]);
    }
    group.steps.push_back(step);
  }
  return group;
}

/// A step in lanes costs about two links one by one: fingers of very unequal length are better left alone.
bool pays(std::span<const Finger> fingers, int min_fingers) {
  std::size_t total = 0, longest = 0;
  for (const Finger& finger : fingers) {
    total += finger.size();
    longest = std::max(longest, finger.size());
  }
  return static_cast<int>(fingers.size()) >= min_fingers && total >= 2 * longest;
}

/// Numbers the steps of a new group and notes where its links went.
void place_group(FingerLanes& lanes, FingerGroup& group) {
  group.first_step = lanes.step_count;
  for (const FingerGroup::Step& step : group.steps) {
    for (int lane = 0; lane < FingerGroup::kLanes; ++lane) {
      const int link = step.link[static_cast<std::size_t>(lane)];
      if (link != 0) lanes.place[static_cast<std::size_t>(link)] = {lanes.step_count, lane};
    }
    ++lanes.step_count;
  }
}

}  // namespace

FingerLanes find_finger_lanes(std::span<const Link> links, std::span<const LinkConstants<double>> constants,
                              const VectorX<double>& armature, int min_fingers) {
  FingerLanes lanes;
  const std::vector<std::vector<int>> children = children_of(links);
  lanes.place.resize(links.size());
  for (std::size_t parent = 0; parent < links.size(); ++parent) {
    std::vector<Finger> fingers;
    for (const int child : children[parent]) {
      if (Finger finger = trace_finger(child, links, children); !finger.empty()) fingers.push_back(std::move(finger));
    }
    // Fingers of like length go together, so that few lanes run idle.
    std::ranges::stable_sort(fingers, std::ranges::greater{}, &Finger::size);
    for (std::size_t first = 0; first < fingers.size(); first += FingerGroup::kLanes) {
      const std::size_t count = std::min<std::size_t>(FingerGroup::kLanes, fingers.size() - first);
      const std::span<const Finger> some(fingers.data() + first, count);
      if (!pays(some, min_fingers)) continue;
      lanes.groups.push_back(make_group(static_cast<int>(parent), some, links, constants, armature));
      place_group(lanes, lanes.groups.back());
    }
  }
  for (std::size_t i = 1; i < links.size(); ++i) {
    if (lanes.place[i].is_trunk()) lanes.trunk.push_back(static_cast<int>(i));
  }
  return lanes;
}

}  // namespace thenar
