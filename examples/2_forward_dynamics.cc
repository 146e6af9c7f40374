// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamics without a simulation: what is the angular acceleration of a rod that hangs on a hinge, and does it agree
// with the formula? Carv (5.1) prints the rod's inertia without its parallel-axis term; the right one is m (l²/3 +
// r²/4).

#include <fmt/format.h>
#include <thenar/dynamics/forward_dynamics.h>
#include <thenar/model/model_builder.h>

#include <cmath>
#include <cstdlib>

int main() {
  // A solid cylinder of 2 kg whose axis hangs along −z from a hinge about y.
  const double mass = 2, length = 0.5, radius = 0.02;
  thenar::MassProperties rod;
  rod.mass = mass;
  rod.com = {0, 0, -length / 2};
  const double across = mass * (3 * radius * radius + length * length) / 12;
  rod.inertia = {across, across, mass * radius * radius / 2, 0, 0, 0};

  thenar::ModelBuilder builder;
  builder.add_body({.name = "rod", .mass = rod}, thenar::kWorld,
                   {.name = "hinge", .kind = thenar::JointKind::revolute, .axis = {0, 1, 0}});
  const thenar::Model model = std::move(builder).finalize();

  // All memory is in the workspace; the call itself allocates nothing.
  thenar::Workspace<double> workspace(model);
  const double q = 1.2, v = 0.3, tau = 0.1;
  double vdot = 0;
  thenar::forward_dynamics<double>(model, &q, &v, &tau, {}, workspace, &vdot);

  const double inertia = mass * (length * length / 3 + radius * radius / 4);
  const double expected = (tau - mass * 9.81 * length / 2 * std::sin(q)) / inertia;
  fmt::print("angular acceleration {:.15g} rad/s², by the formula {:.15g}\n", vdot, expected);
  return std::abs(vdot - expected) < 1e-12 * std::abs(expected) ? EXIT_SUCCESS : EXIT_FAILURE;
}
