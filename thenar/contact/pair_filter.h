// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Which pairs of bodies are looked at for contacts: a symmetric table of bits, one row per body that has a shape.
///
/// All pairs are equal citizens: finger and object, finger and finger, two links of one finger, object and ground, two
/// objects. Left out are, of all pairs,
///
/// - a body and itself, and bodies that can never move on each other: welded together, or both fixed to the world;
/// - neighbours that the user does not name: links joined by a joint, whose shapes overlap there by design. Two hinges
///   about one point are one joint, and so are joints with only an empty body (no mass, no shape) between them: then
///   the links before and after them are neighbours too. A free joint joins nothing, and the ground is nobody's
///   neighbour: an object on a free joint may lie on it;
/// - pairs that the user excludes.

#include <cstdint>
#include <span>
#include <vector>

#include "thenar/contact/body_shape.h"
#include "thenar/contact/contact_rules.h"

namespace thenar {

/// A symmetric table of bits over `count` things, all on or all off at first.
class PairFilter {
 public:
  PairFilter(int count, bool allow);

  int count() const { return count_; }
  bool allows(int i, int j) const {
    const auto place = static_cast<std::size_t>(i) * words_ + (static_cast<std::size_t>(j) >> 6);
    return (bits_[place] >> (j & 63)) & 1;
  }

  /// Allows or forbids every pair of one thing of `a` and one of `b`.
  void set(std::span<const int> a, std::span<const int> b, bool allow);

  /// How many pairs i < j are allowed.
  std::int64_t count_pairs() const;

 private:
  void set_rows(std::span<const int> rows, std::span<const std::uint64_t> mask, bool allow);
  std::vector<std::uint64_t> make_mask(std::span<const int> things) const;

  int count_;
  std::size_t words_;  ///< per row
  std::vector<std::uint64_t> bits_;
};

/// The bodies that have shapes, in the order of the model, and which pairs of them may touch. Numbers of the filter are
/// places in `bodies`.
struct ShapedBodies {
  std::vector<BodyIndex> bodies;
  std::vector<int> place;  ///< by body index; −1 without a shape
  PairFilter filter{0, false};
};

ShapedBodies find_touching_pairs(const Model& model, std::span<const BodyShape> shapes, const ContactRules& rules);

}  // namespace thenar
