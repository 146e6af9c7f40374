// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A program that links heap_counter.cc has every heap allocation counted: it replaces malloc and its kin, which
/// operator new and Eigen use too. Not for sanitizer builds, which replace malloc themselves.

namespace thenar::test {

/// Allocations of the whole program so far.
long allocation_count();

/// Allocations that `call` makes.
template <class Call>
long count_allocations(const Call& call) {
  const long before = allocation_count();
  call();
  return allocation_count() - before;
}

}  // namespace thenar::test
