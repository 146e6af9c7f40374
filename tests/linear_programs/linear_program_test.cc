// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/linear_programs/linear_program.h"
#include "thenar/spatial/decompositions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <random>

namespace {
int lapack_calls = 0;
}

/// Stands for LAPACK's factorization in this program, so that calls of CLP are seen. It reports failure.
extern "C" void dgetrf_(const int*, const int*, double*, const int*, int*, int* info) {
  ++lapack_calls;
  *info = 1;
}

namespace thenar::linear_program_test {
namespace {

constexpr double kInfinity = LinearProgram::kInfinity;

/// A program in plain numbers, and judges that share nothing with the solver.
struct Data {
  MatrixX<double> A;
  VectorX<double> costs, row_lower, row_upper, lower, upper;

  Data(int m, int n)
      : A(MatrixX<double>::Zero(m, n)),
        costs(VectorX<double>::Zero(n)),
        row_lower(VectorX<double>::Constant(m, -kInfinity)),
        row_upper(VectorX<double>::Constant(m, kInfinity)),
        lower(VectorX<double>::Constant(n, -kInfinity)),
        upper(VectorX<double>::Constant(n, kInfinity)) {}

  int rows() const { return static_cast<int>(A.rows()); }
  int columns() const { return static_cast<int>(A.cols()); }

  void put_into(LinearProgram& program) const {
    for (int i = 0; i < rows(); ++i) program.bound_row(i, row_lower(i), row_upper(i));
    for (int j = 0; j < columns(); ++j) program.bound_column(j, lower(j), upper(j));
    for (int j = 0; j < columns(); ++j) program.set_cost(j, costs(j));
  }
  LinearProgram make() const {
    LinearProgram program(A);
    put_into(program);
    return program;
  }
};

long double dot(const Data& data, int row, const VectorX<double>& x) {
  long double sum = 0;
  for (int j = 0; j < data.columns(); ++j) sum += static_cast<long double>(data.A(row, j)) * x(j);
  return sum;
}

/// How far x is outside of its bounds and rows.
double calc_violation(const Data& data, const VectorX<double>& x) {
  long double worst = 0;
  const auto add = [&](long double value, double lower, double upper) {
    worst = std::max({worst, lower - value, value - upper});
  };
  for (int j = 0; j < data.columns(); ++j) add(x(j), data.lower(j), data.upper(j));
  for (int i = 0; i < data.rows(); ++i) add(dot(data, i, x), data.row_lower(i), data.row_upper(i));
  return static_cast<double>(worst);
}

/// Right less left side of (2) over the sizes of its terms; entries of yᵀA below rounding count as zero where x has no
/// bound, 1e-11 being the condition of the bases here times the rounding of double.
double calc_farkas_gap(const Data& data, const VectorX<double>& y) {
  long double gap = 0, size = 0;
  const auto add = [&](long double term) {
    gap += term;
    size += std::abs(term);
  };
  for (int i = 0; i < data.rows(); ++i) {
    if (y(i) != 0) add(y(i) * static_cast<long double>(y(i) > 0 ? data.row_lower(i) : data.row_upper(i)));
  }
  for (int j = 0; j < data.columns(); ++j) {
    long double d = 0, terms = 0;
    for (int i = 0; i < data.rows(); ++i) {
      d += static_cast<long double>(y(i)) * data.A(i, j);
      terms += std::abs(static_cast<long double>(y(i)) * data.A(i, j));
    }
    const double bound = d > 0 ? data.upper(j) : data.lower(j);
    if (std::isinf(bound) && std::abs(d) <= 1e-11L * terms) continue;
    if (d != 0) add(-d * bound);
  }
  return static_cast<double>(gap / size);
}

/// Whether d is a direction in which the costs fall and no bound is met; 1e-9 as for all of CLP's numbers.
bool is_falling_ray(const Data& data, const VectorX<double>& d) {
  const double reach = 1e-9 * d.lpNorm<Eigen::Infinity>();
  const auto is_open = [&](long double speed, double lower, double upper) {
    return (speed <= reach || upper == kInfinity) && (speed >= -reach || lower == -kInfinity);
  };
  for (int j = 0; j < data.columns(); ++j) {
    if (!is_open(d(j), data.lower(j), data.upper(j))) return false;
  }
  for (int i = 0; i < data.rows(); ++i) {
    if (!is_open(dot(data, i, d), data.row_lower(i), data.row_upper(i))) return false;
  }
  return data.costs.dot(d) < 0;
}

/// Strong duality: cᵀx equals the dual objective Σ y row bounds + Σ d column bounds, with every nonzero y and d pushing
/// against a bound that exists. Returns the difference over the sizes.
double calc_duality_gap(const Data& data, const LinearProgram& program) {
  const VectorX<double>& y = program.multipliers();
  long double dual = 0, size = 1;
  const auto add = [&](long double multiplier, double lower, double upper) {
    if (std::abs(multiplier) <= 1e-9L) return;
    dual += multiplier * (multiplier > 0 ? lower : upper);
    size += std::abs(multiplier * (multiplier > 0 ? lower : upper));
  };
  for (int i = 0; i < data.rows(); ++i) add(y(i), data.row_lower(i), data.row_upper(i));
  for (int j = 0; j < data.columns(); ++j) {
    long double d = data.costs(j);
    for (int i = 0; i < data.rows(); ++i) d -= static_cast<long double>(y(i)) * data.A(i, j);
    add(d, data.lower(j), data.upper(j));
  }
  return static_cast<double>(std::abs(dual - program.objective()) / size);
}

using Points = std::vector<VectorX<double>>;

bool contains(const Points& points, const VectorX<double>& x, double reach = 1e-7) {
  return std::any_of(points.begin(), points.end(),
                     [&](const VectorX<double>& p) { return (p - x).lpNorm<Eigen::Infinity>() <= reach; });
}

/// All vertices: every choice of n unknowns (columns and rows) that are put to one of their bounds.
class VertexEnumeration {
 public:
  explicit VertexEnumeration(const Data& data)
      : data_(data), rows_(data.columns(), data.columns()), right_(data.columns()) {
    choose(0, 0);
  }
  Points vertices;

 private:
  void choose(int k, int chosen) {
    const int n = data_.columns();
    if (chosen == n) return add();
    if (k == n + data_.rows()) return;
    choose(k + 1, chosen);
    const double low = k < n ? data_.lower(k) : data_.row_lower(k - n);
    const double high = k < n ? data_.upper(k) : data_.row_upper(k - n);
    rows_.row(chosen) = k < n ? VectorX<double>::Unit(n, k).transpose().eval() : data_.A.row(k - n).eval();
    const auto row = rows_.row(chosen).eval();
    for (const double bound : {low, high}) {
      if (std::isinf(bound)) continue;
      rows_.row(chosen) = row;
      right_(chosen) = bound;
      choose(k + 1, chosen + 1);
    }
  }
  void add() {
    const Eigen::FullPivLU<MatrixX<double>> lu(rows_);
    if (!lu.isInvertible()) return;
    const VectorX<double> x = lu.solve(right_);
    if (calc_violation(data_, x) <= 1e-9 && !contains(vertices, x)) vertices.push_back(x);
  }

  const Data& data_;
  MatrixX<double> rows_;
  VectorX<double> right_;
};

class RandomPrograms {
 public:
  explicit RandomPrograms(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  bool flip(double chance) { return uniform(0, 1) < chance; }
  /// Integers make degenerate vertices.
  double number(bool is_integer, double size) { return is_integer ? integer(-2, 2) : uniform(-size, size); }

  /// Any mixture of free, one-sided, two-sided and fixed rows and columns; `boxed`: no column is free.
  Data any(int m, int n, bool is_integer, bool boxed) {
    Data data(m, n);
    data.A = MatrixX<double>::NullaryExpr(m, n, [&] { return flip(0.2) ? 0 : number(is_integer, 1); });
    data.costs = VectorX<double>::NullaryExpr(n, [&] { return number(is_integer, 1); });
    for (int i = 0; i < m; ++i) bound(is_integer, flip(0.15) ? 0.0 : 1.0, data.row_lower(i), data.row_upper(i));
    for (int j = 0; j < n; ++j) {
      bound(is_integer, 1, data.lower(j), data.upper(j));
      if (boxed && data.lower(j) == -kInfinity) data.lower(j) = std::min(-2.0, data.upper(j));
      if (boxed && data.upper(j) == kInfinity) data.upper(j) = std::max(2.0, data.lower(j));
    }
    return data;
  }

 private:
  void bound(bool is_integer, double width, double& lower, double& upper) {
    const double centre = number(is_integer, 0.5), reach = width * (is_integer ? integer(0, 2) : uniform(0.2, 2));
    if (flip(0.7)) lower = centre - reach;
    if (flip(0.7)) upper = centre + reach;
  }
  std::mt19937_64 generator_;
};

std::optional<double> find_least(const Data& data, const Points& points) {
  std::optional<double> least;
  for (const VectorX<double>& x : points) least = std::min(least.value_or(kInfinity), data.costs.dot(x));
  return least;
}

TEST(LinearProgram, FindsTheVertexOfATextbookExample) {
  // Maximize 3 a + 5 b with a ≤ 4, 2 b ≤ 12, 3 a + 2 b ≤ 18, a, b ≥ 0: a = 2, b = 6 (Hillier and Lieberman, Wyndor).
  Data data(3, 2);
  data.A << 1, 0, 0, 2, 3, 2;
  data.row_upper << 4, 12, 18;
  data.lower.setZero();
  data.costs << -3, -5;
  LinearProgram program = data.make();
  ASSERT_EQ(program.solve(), LpStatus::optimal);
  EXPECT_NEAR(program.x()(0), 2, 1e-14);
  EXPECT_NEAR(program.x()(1), 6, 1e-14);
  EXPECT_NEAR(program.objective(), -36, 1e-13);
  EXPECT_NEAR(program.activity()(0), 2, 1e-14);
  EXPECT_NEAR(program.multipliers()(0), 0, 1e-14);
  EXPECT_NEAR(program.multipliers()(1), -1.5, 1e-14);
  EXPECT_NEAR(program.multipliers()(2), -1, 1e-14);
  const LpBasis basis = program.basis();
  EXPECT_EQ(basis.columns, (std::vector<BasisPlace>{BasisPlace::basic, BasisPlace::basic}));
  EXPECT_EQ(basis.rows, (std::vector<BasisPlace>{BasisPlace::basic, BasisPlace::at_upper, BasisPlace::at_upper}));
}

/// Signs by hand: x ≥ 2 as a row against x ≤ 1 as a bound needs y > 0.
TEST(LinearProgram, GivesAFarkasVectorWithTheStatedSign) {
  Data data(1, 1);
  data.A << 1;
  data.row_lower << 2;
  data.upper << 1;
  LinearProgram program = data.make();
  ASSERT_EQ(program.solve(), LpStatus::infeasible);
  EXPECT_GT(program.farkas()(0), 0);
  program.bound_row(0, -kInfinity, -3);
  program.bound_column(0, -1, kInfinity);
  ASSERT_EQ(program.solve(), LpStatus::infeasible);
  EXPECT_LT(program.farkas()(0), 0);
}

TEST(LinearProgram, AgreesWithAllVertices) {
  RandomPrograms random(1);
  int optimal = 0, infeasible = 0;
  for (int k = 0; k < 3000; ++k) {
    const Data data = random.any(random.integer(0, 4), random.integer(1, 4), k % 2 == 0, true);
    const std::optional<double> least = find_least(data, VertexEnumeration(data).vertices);
    LinearProgram program = data.make();
    const LpStatus status = program.solve();
    ASSERT_EQ(status, least ? LpStatus::optimal : LpStatus::infeasible) << k;
    if (status == LpStatus::optimal) {
      ++optimal;
      EXPECT_NEAR(program.objective(), *least, 1e-8) << k;
      EXPECT_LE(calc_violation(data, program.x()), 1e-9) << k;
      EXPECT_LE(calc_duality_gap(data, program), 1e-9) << k;
    } else {
      ++infeasible;
      EXPECT_GT(calc_farkas_gap(data, program.farkas()), 0) << k;
    }
  }
  EXPECT_GT(optimal, 500);
  EXPECT_GT(infeasible, 500);
}

/// No oracle for larger ones but the proofs, which need none.
TEST(LinearProgram, ProvesEachAnswer) {
  RandomPrograms random(2);
  int counts[4] = {};
  for (int k = 0; k < 3000; ++k) {
    const Data data = random.any(random.integer(1, 25), random.integer(1, 25), k % 2 == 0, k % 3 == 0);
    LinearProgram program = data.make();
    const LpStatus status = program.solve();
    ++counts[static_cast<int>(status)];
    switch (status) {
      case LpStatus::optimal:
        EXPECT_LE(calc_violation(data, program.x()), 1e-8) << k;
        EXPECT_LE(calc_duality_gap(data, program), 1e-8) << k;
        break;
      case LpStatus::infeasible:
        EXPECT_GT(calc_farkas_gap(data, program.farkas()), 0) << k;
        break;
      case LpStatus::unbounded: {
        EXPECT_TRUE(is_falling_ray(data, program.ray())) << k;
        program.clear_costs();
        EXPECT_EQ(program.solve(), LpStatus::optimal) << k;
        EXPECT_LE(calc_violation(data, program.x()), 1e-8) << k;
        break;
      }
      case LpStatus::failed:
        ADD_FAILURE() << k;
    }
  }
  EXPECT_GT(counts[0], 300);
  EXPECT_GT(counts[1], 300);
  EXPECT_GT(counts[2], 300);
}

/// From the first vertex along edges only.
Points walk_all_vertices(LinearProgram& program) {
  program.clear_costs();
  Points found;
  if (program.solve() != LpStatus::optimal) return found;
  std::deque<LpBasis> waiting = {program.basis()};
  found.push_back(program.x());
  while (!waiting.empty()) {
    program.set_basis(waiting.front());
    waiting.pop_front();
    EXPECT_EQ(program.solve(), LpStatus::optimal);
    EXPECT_TRUE(contains(found, program.x()));
    const std::vector<LpEdge> edges = program.find_edges();
    EXPECT_TRUE(program.has_all_edges());
    for (const LpEdge& edge : edges) {
      if (edge.is_ray || contains(found, edge.x)) continue;
      found.push_back(edge.x);
      waiting.push_back(edge.basis);
    }
  }
  return found;
}

TEST(LinearProgram, ReachesEveryVertexAlongEdges) {
  RandomPrograms random(3);
  int several = 0;
  for (int k = 0; k < 1500; ++k) {
    const Data data = random.any(random.integer(0, 4), random.integer(1, 4), k % 3 != 0, k % 2 == 0);
    const Points expected = VertexEnumeration(data).vertices;
    if (expected.empty()) continue;
    LinearProgram program = data.make();
    const Points found = walk_all_vertices(program);
    ASSERT_EQ(found.size(), expected.size()) << k;
    for (const VectorX<double>& x : found) EXPECT_TRUE(contains(expected, x)) << k;
    several += expected.size() > 3 ? 1 : 0;
  }
  EXPECT_GT(several, 300);
}

/// The top of a pyramid over a k-gon: k edges, of which a basis shows two or three.
TEST(LinearProgram, FindsAllEdgesOfADegenerateVertex) {
  for (const int sides : {4, 5, 8, 13}) {
    Data data(sides, 3);
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * 3.14159265358979 * i / sides;
      data.A.row(i) << std::cos(angle), std::sin(angle), 1;
      data.row_upper(i) = 1;
    }
    data.lower(2) = 0;
    data.costs(2) = -1;
    LinearProgram program = data.make();
    ASSERT_EQ(program.solve(), LpStatus::optimal);
    EXPECT_NEAR(program.x()(2), 1, 1e-12);
    const std::vector<LpEdge> edges = program.find_edges();
    EXPECT_EQ(static_cast<int>(edges.size()), sides);
    for (const LpEdge& edge : edges) {
      EXPECT_FALSE(edge.is_ray);
      EXPECT_NEAR(edge.x(2), 0, 1e-12);
      EXPECT_NEAR(edge.x.norm(), 1 / std::cos(3.14159265358979 / sides), 1e-12);
    }
    // Without the base the edges never end.
    program.bound_column(2, -kInfinity, kInfinity);
    ASSERT_EQ(program.solve(), LpStatus::optimal);
    const std::vector<LpEdge> rays = program.find_edges();
    EXPECT_EQ(static_cast<int>(rays.size()), sides);
    for (const LpEdge& edge : rays) EXPECT_TRUE(edge.is_ray && edge.blocking == -1 && edge.x(2) < 0);
  }
}

TEST(LinearProgram, LeavesALineInBothDirections) {
  Data data(1, 2);  // 0 ≤ x₀ ≤ 1, x₁ free
  data.A << 1, 0;
  data.row_lower << 0;
  data.row_upper << 1;
  LinearProgram program = data.make();
  ASSERT_EQ(program.solve(), LpStatus::optimal);
  int rays = 0;
  for (const LpEdge& edge : program.find_edges()) rays += edge.is_ray ? 1 : 0;
  EXPECT_EQ(rays, 2);
}

TEST(LinearProgram, RefusesEdgesWithoutAVertex) {
  LinearProgram program(MatrixX<double>::Identity(2, 2));
  EXPECT_THROW(program.find_edges(), std::logic_error);
  program.solve();
  EXPECT_NO_THROW(program.find_edges());
  program.bound_row(0, 0, 1);
  EXPECT_THROW(program.find_edges(), std::logic_error);
}

/// Klee and Minty: all 2ⁿ vertices lie on one rising path. Entries reach 2ⁿ⁺¹ and 5ⁿ.
TEST(LinearProgram, SolvesKleeMintyCubes) {
  for (int n = 2; n <= 10; ++n) {
    Data data(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) data.A(i, j) = std::ldexp(1.0, i - j + 1);
      data.A(i, i) = 1;
      data.row_upper(i) = std::pow(5, i + 1);
      data.costs(i) = -std::ldexp(1.0, n - 1 - i);
    }
    data.lower.setZero();
    LinearProgram program = data.make();
    ASSERT_EQ(program.solve(), LpStatus::optimal);
    EXPECT_NEAR(program.objective(), -std::pow(5, n), 1e-12 * std::pow(5, n));
    EXPECT_EQ(program.find_edges().size(), static_cast<std::size_t>(n));
    if (n <= 6) {
      EXPECT_EQ(walk_all_vertices(program).size(), std::size_t{1} << n);
    }
  }
}

/// Beale's example, on which the textbook rule goes in a circle: optimum −1/20 at (1/25, 0, 1, 0).
TEST(LinearProgram, DoesNotCycleOnBealesExample) {
  Data data(3, 4);
  data.A << 0.25, -60, -1 / 25.0, 9, 0.5, -90, -1 / 50.0, 3, 0, 0, 1, 0;
  data.row_upper << 0, 0, 1;
  data.lower.setZero();
  data.costs << -0.75, 150, -1 / 50.0, 6;
  LinearProgram program = data.make();
  ASSERT_EQ(program.solve(), LpStatus::optimal);
  EXPECT_NEAR(program.objective(), -0.05, 1e-14);
  EXPECT_NEAR(program.x()(0), 0.04, 1e-13);
  EXPECT_NEAR(program.x()(2), 1, 1e-13);
}

/// min −x − ratio y with x ≤ 1 and −1e5 ≤ y ≤ −1, each in a row of its own: the smaller cost may be below CLP's
/// tolerance beside the other, yet its unknown goes to its upper bound. Costs of blocks that nothing connects are
/// scaled one by one.
TEST(LinearProgram, SolvesBlocksWhateverTheirCosts) {
  for (const double ratio : {1.0, 1e-10, 1e-20, 1e10, 1e20}) {
    Data data(2, 2);
    data.A << 1, 0, 0, 1;
    data.row_upper << 1, std::numeric_limits<double>::infinity();
    data.row_lower << -1, -1e6;
    data.lower << -2, -1e5;
    data.upper << 2, -1;
    data.costs << -1, -ratio;
    LinearProgram program = data.make();
    ASSERT_EQ(program.solve(), LpStatus::optimal) << ratio;
    EXPECT_NEAR(program.x()(0), 1, 1e-14) << ratio;
    EXPECT_NEAR(program.x()(1), -1, 1e-14) << ratio;
    EXPECT_NEAR(program.multipliers()(0), -1, 1e-14) << ratio;
  }
}

/// Rows and unknowns in other units, by 1e-6 to 1e6, are the same program.
TEST(LinearProgram, DoesNotDependOnUnits) {
  RandomPrograms random(4);
  for (int k = 0; k < 1000; ++k) {
    const Data data = random.any(random.integer(1, 12), random.integer(1, 12), false, k % 2 == 0);
    Data scaled = data;
    for (int i = 0; i < data.rows(); ++i) {
      const double unit = std::pow(10, random.uniform(-6, 6));
      scaled.A.row(i) *= unit;
      scaled.row_lower(i) *= unit;
      scaled.row_upper(i) *= unit;
    }
    for (int j = 0; j < data.columns(); ++j) {
      const double unit = std::pow(10, random.uniform(-6, 6));
      scaled.A.col(j) *= unit;
      scaled.lower(j) /= unit;
      scaled.upper(j) /= unit;
      scaled.costs(j) *= unit * 1e-6;
    }
    LinearProgram first = data.make(), second = scaled.make();
    ASSERT_EQ(first.solve(), second.solve()) << k;
    if (first.status() == LpStatus::optimal) {
      EXPECT_NEAR(first.objective(), second.objective() * 1e6, 1e-7 * (1 + std::abs(first.objective()))) << k;
    } else if (first.status() == LpStatus::infeasible) {
      EXPECT_GT(calc_farkas_gap(scaled, second.farkas()), 0) << k;
    }
  }
}

/// Bounds and costs change, come and go: as if each program were the first.
TEST(LinearProgram, TakesRoundingForNothing) {
  // x + ε y = 1, ε x + y = 2 with the ε that sums leave: scaled to the mean of their logarithms, entries of size 1
  // would be far beyond the tolerance of what is solved.
  for (const double rounding : {1e-15, 1e-17, 1e-19}) {
    for (const double unit : {1.0, 1e-12, 1e12}) {
      MatrixX<double> A(3, 4);
      A << 1, rounding, -rounding, rounding, rounding, 1, rounding, -rounding, 1, 1, 1, -1;
      A.row(1) *= unit;
      LinearProgram program(A);
      program.bound_row(0, 1, 1);
      program.bound_row(1, 2 * unit, 2 * unit);
      program.bound_row(2, 0, 0);
      for (int j = 0; j < 4; ++j) program.bound_column(j, 0, LinearProgram::kInfinity);
      program.set_cost(3, 1);
      ASSERT_EQ(program.solve(), LpStatus::optimal);
      EXPECT_NEAR(program.x()(0), 1, 1e-12);
      EXPECT_NEAR(program.x()(1), 2, 1e-12);
      EXPECT_NEAR(program.x()(3), 3, 1e-12) << rounding << " " << unit;
    }
  }
}

TEST(LinearProgram, WarmStartsChangeNothing) {
  RandomPrograms random(5);
  for (int k = 0; k < 60; ++k) {
    const int m = random.integer(1, 16), n = random.integer(1, 16);
    Data data = random.any(m, n, k % 2 == 0, k % 3 != 0);
    LinearProgram warm = data.make();
    for (int change = 0; change < 40; ++change) {
      const Data other = random.any(m, n, k % 2 == 0, k % 3 != 0);
      const int i = random.integer(0, m - 1), j = random.integer(0, n - 1);
      switch (random.integer(0, 2)) {
        case 0:
          data.row_lower(i) = other.row_lower(i);
          data.row_upper(i) = other.row_upper(i);
          warm.bound_row(i, data.row_lower(i), data.row_upper(i));
          break;
        case 1:
          data.lower(j) = other.lower(j);
          data.upper(j) = other.upper(j);
          warm.bound_column(j, data.lower(j), data.upper(j));
          break;
        default:
          data.costs(j) = other.costs(j);
          warm.set_cost(j, data.costs(j));
      }
      LinearProgram cold = data.make();
      ASSERT_EQ(warm.solve(), cold.solve()) << k << ", " << change;
      if (warm.status() == LpStatus::optimal) {
        EXPECT_NEAR(warm.objective(), cold.objective(), 1e-8 * (1 + std::abs(cold.objective()))) << k;
        EXPECT_LE(calc_violation(data, warm.x()), 1e-8) << k;
      } else if (warm.status() == LpStatus::infeasible) {
        EXPECT_GT(calc_farkas_gap(data, warm.farkas()), 0) << k;
      } else {
        EXPECT_TRUE(warm.status() == LpStatus::unbounded && is_falling_ray(data, warm.ray())) << k;
      }
    }
  }
}

TEST(LinearProgram, SameCallsGiveTheSameBits) {
  RandomPrograms random(6);
  const Data data = random.any(20, 20, false, true);
  LinearProgram first = data.make(), second = data.make();
  ASSERT_EQ(first.solve(), second.solve());
  for (int j = 0; j < 20; ++j) {
    for (LinearProgram* program : {&first, &second}) {
      program->bound_column(j, 0, 0.5);
      program->solve();
    }
    ASSERT_EQ(first.status(), second.status());
    if (first.status() == LpStatus::optimal) {
      EXPECT_EQ(first.x(), second.x());
    }
  }
}

TEST(LinearProgram, StartsFromAGivenBasis) {
  RandomPrograms random(7);
  for (int k = 0; k < 200; ++k) {
    const Data data = random.any(6, 6, false, true);
    LinearProgram first = data.make(), second = data.make();
    if (first.solve() != LpStatus::optimal) continue;
    second.set_basis(first.basis());
    ASSERT_EQ(second.solve(), LpStatus::optimal);
    EXPECT_EQ(first.basis().columns, second.basis().columns);
    EXPECT_EQ(first.basis().rows, second.basis().rows);
  }
  LinearProgram program(MatrixX<double>::Identity(2, 2));
  EXPECT_THROW(program.set_basis({}), std::invalid_argument);
  const std::vector<BasisPlace> all_basic(2, BasisPlace::basic);
  EXPECT_THROW(program.set_basis({.columns = all_basic, .rows = all_basic}), std::invalid_argument);
}

TEST(LinearProgram, SolvesProgramsWithoutRowsOrColumns) {
  LinearProgram bounds_only(MatrixX<double>(0, 2));
  bounds_only.bound_column(0, -1, 3);
  bounds_only.bound_column(1, -2, 5);
  bounds_only.set_cost(0, 1);
  bounds_only.set_cost(1, -1);
  ASSERT_EQ(bounds_only.solve(), LpStatus::optimal);
  EXPECT_EQ(bounds_only.objective(), -6);
  EXPECT_EQ(bounds_only.find_edges().size(), 2u);
  bounds_only.bound_column(1, -2, kInfinity);
  ASSERT_EQ(bounds_only.solve(), LpStatus::unbounded);
  EXPECT_GT(bounds_only.ray()(1), 0);

  LinearProgram rows_only(MatrixX<double>(1, 0));
  rows_only.bound_row(0, -1, 1);
  EXPECT_EQ(rows_only.solve(), LpStatus::optimal);
  rows_only.bound_row(0, 1, 2);
  EXPECT_EQ(rows_only.solve(), LpStatus::infeasible);
  EXPECT_GT(rows_only.farkas()(0), 0);
}

TEST(LinearProgram, RefusesWhatIsNoNumber) {
  const double nan = std::nan("");
  EXPECT_THROW(LinearProgram(MatrixX<double>::Constant(1, 1, nan)), std::invalid_argument);
  EXPECT_THROW(LinearProgram(MatrixX<double>::Constant(1, 1, kInfinity)), std::invalid_argument);
  LinearProgram program(MatrixX<double>::Identity(2, 2));
  EXPECT_THROW(program.bound_row(0, nan, 1), std::invalid_argument);
  EXPECT_THROW(program.bound_row(0, 2, 1), std::invalid_argument);
  EXPECT_THROW(program.bound_row(2, 0, 1), std::invalid_argument);
  EXPECT_THROW(program.bound_column(1, kInfinity, kInfinity), std::invalid_argument);
  EXPECT_THROW(program.bound_column(1, -kInfinity, -kInfinity), std::invalid_argument);
  EXPECT_THROW(program.set_cost(0, nan), std::invalid_argument);
  EXPECT_THROW(program.set_cost(-1, 0), std::invalid_argument);
}

/// LAPACK has kernels for each processor, so a program whose basis it factorizes ends with other bits on another
/// machine.
TEST(LinearProgram, LeavesDenseBasesToItsOwnArithmetic) {
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Data data(150, 150);
  for (double& x : data.A.reshaped()) x = uniform(generator);
  for (double& x : data.costs) x = uniform(generator);
  data.row_lower.setConstant(-1);
  data.row_upper.setConstant(1);
  LinearProgram program = data.make();
  ASSERT_EQ(program.solve(), LpStatus::optimal);
  EXPECT_LE(calc_violation(data, program.x()), 1e-7);
  EXPECT_EQ(lapack_calls, 0);
}

}  // namespace
}  // namespace thenar::linear_program_test
