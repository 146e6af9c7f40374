// SPDX-License-Identifier: BSD-3-Clause
//
// A controller of one's own: a magnet that pulls a wheel back to q = 0 with an effort of −k sin q, and a brake. Small
// swings decay as exp(−a t) cos(ω t) with a = c/2I and ω² = k/I − a²; the run has to agree.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "thenar/model/model_builder.h"
#include "thenar/simulation/simulate.h"

namespace {

class Magnet final : public thenar::Controller {
 public:
  Magnet(double strength, double brake) : strength_(strength), brake_(brake) {}

  std::string_view kind() const override { return "magnet"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Magnet>(*this); }
  void add_efforts(const thenar::Model&, double, const double* q, const double* v, double* tau) override {
    tau[0] += -strength_ * std::sin(q[0]) - brake_ * v[0];
  }

 private:
  double strength_, brake_;  // N m, N m s/rad
};

}  // namespace

int main() {
  const double inertia = 0.02, strength = 0.5, brake = 0.02, start = 1e-4;
  thenar::ModelBuilder builder;
  builder.add_body({.name = "wheel", .mass = {.mass = 1, .inertia = {inertia, inertia, inertia, 0, 0, 0}}},
                   thenar::kWorld, {.name = "axle", .kind = thenar::JointKind::revolute});
  thenar::Scenario scenario;
  scenario.model = std::move(builder).finalize();
  scenario.initial = {0, thenar::VectorX<double>::Constant(1, start), thenar::VectorX<double>::Zero(1)};
  scenario.controls.push_back({std::make_shared<Magnet>(strength, brake)});
  scenario.run = {.until = 1, .tolerance = 1e-12};
  const thenar::RunReport report = thenar::simulate(scenario);

  const double a = brake / (2 * inertia), w = std::sqrt(strength / inertia - a * a);
  const double expected = start * std::exp(-a) * (std::cos(w) + a / w * std::sin(w));
  fmt::print("after 1 s at {:.9g} rad, by the formula {:.9g}\n", report.last.q(0), expected);
  // The swing is not quite linear: sin q = q (1 − q²/6), and the step control works to 1e-12.
  return std::abs(report.last.q(0) - expected) < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
