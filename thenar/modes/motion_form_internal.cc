// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/motion_form_internal.h"

#include <array>
#include <cmath>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// Forces and motions that are zero, scaled.
constexpr double kZeroOfForm = 1e-9;
/// Equations that depend on each other.
constexpr double kRankOfForm = 1e-9;
/// Eigenvalues of A that are zero.
constexpr double kStillOfForm = 1e-12;

bool is_bilateral(const ConstraintRow& row) {
  return row.kind == RowKind::bilateral || (row.kind == RowKind::boxed && std::isinf(row.limit));
}

/// Homogeneous equations for (Δz, τ): those for z times τ.
class Equations {
 public:
  Equations(const ScaledProblem& scaled, const VectorX<double>& z, const VectorX<double>& w)
      : scaled_(scaled), z_(z), w_(w) {}

  /// z = c zₙ; without a row n, z = c.
  void fix_force(int row, double c = 0, int normal = -1) {
    VectorX<double> equation = VectorX<double>::Zero(z_.size() + 1);
    equation(row) = 1;
    if (normal >= 0) equation(normal) = -c;
    equation(z_.size()) = z_(row) - c * (normal >= 0 ? z_(normal) : 1);
    add(equation);
  }
  /// direction · z_t = c zₙ; without a row n, = c.
  void fix_force_along(const std::vector<int>& rows, const VectorX<double>& direction, double c = 0, int normal = -1) {
    VectorX<double> equation = VectorX<double>::Zero(z_.size() + 1);
    for (std::size_t k = 0; k < rows.size(); ++k) equation(rows[k]) = direction(static_cast<Eigen::Index>(k));
    if (normal >= 0) equation(normal) = -c;
    equation(z_.size()) = equation.head(z_.size()).dot(z_) - (normal >= 0 ? 0 : c);
    add(equation);
  }
  /// The same for the differences alone.
  void fix_force_difference(int row, double c = 0, int normal = -1) {
    VectorX<double> equation = VectorX<double>::Zero(z_.size() + 1);
    equation(row) = 1;
    if (normal >= 0) equation(normal) = -c;
    add(equation);
  }
  void fix_motion_difference(int row) {
    VectorX<double> equation(z_.size() + 1);
    equation << scaled_.A.row(row).transpose(), 0;
    add(equation);
  }
  void fix_motion(int row) { fix_motion_along({row}, VectorX<double>::Ones(1)); }
  /// direction · w_t = 0.
  void fix_motion_along(const std::vector<int>& rows, const VectorX<double>& direction) {
    VectorX<double> equation = VectorX<double>::Zero(z_.size() + 1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double factor = direction(static_cast<Eigen::Index>(k));
      equation.head(z_.size()) += factor * scaled_.A.row(rows[k]).transpose();
      equation(z_.size()) += factor * w_(rows[k]);
    }
    add(equation);
  }
  void add(const VectorX<double>& equation) {
    const double size = equation.lpNorm<Eigen::Infinity>();
    if (size > kZeroOfForm) rows_.push_back(equation / size);
  }

  /// Orthonormal columns that span the Δz of all solutions.
  MatrixX<double> solve() const {
    const Eigen::Index n = z_.size(), count = static_cast<Eigen::Index>(rows_.size());
    if (count == 0) return MatrixX<double>::Identity(n, n);
    MatrixX<double> transposed(n + 1, count);
    for (Eigen::Index i = 0; i < count; ++i) transposed.col(i) = rows_[static_cast<std::size_t>(i)];
    Eigen::ColPivHouseholderQR<MatrixX<double>> qr(transposed);
    qr.setThreshold(kRankOfForm);
    const Eigen::Index free = n + 1 - qr.rank();
    const MatrixX<double> kernel = first_columns(qr.householderQ(), n + 1).rightCols(free);
    const Eigen::ColPivHouseholderQR<MatrixX<double>> span(MatrixX<double>(kernel.topRows(n)));
    return first_columns(span.householderQ(), (span.matrixQR().diagonal().array().abs() > kRankOfForm).count());
  }

 private:
  const ScaledProblem& scaled_;
  const VectorX<double>&z_, &w_;
  std::vector<VectorX<double>> rows_;
};

/// Orthonormal columns that span all d with `equations` d = 0.
MatrixX<double> find_balanced(const MatrixX<double>& equations) {
  const Eigen::Index count = equations.cols();
  if (equations.rows() == 0) return MatrixX<double>::Identity(count, count);
  constexpr double kBalanced = 1e-12;
  const SingularValues svd = find_singular_values(equations);
  return svd.V.rightCols(count - (svd.values.array() > kBalanced).count());
}

}  // namespace

MotionForm::MotionForm(const ConstraintProblem& problem, const ScaledProblem& scaled, const VectorX<double>& z)
    : problem_(problem),
      scaled_(scaled),
      z_(z.cwiseQuotient(scaled.force_unit)),
      w_(scaled.A * z_ + scaled.b),
      P_(MatrixX<double>::Identity(z.size(), z.size())) {
  find_sections();
  for (const Section& section : sections_) {
    if (section.normal < 0) continue;
    const VectorX<double> e = find_direction(section);
    for (std::size_t k = 0; k < section.rows.size(); ++k) {
      P_(section.rows[k], section.normal) = e(static_cast<Eigen::Index>(k));
    }
  }
}

void MotionForm::find_sections() {
  for (int i = 0; i < problem_.size(); ++i) {
    const ConstraintRow& row = problem_.row(i);
    if (row.kind == RowKind::unilateral || row.kind == RowKind::normal) sections_.push_back({{i}, -1});
    if (row.kind == RowKind::boxed && !is_bilateral(row) && row.limit > 0) sections_.push_back({{i}, -1});
    if (row.kind != RowKind::normal || problem_.is_sliding_contact(i)) continue;
    const int count = problem_.tangent_count(i);
    const int together = row.faces == 0 ? count : row.faces == kBoxFaces ? 1 : 2;
    Section section{{}, i};
    for (int k = 1; k <= count; ++k) {
      if (problem_.row(i + k).limit > 0) section.rows.push_back(i + k);
      if (k < together && k < count) continue;
      if (!section.rows.empty()) sections_.push_back(section);
      section.rows.clear();
    }
  }
}

VectorX<double> MotionForm::find_direction(const Section& section) const {
  const VectorX<double> force = z_(section.rows), slip = w_(section.rows);
  const double zero = kZeroOfForm * (1 + z_.lpNorm<Eigen::Infinity>());
  if (z_(section.normal) > zero) return -force / z_(section.normal);
  if (slip.lpNorm<Eigen::Infinity>() > zero) return find_widest(section);
  return VectorX<double>::Zero(force.size());
}

/// −s for the s ∈ C that takes most power from the slip; the middle of them, if there are several.
VectorX<double> MotionForm::find_widest(const Section& section) const {
  const VectorX<double> slip = w_(section.rows);
  const int normal = section.normal, faces = problem_.row(normal).faces;
  VectorX<double> mu(slip.size());
  for (Eigen::Index k = 0; k < mu.size(); ++k) {
    const int row = section.rows[static_cast<std::size_t>(k)];
    mu(k) = problem_.row(row).limit * scaled_.force_unit(normal) / scaled_.force_unit(row);
  }
  const VectorX<double> stretched = mu.cwiseProduct(slip);
  if (faces < 3 || slip.size() < 2) return mu.cwiseProduct(stretched.normalized());
  double most = 0;
  VectorX<double> sum = VectorX<double>::Zero(2);
  int count = 0;
  for (int j = 0; j < faces; ++j) {
    const VectorX<double> corner = calc_regular_corner(j, faces);
    const double power = -corner.dot(stretched);
    if (power > most + kZeroOfForm * stretched.norm()) {
      most = power;
      sum.setZero();
      count = 0;
    }
    if (power < most - kZeroOfForm * stretched.norm()) continue;
    sum -= mu.cwiseProduct(corner);
    ++count;
  }
  return sum / count;
}

MatrixX<double> MotionForm::find_differences() const { return find_differences({}, {}); }

MatrixX<double> MotionForm::find_differences(const ModeParts& parts, const ModeChoice& choice) const {
  Equations out(scaled_, z_, w_);
  for (int i = 0; i < problem_.size(); ++i) {
    const ConstraintRow& row = problem_.row(i);
    const bool is_friction = row.kind == RowKind::tangent || (row.kind == RowKind::boxed && !is_bilateral(row));
    if (is_bilateral(row)) out.fix_motion(i);
    if (is_friction && row.limit == 0) out.fix_force(i);
    if (row.kind != RowKind::normal || !problem_.is_sliding_contact(i)) continue;
    for (int k = i + 1; k <= i + problem_.tangent_count(i); ++k) {
      out.fix_force(k, problem_.row(k).limit * scaled_.force_unit(i) / scaled_.force_unit(k), i);
    }
  }
  for (std::size_t p = 0; p < choice.normals.size(); ++p) {
    if (choice.normals[p] == NormalChoice::open) out.fix_force(parts.normals[p].row);
    if (choice.normals[p] == NormalChoice::held) out.fix_motion(parts.normals[p].row);
  }
  for (std::size_t p = 0; p < choice.frictions.size(); ++p) {
    const FrictionPart& part = parts.frictions[p];
    const FrictionChoice& slip = choice.frictions[p];
    const int normal = part.normal < 0 ? -1 : parts.normals[static_cast<std::size_t>(part.normal)].row;
    const bool is_open =
        part.normal >= 0 && choice.normals[static_cast<std::size_t>(part.normal)] == NormalChoice::open;
    const double unit = (normal < 0 ? 1 : scaled_.force_unit(normal)) / scaled_.force_unit(part.rows[0]);
    if (part.is_interval()) {
      if (is_open) {
        out.fix_force_along(part.rows, part.force_axis);
      } else if (slip.kind == FrictionChoice::Kind::stick) {
        out.fix_motion_along(part.rows, part.motion_axis);
      } else if (slip.kind == FrictionChoice::Kind::slip) {
        out.fix_force_along(part.rows, part.force_axis, (slip.first % 2 == 0 ? -1 : 1) * part.limit * unit, normal);
      }
    } else if (is_open) {
      for (const int row : part.rows) out.fix_force(row);
    } else if (slip.kind == FrictionChoice::Kind::stick) {
      for (const int row : part.rows) out.fix_motion(row);
    } else if (slip.kind == FrictionChoice::Kind::slip && slip.count == 1 && !part.is_smooth) {
      const int place = slip.first % part.place_count();
      const Eigen::Vector2d corner = part.corners.col(place / 2) * unit, ray = part.rays.col(place / 2);
      if (place % 2 == 0) {
        for (std::size_t k = 0; k < 2; ++k) out.fix_force(part.rows[k], corner(static_cast<Eigen::Index>(k)), normal);
      } else {
        out.fix_motion_along(part.rows, Eigen::Vector2d(-ray.y(), ray.x()));
        out.fix_force_along(part.rows, ray, ray.dot(corner), normal);
      }
    }
  }
  return out.solve();
}

MatrixX<double> MotionForm::find_free_forces() const {
  Equations out(scaled_, z_, w_);
  const double zero = kZeroOfForm * (1 + z_.lpNorm<Eigen::Infinity>());
  for (int i = 0; i < problem_.size(); ++i) {
    out.fix_motion_difference(i);
    const ConstraintRow& row = problem_.row(i);
    const bool is_friction = row.kind == RowKind::tangent || (row.kind == RowKind::boxed && !is_bilateral(row));
    if (is_friction && row.limit == 0) out.fix_force_difference(i);
    if (row.kind != RowKind::normal || !problem_.is_sliding_contact(i)) continue;
    for (int k = i + 1; k <= i + problem_.tangent_count(i); ++k) {
      out.fix_force_difference(k, problem_.row(k).limit * scaled_.force_unit(i) / scaled_.force_unit(k), i);
    }
  }
  for (const Section& section : sections_) {
    const VectorX<double> slip = w_(section.rows);
    if (slip.lpNorm<Eigen::Infinity>() <= zero) continue;
    for (const int k : section.rows) {
      out.fix_force_difference(k, section.normal < 0 ? 0 : -P_(k, section.normal), section.normal);
    }
  }
  const MatrixX<double> span = scaled_.force_unit.asDiagonal() * out.solve();
  if (span.cols() == 0) return span;
  return first_columns(Eigen::HouseholderQR<MatrixX<double>>(span).householderQ(), span.cols());
}

/// F for each weight: of a section, of all its rows.
FormFactors MotionForm::make_factors(const MatrixX<double>& V, const MatrixX<double>& AV) const {
  FormFactors out;
  out.weight_count = static_cast<Eigen::Index>(sections_.size());
  for (std::size_t j = 0; j < sections_.size(); ++j) {
    out.weight_of.insert(out.weight_of.end(), sections_[j].rows.size(), static_cast<Eigen::Index>(j));
  }
  out.left.resize(V.cols(), static_cast<Eigen::Index>(out.weight_of.size()));
  out.right.resizeLike(out.left);
  Eigen::Index column = 0;
  for (const Section& section : sections_) {
    for (const int row : section.rows) {
      out.left.col(column) = V.row(row);
      if (section.normal >= 0) out.left.col(column) += P_(row, section.normal) * V.row(section.normal);
      out.right.col(column++) = AV.row(row);
    }
  }
  return out;
}

std::optional<VectorX<double>> MotionForm::find_few_weights(const MatrixX<double>& V) const {
  const MatrixX<double> AV = scaled_.A * V;
  VectorX<double> is_normal(static_cast<Eigen::Index>(sections_.size()));
  for (std::size_t j = 0; j < sections_.size(); ++j) is_normal(static_cast<Eigen::Index>(j)) = sections_[j].normal < 0;
  const FormFactors factors = make_factors(V, AV);
  const MatrixX<double> normal = factors.add(is_normal);
  const MatrixX<double> friction = factors.add(VectorX<double>::Ones(is_normal.size()) - is_normal);
  for (const double ratio : {1.0, 0.7, 1.4, 0.5, 2.0, 0.35, 2.8}) {
    const double largest = std::max(ratio, 1.0);
    if (!is_positive((normal + ratio * friction) / largest)) continue;
    VectorX<double> d(static_cast<Eigen::Index>(sections_.size()));
    for (std::size_t j = 0; j < sections_.size(); ++j) {
      d(static_cast<Eigen::Index>(j)) = (sections_[j].normal < 0 ? 1 : ratio) / largest;
    }
    return d;
  }
  return std::nullopt;
}

std::optional<VectorX<double>> MotionForm::find_weights(const MatrixX<double>& V, Effort effort) const {
  const auto count = static_cast<Eigen::Index>(sections_.size());
  const MatrixX<double> AV = scaled_.A * V;
  if (V.cols() == 0 || AV.lpNorm<Eigen::Infinity>() <= kRankOfForm) return VectorX<double>::Ones(count);
  if (count == 0) return std::nullopt;
  if (auto few = find_few_weights(V)) return few;
  if (effort == Effort::few) return std::nullopt;
  // Where A Δz = 0 nothing moves: F has to vanish there, and be positive at right angles to it.
  const Eigen::SelfAdjointEigenSolver<MatrixX<double>> eigen(MatrixX<double>(V.transpose() * AV));
  const Eigen::Index still = (eigen.eigenvalues().array() <= kStillOfForm).count();
  const MatrixX<double> still_part = eigen.eigenvectors().leftCols(still),
                        moving_part = eigen.eigenvectors().rightCols(V.cols() - still);
  if (moving_part.cols() == 0) return std::nullopt;  // it moves, but too little to tell how
  FormFactors factors = make_factors(V, AV);
  MatrixX<double> balance(still * moving_part.cols(), count);
  for (Eigen::Index j = 0; j < count && still > 0; ++j) {
    const MatrixX<double> form = factors.add(VectorX<double>::Unit(count, j));
    balance.col(j) = (still_part.transpose() * form * moving_part).reshaped();
  }
  factors.left = moving_part.transpose() * factors.left;
  factors.right = moving_part.transpose() * factors.right;
  return find_positive_weights(std::move(factors), find_balanced(balance));
}

}  // namespace thenar::internal
