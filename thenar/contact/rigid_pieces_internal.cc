// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/rigid_pieces_internal.h"

namespace thenar::internal {
namespace {

std::size_t at(BodyIndex body) { return static_cast<std::size_t>(body); }

}  // namespace

RigidPieces::RigidPieces(const Model& model, std::span<const BodyShape> shapes)
    : model_(model),
      root_(static_cast<std::size_t>(model.body_count()), kWorld),
      is_hollow_(root_.size(), true),
      carries_(root_.size(), false) {
  for (int i = 1; i < model.body_count(); ++i) {
    const BodyIndex index(i);
    const Body& body = model.body(index);
    const bool is_moving = model.joint(body.joint).nv > 0;
    root_[at(index)] = is_moving || body.parent == kWorld ? index : root(body.parent);
    if (is_moving) carries_[at(root(body.parent))] = true;
    if (body.mass.mass > 0) is_hollow_[at(root(index))] = false;
  }
  for (const BodyShape& shape : shapes) is_hollow_[at(root(shape.body))] = false;
}

ContactRole RigidPieces::role(BodyIndex body) const {
  const BodyIndex piece = root(body);
  if (piece == kWorld) return ContactRole::ground;
  if (carries_[at(piece)]) return ContactRole::link;
  const Body& first = model_.body(piece);
  if (first.link == 0) return ContactRole::ground;
  const JointKind kind = model_.joint(first.joint).spec.kind;
  const bool floats = kind == JointKind::free || kind == JointKind::planar;
  return floats && first.parent == kWorld ? ContactRole::object : ContactRole::link;
}

std::vector<BodyIndex> RigidPieces::find_carriers(BodyIndex piece) const {
  std::vector<BodyIndex> out;
  for (bool goes_on = true; goes_on;) {
    const Body& body = model_.body(piece);
    if (body.parent == kWorld || model_.joint(body.joint).spec.kind == JointKind::free) break;
    piece = root(body.parent);
    out.push_back(piece);
    goes_on = is_hollow_[at(piece)] || turns_about_one_point(body);
  }
  return out;
}

/// Whether the joint of `child` sits where its parent's link turns, so that the two are one joint with more axes.
bool RigidPieces::turns_about_one_point(const Body& child) const {
  constexpr double kRounding = 1e-12;
  const Body& parent = model_.body(child.parent);
  if (parent.link == 0) return false;
  const LinkKind kind = model_.links()[static_cast<std::size_t>(parent.link)].kind;
  if (kind != LinkKind::revolute && kind != LinkKind::ball) return false;
  // The origin of the parent's link lies on its axis, or is its centre.
  const Vector3<double>& p_PF = model_.joint(child.joint).spec.X_PF.p;
  return (parent.X_LB * p_PF).norm() <= kRounding * (parent.X_LB.p.norm() + p_PF.norm());
}

}  // namespace thenar::internal
