// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A hash of results, so that speed is never bought with another answer.

#include <cstdint>
#include <cstring>

namespace thenar::bench {

/// FNV-1a over the bits of numbers: equal for equal answers only.
class Hash {
 public:
  void add(double x) {
    unsigned char bytes[sizeof x];
    std::memcpy(bytes, &x, sizeof x);
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace thenar::bench
