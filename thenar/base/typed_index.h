// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <functional>

#include "thenar/base/assert.h"

namespace thenar {

/// An index that says what it counts: a BodyIndex cannot be used where a JointIndex is wanted.
/// "Not found" is std::optional<BodyIndex>, never a negative index.
template <class Tag>
class TypedIndex {
 public:
  constexpr TypedIndex() = default;
  constexpr explicit TypedIndex(int value) : value_(value) { THENAR_ASSERT(value >= 0); }

  constexpr int value() const { return value_; }
  constexpr explicit operator std::size_t() const { return static_cast<std::size_t>(value_); }
  friend constexpr auto operator<=>(TypedIndex, TypedIndex) = default;

 private:
  int value_ = 0;
};

}  // namespace thenar

template <class Tag>
struct std::hash<thenar::TypedIndex<Tag>> {
  std::size_t operator()(thenar::TypedIndex<Tag> index) const { return std::hash<int>{}(index.value()); }
};
