// SPDX-License-Identifier: BSD-3-Clause
//
// A controller of one's own that feels its contacts: three fingers hold a ball of 100 g so lightly that it nearly
// slips, and squeeze harder until no contact is nearer to slipping than 0.3. The margin of a finger that carries a
// third of the weight is 1 − m g/(3 μ f_N), so they must come to f_N = m g/(3 μ 0.7).

#include <fmt/format.h>
#include <thenar/thenar.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace {

/// Adds a squeeze to all fingers, a little more at each sample in which a margin is below `least`.
class Squeeze final : public thenar::Controller {
 public:
  static constexpr double kStep = 2e-3;  ///< N

  Squeeze(double least, double root_arm, double knee_arm) : least_(least), root_arm_(root_arm), knee_arm_(knee_arm) {}

  std::string_view kind() const override { return "squeeze_until_safe"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Squeeze>(*this); }
  bool sees_contacts() const override { return true; }
  std::optional<std::span<double>> memory() override { return std::span(&force_, 1); }

  void sample(const thenar::Model& model, const thenar::ControlInput& now, double* tau) override {
    double margin = std::numeric_limits<double>::infinity();
    for (const thenar::Contact& c : now.contacts) margin = std::min(margin, c.margin);
    if (margin < least_) force_ += kStep;
    for (const char* finger : {"one", "two", "three"}) {
      tau[model.dof(fmt::format("{}.root", finger))] -= force_ * root_arm_;
      tau[model.dof(fmt::format("{}.knee", finger))] -= force_ * knee_arm_;
    }
  }
  void add_efforts(const thenar::Model&, double, const double*, const double*, double*) override {}  // samples only

 private:
  double least_, root_arm_, knee_arm_;  // -, m, m
  double force_ = 0;                    // N
};

double parameter(const thenar::Scenario& scenario, std::string_view name) {
  for (const thenar::Parameter& p : scenario.parameters) {
    if (p.name == name) return p.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

int main() {
  constexpr double kLeast = 0.3;
  // Springs at the joints keep the fingers in place, as the file says.
  thenar::Scenario scene = thenar::load(THENAR_SCENES "/three_finger_ball.yaml");
  scene = thenar::with_parameters(scene, std::vector<thenar::NamedValue>{{"squeeze", 0.7}, {"stiffness", 5}});
  scene.controls.push_back(
      {std::make_shared<Squeeze>(kLeast, parameter(scene, "root_z"), parameter(scene, "knee_z")), 500});

  thenar::Simulation sim(scene);
  const auto report = sim.advance(0.4);
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.reason);
    return EXIT_FAILURE;
  }
  const double wanted = 0.1 * 9.81 / (3 * 0.5 * (1 - kLeast));
  bool is_good = true;
  for (const thenar::Contact& c : sim.contacts()) {
    fmt::print("{:<16} {}s, f_N = {:.4f} N, margin {:.4f}\n", c.name, to_string(c.mode), c.force_on_A.normal, c.margin);
    is_good &= c.margin >= kLeast && std::abs(c.force_on_A.normal - wanted) < 2 * Squeeze::kStep;
  }
  fmt::print("by the formula f_N = {:.4f} N\n", wanted);
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
