// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_factor_internal.h"

#include <algorithm>
#include <cmath>

namespace thenar::internal {
namespace {

constexpr int kPanel = 4;

/// y[from … n) −= f x[from … n).
void subtract(double f, const double* x, double* y, int from, int n) {
  for (int i = from; i < n; ++i) y[i] -= f * x[i];
}

}  // namespace

ConeFactor::ConeFactor(int max_rows)
    : entries_(static_cast<std::size_t>(max_rows) * static_cast<std::size_t>(max_rows)),
      pivot_(static_cast<std::size_t>(max_rows)) {}

bool ConeFactor::eliminate_panel(int first, int end) {
  for (int k = first; k < end; ++k) {
    double* c = column(k);
    int pivot = k;
    double largest = std::abs(c[k]);
    for (int i = k + 1; i < size_; ++i) {
      const double size = std::abs(c[i]);
      pivot = size > largest ? i : pivot;
      largest = size > largest ? size : largest;
    }
    pivot_[k] = pivot;
    if (!(std::abs(c[pivot]) > 0)) return false;
    if (pivot != k) {
      for (int j = first; j < end; ++j) std::swap(column(j)[k], column(j)[pivot]);
    }
    const double inverse = 1 / c[k];
    for (int i = k + 1; i < size_; ++i) c[i] *= inverse;
    for (int j = k + 1; j < end; ++j) subtract(column(j)[k], c, column(j), k + 1, size_);
  }
  return true;
}

/// Row exchanges, rows of U, and what the panel takes from the rest of column j.
void ConeFactor::update_column(int j, int first, int end) {
  double* c = column(j);
  for (int k = first; k < end; ++k) std::swap(c[k], c[pivot_[k]]);
  if (j < first) return;
  for (int k = first; k < end; ++k) subtract(c[k], column(k), c, k + 1, end);
  if (end - first < kPanel) {
    for (int k = first; k < end; ++k) subtract(c[k], column(k), c, end, size_);
    return;
  }
  const double f0 = c[first], f1 = c[first + 1], f2 = c[first + 2], f3 = c[first + 3];
  const double *l0 = column(first), *l1 = column(first + 1), *l2 = column(first + 2), *l3 = column(first + 3);
  for (int i = end; i < size_; ++i) c[i] -= (f0 * l0[i] + f1 * l1[i]) + (f2 * l2[i] + f3 * l3[i]);
}

bool ConeFactor::factor() {
  for (int first = 0; first < size_; first += kPanel) {
    const int end = std::min(first + kPanel, size_);
    if (!eliminate_panel(first, end)) return false;
    for (int j = 0; j < first; ++j) update_column(j, first, end);
    for (int j = end; j < size_; ++j) update_column(j, first, end);
  }
  return true;
}

void ConeFactor::solve(Eigen::Ref<Eigen::VectorXd> x) const {
  double* y = x.data();
  for (int k = 0; k < size_; ++k) std::swap(y[k], y[pivot_[k]]);
  for (int k = 0; k < size_; ++k) subtract(y[k], column(k), y, k + 1, size_);
  for (int k = size_ - 1; k >= 0; --k) {
    y[k] /= column(k)[k];
    subtract(y[k], column(k), y, 0, k);
  }
}

}  // namespace thenar::internal
