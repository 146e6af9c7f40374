// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/least_solver_internal.h"

#include <cmath>
#include <numeric>

namespace thenar::internal {
namespace {

/// Rows that depend on each other to this part are redundant: rounding of J M⁻¹ Jᵀ.
constexpr double kRedundant = 1e-11;
/// And where pivots differ by less than this there is no doubt.
constexpr double kClearlyRegular = 1e-7;

}  // namespace

void LeastSolver::factorize(const MatrixX<double>& A) {
  matrix_ = A;
  const bool is_known = is_clear_ && size_ == A.rows();
  size_ = A.rows();
  has_kernel_ = false;
  if (is_known && factorize_in_order(A)) return;
  find_order(A);
  is_clear_ = factorize_in_order(A);
  if (is_clear_) return;
  orthogonal_.setThreshold(kRedundant);
  orthogonal_.compute(A);
  rank_ = orthogonal_.rank();
}

std::span<const Eigen::Index> LeastSolver::redundant_rows() const {
  return std::span(order_).subspan(static_cast<std::size_t>(rank_));
}

const MatrixX<double>& LeastSolver::kernel() {
  if (has_kernel_) return kernel_;
  has_kernel_ = true;
  kernel_.setZero(size_, size_ - rank_);
  if (is_clear_) {
    for (Eigen::Index i = 0; i < size_; ++i) {
      auto row = kernel_.row(order_[static_cast<std::size_t>(i)]);
      if (i < rank_) {
        row = -W_.row(i);
      } else {
        row(i - rank_) = 1;
      }
    }
    return kernel_;
  }
  // Columns of Zᵀ in A P = Q [T 0; 0 0] Z, then those that are 1 in the last entries of the order.
  const MatrixX<double> Z = orthogonal_.matrixZ();
  const MatrixX<double> basis = orthogonal_.colsPermutation() * Z.transpose().rightCols(size_ - rank_);
  const auto& columns = orthogonal_.colsPermutation().indices();
  for (Eigen::Index i = 0; i < size_; ++i) order_[static_cast<std::size_t>(i)] = columns(i);
  ++order_number_;
  MatrixX<double> ends(size_ - rank_, size_ - rank_);
  for (Eigen::Index i = 0; i < ends.rows(); ++i) ends.row(i) = basis.row(redundant_rows()[static_cast<std::size_t>(i)]);
  kernel_ = basis * inverse_of(ends.partialPivLu());
  return kernel_;
}

/// Elimination with the largest entry of the diagonal as pivot, which for what is symmetric and semidefinite is the
/// largest of all.
void LeastSolver::find_order(const MatrixX<double>& A) {
  ++order_number_;
  order_.resize(static_cast<std::size_t>(size_));
  std::iota(order_.begin(), order_.end(), 0);
  permuted_ = A;
  double largest = 0;
  for (rank_ = 0; rank_ < size_; ++rank_) {
    const Eigen::Index left = size_ - rank_;
    Eigen::Index best = 0;
    const double pivot = permuted_.diagonal().tail(left).cwiseAbs().maxCoeff(&best);
    best += rank_;
    largest = std::max(largest, pivot);
    if (!(pivot > kClearlyRegular * largest)) break;
    std::swap(order_[static_cast<std::size_t>(rank_)], order_[static_cast<std::size_t>(best)]);
    permuted_.row(rank_).swap(permuted_.row(best));
    permuted_.col(rank_).swap(permuted_.col(best));
    permuted_.col(rank_).tail(left - 1) /= permuted_(rank_, rank_);
    permuted_.bottomRightCorner(left - 1, left - 1).noalias() -=
        permuted_.col(rank_).tail(left - 1) * permuted_.row(rank_).tail(left - 1);
  }
}

/// Whether (1) holds clearly.
bool LeastSolver::factorize_in_order(const MatrixX<double>& A) {
  permuted_.resize(size_, size_);
  for (Eigen::Index j = 0; j < size_; ++j) {
    const Eigen::Index column = order_[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < size_; ++i) permuted_(i, j) = A(order_[static_cast<std::size_t>(i)], column);
  }
  const Eigen::Index others = size_ - rank_;
  if (rank_ == 0) return false;
  lu_.compute(permuted_.topLeftCorner(rank_, rank_));
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  const double largest = pivots.maxCoeff();
  if (!(pivots.minCoeff() > kClearlyRegular * largest)) return false;
  if (others == 0) return true;
  W_ = lu_.solve(permuted_.topRightCorner(rank_, others));
  rest_ = permuted_.bottomRightCorner(others, others);
  rest_.noalias() -= permuted_.bottomLeftCorner(others, rank_) * W_;
  if (!(rest_.cwiseAbs().maxCoeff() <= kRedundant * largest)) return false;
  // A_BBᵀ = Uᵀ Lᵀ P, step by step: LU's own solution for the transposed system uses the heap.
  turned_ = permuted_.bottomLeftCorner(others, rank_).transpose();
  lu_.matrixLU().triangularView<Eigen::Upper>().transpose().solveInPlace(turned_);
  lu_.matrixLU().triangularView<Eigen::UnitLower>().transpose().solveInPlace(turned_);
  V_.noalias() = lu_.permutationP().transpose() * turned_;
  for (auto [kernel, gram] : {std::pair(&W_, &W_gram_), std::pair(&V_, &V_gram_)}) {
    rest_.setIdentity(others, others);
    rest_.noalias() += kernel->transpose() * *kernel;
    gram->compute(rest_);
  }
  return true;
}

void LeastSolver::solve_in_place(Eigen::Ref<MatrixX<double>> b) {
  if (!is_clear_) {
    b = orthogonal_.solve(b).eval();
    return;
  }
  const Eigen::Index others = size_ - rank_;
  auto& [basic, redundant, solved] = b.cols() == 1 ? one_ : many_;
  basic.resize(rank_, b.cols());
  redundant.resize(others, b.cols());
  for (Eigen::Index i = 0; i < size_; ++i) {
    const auto row = b.row(order_[static_cast<std::size_t>(i)]);
    if (i < rank_) {
      basic.row(i) = row;
    } else {
      redundant.row(i - rank_) = row;
    }
  }
  if (others > 0) {
    redundant.noalias() -= V_.transpose() * basic;
    V_gram_.solveInPlace(redundant);
    basic.noalias() += V_ * redundant;
  }
  solved = lu_.solve(basic);
  if (others > 0) {
    redundant.noalias() = W_.transpose() * solved;
    W_gram_.solveInPlace(redundant);
    solved.noalias() -= W_ * redundant;
  }
  for (Eigen::Index i = 0; i < size_; ++i) {
    auto row = b.row(order_[static_cast<std::size_t>(i)]);
    if (i < rank_) {
      row = solved.row(i);
    } else {
      row = redundant.row(i - rank_);
    }
  }
}

template <class Archive>
void LeastSolver::archive(Archive& a) {
  a(size_, rank_, is_clear_, has_kernel_, order_number_, order_, matrix_, kernel_);
  if constexpr (Archive::kReads) {
    if (size_ == 0) return;
    const bool fits = rank_ >= 0 && rank_ <= size_ && static_cast<Eigen::Index>(order_.size()) == size_ &&
                      matrix_.rows() == size_ && matrix_.cols() == size_ &&
                      std::all_of(order_.begin(), order_.end(), [&](Eigen::Index i) { return i >= 0 && i < size_; });
    if (!fits) throw StateError("it holds rows that do not fit each other");
    if (is_clear_) {
      factorize_in_order(matrix_);
    } else {
      orthogonal_.setThreshold(kRedundant);
      orthogonal_.compute(matrix_);
    }
  }
}
THENAR_INSTANTIATE_ARCHIVE(LeastSolver);

}  // namespace thenar::internal
