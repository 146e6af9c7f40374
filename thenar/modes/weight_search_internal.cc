// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/weight_search_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "thenar/modes/motion_form_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// What the barrier −log det S asks of forms F_j, with S = L Lᵀ and F' = L⁻¹ F L⁻ᵀ.
struct BarrierTerms {
  MatrixX<double> products;  ///< F'_i · F'_j
  VectorX<double> mixed;     ///< F'_j · I'
  VectorX<double> traces;    ///< of F'_j
  double square = 0;         ///< I' · I'
  double trace = 0;          ///< of I'
};

BarrierTerms calc_barrier(const FormFactors& factors, const Eigen::LLT<MatrixX<double>>& llt) {
  const MatrixX<double> l = llt.matrixL().solve(factors.left), r = llt.matrixL().solve(factors.right);
  const MatrixX<double> inverse =
      llt.matrixL().solve(MatrixX<double>::Identity(factors.left.rows(), factors.left.rows()));
  const MatrixX<double> ll = l.transpose() * l, rr = r.transpose() * r, lr = l.transpose() * r;
  const MatrixX<double> of_columns = 0.5 * (ll.cwiseProduct(rr) + lr.cwiseProduct(lr.transpose()));
  const MatrixX<double> il = inverse.transpose() * l, ir = inverse.transpose() * r;
  BarrierTerms out;
  out.products.setZero(factors.weight_count, factors.weight_count);
  out.mixed.setZero(factors.weight_count);
  out.traces.setZero(factors.weight_count);
  for (Eigen::Index b = 0; b < factors.left.cols(); ++b) {
    const Eigen::Index j = factors.weight_of[static_cast<std::size_t>(b)];
    out.mixed(j) += il.col(b).dot(ir.col(b));
    out.traces(j) += lr(b, b);
    for (Eigen::Index a = 0; a < factors.left.cols(); ++a) {
      out.products(factors.weight_of[static_cast<std::size_t>(a)], j) += of_columns(a, b);
    }
  }
  out.square = MatrixX<double>(inverse.transpose() * inverse).squaredNorm();
  out.trace = inverse.squaredNorm();
  return out;
}

/// Weights d = Z c for which F = Σ d_j F_j is positive: the least s with
///
///     F(c) + s ≻ 0,   d_j − 0.001 + s > 0,   1 − d_j + s > 0
///
/// by Newton's method on a barrier, until s < 0 or until it is clear that it will not be.
class WeightSearch {
 public:
  WeightSearch(FormFactors factors, const MatrixX<double>& Z)
      : factors_(std::move(factors)), Z_(Z), size_(factors_.left.rows()) {}

  std::optional<VectorX<double>> run() {
    constexpr int kMostSteps = 60;
    constexpr double kEnough = 1e-5;
    if (Z_.cols() == 0) return std::nullopt;
    c_ = Z_.transpose() * VectorX<double>::Constant(Z_.rows(), 0.5);
    s_ = find_start();
    double pull = 1;
    for (int step = 0; step < kMostSteps; ++step) {
      const VectorX<double> d = Z_ * c_;
      const double largest = d.maxCoeff();
      if (d.minCoeff() > 0 && is_positive(add_forms() / largest)) return VectorX<double>(d / largest);
      const double decrement = make_step(pull);
      if (!(decrement >= 0)) return std::nullopt;
      constexpr double kNear = 0.5, kFaster = 4;
      if (decrement > kNear) continue;
      if (s_ > static_cast<double>(size_ + 2 * Z_.rows()) / pull)
        return std::nullopt;  // at least this less is the best
      if (s_ > -kEnough && static_cast<double>(size_ + 2 * Z_.rows()) / pull < kEnough) return std::nullopt;
      pull *= kFaster;
    }
    return std::nullopt;
  }

 private:
  MatrixX<double> add_forms() const { return factors_.add(Z_ * c_); }

  /// An s that leaves room everywhere.
  double find_start() const {
    constexpr double kRoom = 0.5;
    const VectorX<double> d = Z_ * c_;
    const double lowest =
        Eigen::SelfAdjointEigenSolver<MatrixX<double>>(add_forms(), Eigen::EigenvaluesOnly).eigenvalues()(0);
    return kRoom + std::max({0.0, -lowest, kLeastWeight - d.minCoeff(), d.maxCoeff() - 1});
  }

  bool is_inside(const VectorX<double>& c, double s) const {
    const VectorX<double> d = Z_ * c;
    if (!(d.minCoeff() - kLeastWeight + s > 0) || !(1 - d.maxCoeff() + s > 0)) return false;
    MatrixX<double> form = factors_.add(d);
    form.diagonal().array() += s;
    return Eigen::LLT<MatrixX<double>>(form).info() == Eigen::Success;
  }

  /// Newton's step for pull · s + barrier, shortened to stay inside. Returns the decrement, NaN where it fails.
  double make_step(double pull) {
    const Eigen::Index m = c_.size();
    MatrixX<double> form = add_forms();
    form.diagonal().array() += s_;
    const Eigen::LLT<MatrixX<double>> llt(form);
    if (llt.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
    const BarrierTerms terms = calc_barrier(factors_, llt);
    const VectorX<double> d = Z_ * c_;
    const VectorX<double> low = (d.array() - kLeastWeight + s_).inverse(), high = (1 - d.array() + s_).inverse();
    MatrixX<double> Zs(Z_.rows(), m + 1), Zh(Z_.rows(), m + 1);  // gradients of d_j + s and s − d_j
    Zs << Z_, VectorX<double>::Ones(Z_.rows());
    Zh << -Z_, VectorX<double>::Ones(Z_.rows());
    MatrixX<double> hessian(m + 1, m + 1);
    const VectorX<double> mixed = Z_.transpose() * terms.mixed;
    hessian << Z_.transpose() * terms.products * Z_, mixed, mixed.transpose(), terms.square;
    hessian += Zs.transpose() * low.cwiseAbs2().asDiagonal() * Zs + Zh.transpose() * high.cwiseAbs2().asDiagonal() * Zh;
    VectorX<double> gradient = -(Zs.transpose() * low + Zh.transpose() * high);
    gradient.head(m) -= Z_.transpose() * terms.traces;
    gradient(m) -= terms.trace;
    gradient(m) += pull;
    const VectorX<double> step = Eigen::LDLT<MatrixX<double>>(hessian).solve(VectorX<double>(-gradient));
    const double decrement = std::sqrt(std::max(0.0, -gradient.dot(step)));
    if (!step.allFinite()) return std::numeric_limits<double>::quiet_NaN();
    for (double length = decrement > 1 ? 1 / (1 + decrement) * 2 : 1; length > 1e-8; length *= 0.5) {
      const double fraction = std::min(length, 1.0);
      if (!is_inside(c_ + fraction * step.head(m), s_ + fraction * step(m))) continue;
      c_ += fraction * step.head(m);
      s_ += fraction * step(m);
      return decrement;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  static constexpr double kLeastWeight = 1e-3;
  const FormFactors factors_;
  const MatrixX<double> Z_;
  const Eigen::Index size_;
  VectorX<double> c_;
  double s_ = 0;
};

}  // namespace

MatrixX<double> FormFactors::add(const VectorX<double>& d) const {
  const MatrixX<double> half = 0.5 * (left * d(weight_of).asDiagonal()) * right.transpose();
  return half + half.transpose();
}

bool is_positive(const MatrixX<double>& form) {
  if (form.rows() == 0) return true;
  MatrixX<double> shifted = form;
  shifted.diagonal().array() -= kLeastForm;
  return Eigen::LLT<MatrixX<double>>(shifted).info() == Eigen::Success;
}

std::optional<VectorX<double>> find_positive_weights(FormFactors factors, const MatrixX<double>& Z) {
  return WeightSearch(std::move(factors), Z).run();
}

}  // namespace thenar::internal
