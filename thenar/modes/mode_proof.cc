// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_proof.h"

namespace thenar {

const char* to_string(ModeNode::Kind kind) {
  switch (kind) {
    case ModeNode::Kind::unexplored:
      return "unexplored";
    case ModeNode::Kind::branch:
      return "branch";
    case ModeNode::Kind::empty:
      return "empty";
    case ModeNode::Kind::covered:
      return "covered";
    case ModeNode::Kind::cell:
      return "cell";
    case ModeNode::Kind::one_motion:
      break;
  }
  return "one_motion";
}

std::vector<NormalChoice> split_normal() { return {NormalChoice::open, NormalChoice::held}; }

std::vector<FrictionChoice> split_friction(const FrictionPart& part, const FrictionChoice& choice) {
  using Kind = FrictionChoice::Kind;
  const bool is_whole = choice.kind == Kind::undecided;
  const int first = is_whole ? 0 : choice.first, count = is_whole ? part.place_count() : choice.count;
  std::vector<FrictionChoice> out;
  if (is_whole) out.push_back({.kind = Kind::stick});
  out.push_back({.kind = Kind::slip, .first = first, .count = count / 2});
  out.push_back({.kind = Kind::slip, .first = first + count / 2, .count = count - count / 2});
  return out;
}

std::optional<VectorX<double>> find_cover_direction(const FrictionPart& part, const FrictionChoice& choice) {
  if (choice.kind != FrictionChoice::Kind::slip) return std::nullopt;
  if (part.is_interval()) return VectorX<double>(part.motion_axis * (choice.first % 2 == 0 ? 1 : -1));
  const RayRange range = find_rays(part, choice.first, choice.count);
  const VectorX<double> sum = part.rays.col(range.from) + part.rays.col(range.to);
  constexpr double kHalfCircle = 1e-6;
  if (!range.is_convex || sum.norm() < kHalfCircle) return std::nullopt;
  return sum;
}

bool is_decided(const FrictionChoice& choice) {
  using Kind = FrictionChoice::Kind;
  return choice.kind == Kind::stick || (choice.kind == Kind::slip && choice.count == 1);
}

}  // namespace thenar
