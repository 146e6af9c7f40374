// SPDX-License-Identifier: BSD-3-Clause
//
// A gap function that exists uses no heap.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "thenar/contact/gap_function.h"
#include "thenar/model/model_builder.h"

namespace thenar::kinematics_allocation_test {
namespace {

template <class T>
void expect_no_allocations() {
  ModelBuilder builder;
  const BodyIndex egg = builder.add_body({"egg", mass_properties_from_mass(Ellipsoid{{0.2, 0.15, 0.3}}, 1)}, kWorld,
                                         JointSpec{.name = "flight", .kind = JointKind::free});
  const Model model = std::move(builder).finalize();
  Workspace<T> ws(model);
  std::vector<T> q, v(6, T(0.3)), vdot(6, T(-0.2));
  for (const double x : model.neutral_position()) q.push_back(T(x));
  GapFunction<T> gap(model, make_contact_side(egg, make_core(Ellipsoid{{0.2, 0.15, 0.3}}), {}, 0),
                     make_contact_side(kWorld, make_core(Bowl{1, 0.5}), {}, 2));
  EXPECT_EQ(test::count_allocations([&] {
              for (int i = 0; i < 10; ++i) {
                q[0] += T(0.03);
                update_positions(model, q.data(), ws);
                update_velocities(model, v.data(), ws);
                if (i == 0) gap.start_at(ws, {T(0), T(0), T(-0.3)}, {T(0), T(0), T(-0.5)}, {T(0), T(0), T(1)});
                EXPECT_EQ(gap.update_positions(ws), FacingStatus::found);
                gap.update_velocities(ws);
                gap.calc_acceleration(ws, vdot.data());
                gap.calc_drift(make_contact_frame<T>(gap.N(), false));
              }
            }),
            0);
}

TEST(Allocation, GapFunctionsUseNoHeap) {
  expect_no_allocations<double>();
  expect_no_allocations<long double>();
  expect_no_allocations<Dual4>();
}

}  // namespace
}  // namespace thenar::kinematics_allocation_test
