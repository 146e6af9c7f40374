// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/dictionary_internal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thenar::internal {
namespace {

/// Pivots of rebuild() below this are rounding.
constexpr double kSingular = 1e-11;

}  // namespace

Dictionary::Dictionary(const MatrixX<double>& R, const VectorX<double>& r)
    : width_((static_cast<int>(R.cols()) + kChunk - 1) / kChunk * kChunk),
      original_(VectorX<double>::Zero(width_ * (R.rows() + 1))),
      original_constants_(VectorX<double>::Zero(R.rows() + 1)),
      factors_(R.rows() + 1),
      pivot_(width_),
      inside_(static_cast<std::size_t>(R.rows())),
      outside_(static_cast<std::size_t>(R.cols())),
      belongs_inside_(static_cast<std::size_t>(R.rows() + R.cols())) {
  for (Eigen::Index i = 0; i < R.rows(); ++i) {
    original_.segment(i * width_, R.cols()) = R.row(i);
  }
  original_constants_.head(R.rows()) = r;
  restart();
}

void Dictionary::restart() {
  table_ = original_;
  constants_ = original_constants_;
  std::iota(outside_.begin(), outside_.end(), 0);
  std::iota(inside_.begin(), inside_.end(), column_count());
}

/// insideᵢ = … + Dᵢⱼ outsideⱼ + … is solved for outsideⱼ, which is then replaced in the other rows: D += factors pivotᵀ
/// with the column as factors. Chunk by chunk of the columns, so that one of the pivot row stays in a register for all
/// rows; the column itself is written last, since chunks that are read right after one of their numbers was written
/// would wait for it.
void Dictionary::exchange(int row, int column) {
  const double inverse = 1 / entry(row, column);
  for (int i = 0; i <= objective_row(); ++i) factors_(i) = entry(i, column);
  factors_(row) = 0;
  pivot_ = -inverse * Eigen::Map<const VectorX<double>>(begin(row), width_);
  const double pivot_constant = -inverse * constant(row);
  for (int j = 0; j < width_; j += kChunk) {
    const Chunk pivot = pivot_.segment<kChunk>(j).array();
    double* target = begin(0) + j;
    for (const double factor : factors_) {
      Eigen::Map<Chunk> chunk(target);
      chunk += factor * pivot;
      target += width_;
    }
  }
  constants_ += pivot_constant * factors_;
  for (int i = 0; i <= objective_row(); ++i) begin(i)[column] = factors_(i) * inverse;
  pivot_(column) = inverse;
  Eigen::Map<VectorX<double>>(begin(row), width_) = pivot_;
  constants_(row) = pivot_constant;
  std::swap(inside_[static_cast<std::size_t>(row)], outside_[static_cast<std::size_t>(column)]);
}

/// Of what is in the wrong place.
Dictionary::Place Dictionary::find_largest_swap() const {
  Place out;
  double largest = kSingular;
  for (int i = 0; i < row_count(); ++i) {
    if (belongs_inside_[static_cast<std::size_t>(inside(i))]) continue;
    for (int j = 0; j < column_count(); ++j) {
      const double size = std::abs(entry(i, j));
      if (!belongs_inside_[static_cast<std::size_t>(outside(j))] || size <= largest) continue;
      largest = size;
      out = {i, j};
    }
  }
  return out;
}

void Dictionary::rebuild() {
  std::fill(belongs_inside_.begin(), belongs_inside_.end(), false);
  for (const int unknown : inside_) belongs_inside_[static_cast<std::size_t>(unknown)] = true;
  restart();
  for (Place place = find_largest_swap(); place.row >= 0; place = find_largest_swap())
    exchange(place.row, place.column);
}

void Dictionary::set_objective(const VectorX<double>& gradient, double constant) {
  double* objective = begin(objective_row());
  std::fill(objective, objective + width_, 0.0);
  constants_(objective_row()) = constant;
  for (int j = 0; j < column_count(); ++j) {
    if (outside(j) < column_count()) objective[j] = gradient(outside(j));
  }
  for (int i = 0; i < row_count(); ++i) {
    if (inside(i) >= column_count()) continue;
    const double factor = gradient(inside(i));
    Eigen::Map<VectorX<double>>(objective, column_count()) += factor * entries(i).matrix();
    constants_(objective_row()) += factor * this->constant(i);
  }
}

}  // namespace thenar::internal
