// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The dictionary of Lemke's method (lemke.h): n basic unknowns as functions of n + 1 nonbasic ones,
///
///     basic = r + T nonbasic.
///
/// Unknowns are numbered w: 0 … n − 1, z: n … 2n − 1, z₀: 2n. T is kept column by column, each padded with zeros to
/// whole packs of four: a pivot adds multiples of one column to the others, the ratio test compares two columns, and
/// the columns of an Eigen matrix are copied as they are. A column whose entry in the pivot's row is zero is left
/// alone.
///
/// Numbers are scaled by powers of two, which loses nothing: rows of M by their largest entry, then columns, then q.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "thenar/base/numbers.h"
#include "thenar/base/pack.h"
#include "thenar/complementarity/lcp.h"

namespace thenar::internal {

inline constexpr int kLanes = Pack4::kLanes;
inline constexpr Pack4::IntegerVector kLaneNumbers = {0, 1, 2, 3};

/// The number of packs that hold n numbers.
inline std::ptrdiff_t count_packs(std::ptrdiff_t n) { return (n + kLanes - 1) / kLanes; }

/// One column of an Eigen matrix (or a vector) in packs of four, filled up with zeros.
class PaddedColumn {
 public:
  /// `end` is where the matrix ends in memory: up to there it may be read beyond the column.
  PaddedColumn(const double* begin, std::ptrdiff_t size, const double* end) : begin_(begin), size_(size), end_(end) {}

  Pack4 operator[](std::ptrdiff_t block) const {
    const double* from = begin_ + kLanes * block;
    const std::ptrdiff_t left = size_ - kLanes * block;
    if (left >= kLanes) return Pack4::load(from);
    if (end_ - from >= kLanes) return select(kLaneNumbers < left, Pack4::load(from), Pack4(0));
    // Without a detour over memory, which would wait for the lanes to be written.
    return Pack4(Pack4::Vector{left > 0 ? from[0] : 0, left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, 0});
  }

 private:
  const double* begin_;
  std::ptrdiff_t size_;
  const double* end_;
};
inline PaddedColumn column_of(const MatrixX<double>& M, Eigen::Index j) {
  return {M.data() + j * M.rows(), M.rows(), M.data() + M.size()};
}
inline PaddedColumn column_of(const VectorX<double>& v) { return {v.data(), v.size(), v.data() + v.size()}; }

/// The larger of |a| and |b|, lane by lane; NaN is larger than any number.
inline Pack4 max_magnitude(Pack4 a, Pack4 b) {
  constexpr std::int64_t kNoSign = std::numeric_limits<std::int64_t>::max();
  const auto x = reinterpret_cast<Pack4::IntegerVector>(a.lanes()) & kNoSign;
  const auto y = reinterpret_cast<Pack4::IntegerVector>(b.lanes()) & kNoSign;
  return Pack4(reinterpret_cast<Pack4::Vector>(x > y ? x : y));
}
/// The largest magnitude of all lanes, in every lane; NaN if there is one.
inline Pack4 max_lane(Pack4 a) {
  a = max_magnitude(a, Pack4(__builtin_shufflevector(a.lanes(), a.lanes(), 2, 3, 0, 1)));
  return max_magnitude(a, Pack4(__builtin_shufflevector(a.lanes(), a.lanes(), 1, 0, 3, 2)));
}
inline double max_magnitude(Pack4 a) { return max_lane(a)[0]; }

/// 2^−e of numbers 2^e … 2^(e + 1), and 1 of zero and subnormal ones: scaling by it is exact.
inline Pack4 power_near_inverse(Pack4 x) {
  constexpr std::int64_t kExponent = 0x7ff0'0000'0000'0000, kOne = 0x3ff0'0000'0000'0000;
  constexpr std::int64_t kLargest = 0x7fd0'0000'0000'0000;  // the inverse of larger powers is subnormal
  Pack4::IntegerVector e = reinterpret_cast<Pack4::IntegerVector>(x.lanes()) & kExponent;
  e = e > kLargest ? Pack4::IntegerVector{} + kLargest : e;
  return Pack4(reinterpret_cast<Pack4::Vector>(e == 0 ? Pack4::IntegerVector{} + kOne : 2 * kOne - e));
}

inline double min_lane(Pack4 a) {
  const auto min = [](Pack4 x, Pack4 y) { return select(less(x, y), x, y); };
  a = min(a, Pack4(__builtin_shufflevector(a.lanes(), a.lanes(), 2, 3, 0, 1)));
  a = min(a, Pack4(__builtin_shufflevector(a.lanes(), a.lanes(), 1, 0, 3, 2)));
  return a[0];
}

class LemkeDictionary {
 public:
  explicit LemkeDictionary(int max_rows);

  /// Copies M and q. False if they are not finite.
  bool load(const Lcp& problem);
  /// Then: w = M z + q in scaled units, w basic and z₀'s column empty.
  void reset();

  int z(int i) const { return n_ + i; }
  int z0() const { return 2 * n_; }
  int complement(int unknown) const { return unknown < n_ ? unknown + n_ : unknown - n_; }
  /// Of the row's basic unknown.
  int basic(int row) const { return basic_[index(row)]; }
  int nonbasic(int column) const { return nonbasic_[index(column)]; }
  /// −1 where the unknown is nonbasic.
  int row_of(int unknown) const { return row_of_[index(unknown)]; }
  /// −1 where the unknown is basic.
  int column_of(int unknown) const { return column_of_[index(unknown)]; }

  double at(int row, int column) const { return begin_of(column)[row]; }
  double constant(int row) const { return at(row, n_ + 1); }
  /// Scaled z times this is z. Directions of z have no part of q.
  double unit_of_z(int j) const { return column_scale_[index(j)] / unit_of_q_; }
  /// w times this is scaled w.
  double unit_of_w(int i) const { return row_scale(i) * unit_of_q_; }
  double row_scale(int i) const { return row_scale_[index(i / kLanes)][i % kLanes]; }
  double column_scale(int j) const { return column_scale_[index(j)]; }

  /// Exchanges the basic unknown of a row with the nonbasic one of a column.
  void pivot(int row, int column) { exchange(row, column, 1 / at(row, column)); }
  /// The same where find_leaving(column) has just found the row: it has divided already.
  void pivot_on_leaving(int row, int column) { exchange(row, column, -inverse_[index(row / kLanes)][row % kLanes]); }

  long long pivots() const { return pivots_; }
  void clear_pivot_count() { pivots_ = 0; }

  /// No ratio test stops at this row any more: its unknown is free.
  void release_row(int row) { threshold_begin()[row] = -std::numeric_limits<double>::infinity(); }
  bool is_released(int row) const { return threshold_[index(row / kLanes)][row % kLanes] < -1; }
  /// The column's unknown, which is nonbasic, stays zero for good.
  void clear_column(int column);

  /// Makes the present basis the path's first one. z₀'s column becomes d in the rows that are not released; ones if d
  /// is empty, else the number of each row's unknown (w_i or z_i: d[i − free_count]) in units of that unknown.
  void begin_path(std::span<const double> d, int free_count);
  /// Where z₀ enters: the row with the least r/d, of equal ones the last, which is what q + (ε, ε², …) asks for. −1 if
  /// no r is below −tolerance.
  int find_first_leaving(double tolerance) const;
  /// The row that blocks the entering unknown first: r/−T is least over rows with T < 0. Of ties z₀'s, then the
  /// lexicographically least. −1 if none blocks.
  int find_leaving(int entering);

  /// Entries below this are zero, of a dictionary whose largest are about 1 to begin with.
  static constexpr double kZero = 1e-11;
  /// Ratios that differ by less are ties.
  static constexpr double kTie = 1e-12;

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  Pack4* column(int j) { return packs_.data() + j * blocks_; }
  const Pack4* column(int j) const { return packs_.data() + j * blocks_; }
  double* begin_of(int j) { return reinterpret_cast<double*>(column(j)); }
  const double* begin_of(int j) const { return reinterpret_cast<const double*>(column(j)); }
  double* threshold_begin() { return reinterpret_cast<double*>(threshold_.data()); }
  void put_basic(int row, int unknown);
  void put_nonbasic(int column, int unknown);
  void reset_basis();
  void exchange(int row, int column, double inverse);
  double scale_column(int j);
  template <int kBlocks>
  void update_columns(int row, int column, double inverse);
  double calc_ratios(int entering);
  int find_tied(int entering, double bound);
  int break_tie(int entering);
  double calc_derivative(int row, int start_row) const;

  std::ptrdiff_t blocks_ = 0;  // packs per column
  int n_ = 0;
  std::vector<Pack4> packs_;                                    // n + 2 columns: those of the nonbasic unknowns, then r
  std::vector<Pack4> row_scale_, threshold_, ratio_, inverse_;  // one number per row
  std::vector<double> column_scale_;
  double unit_of_q_ = 1;
  long long pivots_ = 0;
  bool is_reset_ = false;  // no pivot since reset()
  std::vector<int> basic_, nonbasic_, row_of_, column_of_, first_basic_, ties_;
};

inline LemkeDictionary::LemkeDictionary(int max_rows) {
  const auto size = index(max_rows), blocks = static_cast<std::size_t>(count_packs(max_rows));
  packs_.resize((size + 2) * blocks);
  row_scale_.resize(blocks);
  threshold_.resize(blocks);
  ratio_.resize(blocks);
  inverse_.resize(blocks);
  column_scale_.resize(size);
  basic_.resize(size);
  first_basic_.resize(size);
  nonbasic_.resize(size + 1);
  row_of_.resize(2 * size + 1);
  column_of_.resize(2 * size + 1);
  ties_.reserve(size);
}

inline bool LemkeDictionary::load(const Lcp& problem) {
  n_ = problem.size();
  blocks_ = count_packs(n_);
  const PaddedColumn q = internal::column_of(problem.q);
  Pack4* constants = column(n_ + 1);
  Pack4 largest(0);
  for (std::ptrdiff_t b = 0; b < blocks_; ++b) {
    Pack4 of_row(0);
    for (int j = 0; j < n_; ++j) {
      const Pack4 part = internal::column_of(problem.M, j)[b];
      column(j)[b] = part;
      of_row = max_magnitude(of_row, part);
    }
    constants[b] = q[b];
    row_scale_[static_cast<std::size_t>(b)] = power_near_inverse(of_row);
    largest = max_magnitude(largest, max_magnitude(of_row, constants[b]));
  }
  return std::isfinite(max_magnitude(largest));
}

inline void LemkeDictionary::reset() {
  for (int j = 0; j < n_; ++j) column_scale_[index(j)] = scale_column(j);
  unit_of_q_ = scale_column(n_ + 1);
  std::fill_n(threshold_.begin(), blocks_, Pack4(-kZero));
  clear_column(n_);
  reset_basis();
}

/// Multiplies a column with the rows' scales, then with the power of two that is returned, for its largest entry to be
/// from 1 to 2.
inline double LemkeDictionary::scale_column(int j) {
  Pack4* entries = column(j);
  Pack4 largest(0);
  for (std::ptrdiff_t b = 0; b < blocks_; ++b) {
    entries[b] *= row_scale_[static_cast<std::size_t>(b)];
    largest = max_magnitude(largest, entries[b]);
  }
  const Pack4 scale = power_near_inverse(max_lane(largest));
  for (std::ptrdiff_t b = 0; b < blocks_; ++b) entries[b] *= scale;
  return scale[0];
}

inline void LemkeDictionary::reset_basis() {
  for (int i = 0; i < n_; ++i) {
    put_basic(i, i);
    put_nonbasic(i, z(i));
    first_basic_[index(i)] = i;
  }
  is_reset_ = true;
  put_nonbasic(n_, z0());
}

inline void LemkeDictionary::put_basic(int row, int unknown) {
  basic_[index(row)] = unknown;
  row_of_[index(unknown)] = row;
  column_of_[index(unknown)] = -1;
}

inline void LemkeDictionary::put_nonbasic(int column, int unknown) {
  nonbasic_[index(column)] = unknown;
  column_of_[index(unknown)] = column;
  row_of_[index(unknown)] = -1;
}

inline void LemkeDictionary::clear_column(int j) { std::fill_n(column(j), blocks_, Pack4(0)); }

inline void LemkeDictionary::exchange(int row, int column, double inverse) {
  switch (blocks_) {
    case 1:
      update_columns<1>(row, column, inverse);
      break;
    case 2:
      update_columns<2>(row, column, inverse);
      break;
    case 3:
      update_columns<3>(row, column, inverse);
      break;
    case 4:
      update_columns<4>(row, column, inverse);
      break;
    default:
      update_columns<0>(row, column, inverse);
  }
  is_reset_ = false;
  ++pivots_;
  const int entering = nonbasic(column);
  put_nonbasic(column, basic(row));
  put_basic(row, entering);
}

/// The equation of row r, solved for the entering unknown c and put into the others (f_k = T_rk / T_rc):
///
///     T_ik ← T_ik − f_k T_ic,   T_rk ← −f_k,   T_ic ← T_ic / T_rc,   T_rc ← 1 / T_rc.
///
/// The number of packs per column is a constant where it is small.
template <int kBlocks>
inline void LemkeDictionary::update_columns(int row, int entering, double inverse) {
  const std::ptrdiff_t blocks = kBlocks > 0 ? kBlocks : blocks_;
  const std::ptrdiff_t row_block = row / kLanes;
  const Pack4::IntegerVector is_row = kLaneNumbers == static_cast<std::int64_t>(row % kLanes);
  Pack4* pivot_column = column(entering);
  for (int k = 0; k < n_ + 2; ++k) {
    const double entry = begin_of(k)[row];
    if (entry == 0 || k == entering) continue;
    const Pack4 f = entry * inverse;
    Pack4* other = column(k);
    for (std::ptrdiff_t b = 0; b < blocks; ++b) other[b] -= f * pivot_column[b];
    other[row_block] = select(is_row, -f, other[row_block]);
  }
  for (std::ptrdiff_t b = 0; b < blocks; ++b) pivot_column[b] *= inverse;
  pivot_column[row_block] = select(is_row, Pack4(inverse), pivot_column[row_block]);
}

inline void LemkeDictionary::begin_path(std::span<const double> d, int free_count) {
  if (!is_reset_) std::copy_n(basic_.begin(), n_, first_basic_.begin());
  double* covering = begin_of(n_);
  for (int i = 0; i < n_; ++i) {
    if (is_released(i)) continue;
    const int unknown = basic(i);
    const double unit = unknown < n_ ? row_scale(unknown) : 1 / column_scale_[index(unknown - n_)];
    covering[i] = d.empty() ? 1 : d[index(unknown % n_ - free_count)] * unit;
  }
}

inline int LemkeDictionary::find_first_leaving(double tolerance) const {
  const double* constants = begin_of(n_ + 1);
  const double* covering = begin_of(n_);
  int best = -1;
  double least = 0;
  for (int i = 0; i < n_; ++i) {
    if (constants[i] >= -tolerance || is_released(i)) continue;
    const double ratio = constants[i] / covering[i];
    if (ratio <= least) {
      least = ratio;
      best = i;
    }
  }
  return best;
}

inline int LemkeDictionary::find_leaving(int entering) {
  const double least = calc_ratios(entering);
  if (least == kInfinity) return -1;
  return find_tied(entering, least + kTie * (1 + least));
}

/// How far the entering unknown can go before each row's unknown is zero, and −1/T; the least of them.
inline double LemkeDictionary::calc_ratios(int entering) {
  const Pack4* T = column(entering);
  const Pack4* constants = column(n_ + 1);
  Pack4 least(kInfinity);
  for (std::ptrdiff_t b = 0; b < blocks_; ++b) {
    const auto s = static_cast<std::size_t>(b);
    // Constants are negative by rounding only.
    const Pack4 positive = select(less(constants[b], Pack4(0)), Pack4(0), constants[b]);
    inverse_[s] = Pack4(-1) / T[b];
    ratio_[s] = select(less(T[b], threshold_[s]), positive * inverse_[s], Pack4(kInfinity));
    least = select(less(ratio_[s], least), ratio_[s], least);
  }
  return min_lane(least);
}

/// Of the rows whose ratio is within the bound, the one to leave.
inline int LemkeDictionary::find_tied(int entering, double bound) {
  const auto* ratios = reinterpret_cast<const double*>(ratio_.data());
  ties_.clear();
  for (int i = 0; i < n_; ++i) {
    if (ratios[i] > bound) continue;
    if (basic(i) == z0()) return i;
    ties_.push_back(i);
  }
  return ties_.size() == 1 ? ties_.front() : break_tie(entering);
}

inline int LemkeDictionary::break_tie(int entering) {
  for (int j = 0; j < n_ && ties_.size() > 1; ++j) {
    if (is_released(j)) continue;
    double least = kInfinity;
    for (const int i : ties_) least = std::min(least, calc_derivative(i, j) / -at(i, entering));
    std::erase_if(
        ties_, [&](int i) { return calc_derivative(i, j) / -at(i, entering) > least + kTie * (1 + std::abs(least)); });
  }
  return ties_.front();
}

/// Of a row's constant by what is added to the constant that row j has at the start of the path.
inline double LemkeDictionary::calc_derivative(int row, int start_row) const {
  const int unknown = first_basic_[index(start_row)];
  const int j = column_of(unknown);
  if (j >= 0) return -at(row, j);
  return row_of(unknown) == row ? 1 : 0;
}

}  // namespace thenar::internal
