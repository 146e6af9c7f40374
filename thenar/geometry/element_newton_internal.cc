// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/element_newton_internal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "thenar/base/numbers.h"
#include "thenar/geometry/feature_surface.h"

namespace thenar::internal {
namespace {

constexpr int kMostElementSteps = 24;
/// Largest turn of a normal in one step, rad: beyond it first order means little.
constexpr double kLargestElementTurn = 0.7;
/// Pivots below this, of columns of length 1, mean conforming features.
constexpr double kSingularPivot = 1e-9;

using Vec = Vec3<double>;

/// Four equations in four unknowns: rows with the right-hand side last. Plain numbers, which stay in registers.
using Rows = std::array<std::array<double, 5>, 4>;
using Four = std::array<double, 4>;

/// Elimination with complete pivoting. Unknowns that the equations do not determine stay 0. Returns the rank.
int solve(Rows& rows, Four& x) {
  std::array<std::size_t, 4> column{0, 1, 2, 3};
  std::size_t rank = 0;
  for (; rank < 4; ++rank) {
    std::size_t r = rank, c = rank;
    double largest = kSingularPivot;
    for (std::size_t i = rank; i < 4; ++i) {
      for (std::size_t j = rank; j < 4; ++j) {
        if (std::abs(rows[i][j]) > largest) largest = std::abs(rows[i][j]), r = i, c = j;
      }
    }
    if (largest == kSingularPivot) break;
    std::swap(rows[rank], rows[r]);
    if (c != rank) {
      for (auto& row : rows) std::swap(row[rank], row[c]);
      std::swap(column[rank], column[c]);
    }
    const double inverse = 1 / rows[rank][rank];
    for (std::size_t i = rank + 1; i < 4; ++i) {
      const double factor = rows[i][rank] * inverse;
      for (std::size_t j = rank + 1; j < 5; ++j) rows[i][j] -= factor * rows[rank][j];
    }
  }
  x = {0, 0, 0, 0};
  for (std::size_t k = rank; k-- > 0;) {
    double sum = rows[k][4];
    for (std::size_t j = k + 1; j < rank; ++j) sum -= rows[k][j] * x[column[j]];
    x[column[k]] = sum / rows[k][k];
  }
  return static_cast<int>(rank);
}

/// 2 × 2 matrix of plain numbers.
struct Two {
  double xx, xy, yx, yy;

  explicit Two(const Matrix2<double>& m) : xx(m(0, 0)), xy(m(0, 1)), yx(m(1, 0)), yy(m(1, 1)) {}
  Two(double xx_in, double xy_in, double yx_in, double yy_in) : xx(xx_in), xy(xy_in), yx(yx_in), yy(yy_in) {}

  friend Two operator*(const Two& a, const Two& b) {
    return {a.xx * b.xx + a.xy * b.yx, a.xx * b.xy + a.xy * b.yy, a.yx * b.xx + a.yy * b.yx, a.yx * b.xy + a.yy * b.yy};
  }
  friend Two operator+(const Two& a, const Two& b) { return {a.xx + b.xx, a.xy + b.xy, a.yx + b.yx, a.yy + b.yy}; }
  Two scaled(double k) const { return {k * xx, k * xy, k * yx, k * yy}; }
  double det() const { return xx * yy - xy * yx; }
  double norm2() const { return xx * xx + xy * xy + yx * yx + yy * yy; }
  /// Only where is_regular().
  Two inverse() const {
    const double k = 1 / det();
    return {k * yy, -k * xy, -k * yx, k * xx};
  }
  bool is_regular(double threshold) const { return std::abs(det()) > threshold * norm2(); }
  std::array<double, 2> operator*(const std::array<double, 2>& v) const {
    return {xx * v[0] + xy * v[1], yx * v[0] + yy * v[1]};
  }
};
using Pair = std::array<double, 2>;

class ElementNewton {
 public:
  ElementNewton(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const Proximity& place)
      : A_(A), B_(B), R_AB_(X_AB.R), p_AB_(X_AB.p), feature_A_(place.feature_A), feature_B_(place.feature_B) {
    set(place.p_A, -place.N, R_AB_.transpose_times(place.p_B - p_AB_), R_AB_.transpose_times(place.N));
    inverse_length_ = 1 / (norm(a_.p) + norm(p_B_) + norm(p_B_ - a_.p));
  }

  Polish run() {
    bool is_regular = true;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMostElementSteps; ++k) {
      const double error = measure();
      if (!(error < std::numeric_limits<double>::infinity())) return Polish::failed;
      // At the level of rounding steps stop helping.
      if (error <= kRounding || (error <= kNearRounding && error >= 0.25 * last)) {
        return is_regular ? Polish::regular : Polish::singular;
      }
      last = error;
      is_regular = step();
    }
    return Polish::failed;
  }

  void write(Proximity& place) const {
    const Vec N = normalized(R_AB_ * b_.n - a_.n);
    place.N = N;
    place.p_A = a_.p;
    place.p_B = p_B_;
    place.gap = dot(N, a_.p - p_B_);
  }

 private:
  static constexpr double kRounding = 8 * kEpsilon, kNearRounding = 1e4 * kEpsilon;

  /// Each in the frame of its own shape.
  void set(const Vec& p_A, const Vec& n_A, const Vec& p_B, const Vec& n_B) {
    a_ = snap(A_, feature_A_, p_A, n_A);
    b_ = snap(B_, feature_B_, p_B, n_B);
    p_B_ = p_AB_ + R_AB_ * b_.p;
    const Vec w = p_B_ - a_.p, x = R_AB_.transpose_times(a_.x), y = R_AB_.transpose_times(a_.y);
    gap_ = dot(a_.n, w);
    residual_ = {dot(a_.x, w), dot(a_.y, w), dot(x, b_.n), dot(y, b_.n)};
    Q_ = {dot(x, b_.x), dot(x, b_.y), dot(y, b_.x), dot(y, b_.y)};
    // E_A and E_B span the same plane when the normals are parallel; Q turns one into the other with determinant −1
    // when they are opposite.
    are_opposite_ = Q_.det() < 0;
  }

  /// Residuals relative to the lengths that they are differences of.
  double measure() const {
    if (!are_opposite_) return std::numeric_limits<double>::max();
    const double apart = std::max(std::abs(residual_[0]), std::abs(residual_[1])) * inverse_length_;
    return std::max({apart, std::abs(residual_[2]), std::abs(residual_[3])});
  }

  /// Equation (2). False where it is singular.
  bool step() {
    const Two N_A(a_.N), N_B = Q_ * Two(b_.N), D_B = Q_ * Two(b_.D), P = Two(a_.D) + N_A.scaled(gap_);
    Four x;
    bool is_regular = true;
    if (!solve_by_elimination(P, N_A, D_B, N_B, x)) is_regular = solve_whole(P, N_A, D_B, N_B, x);
    move(x);
    return is_regular;
  }

  /// If one of the features is smooth, its coordinates follow from the upper rows; two equations are left.
  bool solve_by_elimination(const Two& P, const Two& N_A, const Two& D_B, const Two& N_B, Four& x) const {
    constexpr double kSmooth = 1e-3, kRegular = 1e-6;
    const Pair r1{residual_[0], residual_[1]}, r2{residual_[2], residual_[3]};
    if (P.is_regular(kSmooth)) {  // δ_A = P⁻¹ (D_B δ_B + r₁)
      const Two P_inverse = P.inverse(), K = N_A * P_inverse, S = K * D_B + N_B;
      if (!S.is_regular(kRegular)) return false;
      const Pair k = K * r1, d_B = S.inverse() * Pair{-r2[0] - k[0], -r2[1] - k[1]}, t = D_B * d_B;
      const Pair d_A = P_inverse * Pair{t[0] + r1[0], t[1] + r1[1]};
      x = {d_A[0], d_A[1], d_B[0], d_B[1]};
      return true;
    }
    if (!D_B.is_regular(kSmooth)) return false;
    const Two D_inverse = D_B.inverse(), K = N_B * D_inverse, S = K * P + N_A;  // δ_B = D_B⁻¹ (P δ_A − r₁)
    if (!S.is_regular(kRegular)) return false;
    const Pair k = K * r1, d_A = S.inverse() * Pair{k[0] - r2[0], k[1] - r2[1]}, t = P * d_A;
    const Pair d_B = D_inverse * Pair{t[0] - r1[0], t[1] - r1[1]};
    x = {d_A[0], d_A[1], d_B[0], d_B[1]};
    return true;
  }

  /// All four, with lengths in units of that of the pair and columns of length 1.
  bool solve_whole(const Two& P, const Two& N_A, const Two& D_B, const Two& N_B, Four& x) const {
    const double scale = inverse_length_;
    Rows rows;
    Four size;
    put_column({-P.xx * scale, -P.yx * scale, N_A.xx, N_A.yx}, 0, rows, size);
    put_column({-P.xy * scale, -P.yy * scale, N_A.xy, N_A.yy}, 1, rows, size);
    put_column({D_B.xx * scale, D_B.yx * scale, N_B.xx, N_B.yx}, 2, rows, size);
    put_column({D_B.xy * scale, D_B.yy * scale, N_B.xy, N_B.yy}, 3, rows, size);
    for (std::size_t i = 0; i < 4; ++i) rows[i][4] = i < 2 ? -residual_[i] * scale : -residual_[i];
    const bool is_regular = solve(rows, x) == 4;
    for (std::size_t j = 0; j < 4; ++j) x[j] *= size[j];
    return is_regular;
  }

  /// A column, scaled to length 1.
  static void put_column(const Four& column, std::size_t j, Rows& rows, Four& size) {
    const double length2 =
        column[0] * column[0] + column[1] * column[1] + column[2] * column[2] + column[3] * column[3];
    size[j] = length2 > 0 ? 1 / std::sqrt(length2) : 0;
    for (std::size_t i = 0; i < 4; ++i) rows[i][j] = column[i] * size[j];
  }

  void move(const Four& x) {
    const Pair d_A{x[0], x[1]}, d_B{x[2], x[3]};
    const Pair dp_A = Two(a_.D) * d_A, dn_A = Two(a_.N) * d_A, dp_B = Two(b_.D) * d_B, dn_B = Two(b_.N) * d_B;
    const double turn2 = std::max(dn_A[0] * dn_A[0] + dn_A[1] * dn_A[1], dn_B[0] * dn_B[0] + dn_B[1] * dn_B[1]);
    const double part = turn2 > kLargestElementTurn * kLargestElementTurn ? kLargestElementTurn / std::sqrt(turn2) : 1;
    const auto along = [part](const ContactElement<double>& e, const Pair& d) {
      return e.x * (part * d[0]) + e.y * (part * d[1]);
    };
    set(a_.p + along(a_, dp_A), a_.n + along(a_, dn_A), b_.p + along(b_, dp_B), b_.n + along(b_, dn_B));
  }

  const GrownCore& A_;
  const GrownCore& B_;
  Mat3<double> R_AB_;
  Vec p_AB_;
  int feature_A_, feature_B_;
  ContactElement<double> a_, b_;  // each in the frame of its own shape
  Vec p_B_;                       // of b_, in the frame of A
  Two Q_{0, 0, 0, 0};
  double gap_ = 0, inverse_length_ = 0;
  Four residual_;
  bool are_opposite_ = false;
};

}  // namespace

Polish polish(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, Proximity& place) {
  ElementNewton newton(A, B, X_AB, place);
  const Polish result = newton.run();
  newton.write(place);
  return result;
}

}  // namespace thenar::internal
