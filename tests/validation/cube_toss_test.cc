// SPDX-License-Identifier: BSD-3-Clause
//
// Runs against 90 measured tosses of a cube on a table (docs/validation.md): each is predicted from one measured frame
// to its end. Friction, restitution, inertia and centre of mass are those published with the data, or fitted to every
// third toss and judged by the others.
//
// The data are not shipped; the tests are skipped without them. THENAR_TOSS_FIT=1 fits again and prints all figures of
// docs/validation.md, which takes a quarter of an hour; THENAR_TOSS_PLOT=FILE draws a toss.

#include "cube_toss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "thenar/io/plot/png.h"
#include "thenar/io/plot/svg_plot.h"

namespace thenar::cube_toss_test {
namespace {

const char* describe(double scale) { return scale == 1 ? "as is" : "lengths / 0.978"; }

/// A way to solve impacts.
struct Treatment {
  ImpactLaw law;
  ImpactTreatment several;
};
constexpr std::array<Treatment, 6> kTreatments{{
    {ImpactLaw::newton, ImpactTreatment::simultaneous},
    {ImpactLaw::poisson, ImpactTreatment::simultaneous},
    {ImpactLaw::stronge, ImpactTreatment::simultaneous},
    {ImpactLaw::newton, ImpactTreatment::sequential},
    {ImpactLaw::poisson, ImpactTreatment::sequential},
    {ImpactLaw::stronge, ImpactTreatment::sequential},
}};

TossModel make_model(double friction, double restitution, double inertia, double offset, const Treatment& treatment) {
  TossModel model{.friction = friction, .restitution = restitution, .inertia = inertia, .offset = offset};
  model.impact.law = treatment.law;
  model.impact.treatment = treatment.several;
  return model;
}

constexpr Treatment kDefaultTreatment{ImpactLaw::poisson, ImpactTreatment::simultaneous};

/// What was fitted to the training tosses, by THENAR_TOSS_FIT=1.
TossModel make_fitted_model(double scale) {
  return scale == 1 ? make_model(0.18, 0.3, 1.17e-3, 6e-3, kDefaultTreatment)
                    : make_model(0.18, 0.275, 1.17e-3, 7e-3, kDefaultTreatment);
}

/// Predictions of some tosses and what became of their runs.
struct Outcome {
  TossScore score;
  int failures = 0;
  int other_faces = 0;  // tosses that end turned by more than 45 degrees from the measured one
  double deepest = 0;   // m

  /// Both errors as one number: in cube widths and in radians, which are about equal here.
  double calc_loss() const { return score.mean.position / 100 + score.mean.rotation * std::numbers::pi / 180; }
};

Outcome predict_all(const TossPredictor& predictor, const std::vector<Toss>& tosses, const TossModel& model,
                    TossStart start = TossStart::first_frame) {
  Outcome outcome;
  std::vector<TossError> errors;
  for (const Toss& measured : tosses) {
    const Toss toss = prepare_start(measured, start, model.offset);
    const TossPrediction prediction = predictor.predict(toss, model);
    errors.push_back(calc_error(toss, prediction.frames));
    outcome.deepest = std::min(outcome.deepest, prediction.deepest);
    const CubeFrame &end = prediction.frames.back(), &measured_end = toss.frames.back();
    outcome.other_faces += end.rotation.angularDistance(measured_end.rotation) > 0.25 * std::numbers::pi;
    if (prediction.failure.empty()) continue;
    ++outcome.failures;
    std::printf("    toss %d: %s\n", toss.number, prediction.failure.c_str());
  }
  outcome.score = calc_score(errors);
  return outcome;
}

void show(const char* name, const TossModel& model, double scale, const Outcome& outcome) {
  const TossScore& s = outcome.score;
  std::printf(
      "%-26s %-15s mu %.3f e %.4f I %.2e d %.1f mm %s %s: %5.1f ± %4.1f %%, %4.1f ± %4.1f deg (medians %4.1f %%, %4.1f "
      "deg), "
      "other faces %d, not done %d, deepest %.1e m\n",
      name, describe(scale), model.friction, model.restitution, model.inertia, 1e3 * model.offset,
      to_string(model.impact.law), to_string(model.impact.treatment), s.mean.position, s.deviation.position,
      s.mean.rotation, s.deviation.rotation, s.median.position, s.median.rotation, outcome.other_faces,
      outcome.failures, outcome.deepest);
  std::fflush(stdout);
}

/// Smallest loss over friction and restitution, and inertia and offset if the cube is fitted too: from a grid by
/// smaller and smaller steps along each.
class Fit {
 public:
  Fit(const TossPredictor& predictor, const std::vector<Toss>& tosses, bool fits_cube)
      : predictor_(predictor), tosses_(tosses), fits_cube_(fits_cube) {
    for (const int friction : {28, 36, 44}) {
      for (const int restitution : {0, 10, 20}) {
        try_out({friction, restitution, 0, 0}, kDefaultTreatment);
        if (fits_cube) try_out({friction, restitution, 8, 8}, kDefaultTreatment);
      }
    }
    refine(kDefaultTreatment);
  }

  void refine(const Treatment& treatment) {
    try_out(best_, treatment);
    for (int step = 4; step >= 1; step /= 2) {
      while (step_around(step, treatment)) continue;
    }
  }

  const TossModel& model() const { return model_; }
  double loss() const { return least_; }

 private:
  using Place = std::array<int, 4>;  // in steps of 0.005, 0.0125, 0.03e-3 kg m² from 0.81e-3, and 0.5 mm

  bool try_out(const Place& place, const Treatment& treatment) {
    if (*std::min_element(place.begin(), place.end()) < 0) return false;
    if (!tried_.insert({place, {treatment.law, treatment.several}}).second) return false;
    const TossModel model =
        make_model(0.005 * place[0], 0.0125 * place[1], 0.81e-3 + 0.03e-3 * place[2], 0.5e-3 * place[3], treatment);
    const double loss = predict_all(predictor_, tosses_, model, TossStart::flight).calc_loss();
    if (loss >= least_) return false;
    least_ = loss, best_ = place, model_ = model;
    return true;
  }

  bool step_around(int step, const Treatment& treatment) {
    bool improved = false;
    for (std::size_t k = 0; k < (fits_cube_ ? 8u : 4u); ++k) {
      Place place = best_;
      place[k / 2] += k % 2 == 0 ? step : -step;
      improved = try_out(place, treatment) || improved;
    }
    return improved;
  }

  const TossPredictor& predictor_;
  const std::vector<Toss>& tosses_;
  bool fits_cube_;
  std::set<std::pair<Place, std::pair<ImpactLaw, ImpactTreatment>>> tried_;
  Place best_{};
  TossModel model_;
  double least_ = std::numeric_limits<double>::infinity();
};

class CubeTossData : public testing::Test {
 protected:
  void SetUp() override {
    if (read_tosses(1).empty()) GTEST_SKIP() << "needs ../shared/data/cube_toss";
  }

  const TossPredictor predictor_;
};

TEST_F(CubeTossData, TrackedLengthsAreShort) {
  // The cube at rest lies on a face, half its width above the table.
  const std::vector<Toss> tosses = read_tosses(1);
  ASSERT_EQ(tosses.size(), 90u);
  EXPECT_EQ(select_training(tosses).size(), 30u);
  EXPECT_EQ(select_test(tosses).size(), 60u);
  double height = 0;
  for (const Toss& toss : tosses) height += toss.frames.back().position(2) / 90;
  std::printf("height at rest %.5f m, %.4f of half the width\n", height, 2 * height / kCubeWidth);
  EXPECT_NEAR(2 * height / kCubeWidth, kTrackedScale, 0.002);
}

TEST_F(CubeTossData, MetricReproducesTheAnchor) {
  std::vector<TossError> errors;
  for (const Toss& toss : read_tosses(1)) errors.push_back(calc_error(toss, freeze_at_contact(toss)));
  const TossScore s = calc_score(errors);
  std::printf("frozen at first contact: %.1f ± %.1f %%, %.1f ± %.1f deg\n", s.mean.position, s.deviation.position,
              s.mean.rotation, s.deviation.rotation);
  // As published with the data, to its digits.
  EXPECT_NEAR(s.mean.position, 165, 0.5);
  EXPECT_NEAR(s.deviation.position, 36, 0.5);
  EXPECT_NEAR(s.mean.rotation, 38.9, 0.05);
  EXPECT_NEAR(s.deviation.rotation, 16.9, 0.05);
}

TEST_F(CubeTossData, PublishedParametersPredict) {
  // A mean over 90 tosses has a standard error of 0.9 % and 2 degrees. Bounds are two to three of them above what was
  // found when this was written, 13.4 % and 18.0 degrees as is, 13.7 % and 18.4 degrees with true lengths.
  for (const double scale : {1.0, kTrackedScale}) {
    const TossModel given;
    const Outcome outcome = predict_all(predictor_, read_tosses(scale), given);
    show("all tosses", given, scale, outcome);
    EXPECT_LT(outcome.score.mean.position, 16);
    EXPECT_LT(outcome.score.mean.rotation, 23);
    EXPECT_EQ(outcome.failures, 0);
    EXPECT_GT(outcome.deepest, -1e-9);
  }
}

TEST_F(CubeTossData, FittedParametersPredictOtherTosses) {
  // Two to three standard errors above what was found when this was written, 8.9 % and 6.2 degrees as is.
  for (const double scale : {1.0, kTrackedScale}) {
    const TossModel fitted = make_fitted_model(scale);
    const Outcome outcome = predict_all(predictor_, select_test(read_tosses(scale)), fitted, TossStart::flight);
    show("test, flight", fitted, scale, outcome);
    EXPECT_LT(outcome.score.mean.position, 11);
    EXPECT_LT(outcome.score.mean.rotation, 9);
    EXPECT_EQ(outcome.failures, 0);
    EXPECT_GT(outcome.deepest, -1e-9);
  }
}

TEST_F(CubeTossData, TellsFriction) {
  // By sliding: a fifth more or less friction doubles the error in position.
  const std::vector<Toss> tosses = select_training(read_tosses(kTrackedScale));
  const Outcome best = predict_all(predictor_, tosses, {});
  for (const double friction : {0.14, 0.22}) {
    const TossModel other{.friction = friction};
    const Outcome outcome = predict_all(predictor_, tosses, other);
    show("training tosses", other, kTrackedScale, outcome);
    EXPECT_GT(outcome.score.mean.position, 1.5 * best.score.mean.position);
  }
}

TEST_F(CubeTossData, ToleranceHardlyMatters) {
  // Corners that just or just not touch tell runs apart; few tosses of thirty do.
  const std::vector<Toss> tosses = select_training(read_tosses(kTrackedScale));
  const Outcome loose = predict_all(predictor_, tosses, {});
  const TossModel strict{.tolerance = 1e-8};
  const Outcome tight = predict_all(predictor_, tosses, strict);
  show("training, tolerance 1e-6", {}, kTrackedScale, loose);
  show("training, tolerance 1e-8", strict, kTrackedScale, tight);
  EXPECT_NEAR(loose.score.mean.position, tight.score.mean.position, 0.5);
  EXPECT_NEAR(loose.score.mean.rotation, tight.score.mean.rotation, 1);
}

constexpr std::array kStarts{TossStart::first_frame, TossStart::flight, TossStart::before_contact};

/// Figures of a model from each start, on all tosses and on those of the test.
void show_figures(const TossPredictor& predictor, double scale, const TossModel& model) {
  const std::vector<Toss> tosses = read_tosses(scale), test = select_test(tosses);
  for (const TossStart start : kStarts) {
    const std::string name = to_string(start);
    show(("all, " + name).c_str(), model, scale, predict_all(predictor, tosses, model, start));
    show(("test, " + name).c_str(), model, scale, predict_all(predictor, test, model, start));
  }
}

/// How far predictions are apart whose velocities at the start are those of the first frame and those of the flight.
TossScore calc_sensitivity(const TossPredictor& predictor, const std::vector<Toss>& tosses, const TossModel& model) {
  std::vector<TossError> distances;
  for (Toss toss : tosses) {
    const TossPrediction other = predictor.predict(prepare_start(toss, TossStart::flight, model.offset), model);
    toss.frames = predictor.predict(toss, model).frames;
    distances.push_back(calc_error(toss, other.frames));
  }
  return calc_score(distances);
}

void show_fit(const TossPredictor& predictor, const char* name, const Fit& fit, double scale,
              const std::vector<Toss>& training) {
  std::printf("loss %.4f: ", fit.loss());
  show(name, fit.model(), scale, predict_all(predictor, training, fit.model(), TossStart::flight));
}

TEST_F(CubeTossData, FitsAgain) {
  if (std::getenv("THENAR_TOSS_FIT") == nullptr) GTEST_SKIP() << "asked for by THENAR_TOSS_FIT=1";
  for (const double scale : {1.0, kTrackedScale}) {
    const std::vector<Toss> training = select_training(read_tosses(scale));
    const Fit two(predictor_, training, false);
    show_fit(predictor_, "training, mu and e", two, scale, training);
    Fit four(predictor_, training, true);
    show_fit(predictor_, "training, and cube", four, scale, training);
    const TossModel best = four.model();
    for (const Treatment& treatment : kTreatments) {
      four.refine(treatment);
      show_fit(predictor_, "training, best so far", four, scale, training);
    }
    show_figures(predictor_, scale, two.model());
    show_figures(predictor_, scale, {});
    show_figures(predictor_, scale, best);
    const TossScore apart = calc_sensitivity(predictor_, read_tosses(scale), {});
    std::printf("first frame against flight: %.1f ± %.1f %%, %.1f ± %.1f deg\n", apart.mean.position,
                apart.deviation.position, apart.mean.rotation, apart.deviation.rotation);
    const TossModel fitted = make_fitted_model(scale);
    EXPECT_DOUBLE_EQ(best.friction, fitted.friction);
    EXPECT_DOUBLE_EQ(best.restitution, fitted.restitution);
    EXPECT_NEAR(best.inertia, fitted.inertia, 1e-9);
    EXPECT_NEAR(best.offset, fitted.offset, 1e-9);
    EXPECT_EQ(best.impact.law, fitted.impact.law);
    EXPECT_EQ(best.impact.treatment, fitted.impact.treatment);
  }
}

/// Angle between the vertical and the nearest axis of the cube, deg.
double calc_tilt(const CubeFrame& frame) {
  const double cosine = frame.rotation.toRotationMatrix().row(2).cwiseAbs().maxCoeff();
  return std::acos(std::min(1.0, cosine)) * 180 / std::numbers::pi;
}

using CubeValue = std::function<double(const CubeFrame&)>;

ChartSeries make_series(const char* label, int style, const std::vector<CubeFrame>& frames, const CubeValue& value) {
  ChartSeries series{.label = label, .style = style};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    series.points.push_back({static_cast<double>(i) * kFrameTime, value(frames[i])});
  }
  return series;
}

TEST_F(CubeTossData, Draws) {
  const char* path = std::getenv("THENAR_TOSS_PLOT");
  if (path == nullptr) GTEST_SKIP() << "asked for by THENAR_TOSS_PLOT=FILE";
  const Toss toss = read_tosses(kTrackedScale).at(1);  // the first of the test
  const TossModel fitted = make_fitted_model(kTrackedScale);
  const std::vector<CubeFrame> given_frames = predictor_.predict(prepare_start(toss, TossStart::flight), {}).frames;
  const std::vector<CubeFrame> fitted_frames =
      predictor_.predict(prepare_start(toss, TossStart::flight, fitted.offset), fitted).frames;
  for (const auto& frames : {given_frames, fitted_frames}) {
    const TossError error = calc_error(toss, frames);
    std::printf("toss %d: %.1f %%, %.1f deg\n", toss.number, error.position, error.rotation);
  }
  const Eigen::Vector3d start = toss.frames.front().position;
  const auto make_panel = [&](const char* name, const char* unit, const CubeValue& value) {
    ChartPanel panel{.x = {.name = "t", .unit = "s"}, .y = {.name = name, .unit = unit}};
    panel.series = {make_series("published parameters", 1, given_frames, value),
                    make_series("fitted to other tosses", 2, fitted_frames, value),
                    make_series("measured", 0, toss.frames, value)};
    panel.series.back().shape = SeriesShape::dots;
    return panel;
  };
  Chart chart{.name = "A toss of a cube, measured and predicted", .shares_x = true};
  chart.description = "Height of the middle, distance along the table and tilt of the nearest face against time.";
  chart.panels = {
      make_panel("height", "mm", [](const CubeFrame& f) { return 1e3 * f.position(2); }),
      make_panel("distance", "mm", [&](const CubeFrame& f) { return 1e3 * (f.position - start).head<2>().norm(); }),
      make_panel("tilt", "deg", calc_tilt)};
  write_picture(draw_svg(chart), path);
}

}  // namespace
}  // namespace thenar::cube_toss_test
