// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/held_factor_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace thenar::internal {

HeldFactor::HeldFactor(int capacity) : L_(capacity, capacity), remainder_(capacity), scratch_(capacity) {
  rows_.reserve(static_cast<std::size_t>(capacity));
}

void HeldFactor::solve_lower(Eigen::Ref<VectorX<double>> x) const {
  for (int i = 0; i < size(); ++i) x[i] = (x[i] - L_.row(i).head(i).dot(x.head(i))) / L_(i, i);
}

void HeldFactor::solve_upper(Eigen::Ref<VectorX<double>> x) const {
  for (int i = size() - 1; i >= 0; --i) {
    x[i] /= L_(i, i);
    x.head(i) -= x[i] * L_.row(i).head(i).transpose();
  }
}

void HeldFactor::append(int k, const Eigen::Ref<const VectorX<double>>& x, double s) {
  const int m = size();
  L_.row(m).head(m) = x.head(m).transpose();
  L_(m, m) = std::sqrt(s);
  rows_.push_back(k);
}

void HeldFactor::remove(int p) {
  const int m = size() - 1;
  rows_.erase(rows_.begin() + p);
  // Rows below p move up and are one entry too long; rotating columns q, q + 1 shortens row q and keeps L Lᵀ.
  for (int i = p; i < m; ++i) L_.row(i).head(i + 2) = L_.row(i + 1).head(i + 2);
  for (int q = p; q < m; ++q) {
    const double r = std::hypot(L_(q, q), L_(q, q + 1));
    const double c = L_(q, q) / r, s = L_(q, q + 1) / r;
    L_(q, q) = r;
    for (int i = q + 1; i < m; ++i) {
      const double left = L_(i, q), right = L_(i, q + 1);
      L_(i, q) = c * left + s * right;
      L_(i, q + 1) = c * right - s * left;
    }
  }
}

void HeldFactor::assign(std::span<const int> rows, const Eigen::Ref<const MatrixX<double>>& A) {
  rows_.assign(rows.begin(), rows.end());
  for (int i = 0; i < size(); ++i) {
    for (int j = 0; j < i; ++j) {
      L_(i, j) = (A(rows_[i], rows_[j]) - L_.row(i).head(j).dot(L_.row(j).head(j))) / L_(j, j);
    }
    // Rounding may eat up the last bits of a pivot of a nearly singular basis.
    const double diagonal = A(rows_[i], rows_[i]);
    const double pivot = diagonal - L_.row(i).head(i).squaredNorm();
    L_(i, i) = std::sqrt(std::max(pivot, std::numeric_limits<double>::epsilon() * diagonal));
  }
}

void HeldFactor::append_independent(std::span<const int> candidates, const Eigen::Ref<const MatrixX<double>>& A,
                                    double epsilon) {
  rows_.assign(candidates.begin(), candidates.end());
  int end = size();  // candidates not yet judged stand in [m, end)
  for (int i = 0; i < end; ++i) remainder_[i] = A(rows_[i], rows_[i]);
  const auto exchange = [&](int i, int j, int m) {
    std::swap(rows_[i], rows_[j]);
    std::swap(remainder_[i], remainder_[j]);
    L_.row(i).head(m).swap(L_.row(j).head(m));
  };
  int m = 0;
  while (m < end) {
    int best = m;
    for (int i = m + 1; i < end; ++i) {
      if (remainder_[i] > remainder_[best]) best = i;
    }
    exchange(best, m, m);
    // y = A_CC⁻¹ A_Ck over the m rows that are in.
    scratch_.head(m) = L_.row(m).head(m).transpose();
    for (int i = m - 1; i >= 0; --i) {
      scratch_[i] /= L_(i, i);
      scratch_.head(i) -= scratch_[i] * L_.row(i).head(i).transpose();
    }
    const double amplification = 1 + scratch_.head(m).lpNorm<1>();
    if (!(remainder_[m] > epsilon * amplification * amplification)) {
      exchange(m, --end, m);
      continue;
    }
    L_(m, m) = std::sqrt(remainder_[m]);
    for (int i = m + 1; i < end; ++i) {
      L_(i, m) = (A(rows_[i], rows_[m]) - L_.row(i).head(m).dot(L_.row(m).head(m))) / L_(m, m);
      remainder_[i] -= L_(i, m) * L_(i, m);
    }
    ++m;
  }
  rows_.resize(static_cast<std::size_t>(m));
}

}  // namespace thenar::internal
