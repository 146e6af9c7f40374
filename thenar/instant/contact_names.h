// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Names of contacts in a trace: A/B, or A/B#k from the moment on at which two bodies touch in several points. A point
/// keeps its number for as long as it lasts; one that takes the place of another, on other features, gets the lowest
/// number that is free.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

class ContactNames {
 public:
  /// The model must outlive it.
  explicit ContactNames(const Model& model) : model_(&model) {}

  /// The points that touch from now on; names in their order.
  std::vector<std::string> update(const std::vector<FoundContact>& places);
  template <class Archive>
  void archive(Archive& a) {
    a(pairs_);
  }

  /// Of a point of the last update.
  std::string find(const FoundContact& place);

 private:
  struct Key {
    int shape_A = 0, shape_B = 0;
    std::uint64_t id = 0;
    friend bool operator==(const Key&, const Key&) = default;
    template <class Archive>
    void archive(Archive& a) {
      a(shape_A, shape_B, id);
    }
  };
  struct Pair {
    std::vector<std::optional<Key>> numbers;  ///< what has each number
    bool has_had_several = false;
    template <class Archive>
    void archive(Archive& a) {
      a(numbers, has_had_several);
    }
  };

  static Key key_of(const FoundContact& place) { return {place.shape_A, place.shape_B, place.id}; }
  static std::size_t find_number(Pair& pair, const Key& key);

  const Model* model_;
  std::map<std::pair<int, int>, Pair> pairs_;  ///< by the bodies A and B
};

}  // namespace thenar
