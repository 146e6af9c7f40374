// SPDX-License-Identifier: BSD-3-Clause
/// Painlevé's rod (scenes/truth/painleve_rod.yaml): one contact, all of whose answers are a few formulas. With m = 1,
/// h = l/2, s and c the sine and cosine of the angle and p = h² / (l²/12) = 3, the lower end answers to the force (X,
/// f) with
///
///     a_y = (1 + p c²) f − p s c X + b,            b = h spin² s − g
///     a_x = (1 + p s²) X − p s c f + h spin² c                                                                  (1)

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thenar/instant/contact_instant.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::painleve_test {
namespace {

struct Rod {
  double angle, mu, spin, v;
  static constexpr double h = 0.5, g = 9.81, p = 3;

  double s() const { return std::sin(angle); }
  double c() const { return std::cos(angle); }
  double b() const { return h * spin * spin * s() - g; }

  /// Normal forces of all answers, 0 for a contact that breaks.
  std::vector<double> answers() const {
    std::vector<double> out;
    if (b() > 0) out.push_back(0);
    if (v != 0) {
      add_slide(v > 0 ? 1 : -1, out);
      return out;
    }
    const double xx = 1 + p * s() * s(), xf = -p * s() * c(), ff = 1 + p * c() * c(), a = h * spin * spin * c();
    const double determinant = xx * ff - xf * xf;
    const double X = (-a * ff + b() * xf) / determinant, f = (-b() * xx + a * xf) / determinant;
    if (f > 0 && std::abs(X) < mu * f) out.push_back(f);
    for (const int direction : {-1, 1}) {
      std::vector<double> slide;
      add_slide(direction, slide);
      if (slide.empty()) continue;
      const double acceleration = xx * (-direction * mu * slide[0]) + xf * slide[0] + a;
      if (direction * acceleration > 0) out.push_back(slide[0]);
    }
    return out;
  }

  /// How far the nearest change of answers is, in parts of the numbers that decide; a grid point near one is left out.
  double clearance() const {
    double out = std::abs(b()) / g;
    for (const int direction : {-1, 1}) out = std::min(out, std::abs(stiffness(direction)));
    return out;
  }

  double stiffness(int direction) const { return 1 + p * c() * c() + direction * mu * p * s() * c(); }

 private:
  /// X = −direction μ f.
  void add_slide(int direction, std::vector<double>& out) const {
    const double f = -b() / stiffness(direction);
    if (f > 0) out.push_back(f);
  }
};

Instant solve(ScenarioDocument& document, const Rod& rod) {
  document.set(fmt::format("parameters.angle={}", rod.angle));
  document.set(fmt::format("parameters.mu={}", rod.mu));
  document.set(fmt::format("parameters.spin={}", rod.spin));
  document.set(fmt::format("parameters.v={}", rod.v));
  const Scenario scenario = document.build();
  return solve_instant(scenario, scenario.initial);
}

TEST(PainleveRod, HasTheAnswersOfTheClosedForm) {
  ScenarioDocument document(std::string(THENAR_SOURCE_DIR) + "/scenes/truth/painleve_rod.yaml");
  int none = 0, unique = 0, several = 0;
  for (int angle = 5; angle < 90; angle += 9) {
    for (const double mu : {0.1, 0.5, 0.9, 1.3, 1.5, 2.1}) {
      for (const double spin : {-8.0, -3.0, 0.0, 3.0, 5.0, 7.0}) {
        for (const double v : {-1.0, 0.0, 1.0}) {
          const Rod rod{angle * std::numbers::pi / 180, mu, spin, v};
          if (rod.clearance() < 1e-6) continue;
          const std::vector<double> answers = rod.answers();
          const Instant instant = solve(document, rod);
          const Verdict verdict = answers.empty()       ? Verdict::none
                                  : answers.size() == 1 ? Verdict::unique
                                                        : Verdict::several;
          none += verdict == Verdict::none;
          unique += verdict == Verdict::unique;
          several += verdict == Verdict::several;
          EXPECT_EQ(instant.verdict, verdict) << "angle " << angle << ", mu " << mu << ", spin " << spin << ", v " << v;
          ASSERT_EQ(instant.cells.size(), answers.size());
          EXPECT_TRUE(instant.is_list_complete);
          for (const double f : answers) {
            const bool is_found = std::any_of(instant.cells.begin(), instant.cells.end(), [&](const InstantCell& cell) {
              return std::abs(cell.forces[0][0] - f) <= 1e-9 * (1 + f);
            });
            EXPECT_TRUE(is_found) << "normal force " << f;
          }
        }
      }
    }
  }
  EXPECT_GE(unique, 500);
  EXPECT_GE(none, 15);
  EXPECT_GE(several, 15);
}

}  // namespace
}  // namespace thenar::painleve_test
