// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/matrix_class.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "thenar/base/numbers.h"
#include "thenar/linear_programs/linear_program.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

using Index = Eigen::Index;

void check_matrix(const char* what, const MatrixX<double>& M) {
  if (M.rows() != M.cols()) throw std::invalid_argument(std::string(what) + ": the matrix is not square");
  if (!M.allFinite()) throw std::invalid_argument(std::string(what) + ": the matrix is not finite");
}

/// 1/√size to the next power of two.
double find_root_scale(double size) { return std::exp2(-std::round(std::log2(size) / 2)); }

/// Powers of two that bring the diagonal of S to about 1; rows without one go by their largest entry.
VectorX<double> find_units(const MatrixX<double>& S) {
  VectorX<double> units = VectorX<double>::Ones(S.rows());
  for (Index i = 0; i < S.rows(); ++i) {
    if (S(i, i) != 0) units(i) = find_root_scale(std::abs(S(i, i)));
  }
  for (Index i = 0; i < S.rows(); ++i) {
    const double largest = S(i, i) == 0 ? S.row(i).cwiseAbs().cwiseProduct(units.transpose()).maxCoeff() : 0;
    if (largest > 0) units(i) = 1 / std::exp2(std::round(std::log2(largest)));
  }
  return units;
}

/// The symmetric part of M in these units.
struct ScaledForm {
  explicit ScaledForm(const MatrixX<double>& M) {
    const MatrixX<double> symmetric = M / 2 + M.transpose() / 2;
    units = find_units(symmetric);
    S = units.asDiagonal() * symmetric * units.asDiagonal();
    size = M.size() > 0 ? (units.asDiagonal() * M * units.asDiagonal()).cwiseAbs().maxCoeff() : 0;
  }

  VectorX<double> units;
  MatrixX<double> S;
  double size = 0;  ///< largest entry of M
};

DefiniteProof make_definite_proof(const ScaledForm& form, double least) {
  const Index n = form.S.rows();
  const double shift = least / 2;
  const MatrixX<double> shifted = form.S - shift * MatrixX<double>::Identity(n, n);
  const VectorX<double> inverse = form.units.cwiseInverse();
  return {inverse.asDiagonal() * MatrixX<double>(shifted.llt().matrixL()), shift * inverse.cwiseAbs2()};
}

}  // namespace

const char* to_string(Answer answer) {
  return answer == Answer::no ? "no" : answer == Answer::yes ? "yes" : "undecided";
}

DefiniteTest test_definite(const MatrixX<double>& M) {
  check_matrix("test_definite", M);
  if (M.rows() == 0) return {{Answer::yes, true, {}}, {Answer::yes, true, {}}, {}};
  const ScaledForm form(M);
  const Eigen::SelfAdjointEigenSolver<MatrixX<double>> solver(form.S);
  const double least = solver.eigenvalues()(0);
  // Backward error of the eigenvalues, and of M itself.
  const double error =
      8 * static_cast<double>(M.rows()) * kEpsilon * std::max(solver.eigenvalues().cwiseAbs().maxCoeff(), form.size);
  const VectorX<double> witness = form.units.cwiseProduct(solver.eigenvectors().col(0));
  DefiniteTest out;
  const bool is_sure = std::abs(least) > error;
  out.definite = {is_sure && least > 0 ? Answer::yes : Answer::no, is_sure, {}};
  out.semidefinite = {is_sure && least < 0 ? Answer::no : Answer::yes, is_sure, {}};
  if (out.definite.answer == Answer::no) out.definite.witness = witness;
  if (out.semidefinite.answer == Answer::no) out.semidefinite.witness = witness;
  if (out.definite.answer == Answer::yes) out.proof = make_definite_proof(form, least);
  return out;
}

namespace {

/// d with M d = |diagonal|, if it proves that M is an M-matrix.
bool find_semipositive(const MatrixX<double>& M, VectorX<double>& d) {
  const VectorX<double> diagonal = M.diagonal().cwiseAbs();
  const Eigen::PartialPivLU<MatrixX<double>> lu(MatrixX<double>(diagonal.cwiseInverse().asDiagonal() * M));
  d = solve(lu, VectorX<double>(VectorX<double>::Ones(M.rows())));
  if (!d.allFinite() || !(d.array() > 0).all()) return false;
  const VectorX<double> product = M * d, sizes = M.cwiseAbs() * d;
  return (product.array() > 2 * static_cast<double>(M.rows()) * kEpsilon * sizes.array()).all();
}

/// Minimizes t over y ≥ 0, Σ y = 1, Mᵀy ≤ t, with rows over their diagonal: its least value is the largest min (M d)ᵢ.
ClassAnswer find_seminegative(const MatrixX<double>& M) {
  const Index n = M.rows();
  const VectorX<double> inverse = M.diagonal().cwiseAbs().cwiseInverse();
  const MatrixX<double> scaled = inverse.asDiagonal() * M;
  MatrixX<double> A(n + 1, n + 1);
  A.topLeftCorner(n, n) = scaled.transpose();
  A.topRightCorner(n, 1).setConstant(-1);
  A.bottomLeftCorner(1, n).setOnes();
  A(n, n) = 0;
  LinearProgram program(A);
  for (int j = 0; j < n; ++j) program.bound_row(j, -LinearProgram::kInfinity, 0);
  program.bound_row(static_cast<int>(n), 1, 1);
  for (int i = 0; i < n; ++i) program.bound_column(i, 0, LinearProgram::kInfinity);
  program.set_cost(static_cast<int>(n), 1);
  if (program.solve() != LpStatus::optimal) return {};
  const double error = 64 * static_cast<double>(n) * kEpsilon * scaled.cwiseAbs().maxCoeff();
  if (program.objective() > error) return {};
  const VectorX<double> y = program.x().head(n).cwiseMax(0).cwiseProduct(inverse);
  return {Answer::no, program.objective() < -error, y};
}

}  // namespace

MMatrixTest test_m_matrix(const MatrixX<double>& M) {
  check_matrix("test_m_matrix", M);
  MMatrixTest out;
  double largest = 0;
  for (int i = 0; i < M.rows(); ++i) {
    for (int j = 0; j < M.cols(); ++j) {
      if (i == j || !(M(i, j) > largest)) continue;
      largest = M(i, j);
      out.row = i;
      out.column = j;
    }
  }
  out.is_Z = {largest > 0 ? Answer::no : Answer::yes, true, {}};
  out.is_M = out.is_Z;
  if (largest > 0 || M.rows() == 0) return out;
  Index worst = 0;
  const double least = M.diagonal().minCoeff(&worst);
  VectorX<double> d;
  if (least <= 0) {  // the whole row is
    out.is_M = {Answer::no, least < 0, VectorX<double>::Unit(M.rows(), worst)};
  } else if (find_semipositive(M, d)) {
    out.is_M.witness = d;
  } else {
    out.is_M = find_seminegative(M);
  }
  return out;
}

namespace {

/// The least xᵀSx on the simplex x ≥ 0, Σ x = 1, by faces. On the face of the rows f₀ … f_k let x = e₀ + Σ tₐ (eₐ −
/// e₀):
///
///     xᵀSx = S₀₀ + 2 hᵀt + tᵀG t,   hₐ = Sₐ₀ − S₀₀,   Gₐᵦ = Sₐᵦ − Sₐ₀ − S₀ᵦ + S₀₀.                           (1)
///
/// If G = L Lᵀ is positive definite, the least value is S₀₀ − |u|² with L u = −h, at t with Lᵀt = u; it counts if x ≥
/// 0. If G is not, xᵀSx falls or stays constant along some line in the face, and in every face that contains it, up to
/// the border of that: faces without such lines suffice.
class FaceSearch {
 public:
  FaceSearch(const MatrixX<double>& S, double margin, long long most_faces)
      : S_(S), margin_(margin), most_faces_(most_faces), L_(S.rows(), S.rows()), u_(S.rows()) {}

  void run() {
    for (int i = 0; i < S_.rows() && !is_over(); ++i) {
      face_ = {i};
      visit();
    }
  }

  double least = std::numeric_limits<double>::infinity();
  VectorX<double> minimizer;
  VectorX<double> off_kernel;  ///< x with xᵀSx = 0 within the margin and S x ≠ 0; empty if none
  long long faces = 0;
  bool is_complete = true;

 private:
  bool is_over() const { return least < -margin_ || !is_complete; }

  void visit() {
    if (++faces > most_faces_) is_complete = false;
    if (is_over()) return;
    const Index k = static_cast<Index>(face_.size()) - 1;
    const double value = S_(face_[0], face_[0]) - u_.head(k).squaredNorm();
    if (value < least || value <= margin_) look_at_minimizer(value);
    for (int next = face_.back() + 1; next < S_.rows() && !is_over(); ++next) {
      if (!append(next)) continue;
      visit();
      face_.pop_back();
    }
  }

  /// A further row of (1) and its factor; false if G would not be definite.
  bool append(int next) {
    const Index k = static_cast<Index>(face_.size()) - 1;
    const int first = face_[0];
    double rest = S_(next, next) - 2 * S_(next, first) + S_(first, first);
    const double size = std::abs(S_(next, next)) + 2 * std::abs(S_(next, first)) + std::abs(S_(first, first));
    double sum = S_(first, first) - S_(next, first);
    for (Index a = 0; a < k; ++a) {
      const int row = face_[static_cast<std::size_t>(a + 1)];
      double entry = S_(next, row) - S_(next, first) - S_(first, row) + S_(first, first);
      entry -= L_.row(a).head(a).dot(L_.row(k).head(a));
      L_(k, a) = entry / L_(a, a);
      rest -= L_(k, a) * L_(k, a);
      sum -= L_(k, a) * u_(a);
    }
    if (!(rest > kDefinite * size)) return false;
    L_(k, k) = std::sqrt(rest);
    u_(k) = sum / L_(k, k);
    face_.push_back(next);
    return true;
  }

  void look_at_minimizer(double value) {
    const Index k = static_cast<Index>(face_.size()) - 1;
    VectorX<double> t = u_.head(k);
    L_.topLeftCorner(k, k).transpose().triangularView<Eigen::Upper>().solveInPlace(t);
    const double first = 1 - t.sum(), rounding = kDefinite * (1 + t.lpNorm<1>());
    if (first < -rounding || (k > 0 && t.minCoeff() < -rounding)) return;
    VectorX<double> x = VectorX<double>::Zero(S_.rows());
    x(face_[0]) = std::max(first, 0.0);
    for (Index a = 0; a < k; ++a) x(face_[static_cast<std::size_t>(a + 1)]) = std::max(t(a), 0.0);
    if (value <= margin_ && off_kernel.size() == 0 &&
        (S_ * x).cwiseAbs().maxCoeff() > kKernel * S_.cwiseAbs().maxCoeff()) {
      off_kernel = x;
    }
    if (value >= least) return;
    least = value;
    minimizer = std::move(x);
  }

  /// Parts of the numbers that pivots are differences of.
  static constexpr double kDefinite = 1e-13;
  /// What S x of a kernel vector may be: the vector has the square root of the margin's error.
  static constexpr double kKernel = 1e-6;

  const MatrixX<double>& S_;
  double margin_;
  long long most_faces_;
  std::vector<int> face_;
  MatrixX<double> L_;
  VectorX<double> u_;
};

}  // namespace

CopositiveTest test_copositive(const MatrixX<double>& M, long long most_faces) {
  check_matrix("test_copositive", M);
  CopositiveTest out;
  if (M.rows() == 0) {
    out.copositive = out.strictly = out.plus = {Answer::yes, true, {}};
    return out;
  }
  const ScaledForm form(M);
  const double margin = 64 * static_cast<double>(M.rows()) * kEpsilon * form.size;
  FaceSearch search(form.S, margin, most_faces);
  search.run();
  out.least = search.least;
  out.faces = search.faces;
  const auto unscale = [&](const VectorX<double>& x) { return VectorX<double>(form.units.cwiseProduct(x)); };
  if (search.least < -margin) {
    out.copositive = out.strictly = out.plus = {Answer::no, true, unscale(search.minimizer)};
  } else if (!search.is_complete) {
    if (search.least <= margin) out.strictly = {Answer::no, false, unscale(search.minimizer)};
    if (search.off_kernel.size() > 0) out.plus = {Answer::no, false, unscale(search.off_kernel)};
  } else if (search.least > margin) {
    out.copositive = out.strictly = out.plus = {Answer::yes, true, {}};
  } else {
    out.copositive = {Answer::yes, (form.S.array() >= 0).all(), {}};
    out.strictly = {Answer::no, false, unscale(search.minimizer)};
    out.plus = {Answer::yes, false, {}};
    if (search.off_kernel.size() > 0) out.plus = {Answer::no, false, unscale(search.off_kernel)};
  }
  return out;
}

namespace {

/// A principal pivotal transform: with rows α of w = M x solved for x, (x_α, w_β) = T (w_α, x_β). Products xᵢ wᵢ are
/// the same, and so is column sufficiency.
class PivotalTransform {
 public:
  PivotalTransform(const MatrixX<double>& M, unsigned set) : n_(M.rows()), set_(set) {
    // With u = (w_α, x_β) the old unknowns are x = V u, where V has rows of T for α and of the unit matrix for β.
    MatrixX<double> exchange = MatrixX<double>::Identity(n_, n_);  // u = exchange x
    for (Index i = 0; i < n_; ++i) {
      if (has(i)) exchange.row(i) = M.row(i);
    }
    const Eigen::PartialPivLU<MatrixX<double>> lu(exchange);
    is_regular = lu.rcond() > 1e-13;
    if (!is_regular) return;
    const MatrixX<double> V = inverse_of(lu);
    T = M * V;  // w = M V u
    // Rounding moves entries of `exchange`, which are at most about 1, by dense errors, δV = −V δ V.
    VectorX<double> row_sizes = (M.cwiseAbs() * V.cwiseAbs()).rowwise().sum();
    for (Index i = 0; i < n_; ++i) {
      if (!has(i)) continue;
      T.row(i) = V.row(i);
      row_sizes(i) = V.row(i).lpNorm<1>();
    }
    const double rounding = set == 0 ? 0 : 16 * static_cast<double>(n_) * kEpsilon;
    errors = rounding * row_sizes * V.colwise().lpNorm<1>();
  }

  bool is_regular = false;
  MatrixX<double> T, errors;

  /// 0 if rounding decides.
  int sign(Index i, Index j) const { return T(i, j) > errors(i, j) ? 1 : T(i, j) < -errors(i, j) ? -1 : 0; }

  /// x of u.
  VectorX<double> restore(const VectorX<double>& u) const {
    const VectorX<double> v = T * u;
    VectorX<double> x = u;
    for (Index i = 0; i < n_; ++i) {
      if (has(i)) x(i) = v(i);
    }
    return x;
  }

 private:
  bool has(Index i) const { return (set_ >> i) & 1; }

  Index n_;
  unsigned set_;
};

/// Whether x ∘ M x ≤ 0, ≠ 0, by a margin in which rounding of x has room.
bool is_reversed(const MatrixX<double>& M, const VectorX<double>& x) {
  constexpr double kZero = 1e-10;
  const VectorX<double> product = M * x, sizes = M.cwiseAbs() * x.cwiseAbs();
  bool has_negative = false;
  for (Index i = 0; i < M.rows(); ++i) {
    const double part = x(i) > 0 ? product(i) : x(i) < 0 ? -product(i) : 0;
    if (part > kZero * sizes(i)) return false;
    has_negative = has_negative || part < -100 * kZero * sizes(i);
  }
  return has_negative;
}

/// Looks for u with u ∘ T u ≤ 0, ≠ 0 in blocks of order one and two. Blocks with a negative determinant and a positive
/// diagonal entry need no look: that entry's exchange makes a negative diagonal entry. `answer.is_sure` becomes false
/// where it would depend on a zero.
void look_at_blocks(const PivotalTransform& transform, ClassAnswer& answer, VectorX<double>& u) {
  const Index n = transform.T.rows();
  const auto refute = [&](bool is_sure) { answer = {Answer::no, is_sure, {}}; };
  for (Index j = 0; j < n; ++j) {
    const int diagonal = transform.sign(j, j);
    if (diagonal > 0) continue;
    u = VectorX<double>::Unit(n, j);
    if (diagonal < 0) return refute(true);
    answer.is_sure = false;
    for (Index i = 0; i < n; ++i) {
      const int above = transform.sign(i, j), across = transform.sign(j, i);
      if (i == j || above == 0) continue;
      if (transform.sign(i, i) == 0 && above * across > 0) {  // 0 b; c 0 with b c > 0
        u(i) = -above;
        return refute(true);
      }
      if (across != 0) continue;
      // a b; 0 0 with b ≠ 0: u = (1, v) with a + b v = −max(a, |b|).
      const double a = std::max(transform.T(i, i), 0.0), b = transform.T(i, j);
      u(j) = -(a + std::max(a, std::abs(b))) / b;
      u(i) = 1;
      return refute(false);
    }
  }
}

/// Powers of two that bring the largest entries of rows, then columns, to about 1; M ← R M C.
VectorX<double> equilibrate(MatrixX<double>& M) {
  const auto find_scale = [](double size) { return size > 0 ? std::exp2(-std::round(std::log2(size))) : 1.0; };
  VectorX<double> columns(M.cols());
  for (Index i = 0; i < M.rows(); ++i) M.row(i) *= find_scale(M.row(i).lpNorm<Eigen::Infinity>());
  for (Index j = 0; j < M.cols(); ++j) {
    columns(j) = find_scale(M.col(j).lpNorm<Eigen::Infinity>());
    M.col(j) *= columns(j);
  }
  return columns;
}

}  // namespace

ClassAnswer test_column_sufficient(const MatrixX<double>& M) {
  check_matrix("test_column_sufficient", M);
  const Index n = M.rows();
  if (n > kMostSufficientRows) {
    const ClassAnswer semidefinite = test_definite(M).semidefinite;
    return semidefinite.answer == Answer::yes ? semidefinite : ClassAnswer{};
  }
  MatrixX<double> scaled = M;
  const VectorX<double> columns = equilibrate(scaled);
  ClassAnswer out{Answer::yes, true, {}};
  ClassAnswer refuted;
  for (unsigned set = 0; set < (1u << n); ++set) {
    const PivotalTransform transform(scaled, set);
    if (!transform.is_regular) {
      out.is_sure = false;
      continue;
    }
    VectorX<double> u;
    ClassAnswer here = out;
    look_at_blocks(transform, here, u);
    out.is_sure = out.is_sure && here.answer == Answer::yes && here.is_sure;
    if (here.answer == Answer::yes) continue;
    const VectorX<double> x = transform.restore(u);
    if (!is_reversed(scaled, x)) continue;  // the error bounds are of first order
    here.witness = columns.cwiseProduct(x);
    if (here.is_sure) return here;
    if (refuted.answer != Answer::no) refuted = here;
  }
  return refuted.answer == Answer::no ? refuted : out;
}

ClassAnswer test_row_sufficient(const MatrixX<double>& M) { return test_column_sufficient(M.transpose()); }

namespace {

/// Bounds on the work of classify(), some tenths of a second each.
constexpr int kMostPRows = 20;
constexpr long long kMostFaces = 1 << 18;

ClassAnswer find_P(const MatrixX<double>& M, const MatrixClass& known) {
  if (known.definite.definite.answer == Answer::yes) return {Answer::yes, known.definite.definite.is_sure, {}};
  if (known.m_matrix.is_M.answer == Answer::yes) return {Answer::yes, known.m_matrix.is_M.is_sure, {}};
  if (M.rows() > kMostPRows) return {};
  const PMatrixTest test = test_p_matrix(M);
  return {test.is_P ? Answer::yes : Answer::no, test.is_sure, test.reversed};
}

CopositiveTest find_copositive(const MatrixX<double>& M, const DefiniteTest& definite) {
  CopositiveTest out;
  if (definite.definite.answer == Answer::yes) {
    out.copositive = out.strictly = out.plus = definite.definite;
    return out;
  }
  out = test_copositive(M, kMostFaces);
  if (definite.semidefinite.answer == Answer::yes) out.copositive = out.plus = definite.semidefinite;
  return out;
}

ClassAnswer find_sufficient(const MatrixX<double>& M, const MatrixClass& known) {
  if (known.is_P.answer == Answer::yes) return known.is_P;
  if (known.definite.semidefinite.answer == Answer::yes) return known.definite.semidefinite;
  return test_column_sufficient(M);
}

Answer find_any(Answer a, Answer b) { return a == Answer::yes || b == Answer::yes ? Answer::yes : Answer::undecided; }

}  // namespace

MatrixClass classify(const MatrixX<double>& M) {
  check_matrix("classify", M);
  MatrixClass out;
  out.is_symmetric = M == M.transpose();
  out.definite = test_definite(M);
  out.m_matrix = test_m_matrix(M);
  out.is_P = find_P(M, out);
  out.copositive = find_copositive(M, out.definite);
  out.column_sufficient = find_sufficient(M, out);
  out.row_sufficient = find_sufficient(M.transpose(), out);

  out.has_unique_solutions = out.is_P.answer;
  out.has_convex_solutions = out.column_sufficient.answer;
  out.is_always_solvable = find_any(out.is_P.answer, out.copositive.strictly.answer);
  out.has_telling_rays = find_any(out.copositive.plus.answer, out.row_sufficient.answer);
  return out;
}

}  // namespace thenar
