// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "thenar/contact/contact_frame.h"
#include "thenar/contact/rigid_pieces_internal.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {
namespace {

std::vector<BodyShape> sort_by_body(std::vector<BodyShape> shapes) {
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const BodyShape& a, const BodyShape& b) { return a.body < b.body; });
  return shapes;
}

/// In planar problems a flat ellipse is the section of an ellipsoid: the same in the plane, but with an inside, which
/// tells how deep others are in it.
GrownCore make_contact_core(const Shape& shape, bool is_planar) {
  GrownCore out = make_core(shape);
  if (!is_planar || out.core.kind != CoreKind::plate || out.radius > 0) return out;
  out.core.kind = CoreKind::ellipsoid;
  out.core.size.z = std::max(out.core.size.x, out.core.size.y);
  return out;
}

BroadPhase make_broad_phase(const Model& model, const std::vector<BodyShape>& shapes, const ContactRules& rules,
                            bool is_planar) {
  ShapedBodies shaped = find_touching_pairs(model, shapes, rules);
  std::vector<BroadPhaseShape> out;
  for (const BodyShape& shape : shapes) {
    out.push_back({make_contact_core(shape.shape, is_planar), shaped.place[static_cast<std::size_t>(shape.body)]});
  }
  return BroadPhase(std::move(out), std::move(shaped.filter));
}

/// Roles first, then the order of the model.
std::vector<int> find_ranks(const Model& model, const std::vector<BodyShape>& shapes) {
  const internal::RigidPieces pieces(model, shapes);
  std::vector<int> ranks;
  for (const BodyShape& shape : shapes) {
    ranks.push_back(static_cast<int>(pieces.role(shape.body)) * model.body_count() + shape.body.value());
  }
  return ranks;
}

}  // namespace

ContactFinder::ContactFinder(const Model& model, std::vector<BodyShape> shapes, const ContactRules& rules)
    : model_(&model),
      shapes_(sort_by_body(std::move(shapes))),
      rank_(find_ranks(model, shapes_)),
      is_planar_(thenar::is_planar(model)),
      broad_phase_(make_broad_phase(model, shapes_, rules, is_planar_)),
      X_WS_(shapes_.size()) {}

void ContactFinder::update(const Workspace<double>& workspace, double margin) {
  contacts_.clear();
  update_poses(workspace);
  broad_phase_.update(X_WS_, margin);
  carry_memories();
  for (const Pair& pair : pairs_) look_at(pair, margin);
  number_points();
}

void ContactFinder::update_pair(const Workspace<double>& workspace, double margin, int shape_A, int shape_B) {
  const Pair* const pair = find_pair(shape_A, shape_B);
  if (pair == nullptr) {  // they were not near before
    update(workspace, margin);
    drop_if([&](const FoundContact& contact) { return contact.shape_A != shape_A || contact.shape_B != shape_B; });
    return;
  }
  contacts_.clear();
  for (const int shape : {shape_A, shape_B}) update_pose(workspace, static_cast<std::size_t>(shape));
  look_at(*pair, margin);
  number_points();
}

void ContactFinder::forget() {
  for (const Pair& pair : pairs_) free_memories_.push_back(pair.memory);
  pairs_.clear();
}

double ContactFinder::calc_size(const Workspace<double>& workspace) {
  update_poses(workspace);
  std::optional<Bounds> all;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const GrownCore& shape = broad_phase_.shapes()[i].shape;
    if (!is_bounded(shape.core.kind)) continue;
    const Bounds box = calc_bounds(shape, X_WS_[i]);
    all = all ? join(*all, box) : box;
  }
  return all ? norm(all->high - all->low) : 0;
}

void ContactFinder::update_pose(const Workspace<double>& workspace, std::size_t shape) {
  const Placement<double> X_WB = calc_body_pose(*model_, workspace, shapes_[shape].body);
  X_WS_[shape] = Pose<double>{X_WB.R.eigen(), X_WB.p.eigen()} * shapes_[shape].X_BS;
}

void ContactFinder::update_poses(const Workspace<double>& workspace) {
  for (std::size_t i = 0; i < shapes_.size(); ++i) update_pose(workspace, i);
}

const ContactFinder::Pair* ContactFinder::find_pair(int shape_A, int shape_B) const {
  for (const Pair& pair : pairs_) {
    const auto [first, second] = std::minmax(pair.shapes.first, pair.shapes.second);
    if (first == std::min(shape_A, shape_B) && second == std::max(shape_A, shape_B)) return &pair;
  }
  return nullptr;
}

/// Makes the list of pairs of this call. Both lists are in the order of the broad phase, so that one walk tells which
/// pairs stay, come and go.
void ContactFinder::carry_memories() {
  std::swap(pairs_, previous_pairs_);
  pairs_.clear();
  auto old = previous_pairs_.begin();
  const auto end = previous_pairs_.end();
  for (const ShapePair& pair : broad_phase_.pairs()) {
    for (; old != end && broad_phase_.comes_before(old->shapes, pair); ++old) free_memories_.push_back(old->memory);
    const bool stays = old != end && old->shapes == pair;
    pairs_.push_back({pair, stays ? (old++)->memory : take_memory()});
  }
  for (; old != end; ++old) free_memories_.push_back(old->memory);
}

std::size_t ContactFinder::take_memory() {
  if (free_memories_.empty()) {
    memories_.emplace_back();
    return memories_.size() - 1;
  }
  const std::size_t place = free_memories_.back();
  free_memories_.pop_back();
  memories_[place] = PairMemory();
  return place;
}

ArcPoints* ContactFinder::arc_points(int shape_A, int shape_B, bool is_of_A) {
  const Pair* const pair = find_pair(shape_A, shape_B);
  if (pair == nullptr) return nullptr;
  PairMemory& memory = memories_[pair->memory];
  return is_of_A ? &memory.arc_A : &memory.arc_B;
}

void ContactFinder::keep_arc_points(std::span<const FoundContact> kept) {
  for (const Pair& pair : pairs_) {
    PairMemory& memory = memories_[pair.memory];
    for (int slot = 0; slot < ArcPoints::kSlots; ++slot) {
      const bool is_kept = std::any_of(kept.begin(), kept.end(), [&](const FoundContact& contact) {
        const auto [first, second] = std::minmax(contact.shape_A, contact.shape_B);
        return first == std::min(pair.shapes.first, pair.shapes.second) &&
               second == std::max(pair.shapes.first, pair.shapes.second) &&
               contact_number(contact.id) == kFirstArcNumber + slot;
      });
      const auto k = static_cast<std::size_t>(slot);
      if (!is_kept) memory.arc_A.angles[k] = memory.arc_B.angles[k] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

void ContactFinder::drop_if(const std::function<bool(const FoundContact&)>& is_unwanted) {
  std::vector<FoundContact> kept;
  std::remove_copy_if(contacts_.begin(), contacts_.end(), std::back_inserter(kept), is_unwanted);
  contacts_ = std::move(kept);
  number_points();
}

void ContactFinder::look_at(const Pair& pair, double margin) {
  auto A = static_cast<std::size_t>(pair.shapes.first), B = static_cast<std::size_t>(pair.shapes.second);
  if (rank_[B] < rank_[A]) std::swap(A, B);
  if (filter_ && !filter_(shapes_[A].body, shapes_[B].body)) return;
  const std::span<const BroadPhaseShape> cores = broad_phase_.shapes();
  find_contacts(cores[A].shape, X_WS_[A], cores[B].shape, X_WS_[B], margin, memories_[pair.memory], list_);
  for (int k = 0; k < list_.count; ++k) {
    const ContactList::Point& point = list_.points[static_cast<std::size_t>(k)];
    const ContactFrame<double> frame = make_contact_frame(point.N, is_planar_);
    FoundContact& contact = contacts_.emplace_back();
    static_cast<Proximity&>(contact) = point;
    contact.T = frame.T;
    contact.U = frame.U;
    contact.body_A = shapes_[A].body;
    contact.body_B = shapes_[B].body;
    contact.shape_A = static_cast<int>(A);
    contact.shape_B = static_cast<int>(B);
    contact.id = point.id;
    contact.patch = list_.kind;
  }
}

void ContactFinder::number_points() {
  for (std::size_t first = 0, end = 0; first < contacts_.size(); first = end) {
    const FoundContact& leader = contacts_[first];
    while (end < contacts_.size() && contacts_[end].body_A == leader.body_A && contacts_[end].body_B == leader.body_B) {
      ++end;
    }
    for (std::size_t k = first; k < end; ++k) {
      contacts_[k].number = static_cast<int>(k - first);
      contacts_[k].count = static_cast<int>(end - first);
    }
  }
}

std::string contact_name(const Model& model, const FoundContact& contact) {
  const std::string pair = model.body(contact.body_A).name + "/" + model.body(contact.body_B).name;
  return contact.count > 1 ? fmt::format("{}#{}", pair, contact.number) : pair;
}

bool is_planar(const Model& model) {
  constexpr double kRounding = 1e-9;  // of a direction that was written as angles
  Workspace<double> workspace(model);
  const VectorX<double> neutral = model.neutral_position();
  update_positions(model, neutral.data(), workspace);
  // As long as no link before it leaves the plane, a joint keeps its direction to z, so that one position will do.
  for (int i = 1; i <= model.link_count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec3<double> axis = workspace.frame[k].R.z;
    const double tilt = std::hypot(axis.x, axis.y);
    switch (model.links()[k].kind) {
      case LinkKind::revolute:
      case LinkKind::planar:
        if (tilt > kRounding) return false;
        break;
      case LinkKind::prismatic:
        if (std::abs(axis.z) > kRounding) return false;
        break;
      case LinkKind::ball:
      case LinkKind::free:
        return false;
    }
  }
  return model.link_count() > 0;
}

template <class Archive>
void ContactFinder::archive(Archive& a) {
  pairs_.resize(a.size(pairs_.size(), 16));
  memories_.resize(a.size(memories_.size()));
  a(free_memories_);
  for (Pair& pair : pairs_) {
    a(pair.shapes.first, pair.shapes.second, pair.memory);
    const auto count = static_cast<int>(shapes_.size());
    const bool is_there = pair.shapes.first >= 0 && pair.shapes.second >= 0 && pair.shapes.first < count &&
                          pair.shapes.second < count && pair.memory < memories_.size();
    if (!is_there) throw StateError("it holds a pair of shapes that does not exist");
    a(memories_[pair.memory]);
  }
  for (const std::size_t memory : free_memories_) {
    if (memory >= memories_.size()) throw StateError("it holds a pair of shapes that does not exist");
  }
}
THENAR_INSTANTIATE_ARCHIVE(ContactFinder);

}  // namespace thenar
