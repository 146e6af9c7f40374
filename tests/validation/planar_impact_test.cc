// SPDX-License-Identifier: BSD-3-Clause
//
// Laws of impact against measured impacts of an ellipse on a floor (docs/validation.md): restitution and friction are
// fitted to the trials with even numbers, velocities after the impact are predicted for those with odd numbers. Beside
// the laws stand predictors that know less (no change, a mean impulse) and more (the best impulse of each trial, the
// best restitution and friction of each trial), which bound what any law of this kind can do.
//
// The data are not shipped; the tests are skipped without them.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "thenar/impact/point_impact.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::planar_impact_test {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Jacobian = Eigen::Matrix<double, 2, 3>;

constexpr double kMass = 0.0364;              // kg
constexpr double kRadiusOfGyration = 0.0192;  // m

/// Diagonal of the mass matrix for (vx, vy, ω).
Vector3d mass_diagonal() { return {kMass, kMass, kMass * kRadiusOfGyration * kRadiusOfGyration}; }

/// √(2 T / m) of a velocity, m/s: its size in kinetic energy.
double kinetic_norm(const Vector3d& v) { return std::sqrt(v.dot(mass_diagonal().cwiseProduct(v)) / kMass); }

double kinetic_energy(const Vector3d& v) { return 0.5 * v.dot(mass_diagonal().cwiseProduct(v)); }

struct Trial {
  int number = 0;
  Vector3d before, after;  // (vx, vy, ω)
  Jacobian J;              // rows N, T

  Eigen::Matrix2d K() const { return J * mass_diagonal().cwiseInverse().asDiagonal() * J.transpose(); }
  Vector3d after_impulse(const Vector2d& P) const {
    return before + mass_diagonal().cwiseInverse().cwiseProduct(J.transpose() * P);
  }
  double error_of(const Vector3d& predicted) const { return kinetic_norm(predicted - after); }
  /// The impulse (N, T) that explains the trial best: least squares in the kinetic norm.
  Vector2d best_impulse() const { return K().inverse() * (J * (after - before)); }
};

/// Signs given to the rotation in the rows N and T of the file.
struct RowSigns {
  double normal, tangent;
};
/// Those with which momentum balances (MomentumBalancesWithTheTangentRowReversed).
constexpr RowSigns kRowSigns{1, -1};

/// Trials whose quality flags are all 0; empty without the data.
std::vector<Trial> read_trials(RowSigns signs = kRowSigns) {
  std::vector<Trial> trials;
  std::ifstream in(std::filesystem::path(THENAR_SOURCE_DIR) / "../shared/data/planar_impact/ellipse_impacts.csv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::array<double, 20> f{};
    for (double& x : f) fields >> x;
    if (!fields || f[19] != 0) continue;
    Trial trial;
    trial.number = static_cast<int>(f[0]);
    trial.before = Vector3d(f[4], f[5], f[6]);
    trial.after = Vector3d(f[10], f[11], f[12]);
    trial.J << f[13], f[14], signs.normal * f[15], f[16], f[17], signs.tangent * f[18];
    trials.push_back(trial);
  }
  return trials;
}

std::vector<Trial> select_trials(const std::vector<Trial>& trials, int remainder) {
  std::vector<Trial> half;
  for (const Trial& trial : trials) {
    if (trial.number % 2 == remainder) half.push_back(trial);
  }
  return half;
}

/// Constants of a law. Restitution may be linear in the speed of approach around kMiddleSpeed.
struct Parameters {
  double restitution = 0, friction = 0, restitution_per_speed = 0;
};
constexpr double kMiddleSpeed = 2.56;  // m/s, the median of the trials

PointImpact make_impact(const Trial& trial, const Parameters& parameters) {
  PointImpact impact;
  impact.tangents = 1;
  impact.K.topLeftCorner<2, 2>() = trial.K();
  impact.u.head<2>() = trial.J * trial.before;
  impact.friction[0] = parameters.friction;
  const double faster = -impact.u(0) - kMiddleSpeed;
  impact.restitution = std::clamp(parameters.restitution + parameters.restitution_per_speed * faster, 0.0, 1.0);
  return impact;
}

Vector3d predict(const Trial& trial, ImpactLaw law, const Parameters& parameters) {
  return trial.after_impulse(solve_point_impact(make_impact(trial, parameters), law).P.head<2>());
}

double calc_squared_error(const std::vector<Trial>& trials, ImpactLaw law, const Parameters& parameters) {
  double sum = 0;
  for (const Trial& trial : trials) sum += std::pow(trial.error_of(predict(trial, law, parameters)), 2);
  return sum;
}

/// Steps along single parameters while they reduce the error, then half the step.
Parameters refine(const std::vector<Trial>& trials, ImpactLaw law, Parameters best, bool fit_speed) {
  double error = calc_squared_error(trials, law, best);
  for (double step = 0.05; step > 1e-4; step /= 2) {
    for (bool improved = true; improved;) {
      improved = false;
      for (int k = 0; k < (fit_speed ? 6 : 4); ++k) {
        Parameters next = best;
        *std::array{&next.restitution, &next.friction, &next.restitution_per_speed}[k / 2] += k % 2 == 0 ? step : -step;
        if (next.friction < 0) continue;
        const double next_error = calc_squared_error(trials, law, next);
        if (next_error < error) error = next_error, best = next, improved = true;
      }
    }
  }
  return best;
}

/// Least squares over restitution 0 to 1 and friction 0 to 1 on a grid, refined.
Parameters fit(const std::vector<Trial>& trials, ImpactLaw law) {
  Parameters best;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 10; ++i) {
    for (int j = 0; j <= (law == ImpactLaw::frictionless ? 0 : 10); ++j) {
      const Parameters parameters{.restitution = 0.1 * i, .friction = 0.1 * j};
      const double error = calc_squared_error(trials, law, parameters);
      if (error < least) least = error, best = parameters;
    }
  }
  return refine(trials, law, best, false);
}

double calc_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double calc_rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x * x;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

struct Score {
  double rms = 0, median = 0;  // of the error, kinetic norm, m/s
  Vector3d velocity;           // medians of |error|: vx, vy, ω
  Vector2d contact;            // the same of the contact velocity: N, T
};

using Predictor = std::function<Vector3d(const Trial&)>;

Score calc_score(const std::vector<Trial>& trials, const Predictor& predictor) {
  std::array<std::vector<double>, 6> errors;
  for (const Trial& trial : trials) {
    const Vector3d error = predictor(trial) - trial.after;
    const Vector2d contact = trial.J * error;
    const std::array<double, 6> row{kinetic_norm(error), error(0), error(1), error(2), contact(0), contact(1)};
    for (std::size_t k = 0; k < 6; ++k) errors[k].push_back(std::abs(row[k]));
  }
  Score score;
  score.rms = calc_rms(errors[0]);
  score.median = calc_median(errors[0]);
  score.velocity = {calc_median(errors[1]), calc_median(errors[2]), calc_median(errors[3])};
  score.contact = {calc_median(errors[4]), calc_median(errors[5])};
  return score;
}

Vector3d keep_velocity(const Trial& trial) { return trial.before; }
Vector3d apply_best_impulse(const Trial& trial) { return trial.after_impulse(trial.best_impulse()); }
Predictor apply_law(ImpactLaw law, const Parameters& parameters) {
  return [=](const Trial& trial) { return predict(trial, law, parameters); };
}

/// The mean of the best impulses of some trials, applied to any.
Predictor apply_mean_impulse(const std::vector<Trial>& trials) {
  Vector2d mean = Vector2d::Zero();
  for (const Trial& trial : trials) mean += trial.best_impulse() / static_cast<double>(trials.size());
  return [=](const Trial& trial) { return trial.after_impulse(mean); };
}

/// An impulse, and its distance from the best one of the trial, kinetic norm, m/s.
struct Reached {
  Vector2d P = Vector2d::Zero();
  double distance = std::numeric_limits<double>::infinity();
};

Reached find_nearest_on_segment(const Trial& trial, const Vector2d& from, const Vector2d& to) {
  const Eigen::Matrix2d metric = trial.K() / kMass;
  const Vector2d target = trial.best_impulse(), along = to - from;
  const double length2 = along.dot(metric * along);
  const double share = length2 > 0 ? std::clamp(along.dot(metric * (target - from)) / length2, 0.0, 1.0) : 0.0;
  const Vector2d P = from + share * along, left = target - P;
  return {P, std::sqrt(left.dot(metric * left))};
}

/// The impulse nearest to the best one that a law reaches with this friction and any restitution from 0 to 1. In a
/// plane the impulse travels on straight lines between the marks of its path; restitution says where it stops after the
/// end of compression.
Reached reach_with_friction(const Trial& trial, ImpactLaw law, double friction) {
  const PointImpactResult result =
      solve_point_impact(make_impact(trial, {.restitution = 1, .friction = friction}), law);
  Reached best;
  bool is_compressed = false;
  for (int k = 0; k < result.mark_count; ++k) {
    if (is_compressed) {
      const Reached reached =
          find_nearest_on_segment(trial, result.marks[k - 1].place.P.head<2>(), result.marks[k].place.P.head<2>());
      if (reached.distance < best.distance) best = reached;
    }
    is_compressed = is_compressed || result.marks[k].kind == ImpactMark::compression_end;
  }
  return best;
}

/// Frictions with which slip leads to the best impulse, if nothing else stands against it: straight, or after it came
/// to rest at P_1 and turned back. With s the sign of slip before,
///
///     P_T = −s μ P_N   or   P_T = s μ (P_N − 2 P_1),   P_1 (μ K_TT − s K_NT) = |u_T|
std::vector<double> find_slip_frictions(const Trial& trial) {
  const Vector2d P = trial.best_impulse(), u = trial.J * trial.before;
  const Eigen::Matrix2d K = trial.K();
  const double sign = u(1) < 0 ? -1 : 1, coupling = sign * K(0, 1), along = sign * P(1);
  std::vector<double> frictions{-along / P(0)};
  const double a = P(0) * K(1, 1), half_b = 0.5 * (P(0) * coupling + 2 * std::abs(u(1)) + along * K(1, 1));
  const double discriminant = half_b * half_b - a * along * coupling;
  if (discriminant >= 0) {
    frictions.push_back((half_b + std::sqrt(discriminant)) / a);
    frictions.push_back((half_b - std::sqrt(discriminant)) / a);
  }
  return frictions;
}

/// The same with any friction: a search on a grid, and with those of find_slip_frictions(), because slip almost brought
/// to rest is close to sticking, and both are minima.
Reached reach_with_law(const Trial& trial, ImpactLaw law) {
  Reached best;
  double friction = 0;
  const auto try_friction = [&](double value) {
    if (value < 0) return;
    const Reached reached = reach_with_friction(trial, law, value);
    if (reached.distance < best.distance) best = reached, friction = value;
  };
  for (int i = 0; i <= 100; ++i) try_friction(0.01 * i);
  for (const double value : {2.0, 5.0, 100.0}) try_friction(value);
  for (const double value : find_slip_frictions(trial)) try_friction(value);
  for (double step = 0.005; step > 1e-5; step /= 2) {
    const double middle = friction;
    try_friction(middle - step);
    try_friction(middle + step);
  }
  return best;
}

/// Beyond this distance from all that laws reach, m/s, an impulse counts as out of reach: what the search may miss.
constexpr double kOutside = 1e-3;

constexpr std::array<ImpactLaw, 3> kFrictionalLaws{ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge};

/// The same with any law.
Reached reach_with_any_law(const Trial& trial) {
  Reached best;
  for (const ImpactLaw law : kFrictionalLaws) {
    const Reached reached = reach_with_law(trial, law);
    if (reached.distance < best.distance) best = reached;
  }
  return best;
}

/// What no impulse at the contact point explains, for each trial: kinetic norm, m/s.
std::vector<double> calc_residuals(const std::vector<Trial>& trials) {
  std::vector<double> residuals;
  for (const Trial& trial : trials) residuals.push_back(trial.error_of(apply_best_impulse(trial)));
  return residuals;
}

/// Standard deviation of −u_N⁺/u_N⁻ within groups of equal size, ordered by a property of the trial.
double calc_restitution_scatter(std::vector<Trial> trials, std::size_t groups,
                                const std::function<double(const Trial&)>& property) {
  std::sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) { return property(a) < property(b); });
  const auto restitution = [](const Trial& trial) { return -(trial.J * trial.after)(0) / (trial.J * trial.before)(0); };
  std::vector<double> deviations;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = group * trials.size() / groups, end = (group + 1) * trials.size() / groups;
    double mean = 0;
    for (std::size_t i = begin; i < end; ++i) mean += restitution(trials[i]) / static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) deviations.push_back(restitution(trials[i]) - mean);
  }
  return calc_rms(deviations);
}

class PlanarImpactData : public testing::Test {
 protected:
  void SetUp() override {
    if (all_.empty()) GTEST_SKIP() << "needs ../shared/data/planar_impact";
  }

  const std::vector<Trial> all_ = read_trials();
  const std::vector<Trial> even_ = select_trials(all_, 0), odd_ = select_trials(all_, 1);
};

TEST_F(PlanarImpactData, ApproachesBeforeAndPartsAfter) {
  std::printf("%zu good trials, %zu even, %zu odd\n", all_.size(), even_.size(), odd_.size());
  EXPECT_GT(even_.size(), 500u);
  EXPECT_GT(odd_.size(), 500u);
  for (const Trial& trial : all_) {
    EXPECT_LT((trial.J * trial.before)(0), 0) << "trial " << trial.number;
    EXPECT_GT((trial.J * trial.after)(0), 0) << "trial " << trial.number;
  }
}

TEST_F(PlanarImpactData, MomentumBalancesWithTheTangentRowReversed) {
  // M (v⁺ − v⁻) = Jᵀ P are three equations for two unknowns: what is left over knows of no law, and tells the signs of
  // the rotation in the rows of J. With the right ones it is small, with others as large as the spin gained.
  const double right = calc_rms(calc_residuals(all_));
  for (const RowSigns signs : {RowSigns{1, -1}, RowSigns{1, 1}, RowSigns{-1, 1}, RowSigns{-1, -1}}) {
    const std::vector<double> residuals = calc_residuals(read_trials(signs));
    std::printf("rotation of N %+.0f, of T %+.0f: left over, rms %.3f m/s, median %.3f m/s\n", signs.normal,
                signs.tangent, calc_rms(residuals), calc_median(residuals));
    if (signs.normal != kRowSigns.normal || signs.tangent != kRowSigns.tangent) {
      EXPECT_GT(calc_rms(residuals), 3 * right);
    }
  }
}

TEST_F(PlanarImpactData, MomentumBalanceAgreesWithTheRadiusOfGyration) {
  // ρ² Δω is the angular impulse per mass. There is noise on both sides: of the two regressions, one gives too small
  // and one too large a ρ.
  double moment2 = 0, product = 0, spin2 = 0;
  for (const Trial& trial : all_) {
    const Vector3d change = trial.after - trial.before;
    const double moment = trial.J(0, 2) * change(1) + trial.J(1, 2) * change(0);
    moment2 += moment * moment, product += moment * change(2), spin2 += change(2) * change(2);
  }
  const double lower = std::sqrt(product / spin2), upper = std::sqrt(moment2 / product);
  std::printf("radius of gyration %.1f to %.1f mm\n", 1e3 * lower, 1e3 * upper);
  EXPECT_LT(lower, kRadiusOfGyration);
  EXPECT_GT(upper, kRadiusOfGyration);
}

TEST_F(PlanarImpactData, FrictionalLawsBeatFrictionless) {
  const double change = calc_score(odd_, keep_velocity).rms;
  double before = 0;
  for (const Trial& trial : odd_) before += std::pow(kinetic_norm(trial.before), 2) / static_cast<double>(odd_.size());
  std::printf("rms of √(2T/m) before %.3f m/s, of the change %.3f m/s\n", std::sqrt(before), change);
  std::printf("%-30s %5s %5s | %5s %6s %6s %6s | %5s %5s %5s %5s %5s\n", "odd trials", "e", "mu", "rms", "/chng",
              "/befor", "median", "vx", "vy", "omega", "u_N", "u_T");
  const auto show = [&](const char* name, const Parameters* p, const Predictor& predictor) {
    const Score s = calc_score(odd_, predictor);
    std::printf("%-30s ", name);
    if (p) {
      std::printf("%.3f %.3f", p->restitution, p->friction);
    } else {
      std::printf("%5s %5s", "", "");
    }
    std::printf(" | %.3f %5.1f%% %5.1f%% %6.3f | %.3f %.3f %5.2f %.3f %.3f\n", s.rms, 100 * s.rms / change,
                100 * s.rms / std::sqrt(before), s.median, s.velocity(0), s.velocity(1), s.velocity(2), s.contact(0),
                s.contact(1));
    return s;
  };
  show("no change", nullptr, keep_velocity);
  const Score mean = show("mean impulse of even trials", nullptr, apply_mean_impulse(even_));
  const Parameters smooth = fit(even_, ImpactLaw::frictionless);
  const Score frictionless = show("frictionless", &smooth, apply_law(ImpactLaw::frictionless, smooth));
  Parameters fitted;
  Score score;
  for (const ImpactLaw law : kFrictionalLaws) {
    fitted = fit(even_, law);
    score = show(to_string(law), &fitted, apply_law(law, fitted));
    // A factor of 10, 2.5 and 2.5: round numbers below the 12, 3 and 3 that were found when this was written.
    EXPECT_LT(score.rms, 0.1 * change) << to_string(law);
    EXPECT_LT(score.rms, 0.4 * frictionless.rms) << to_string(law);
    EXPECT_LT(score.rms, 0.4 * mean.rms) << to_string(law);
    EXPECT_LT(score.median, 0.4 * frictionless.median) << to_string(law);
  }
  const Parameters faster = refine(even_, ImpactLaw::poisson, fit(even_, ImpactLaw::poisson), true);
  show("poisson, e linear in speed", &faster, apply_law(ImpactLaw::poisson, faster));
  std::printf("    slope of e: %.3f per m/s\n", faster.restitution_per_speed);
  const Score own_restitution = show("stronge, each trial its own e", nullptr, [&](const Trial& trial) {
    return trial.after_impulse(reach_with_friction(trial, ImpactLaw::stronge, fitted.friction).P);
  });
  const Score own_both = show("any law, own e and mu", nullptr,
                              [](const Trial& trial) { return trial.after_impulse(reach_with_any_law(trial).P); });
  const Score best = show("best impulse of each trial", nullptr, apply_best_impulse);
  const auto share = [&](double larger, double smaller) {
    return 100 * (larger * larger - smaller * smaller) / (score.rms * score.rms);
  };
  std::printf(
      "mean square error of stronge: scatter of e %.0f%%, of mu %.0f%%, out of reach of laws %.0f%%, of impulses "
      "%.0f%%\n",
      share(score.rms, own_restitution.rms), share(own_restitution.rms, own_both.rms), share(own_both.rms, best.rms),
      share(best.rms, 0));
}

TEST_F(PlanarImpactData, FittedParametersAreStable) {
  // Restitution scatters by 0.07 between trials, so that the means of two halves of 550 differ by 0.0044, standard
  // deviation; friction by 0.04 among the trials that tell it, about half: 0.0034. Three of these are allowed.
  for (const ImpactLaw law : kImpactLaws) {
    const Parameters even = fit(even_, law), odd = fit(odd_, law);
    std::printf("%-12s even: e %.3f mu %.3f   odd: e %.3f mu %.3f\n", to_string(law), even.restitution, even.friction,
                odd.restitution, odd.friction);
    EXPECT_NEAR(even.restitution, odd.restitution, 0.013) << to_string(law);
    EXPECT_NEAR(even.friction, odd.friction, 0.010) << to_string(law);
    // The quartiles of −u_N⁺/u_N⁻ over all 1718 good trials of the source.
    EXPECT_GT(even.restitution, 0.49) << to_string(law);
    EXPECT_LT(even.restitution, 0.59) << to_string(law);
  }
}

TEST_F(PlanarImpactData, DoesNotTellTheLawsApart) {
  // At this restitution the laws end the same path at places that differ far less than trials do.
  const Predictor stronge = apply_law(ImpactLaw::stronge, fit(even_, ImpactLaw::stronge));
  const double error = calc_score(odd_, stronge).rms;
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
    const Predictor other = apply_law(law, fit(even_, law));
    std::vector<double> differences;
    for (const Trial& trial : odd_) differences.push_back(kinetic_norm(other(trial) - stronge(trial)));
    std::printf("%s and stronge differ by %.3f m/s, rms; both are wrong by %.3f m/s\n", to_string(law),
                calc_rms(differences), error);
    EXPECT_LT(calc_rms(differences), 0.25 * error);
    EXPECT_NEAR(calc_score(odd_, other).rms, error, 0.03 * error);
  }
}

TEST_F(PlanarImpactData, SpeedDoesNotExplainRestitution) {
  const Parameters constant = fit(even_, ImpactLaw::poisson);
  const Parameters linear = refine(even_, ImpactLaw::poisson, constant, true);
  const double error_1 = calc_score(odd_, apply_law(ImpactLaw::poisson, constant)).rms;
  const double error_2 = calc_score(odd_, apply_law(ImpactLaw::poisson, linear)).rms;
  std::printf("e constant %.4f, linear in speed %.4f m/s\n", error_1, error_2);
  EXPECT_LE(calc_squared_error(even_, ImpactLaw::poisson, linear),
            calc_squared_error(even_, ImpactLaw::poisson, constant));
  EXPECT_GT(error_2, 0.95 * error_1);

  std::printf(
      "standard deviation of restitution: %.3f, within tenths by speed of approach %.3f, by slip %.3f, by lever %.3f\n",
      calc_restitution_scatter(all_, 1, [](const Trial& trial) { return trial.number; }),
      calc_restitution_scatter(all_, 10, [](const Trial& trial) { return (trial.J * trial.before)(0); }),
      calc_restitution_scatter(all_, 10, [](const Trial& trial) { return (trial.J * trial.before)(1); }),
      calc_restitution_scatter(all_, 10, [](const Trial& trial) { return trial.J(0, 2); }));
}

TEST_F(PlanarImpactData, SearchFindsWhatALawReaches) {
  // Trials whose measured velocities are replaced by those of a law: nothing is left.
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const ImpactLaw law = kFrictionalLaws[i % 3];
    const double share = static_cast<double>(i) / static_cast<double>(all_.size());
    Trial trial = all_[i];
    trial.after = predict(trial, law, {.restitution = share, .friction = 0.05 + 0.3 * std::fmod(7.3 * share, 1)});
    EXPECT_LT(reach_with_any_law(trial).distance, kOutside) << "trial " << trial.number << ", " << to_string(law);
  }
}

TEST_F(PlanarImpactData, FewTrialsAreOutOfReachByMoreThanNoise) {
  // Noise acts in all directions of the velocity. In one of them no impulse acts, so that its size is seen there; it is
  // taken to be as large in the other two.
  const std::vector<double> residuals = calc_residuals(all_);
  const double noise = calc_median(residuals) / 0.6745;  // standard deviation, if normal
  int outside = 0, above_noise = 0, above_three = 0, residual_above_three = 0, past_rest = 0, above_noise_past_rest = 0;
  double friction = 0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Trial& trial = all_[i];
    const Vector2d P = trial.best_impulse(), u = trial.J * trial.before;
    const Reached reached = reach_with_any_law(trial);
    // What the best impulse leaves over and what lies between impulses are at right angles.
    EXPECT_NEAR(std::hypot(residuals[i], reached.distance), trial.error_of(trial.after_impulse(reached.P)), 1e-9);
    const bool is_past_rest = (trial.K() * (P - reached.P))(1) * u(1) < 0;  // more friction than brings slip to rest
    friction = std::max(friction, std::abs(P(1)) / P(0));
    outside += reached.distance > kOutside;
    past_rest += reached.distance > kOutside && is_past_rest;
    above_noise += reached.distance > noise;
    above_noise_past_rest += reached.distance > noise && is_past_rest;
    above_three += reached.distance > 3 * noise;
    residual_above_three += residuals[i] > 3 * noise;
  }
  std::printf("left over by the best impulse: median %.3f, rms %.3f m/s; noise if normal %.3f m/s; above 3 of it: %d\n",
              calc_median(residuals), calc_rms(residuals), noise, residual_above_three);
  std::printf("largest |P_T|/P_N of best impulses: %.2f\n", friction);
  std::printf(
      "best impulse out of reach of all laws: %d of %zu (%d past rest), by more than the noise %d (%d past rest), "
      "3 times the noise %d\n",
      outside, all_.size(), past_rest, above_noise, above_noise_past_rest, above_three);
  // Normal noise alone would put 16 % beyond the border of a set by more than its standard deviation, if all trials lay
  // on the border.
  EXPECT_LT(above_noise, 0.16 * static_cast<double>(all_.size()));
  EXPECT_LT(above_three, 0.01 * static_cast<double>(all_.size()));
}

/// How the law says that slip ends.
enum SlipEnd { slides_on, sticks, slides_back };
SlipEnd find_slip_end(const PointImpactResult& result) {
  if (result.has(ImpactMark::slip_resumes)) return slides_back;
  return result.has(ImpactMark::stick) ? sticks : slides_on;
}

TEST_F(PlanarImpactData, SlipThatComesToRestTurnsBackFurtherThanPredicted) {
  const Parameters fitted = fit(even_, ImpactLaw::stronge);
  std::array<std::vector<double>, 3> errors, slips;
  for (const Trial& trial : odd_) {
    const PointImpactResult result = solve_point_impact(make_impact(trial, fitted), ImpactLaw::stronge);
    const Vector3d error = trial.after_impulse(result.P.head<2>()) - trial.after;
    const double forward = (trial.J * trial.before)(1) < 0 ? -1 : 1;
    errors[find_slip_end(result)].push_back(kinetic_norm(error));
    slips[find_slip_end(result)].push_back(forward * (trial.J * error)(1));
  }
  for (const SlipEnd end : {slides_on, sticks, slides_back}) {
    const double count = static_cast<double>(slips[end].size());
    const double over =
        static_cast<double>(std::count_if(slips[end].begin(), slips[end].end(), [](double slip) { return slip > 0; }));
    std::printf(
        "stronge, %-11s %3.0f trials: rms %.3f m/s, slip predicted - measured: median %+.3f m/s, positive %.0f%%\n",
        std::array{"slides on", "sticks", "slides back"}[end], count, calc_rms(errors[end]), calc_median(slips[end]),
        100 * over / count);
    // In the direction of slip before the impact. Errors of either sign would be positive in one half of the trials,
    // with a standard deviation of 1/(2 √count); three of them are asked for. Trials that slide on miss this (2.9), so
    // that nothing is claimed of them.
    if (end != slides_on) {
      EXPECT_GT(over / count, 0.5 + 1.5 / std::sqrt(count));
    }
  }
}

TEST_F(PlanarImpactData, OneTrialGainsEnergy) {
  int gains = 0;
  for (const Trial& trial : all_) {
    const double ratio = kinetic_energy(trial.after) / kinetic_energy(trial.before);
    if (ratio <= 1) continue;
    ++gains;
    std::printf("trial %d: energy times %.2f, spin %.1f to %.1f rad/s, left over by the best impulse %.2f m/s\n",
                trial.number, ratio, trial.before(2), trial.after(2), trial.error_of(apply_best_impulse(trial)));
    // No impulse at the contact point explains it either: it speaks of the measurement, not of impacts.
    EXPECT_GT(trial.error_of(apply_best_impulse(trial)), 5 * calc_rms(calc_residuals(all_)));
  }
  EXPECT_EQ(gains, 1);
}

TEST_F(PlanarImpactData, StrongeNeverGainsEnergy) {
  std::array<int, 4> gains{};
  for (const Trial& trial : all_) {
    for (int i = 0; i <= 5; ++i) {
      for (int j = 0; j <= 5; ++j) {
        const PointImpact impact = make_impact(trial, {.restitution = 0.2 * i, .friction = 0.2 * j});
        for (const ImpactLaw law : kImpactLaws) {
          const PointImpactResult result = solve_point_impact(impact, law);
          const double before = kinetic_energy(trial.before);
          const double change = kinetic_energy(trial.after_impulse(result.P.head<2>())) - before;
          gains[static_cast<std::size_t>(law)] += change > 1e-12 * before;
          EXPECT_NEAR(change, result.energy.change(), 1e-12 * before) << "trial " << trial.number;
        }
      }
    }
  }
  for (const ImpactLaw law : kImpactLaws) {
    std::printf("%-12s gains energy in %d of %zu predictions\n", to_string(law), gains[static_cast<std::size_t>(law)],
                36 * all_.size());
  }
  EXPECT_EQ(gains[static_cast<std::size_t>(ImpactLaw::stronge)], 0);
  EXPECT_GT(gains[static_cast<std::size_t>(ImpactLaw::newton)], 0);  // the check can fail
}

}  // namespace
}  // namespace thenar::planar_impact_test
