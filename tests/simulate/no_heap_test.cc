// SPDX-License-Identifier: BSD-3-Clause
// A step must not touch the heap. This file replaces the program's allocator by one that counts while asked to.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "builders.h"
#include "thenar/simulate/forces.h"

namespace {

std::atomic<bool> is_counting{false};
std::atomic<int> allocations{0};

void* allocate(std::size_t size, std::size_t alignment) {
  if (is_counting) ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(size);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate(size, static_cast<std::size_t>(a)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace thenar {
namespace {

TEST(Rk4, StepUsesNoHeap) {
  Scenario s = testing::mixed_tree();
  s.torques.push_back({7, Expression::parse("sin(t)*level", kProfileVariables)});
  WrenchProfile wrench;
  wrench.body = BodyIndex(2);
  wrench.force[1] = Expression::parse("0.1*cos(t)", kProfileVariables);
  s.wrenches.push_back(wrench);
  ScenarioForces<double> forces(s);
  Rk4Scratch<double> scratch(s.model);
  is_counting = true;
  rk4_step(s.model, 0, 1e-3, s.initial.q.data(), s.initial.v.data(), forces, scratch);
  is_counting = false;
  EXPECT_EQ(allocations, 0);
  EXPECT_TRUE(s.initial.q.allFinite());
}

}  // namespace
}  // namespace thenar
