// SPDX-License-Identifier: BSD-3-Clause
//
// Once warm, finding contacts does not touch the heap.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../support/heap_counter.h"
#include "random_shapes.h"
#include "thenar/contact/contact_finder.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar::finder_allocation_test {
namespace {

using test::count_allocations;
using test::make_joint;
using test::RandomShapes;

TEST(ContactFinderAllocation, AWarmUpdateDoesNotUseTheHeap) {
  RandomShapes random(6);
  ModelBuilder builder;
  std::vector<BodyShape> shapes;
  const int count = 3 * RandomShapes::kBoundedKinds;
  for (int i = 0; i < count; ++i) {
    const std::string name = "b" + std::to_string(i);
    const BodyIndex body = builder.add_body({name, test::unit_mass()}, kWorld, make_joint(name, JointKind::free));
    shapes.push_back({body, random.bounded(i % RandomShapes::kBoundedKinds), {}});
  }
  for (const Shape& ground : {Shape(Plane{}), Shape(Bowl{0.4, 0.2})}) {
    const std::string name = shape_name(ground);
    const BodyIndex body = builder.add_body({name}, kWorld, make_joint(name, JointKind::fixed, {0, 0, -0.2}));
    shapes.push_back({body, ground, {}});
  }
  const Model model = std::move(builder).finalize();
  VectorX<double> q = model.neutral_position();
  Workspace<double> workspace(model);
  ContactFinder finder(model, shapes, {});
  // The same round twice: the second time nothing is larger than before.
  long allocations = 0;
  std::size_t points = 0;
  for (int round = 0; round < 2; ++round) {
    for (int step = 0; step < 40; ++step) {
      for (int i = 0; i < count; ++i) {
        const double angle = 0.7 * i + 0.05 * step;
        q.segment(7 * i, 3) << 0.15 * std::cos(3 * angle), 0.15 * std::sin(2 * angle), 0.1 * std::cos(5 * angle);
        q.segment(7 * i + 3, 4) << std::cos(angle), std::sin(angle), 0, 0;
      }
      update_positions(model, q.data(), workspace);
      const long used = count_allocations([&] { finder.update(workspace, 0.01); });
      if (round == 1) allocations += used;
      points += finder.contacts().size();
    }
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_GT(points, 100u);
}

}  // namespace
}  // namespace thenar::finder_allocation_test
