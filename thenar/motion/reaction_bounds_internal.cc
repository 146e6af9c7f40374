// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/reaction_bounds_internal.h"

#include <cmath>

namespace thenar::internal {
namespace {

using Bound = AdmissibleForces::Bound;

void add_joint_bounds(const ConstraintRow& row, int head, std::vector<Bound>& out) {
  if (row.kind == RowKind::unilateral) out.push_back({.head = head});
  if (row.kind != RowKind::boxed || std::isinf(row.limit)) return;
  for (const double sign : {1.0, -1.0}) out.push_back({.head = head, .factor = sign, .offset = row.limit});
}

/// The cone of a contact that rolls, whose reactions begin at `head`, in units of its normal force.
void add_cone(const HeldContact& contact, const FrictionCone& friction, int number, int head, std::vector<Bound>& out) {
  const double mu = contact.law().static_friction;
  Bound cone{.head = head, .is_cone = true, .contact = number};
  std::vector<Bound> planes;
  const auto add_interval = [&](int row, double weight) {
    for (const double sign : {1.0, -1.0}) {
      planes.push_back({.head = head, .count = 1, .rows = {row}, .weights = {sign * weight}, .contact = number});
    }
  };
  int linear = 0;
  for (int k = 1; k < contact.row_count(); ++k) linear += contact.row(k) != 3;
  const bool is_polygon = friction.kind == FrictionCone::Kind::polygon && linear == 2;
  for (int k = 1; k < contact.row_count(); ++k) {
    const double weight = 1 / contact.calc_friction_limit(contact.row(k));
    cone.rows[static_cast<std::size_t>(cone.count)] = head + k;
    cone.weights[static_cast<std::size_t>(cone.count++)] = weight;
    if (!is_polygon || contact.row(k) == 3) add_interval(head + k, weight);
  }
  for (int j = 0; is_polygon && j < friction.faces; ++j) {
    const Eigen::Vector2d middle = calc_regular_corner(j, friction.faces) + calc_regular_corner(j + 1, friction.faces);
    const Eigen::Vector2d face = 2 / (mu * middle.squaredNorm()) * middle;
    planes.push_back(
        {.head = head, .count = 2, .rows = {head + 1, head + 2}, .weights = {face.x(), face.y()}, .contact = number});
  }
  if (friction.kind == FrictionCone::Kind::circular && cone.count > 1) planes = {cone};
  out.insert(out.end(), planes.begin(), planes.end());
}

}  // namespace

std::vector<Bound> make_reaction_bounds(std::span<const JointRow> rows, std::span<const int> held,
                                        std::span<const HeldContact> contacts, const FrictionCone& cone) {
  std::vector<Bound> out;
  for (std::size_t k = 0; k < held.size(); ++k) {
    add_joint_bounds(make_problem_row(rows[static_cast<std::size_t>(held[k])]), static_cast<int>(k), out);
  }
  int head = static_cast<int>(held.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].hold() == ContactHold::rolling) {
      add_cone(contacts[i], cone, static_cast<int>(i), head, out);
    } else {
      out.push_back({.head = head, .contact = static_cast<int>(i)});
    }
    head += contacts[i].row_count();
  }
  return out;
}

}  // namespace thenar::internal
