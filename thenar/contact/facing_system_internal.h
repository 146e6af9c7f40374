// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The four linear equations between the coordinates of two elements that face each other, n_B = −n_A and
/// p_B = p_A + g n_A:
///
///     [ −(D_A + g N_A)   Q D_B ] [x_A]   [r₁]
///     [      N_A         Q N_B ] [x_B] = [r₂]        Q = E_Aᵀ E_B,  E = [x y]                                  (1)
///
/// Newton's method on two features, the rates of the coordinates and their second rates are all solutions of (1). The
/// matrix is singular where the features conform to each other: parallel edges, a cylinder on a plane, a ball in a
/// bowl of its own radius. How near it is to that must not depend on units. With the 2 × 2 minors a_ij of the columns
/// of A and b_ij of those of B, Laplace's expansion is
///
///     det = a₀₁ b₂₃ + (a₀₃ b₁₂ + a₁₂ b₀₃ − a₀₂ b₁₃ − a₁₃ b₀₂) + a₂₃ b₀₁                                        (2)
///     size = |a₀₁| t_B + |(a₀₂, a₀₃, a₁₂, a₁₃)| |(b₀₂, b₀₃, b₁₂, b₁₃)| + t_A |b₀₁|                            (3)
///
/// where t = Π |(N_1j, N_2j, connection_j)|, the product of the rates at which the Gauss frame turns along either
/// coordinate, is what a₂₃ = det N would be if frames turned only by tipping: rounding in det N is eps t. The measure
/// is |det|/size, at most 1. Changes of the unit of length and of the units of coordinates multiply both by the same
/// factor, and other tangent frames change neither. On a plane it is the cosine of the latitude for a ball of any
/// radius, and the sine of the tilt for a rim. It is sin²θ for edges that cross at an angle θ. For a ball of radius r
/// in a bowl of radius R it is of the order of (R − r)²/(R + r)².

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "thenar/geometry/contact_element.h"

namespace thenar::internal {

/// The plain number of a scalar: double for duals.
template <class T>
using PlainNumber = decltype(plain(std::declval<T>()));

/// Below this measure a pair counts as conforming: det carries an error of some eps size.
template <class T>
inline constexpr PlainNumber<T> kConformingMeasure = 100 * std::numeric_limits<PlainNumber<T>>::epsilon();

template <class T>
struct PairCoordinates {
  Vector2<T> A, B;
};

template <class T>
class FacingSystem {
 public:
  /// `is_flat`: it is known to be singular.
  FacingSystem(const ContactElement<T>& A, const ContactElement<T>& B, const T& gap, bool is_flat = false) {
    Matrix2<T> Q;
    Q << dot(A.x, B.x), dot(A.x, B.y), dot(A.y, B.x), dot(A.y, B.y);
    const Matrix2<T> D_A = A.D + A.N * gap, D_B = Q * B.D, N_B = Q * B.N;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        S_[i][j] = -D_A(i, j);
        S_[i][j + 2] = D_B(i, j);
        S_[i + 2][j] = A.N(i, j);
        S_[i + 2][j + 2] = N_B(i, j);
      }
    }
    is_regular_ = !is_flat && calc_is_regular(calc_turn(A), calc_turn(B));
  }

  bool is_regular() const { return is_regular_; }

  /// Solves (1). If it is singular, what can be satisfied of it is, and unknowns that nothing decides are 0.
  PairCoordinates<T> solve(const Vector2<T>& r1, const Vector2<T>& r2) const;

 private:
  using Number = PlainNumber<T>;
  using Row = std::array<T, 5>;  ///< of (1), the right side last
  /// (1) with lengths and angles made comparable: each pair of rows, then each column, is divided by its largest entry.
  struct ScaledRows {
    std::array<Row, 4> rows;
    std::array<T, 4> column_scale;
  };

  static Number size(const T& x) { return std::abs(plain(x)); }
  ScaledRows make_scaled_rows(const Vector2<T>& r1, const Vector2<T>& r2) const;
  Vector2<T> solve_block(int row, int column, const Vector2<T>& r) const;
  Vector2<T> subtract_block(const Vector2<T>& r, int column, const Vector2<T>& x) const;
  bool is_face(int column) const;
  static int eliminate(std::array<Row, 4>& rows, std::array<int, 4>& order, Number negligible);

  T minor(int i, int j, int column) const {
    return S_[i][column] * S_[j][column + 1] - S_[j][column] * S_[i][column + 1];
  }

  /// t of (3).
  static Number calc_turn(const ContactElement<T>& e) {
    const auto square = [&](int j) {
      const auto n0 = plain(e.N(0, j)), n1 = plain(e.N(1, j)), turn = plain(e.connection(j));
      return n0 * n0 + n1 * n1 + turn * turn;
    };
    return std::sqrt(square(0) * square(1));
  }

  /// (2) and (3).
  bool calc_is_regular(Number turn_A, Number turn_B) const {
    const auto m = [&](int i, int j, int column) { return plain(minor(i, j, column)); };
    const Number a01 = m(0, 1, 0), a02 = m(0, 2, 0), a03 = m(0, 3, 0), a12 = m(1, 2, 0), a13 = m(1, 3, 0),
                 a23 = m(2, 3, 0);
    const Number b01 = m(0, 1, 2), b02 = m(0, 2, 2), b03 = m(0, 3, 2), b12 = m(1, 2, 2), b13 = m(1, 3, 2),
                 b23 = m(2, 3, 2);
    const Number det = a01 * b23 + (a03 * b12 + a12 * b03 - a02 * b13 - a13 * b02) + a23 * b01;
    const Number mixed =
        std::sqrt((a02 * a02 + a03 * a03 + a12 * a12 + a13 * a13) * (b02 * b02 + b03 * b03 + b12 * b12 + b13 * b13));
    const Number sum = std::abs(a01) * turn_B + mixed + turn_A * std::abs(b01);
    return std::abs(det) > kConformingMeasure<T> * sum;
  }

  std::array<std::array<T, 4>, 4> S_;
  bool is_regular_ = false;
};

template <class T>
typename FacingSystem<T>::ScaledRows FacingSystem<T>::make_scaled_rows(const Vector2<T>& r1,
                                                                       const Vector2<T>& r2) const {
  const auto inverse_or_one = [](Number x) { return T(x > 0 ? 1 / x : Number(1)); };
  ScaledRows out;
  for (int first = 0; first < 4; first += 2) {
    Number largest = 0;
    for (int i = first; i < first + 2; ++i) {
      for (const T& entry : S_[i]) largest = std::max(largest, size(entry));
    }
    const T scale = inverse_or_one(largest);
    for (int i = 0; i < 2; ++i) {
      Row& row = out.rows[first + i];
      for (int j = 0; j < 4; ++j) row[j] = S_[first + i][j] * scale;
      row[4] = (first == 0 ? r1(i) : r2(i)) * scale;
    }
  }
  for (int j = 0; j < 4; ++j) {
    Number largest = 0;
    for (const Row& row : out.rows) largest = std::max(largest, size(row[j]));
    out.column_scale[j] = inverse_or_one(largest);
    for (Row& row : out.rows) row[j] *= out.column_scale[j];
  }
  return out;
}

/// Gauss elimination with complete pivoting, to the first pivot that is not larger than `negligible`. Returns the rank;
/// order[i] is the unknown that column i stands for in the end.
template <class T>
int FacingSystem<T>::eliminate(std::array<Row, 4>& rows, std::array<int, 4>& order, Number negligible) {
  for (int rank = 0; rank < 4; ++rank) {
    int best_row = rank, best_column = rank;
    for (int i = rank; i < 4; ++i) {
      for (int j = rank; j < 4; ++j) {
        if (size(rows[i][j]) > size(rows[best_row][best_column])) best_row = i, best_column = j;
      }
    }
    if (!(size(rows[best_row][best_column]) > negligible)) return rank;
    std::swap(rows[rank], rows[best_row]);
    for (Row& row : rows) std::swap(row[rank], row[best_column]);
    std::swap(order[rank], order[best_column]);
    const T inverse = T(1) / rows[rank][rank];
    for (int i = rank + 1; i < 4; ++i) {
      const T factor = rows[i][rank] * inverse;
      for (int j = rank; j < 5; ++j) rows[i][j] -= factor * rows[rank][j];
    }
  }
  return 4;
}

/// Cramer's rule for the block of (1) that begins at that row and column.
template <class T>
Vector2<T> FacingSystem<T>::solve_block(int row, int column, const Vector2<T>& r) const {
  const std::array<T, 4>&a = S_[row], &b = S_[row + 1];
  const T inverse = T(1) / minor(row, row + 1, column);
  return {(r(0) * b[column + 1] - r(1) * a[column + 1]) * inverse, (a[column] * r(1) - b[column] * r(0)) * inverse};
}

/// r − S x for the block that begins in the first row and that column.
template <class T>
Vector2<T> FacingSystem<T>::subtract_block(const Vector2<T>& r, int column, const Vector2<T>& x) const {
  return {r(0) - S_[0][column] * x(0) - S_[0][column + 1] * x(1),
          r(1) - S_[1][column] * x(0) - S_[1][column + 1] * x(1)};
}

/// N = 0, as on faces alone.
template <class T>
bool FacingSystem<T>::is_face(int column) const {
  return size(S_[2][column]) == 0 && size(S_[2][column + 1]) == 0 && size(S_[3][column]) == 0 &&
         size(S_[3][column + 1]) == 0;
}

template <class T>
PairCoordinates<T> FacingSystem<T>::solve(const Vector2<T>& r1, const Vector2<T>& r2) const {
  // Over a face (1) falls into two blocks, one after the other.
  if (is_regular_ && (is_face(0) || is_face(2))) {
    const int face = is_face(0) ? 0 : 2, other = 2 - face;
    const Vector2<T> x = solve_block(2, other, r2), y = solve_block(0, face, subtract_block(r1, other, x));
    return face == 0 ? PairCoordinates<T>{y, x} : PairCoordinates<T>{x, y};
  }
  ScaledRows scaled = make_scaled_rows(r1, r2);
  std::array<Row, 4>& rows = scaled.rows;
  // A regular matrix is eliminated to the end, however small its pivots. Otherwise those count as zero that make the
  // measure fall below its limit: one, or two that are as small as its square root.
  const Number negligible = is_regular_ ? 0 : std::sqrt(kConformingMeasure<T>);
  std::array<int, 4> order{0, 1, 2, 3};
  const int rank = eliminate(rows, order, negligible);

  std::array<T, 4> x{T(0), T(0), T(0), T(0)};  // by column
  std::array<T, 4> unknown = x;
  for (int i = rank - 1; i >= 0; --i) {
    T rest = rows[i][4];
    for (int j = i + 1; j < rank; ++j) rest -= rows[i][j] * x[j];
    x[i] = rest / rows[i][i];
    unknown[order[i]] = x[i] * scaled.column_scale[order[i]];
  }
  return {{unknown[0], unknown[1]}, {unknown[2], unknown[3]}};
}

}  // namespace thenar::internal
