// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/pair_filter.h"

#include <map>

#include "thenar/contact/rigid_pieces_internal.h"

namespace thenar {
namespace {

std::size_t at(BodyIndex body) { return static_cast<std::size_t>(body); }

/// Places of those bodies that have shapes.
std::vector<int> find_places(std::span<const BodyIndex> bodies, const std::vector<int>& place) {
  std::vector<int> out;
  for (const BodyIndex body : bodies) {
    if (place[at(body)] >= 0) out.push_back(place[at(body)]);
  }
  return out;
}

/// Allows or forbids what the rules, BodyGroups or PairRules, name.
template <class Rule>
void set_pairs(std::span<const Rule> rules, bool allow, ShapedBodies& out) {
  for (const Rule& rule : rules) {
    out.filter.set(find_places(rule.a, out.place), find_places(rule.b, out.place), allow);
  }
}

void forbid_neighbours(const Model& model, std::span<const BodyShape> shapes, ShapedBodies& out) {
  const internal::RigidPieces pieces(model, shapes);
  std::map<BodyIndex, std::vector<int>> places;  // of the bodies of each piece
  for (std::size_t i = 0; i < out.bodies.size(); ++i) {
    places[pieces.root(out.bodies[i])].push_back(static_cast<int>(i));
  }
  for (const auto& [piece, own] : places) {
    if (piece == kWorld) continue;
    for (const BodyIndex carrier : pieces.find_carriers(piece)) {
      if (const auto found = places.find(carrier); found != places.end()) out.filter.set(own, found->second, false);
    }
  }
}

/// Bodies of one link never move on each other; link 0 is the world with all that is fixed to it.
void forbid_rigid_pairs(const Model& model, ShapedBodies& out) {
  std::map<int, std::vector<int>> by_link;
  for (std::size_t i = 0; i < out.bodies.size(); ++i) {
    by_link[model.body(out.bodies[i]).link].push_back(static_cast<int>(i));
  }
  for (const auto& [link, places] : by_link) out.filter.set(places, places, false);
}

}  // namespace

PairFilter::PairFilter(int count, bool allow)
    : count_(count),
      words_((static_cast<std::size_t>(count) + 63) / 64),
      bits_(static_cast<std::size_t>(count) * words_, allow ? ~std::uint64_t{0} : 0) {}

std::vector<std::uint64_t> PairFilter::make_mask(std::span<const int> things) const {
  std::vector<std::uint64_t> mask(words_, 0);
  for (const int i : things) mask[static_cast<std::size_t>(i) >> 6] |= std::uint64_t{1} << (i & 63);
  return mask;
}

void PairFilter::set_rows(std::span<const int> rows, std::span<const std::uint64_t> mask, bool allow) {
  for (const int i : rows) {
    std::uint64_t* row = bits_.data() + static_cast<std::size_t>(i) * words_;
    for (std::size_t k = 0; k < words_; ++k) row[k] = allow ? row[k] | mask[k] : row[k] & ~mask[k];
  }
}

void PairFilter::set(std::span<const int> a, std::span<const int> b, bool allow) {
  set_rows(a, make_mask(b), allow);
  set_rows(b, make_mask(a), allow);
}

std::int64_t PairFilter::count_pairs() const {
  std::int64_t pairs = 0;
  for (int i = 0; i < count_; ++i) {
    for (int j = i + 1; j < count_; ++j) pairs += allows(i, j);
  }
  return pairs;
}

ShapedBodies find_touching_pairs(const Model& model, std::span<const BodyShape> shapes, const ContactRules& rules) {
  ShapedBodies out;
  out.place.assign(static_cast<std::size_t>(model.body_count()), -1);
  for (const BodyShape& shape : shapes) out.place[at(shape.body)] = 0;
  for (int i = 0; i < model.body_count(); ++i) {
    if (out.place[static_cast<std::size_t>(i)] < 0) continue;
    out.place[static_cast<std::size_t>(i)] = static_cast<int>(out.bodies.size());
    out.bodies.push_back(BodyIndex(i));
  }
  out.filter = PairFilter(static_cast<int>(out.bodies.size()), rules.all_pairs);
  if (rules.all_pairs) forbid_neighbours(model, shapes, out);
  set_pairs(std::span(rules.pairs), true, out);
  forbid_rigid_pairs(model, out);
  set_pairs(std::span(rules.excluded), false, out);
  return out;
}

}  // namespace thenar
