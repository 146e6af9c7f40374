// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Families of linear complementarity problems, seeded, for tests and benchmarks: the classes that the theory knows and
/// the contact problems that Thenar is made for. Every problem of every family has a solution, for the reason given at
/// its family, and Lemke's method reaches one in exact arithmetic.
///
/// The theorems are those of Cottle, Pang and Stone (CPS), The Linear Complementarity Problem, 1992: 3.3.7
/// (P-matrices), 3.8.6 (copositive M: solvable if qᵀy ≥ 0 for all y ≥ 0 with M y ≥ 0 and yᵀM y = 0) and 4.4.13 (Lemke's
/// method then ends with a solution). Friction is posed after Stewart and Trinkle (1996) and Anitescu and Potra (1997).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "thenar/complementarity/lcp.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

/// One problem's random numbers.
class LcpDice {
 public:
  explicit LcpDice(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * unit(); }
  int integer(int low, int high) { return low + static_cast<int>(unit() * (high - low + 1)); }
  MatrixX<double> matrix(int rows, int columns) {
    return MatrixX<double>::NullaryExpr(rows, columns, [this] { return uniform(-1, 1); });
  }
  VectorX<double> vector(int n) { return matrix(n, 1); }

  /// q = w − M z of some complementary z and w of up to 1: solvable, whatever M is.
  VectorX<double> solvable_q(const MatrixX<double>& M) {
    VectorX<double> q = VectorX<double>::Zero(M.rows());
    for (int i = 0; i < static_cast<int>(M.rows()); ++i) {
      const double value = uniform(0, 1);
      if (integer(0, 1) == 0) {
        q(i) += value;
      } else {
        q -= M.col(i) * value;
      }
    }
    return q;
  }

 private:
  /// In [0, 1), the same on every platform (the standard's distributions are not).
  double unit() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  std::mt19937_64 generator_;
};

/// Strictly diagonally dominant, positive diagonal: a P-matrix, so one solution for any q.
inline Lcp make_diagonally_dominant(unsigned seed, int n) {
  LcpDice dice(seed);
  Lcp problem{dice.matrix(n, n), dice.vector(n)};
  for (int i = 0; i < n; ++i) {
    problem.M(i, i) = 0;
    problem.M(i, i) = problem.M.row(i).cwiseAbs().sum() + dice.uniform(0.1, 1);
  }
  return problem;
}

/// Symmetric positive definite, condition about 100 n: one solution for any q.
inline Lcp make_positive_definite(unsigned seed, int n) {
  LcpDice dice(seed);
  const MatrixX<double> A = dice.matrix(n, n);
  return {A * A.transpose() + 0.05 * MatrixX<double>::Identity(n, n), dice.vector(n)};
}

/// P but not positive definite: rows, each dominated by its diagonal against three others, in units of up to 1e±2. One
/// solution for any q, since positive factors of rows leave the signs of all principal minors. The first two rows, in
/// units 1000 : 1, make the symmetric part indefinite: 1000 · 1 < (1000 · 0.9 + …)² / 4.
inline Lcp make_p_not_definite(unsigned seed, int n) {
  LcpDice dice(seed);
  Lcp problem{MatrixX<double>::Zero(n, n), dice.vector(n)};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) problem.M(i, dice.integer(0, n - 1)) = dice.uniform(-1, 1);
    if (i == 0 && n > 1) problem.M.row(0) = 0.9 * VectorX<double>::Unit(n, 1).transpose();
    problem.M(i, i) = 0;
    problem.M(i, i) = problem.M.row(i).cwiseAbs().sum() + 0.1;
  }
  for (int i = 0; i < n; ++i) {
    const double unit = i == 0 ? 100 : i == 1 ? 0.1 : std::pow(10, dice.uniform(-2, 2));
    problem.M.row(i) *= unit;
    problem.q(i) *= unit;
  }
  return problem;
}

/// Symmetric positive semidefinite of rank n/2, q made from a solution; there are others.
inline Lcp make_semidefinite(unsigned seed, int n) {
  LcpDice dice(seed);
  const MatrixX<double> A = dice.matrix(n, std::max(1, n / 2));
  const MatrixX<double> M = A * A.transpose();
  return {M, dice.solvable_q(M)};
}

/// Strictly copositive: a semidefinite matrix plus one without negative entries plus I/10. Solvable for any q
/// (CPS 3.8.6; yᵀM y = 0 has only y = 0). Not semidefinite, for the entries (0, 1) and (1, 0) exceed the diagonal's.
inline Lcp make_copositive(unsigned seed, int n) {
  LcpDice dice(seed);
  const MatrixX<double> A = dice.matrix(n, std::max(1, n / 2));
  Lcp problem{A * A.transpose() + dice.matrix(n, n).cwiseAbs() + 0.1 * MatrixX<double>::Identity(n, n), dice.vector(n)};
  if (n > 1) problem.M(0, 1) = problem.M(1, 0) = 2 + std::max(problem.M(0, 0), problem.M(1, 1));
  return problem;
}

/// Positive definite with entries and q of small whole numbers, most of q zero: ties in every ratio test. One solution.
inline Lcp make_degenerate(unsigned seed, int n) {
  LcpDice dice(seed);
  const MatrixX<double> A = MatrixX<double>::NullaryExpr(n, n, [&] { return double(dice.integer(-1, 1)); });
  return {A * A.transpose() + MatrixX<double>::Identity(n, n),
          VectorX<double>::NullaryExpr(n, [&] { return dice.integer(0, 2) == 0 ? double(dice.integer(-2, 1)) : 0.0; })};
}

/// Symmetric positive definite with eigenvalues from 1 to 1e-10, evenly in their logarithm. q is made from a solution
/// of up to 1: for other q, z is of 1e10, and its own rounding leaves residuals of 1e-6.
inline Lcp make_nearly_singular(unsigned seed, int n) {
  LcpDice dice(seed);
  const MatrixX<double> Q = first_columns(Eigen::HouseholderQR<MatrixX<double>>(dice.matrix(n, n)).householderQ(), n);
  const VectorX<double> eigenvalues =
      VectorX<double>::NullaryExpr(n, [n](Eigen::Index i) { return std::pow(1e-10, double(i) / std::max(1, n - 1)); });
  const MatrixX<double> M = Q * eigenvalues.asDiagonal() * Q.transpose();
  const MatrixX<double> symmetric = (M + M.transpose()) / 2;
  return {symmetric, dice.solvable_q(symmetric)};
}

namespace families {

/// The step of contacts with friction cones of `directions` edges: unknowns are normal impulses c, impulses β along the
/// edges D, and λ, close to the sliding speed; J is the contacts' Jacobian over √mass, normals before edges,
///
///     M = [ JᵀJ over (c, β), and E of λ in the rows of β;  μ of c and −Eᵀ of β in the rows of λ ],  q = (J v, 0).
///
/// M is copositive, and yᵀM y = 0 means J(c, β) = 0, hence qᵀy = 0: solvable for every v (CPS 3.8.6), although rows of
/// several contacts between two bodies depend on each other.
inline Lcp assemble_friction(LcpDice& dice, const MatrixX<double>& J, int contacts, int directions) {
  const int impulses = contacts * (1 + directions), n = impulses + contacts;
  Lcp problem{MatrixX<double>::Zero(n, n), VectorX<double>::Zero(n)};
  problem.M.topLeftCorner(impulses, impulses) = J * J.transpose();
  problem.q.head(impulses) = J * dice.vector(static_cast<int>(J.cols()));
  for (int i = 0; i < contacts; ++i) {
    problem.M(impulses + i, i) = dice.uniform(0.1, 1);  // μ
    for (int k = 0; k < directions; ++k) {
      const int edge = contacts + i * directions + k;
      problem.M(edge, impulses + i) = 1;
      problem.M(impulses + i, edge) = -1;
    }
  }
  return problem;
}

/// Which two bodies touch: −1 for the ground, about one contact in three; one body for every two contacts.
struct TouchingBodies {
  int a, b, count;
};
inline TouchingBodies draw_bodies(LcpDice& dice, int contacts) {
  const int count = std::max(1, contacts / 2);
  const int a = dice.integer(0, count - 1);
  const int b = count == 1 || dice.integer(0, 2) == 0 ? -1 : (a + dice.integer(1, count - 1)) % count;
  return {a, b, count};
}

}  // namespace families

/// n/4 contacts of random rigid bodies in the plane.
inline Lcp make_planar_friction(unsigned seed, int n) {
  LcpDice dice(seed);
  const int contacts = std::max(1, n / 4), bodies = std::max(1, contacts / 2);
  const VectorX<double> mass = VectorX<double>::NullaryExpr(3 * bodies, [&] { return dice.uniform(0.5, 2); });
  MatrixX<double> J = MatrixX<double>::Zero(3 * contacts, 3 * bodies);
  for (int i = 0; i < contacts; ++i) {
    const families::TouchingBodies touching = families::draw_bodies(dice, contacts);
    const double angle = dice.uniform(0, 2 * std::numbers::pi);
    const Eigen::Vector2d N(std::cos(angle), std::sin(angle)), T(-N.y(), N.x());
    double sign = 1;
    for (const int body : {touching.a, touching.b}) {
      if (body < 0) continue;
      const Eigen::Vector2d arm(dice.uniform(-1, 1), dice.uniform(-1, 1));
      const auto put_row = [&](int row, const Eigen::Vector2d& d) {
        J.row(row).segment<3>(3 * body) << sign * d.x(), sign * d.y(), sign * (arm.x() * d.y() - arm.y() * d.x());
      };
      put_row(i, N);
      put_row(contacts + 2 * i, T);
      put_row(contacts + 2 * i + 1, -T);
      sign = -1;
    }
  }
  return families::assemble_friction(dice, J * mass.cwiseSqrt().cwiseInverse().asDiagonal(), contacts, 2);
}

/// n/6 contacts of random rigid bodies in space, each with a cone of four edges.
inline Lcp make_spatial_friction(unsigned seed, int n) {
  LcpDice dice(seed);
  const int contacts = std::max(1, n / 6), bodies = std::max(1, contacts / 2);
  const VectorX<double> mass = VectorX<double>::NullaryExpr(6 * bodies, [&] { return dice.uniform(0.5, 2); });
  MatrixX<double> J = MatrixX<double>::Zero(5 * contacts, 6 * bodies);
  for (int i = 0; i < contacts; ++i) {
    const families::TouchingBodies touching = families::draw_bodies(dice, contacts);
    const Eigen::Vector3d N = Eigen::Vector3d(dice.vector(3)).normalized();
    const Eigen::Vector3d T = N.unitOrthogonal(), U = N.cross(T);
    double sign = 1;
    for (const int body : {touching.a, touching.b}) {
      if (body < 0) continue;
      const Eigen::Vector3d arm = dice.vector(3);
      const auto put_row = [&](int row, const Eigen::Vector3d& d) {
        J.row(row).segment<6>(6 * body) << sign * d.transpose(), sign * arm.cross(d).transpose();
      };
      put_row(i, N);
      const std::array<Eigen::Vector3d, 4> edges = {T, U, -T, -U};
      for (int k = 0; k < 4; ++k) put_row(contacts + 4 * i + k, edges[static_cast<std::size_t>(k)]);
      sign = -1;
    }
  }
  return families::assemble_friction(dice, J * mass.cwiseSqrt().cwiseInverse().asDiagonal(), contacts, 4);
}

struct LcpFamily {
  const char* name;
  /// A problem of n rows; friction: of the next smaller multiple of 4 or 6, but of one contact at least.
  Lcp (*make)(unsigned seed, int n);
  bool is_symmetric;  ///< and positive semidefinite
};

inline constexpr std::array<LcpFamily, 9> kLcpFamilies = {{{"diagonally dominant", make_diagonally_dominant, false},
                                                           {"positive definite", make_positive_definite, true},
                                                           {"P, not definite", make_p_not_definite, false},
                                                           {"singular semidefinite", make_semidefinite, true},
                                                           {"copositive", make_copositive, false},
                                                           {"degenerate", make_degenerate, true},
                                                           {"nearly singular", make_nearly_singular, true},
                                                           {"planar friction", make_planar_friction, false},
                                                           {"spatial friction", make_spatial_friction, false}}};

}  // namespace thenar::test
