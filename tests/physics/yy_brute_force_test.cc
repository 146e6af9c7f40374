// SPDX-License-Identifier: BSD-3-Clause
/// YY's two fingers (scenes/yy/two_finger.yaml) in random postures, with random torques and friction, against a
/// solution by trying everything: each contact breaks, rolls or slides to either side (one that slides already breaks
/// or slides on), each combination is a set of linear equations, and those whose solution keeps all inequalities are
/// the answers. Of the library it uses A, b and the coefficients.
///
/// THENAR_POSTURES=n tries n postures (300 by default).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include "newton_euler.h"
#include "thenar/complementarity/grade.h"
#include "thenar/instant/instant_proof.h"
#include "thenar/io/answer/scenario_map.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::yy_brute_force_test {
namespace {

const std::string kScene = std::string(THENAR_SOURCE_DIR) + "/scenes/yy/two_finger.yaml";

// ---- Trying everything

struct BruteAnswer {
  std::string modes;  ///< B, R, S by contact
  VectorX<double> z, w;
  double condition = 1;  ///< of its equations
};

/// All answers of a problem of planar contacts: rows (normal, tangent) or (normal, sliding).
class BruteForce {
 public:
  explicit BruteForce(const ConstraintProblem& problem) : problem_(problem), modes_(count_contacts(), ' ') {
    choose(0);
  }

  const std::vector<BruteAnswer>& answers() const { return answers_; }

  /// How near the nearest change of answers is: the least part of the numbers compared by which an inequality that
  /// decides is kept or violated.
  double clearance() const { return clearance_; }

  Verdict verdict() const {
    if (answers_.empty()) return Verdict::none;
    return answers_.size() == 1 ? Verdict::unique : Verdict::several;
  }

 private:
  std::size_t count_contacts() const { return static_cast<std::size_t>(problem_.size() / 2); }

  void choose(std::size_t contact) {
    if (contact == count_contacts()) return solve();
    const bool slides = problem_.row(static_cast<int>(2 * contact) + 1).kind == RowKind::sliding;
    for (const char mode : slides ? std::string("Bs") : std::string("BR+-")) {
      modes_[contact] = mode;
      choose(contact + 1);
    }
  }

  /// Friction per normal force of a contact that slides in this combination.
  double ratio(std::size_t contact) const {
    const double limit = problem_.row(static_cast<int>(2 * contact) + 1).limit;
    return modes_[contact] == 's' ? limit : modes_[contact] == '+' ? -limit : limit;
  }

  void solve() {
    const Eigen::Index n = problem_.size();
    MatrixX<double> E = MatrixX<double>::Zero(n, n);
    VectorX<double> e = VectorX<double>::Zero(n);
    for (std::size_t c = 0; c < count_contacts(); ++c) {
      const auto normal = static_cast<Eigen::Index>(2 * c), tangent = normal + 1;
      const char mode = modes_[c];
      for (const Eigen::Index i : {normal, tangent}) {
        const bool is_motion = mode == 'R' || (mode != 'B' && i == normal);
        if (is_motion) {
          E.row(i) = problem_.A().row(i) / problem_.A()(i, i), e(i) = -problem_.b()(i) / problem_.A()(i, i);
        } else {
          E(i, i) = 1;
        }
      }
      if (mode != 'B' && mode != 'R') E(tangent, normal) = -ratio(c);
    }
    const Eigen::FullPivLU<MatrixX<double>> lu(E);
    BruteAnswer out{{}, lu.solve(e), {}, 1 / lu.rcond()};
    out.w = problem_.A() * out.z + problem_.b();
    const double margin = calc_margin(out);
    clearance_ = std::min({clearance_, std::abs(margin), lu.rcond()});
    if (margin < 0) return;
    for (const char mode : modes_) out.modes += mode == 'B' || mode == 'R' ? mode : 'S';
    answers_.push_back(out);
  }

  /// The least of the inequalities' left sides, each in parts of the numbers that it is the sum of.
  double calc_margin(const BruteAnswer& answer) const {
    const double force = answer.z.lpNorm<Eigen::Infinity>() + 1e-300;
    const VectorX<double> motion = problem_.b().cwiseAbs() + problem_.A().cwiseAbs() * answer.z.cwiseAbs();
    double out = 1;
    for (std::size_t c = 0; c < count_contacts(); ++c) {
      const auto normal = static_cast<Eigen::Index>(2 * c), tangent = normal + 1;
      const char mode = modes_[c];
      if (mode == 'B') {
        out = std::min(out, answer.w(normal) / motion(normal));
        continue;
      }
      out = std::min(out, answer.z(normal) / force);
      const double bound = problem_.row(static_cast<int>(tangent)).limit * answer.z(normal);
      if (mode == 'R') out = std::min(out, (bound - std::abs(answer.z(tangent))) / force);
      if (mode == '+' || mode == '-') out = std::min(out, (mode == '+' ? 1 : -1) * answer.w(tangent) / motion(tangent));
    }
    return out;
  }

  const ConstraintProblem& problem_;
  std::string modes_;  ///< as chosen: B, R, + and − (sign of the slip), s (slides already)
  std::vector<BruteAnswer> answers_;
  double clearance_ = 1;
};

/// The least principal minor of YY's A(Π) at an answer, each divided by the product of its rows' diagonal entries of
/// A: > 0 where the answer is determinate.
double calc_least_minor(const ConstraintProblem& problem, const BruteAnswer& answer) {
  const Eigen::Index n = problem.size();
  MatrixX<double> S = MatrixX<double>::Zero(n, 0), G = S;
  const auto add = [&](const VectorX<double>& row, const VectorX<double>& column) {
    S.conservativeResize(n, S.cols() + 1), G.conservativeResize(n, G.cols() + 1);
    S.rightCols(1) = row, G.rightCols(1) = column;
  };
  for (Eigen::Index i = 0; i < n; i += 2) {
    const VectorX<double> normal = VectorX<double>::Unit(n, i), tangent = VectorX<double>::Unit(n, i + 1);
    const ConstraintRow& friction = problem.row(static_cast<int>(i) + 1);
    if (friction.kind == RowKind::sliding) {
      add(normal, normal + friction.limit * tangent);
      continue;
    }
    const bool slips = answer.modes[static_cast<std::size_t>(i / 2)] != 'R';
    const double sign = (slips ? answer.w(i + 1) : -answer.z(i + 1)) > 0 ? 1 : -1;
    add(normal, normal - sign * friction.limit * tangent);
    add(sign * tangent, sign * tangent);
  }
  const VectorX<double> size = (S.transpose() * problem.A() * S).diagonal().cwiseSqrt().cwiseInverse();
  const MatrixX<double> M = size.asDiagonal() * (S.transpose() * problem.A() * G) * size.asDiagonal();
  double least = 1;
  for (unsigned set = 1; set < 1U << M.rows(); ++set) {
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      if (set >> i & 1U) rows.push_back(i);
    }
    least = std::min(least, M(rows, rows).eval().determinant());
  }
  return least;
}

// ---- Postures

/// Link 2 of either finger as a line that the object touches.
struct Line {
  Eigen::Vector2d start, along, normal;  ///< the normal points to the object
};

/// Absolute angles of the links, and the object between them.
struct Posture {
  std::array<double, 2> left{}, right{};
  double yaw = 0;
  Eigen::Vector2d center = Eigen::Vector2d::Zero();

  static constexpr double kLength = 0.3, kPalm = 0.1, kA = 0.185, kB = 0.15;  // as in the scene

  static Line find_line(const std::array<double, 2>& angles, double side) {
    const Eigen::Vector2d along(std::cos(angles[1]), std::sin(angles[1]));
    return {Eigen::Vector2d(side * kPalm + kLength * std::cos(angles[0]), kLength * std::sin(angles[0])), along,
            -side * Eigen::Vector2d(along.y(), -along.x())};
  }

  /// Puts the object where it touches both lines: n · (C − P) = √(nᵀ D n), D = R diag(a², b²) Rᵀ, for each; it touches
  /// at C − D n / √(nᵀ D n). False if that is not between the ends of the links.
  bool place_object() {
    const Eigen::Rotation2Dd R(yaw);
    const Eigen::Matrix2d D =
        R.toRotationMatrix() * Eigen::Vector2d(kA * kA, kB * kB).asDiagonal() * R.toRotationMatrix().transpose();
    const std::array<Line, 2> lines{find_line(left, -1), find_line(right, 1)};
    Eigen::Matrix2d normals;
    Eigen::Vector2d offset;
    for (int i = 0; i < 2; ++i) {
      const Line& line = lines[static_cast<std::size_t>(i)];
      normals.row(i) = line.normal;
      offset(i) = line.normal.dot(line.start) + std::sqrt(line.normal.dot(D * line.normal));
    }
    if (std::abs(normals.determinant()) < 0.02) return false;  // parallel links hold it anywhere
    center = normals.inverse() * offset;
    return std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
      const Eigen::Vector2d touch = center - D * line.normal / std::sqrt(line.normal.dot(D * line.normal));
      const double place = (touch - line.start).dot(line.along) / kLength;
      return place > 0.05 && place < 0.95;
    });
  }
};

class RandomPostures {
 public:
  explicit RandomPostures(unsigned seed) : generator_(seed), document_(kScene) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }

  Scenario make() {
    const double degree = std::numbers::pi / 180;
    Posture posture;
    do {
      posture.left = {uniform(80, 115) * degree, uniform(70, 125) * degree};
      posture.right = {uniform(65, 100) * degree, uniform(55, 110) * degree};
      posture.yaw = uniform(-std::numbers::pi, std::numbers::pi);
    } while (!posture.place_object());
    set_angles("left", posture.left);
    set_angles("right", posture.right);
    document_.set(fmt::format("objects.object.pose={{xyz: [{}, {}, 0], rpy: [0, 0, {}]}}", posture.center.x(),
                              posture.center.y(), posture.yaw));
    // Two links around an ellipse have one answer with any usual friction; only strong friction makes none or several.
    const bool is_usual = uniform(0, 1) < 0.6;
    document_.set(fmt::format("parameters.mu={}", is_usual ? uniform(0.1, 1.5) : uniform(1.5, 8)));
    document_.set(fmt::format("parameters.tau0={}", uniform(-2, 8)));
    for (const char* torque : {"tau1", "tau2"}) {
      document_.set(fmt::format("parameters.{}={}", torque, uniform(-4, 16)));
    }
    const std::string left = make_pair("left"), right = make_pair("right");
    document_.set(fmt::format("contacts.pairs=[{}, {}]", left, right));
    return document_.build();
  }

 private:
  void set_angles(const char* hand, const std::array<double, 2>& angles) {
    document_.set(fmt::format("hands.{}.q={{j1: {}, j2: {}}}", hand, angles[0], angles[1] - angles[0]));
  }

  /// One contact in three is about to slide to a known side.
  std::string make_pair(const char* hand) {
    const double slip = uniform(-3, 3);
    if (std::abs(slip) > 1) return fmt::format("[object, {}.link2]", hand);
    return fmt::format("{{a: object, b: {}.link2, slip: '{}'}}", hand, slip > 0 ? '+' : '-');
  }

  std::mt19937_64 generator_;
  ScenarioDocument document_;
};

// ---- Comparison

/// Nearer to a change of answers than this they are not compared: labels are given to 1e-8 of the scale.
constexpr double kLeastClearance = 1e-6;

/// The letters of a cell; fixed contacts roll.
std::string find_letters(const InstantCell& cell) {
  std::string out;
  for (const ContactMode mode : cell.modes) out += mode == ContactMode::stick ? 'R' : to_letter(mode);
  return out;
}

struct Counts {
  int compared = 0, none = 0, unique = 0, several = 0, determinate = 0;
};

void compare(const Instant& instant, const Scenario& scenario, Counts& counts) {
  ASSERT_EQ(instant.proof->problem.size(), 4);
  const BruteForce brute(instant.proof->problem);
  if (brute.clearance() < kLeastClearance) return;
  ++counts.compared;
  counts.none += brute.verdict() == Verdict::none;
  counts.unique += brute.verdict() == Verdict::unique;
  counts.several += brute.verdict() == Verdict::several;
  EXPECT_EQ(instant.verdict, brute.verdict()) << to_string(instant.verdict) << ", not " << to_string(brute.verdict());
  EXPECT_TRUE(instant.is_list_complete);
  ASSERT_EQ(instant.cells.size(), brute.answers().size());
  for (const BruteAnswer& answer : brute.answers()) {
    const auto same = std::find_if(instant.cells.begin(), instant.cells.end(),
                                   [&](const InstantCell& cell) { return find_letters(cell) == answer.modes; });
    ASSERT_NE(same, instant.cells.end()) << answer.modes;
    // Rounding of n² sums, times the condition.
    const double tolerance = 1e-14 * answer.condition;
    const ModeCell& cell = instant.proof->answer.cells[static_cast<std::size_t>(same - instant.cells.begin())];
    EXPECT_LE((cell.z - answer.z).norm(), tolerance * answer.z.norm());
    const VectorX<double> vdot = instant.proof->vdot_free + instant.proof->X * answer.z;
    EXPECT_LE((same->vdot - vdot).norm(), tolerance * (vdot.norm() + (instant.proof->X * answer.z).norm()));
    EXPECT_LE(test::calc_momentum_residual(scenario, instant, *same), 1e-10);
    EXPECT_LE(grade_solution(instant.proof->problem, {cell.z.data(), 4}).worst(), 1e-10);
  }
  if (brute.verdict() != Verdict::unique) return;
  const double minor = calc_least_minor(instant.proof->problem, brute.answers().front());
  if (std::abs(minor) < kLeastClearance) return;
  EXPECT_EQ(instant.determinate, minor > 0) << minor;
  counts.determinate += minor > 0;
}

int count_postures() {
  const char* text = std::getenv("THENAR_POSTURES");
  return text != nullptr ? std::atoi(text) : 300;
}

TEST(YyBruteForce, HasTheAnswersOfAllCombinations) {
  RandomPostures postures(3);
  Counts counts;
  for (int k = 0; k < count_postures(); ++k) {
    SCOPED_TRACE(fmt::format("posture {}", k));
    const Scenario scenario = postures.make();
    compare(solve_instant(scenario, scenario.initial), scenario, counts);
  }
  fmt::print("{} of {} postures compared: {} without answer, {} with one ({} of them determinate), {} with several\n",
             counts.compared, count_postures(), counts.none, counts.unique, counts.determinate, counts.several);
  EXPECT_GE(counts.compared, count_postures() * 99 / 100);
  EXPECT_GE(counts.unique, count_postures() / 2);
  EXPECT_GE(counts.unique - counts.determinate, count_postures() / 100);
  EXPECT_GE(counts.none, count_postures() / 100);
  EXPECT_GE(counts.several, count_postures() / 100);
}

/// YY Fig. 7: what the map says at its points.
TEST(YyBruteForce, HasTheLettersOfTheMap) {
  const ScenarioMap map(ScenarioDocument(kScene), parse_map_axis("tau1=0:16:15", "--x"),
                        parse_map_axis("tau2=0:16:13", "--y"));
  MapGrid grid{map.x().axis, map.y().axis, {}};
  MapWorkers workers(map.make_functions(), {.threads = 1});
  ASSERT_TRUE(complete_grid(grid, workers, [](std::span<const MapPoint>) {}));
  ScenarioDocument document(kScene);
  Counts counts;
  for (std::size_t i = 0; i < grid.points.size(); ++i) {
    document.set(fmt::format("parameters.tau1={}", grid.place(i).x));
    document.set(fmt::format("parameters.tau2={}", grid.place(i).y));
    const Scenario scenario = document.build();
    const Instant instant = solve_instant(scenario, scenario.initial);
    SCOPED_TRACE(fmt::format("point {}", i));
    compare(instant, scenario, counts);
    const BruteForce brute(instant.proof->problem);
    if (brute.clearance() < kLeastClearance) continue;
    std::string letters = grid.points[i].modes;
    std::replace(letters.begin(), letters.end(), 'F', 'R');
    ASSERT_EQ(brute.answers().size(), 1U);
    EXPECT_EQ(letters, brute.answers().front().modes);
    EXPECT_EQ(grid.points[i].verdict, brute.verdict());
  }
  EXPECT_GE(counts.compared, 180);
}

}  // namespace
}  // namespace thenar::yy_brute_force_test
