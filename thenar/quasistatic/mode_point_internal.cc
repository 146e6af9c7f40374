// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/mode_point_internal.h"

#include <algorithm>
#include <map>

#include "thenar/linear_programs/linear_program.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Matrix = MatrixX<double>;
using Vector = VectorX<double>;
using Kind = QuasistaticNode::Kind;

/// Rows and columns that depend on others to this are dependent.
constexpr double kRankOfPoint = 1e-9;
/// Forces below this part of the largest are none.
constexpr double kNoForceAtPoint = 1e-9;

Matrix take_rows(const Matrix& matrix, const std::vector<int>& rows) {
  Matrix out(static_cast<Index>(rows.size()), matrix.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) out.row(static_cast<Index>(k)) = matrix.row(rows[k]);
  return out;
}

Matrix take_columns(const Matrix& matrix, const std::vector<int>& columns) {
  Matrix out(matrix.rows(), static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) out.col(static_cast<Index>(k)) = matrix.col(columns[k]);
  return out;
}

/// What labels ask for.
struct Demands {
  std::vector<int> zero_rows;
  std::vector<RowSign> strict_rows;
  std::vector<int> edges;  ///< that may carry force
};

Demands collect_demands(const ModeRules& rules, const ModeLabels& labels) {
  Demands out;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const RuledContact& contact = rules.contacts[i];
    if (labels[i] == 0) {
      out.strict_rows.push_back({contact.normal, 1});
      continue;
    }
    out.zero_rows.push_back(contact.normal);
    const TouchMode& mode = contact.modes[static_cast<std::size_t>(labels[i] - 1)];
    for (const RowSign& sign : mode.signs) {
      if (sign.sign == 0) {
        out.zero_rows.push_back(sign.row);
      } else {
        out.strict_rows.push_back(sign);
      }
    }
    out.edges.insert(out.edges.end(), mode.edges.begin(), mode.edges.end());
  }
  return out;
}

/// Velocities in which some rows vanish, u = point + directions · w, and what keeps them from doing so.
class ZeroSpace {
 public:
  ZeroSpace(const ModeRules& rules, const std::vector<int>& rows) : rules_(rules), rows_(rows) {
    const Index m = rules.P.cols();
    point = Vector::Zero(m);
    directions = Matrix::Identity(m, m);
    scale_rows();
    if (A_.size() > 0) eliminate();
    rest_ = A_ * point - b_;
  }

  Vector point;
  Matrix directions;  ///< orthonormal

  bool is_empty() const {
    for (Index k = 0; k < rest_.size(); ++k) {
      if (std::abs(rest_(k)) * lengths_(k) > rules_.still / 2) return true;
    }
    return false;
  }

  /// is_empty(): the rest of the least squares is orthogonal to all that u can do.
  Vector refute() const {
    Vector y = Vector::Zero(rules_.row_count());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      y(rows_[k]) -= rest_(static_cast<Index>(k)) / lengths_(static_cast<Index>(k));
    return y;
  }

  /// Adds multiples of the vanishing rows to y, such that Pᵀy = 0 if it is 0 along the directions.
  void complete(Vector& y) const {
    if (A_.size() == 0) return;
    const Vector multiples = factor_.solve(Vector(-rules_.P.transpose() * y));
    for (std::size_t k = 0; k < rows_.size(); ++k)
      y(rows_[k]) += multiples(static_cast<Index>(k)) / lengths_(static_cast<Index>(k));
  }

 private:
  /// To length 1, so that a rank means the same for all of them.
  void scale_rows() {
    A_ = take_rows(rules_.P, rows_);
    b_.resize(A_.rows());
    lengths_.resize(A_.rows());
    for (Index i = 0; i < A_.rows(); ++i) {
      const double length = A_.row(i).norm();
      lengths_(i) = length > 0 ? length : 1;
      A_.row(i) /= lengths_(i);
      b_(i) = -rules_.v0(rows_[static_cast<std::size_t>(i)]) / lengths_(i);
    }
  }

  void eliminate() {
    factor_.setThreshold(kRankOfPoint);
    factor_.compute(Matrix(A_.transpose()));
    const Index m = rules_.P.cols(), rank = factor_.rank();
    const Matrix Q = first_columns(factor_.householderQ(), m);
    const Matrix basis = Q.leftCols(rank);
    if (rank > 0) point = basis * Vector(Matrix(A_ * basis).colPivHouseholderQr().solve(b_));
    directions = Q.rightCols(m - rank);
  }

  const ModeRules& rules_;
  const std::vector<int>& rows_;
  Matrix A_;
  Vector b_, lengths_, rest_;
  Eigen::ColPivHouseholderQR<Matrix> factor_;  ///< of Aᵀ
};

/// The point of the space in which the least strict row is largest (up to the usual speed).
class StrictPoint {
 public:
  StrictPoint(const ModeRules& rules, const ZeroSpace& space, const std::vector<RowSign>& strict_rows)
      : rules_(rules), space_(space), strict_rows_(strict_rows), speed_(rules.still / kStill) {}

  QuasistaticNode::Kind find() {
    u = space_.point;
    if (strict_rows_.empty()) return Kind::solution;
    set_rows();
    Index worst = 0;
    double margin = known_.minCoeff(&worst);
    Vector weights = Vector::Unit(known_.size(), worst);
    const Index freedoms = space_.directions.cols();
    if (freedoms > 0) {
      LinearProgram program(A_);
      for (int i = 0; i < program.row_count(); ++i) program.bound_row(i, -known_(i), LinearProgram::kInfinity);
      program.bound_column(static_cast<int>(freedoms), -LinearProgram::kInfinity, 1);
      program.set_cost(static_cast<int>(freedoms), -1);
      if (program.solve() != LpStatus::optimal) return Kind::open;
      margin = program.x()(freedoms);
      weights = program.multipliers().cwiseMax(0);
      u += speed_ * space_.directions * program.x().head(freedoms);
    }
    if (margin >= kStill / 2) return Kind::solution;
    y = Vector::Zero(rules_.row_count());
    for (std::size_t k = 0; k < strict_rows_.size(); ++k) {
      y(strict_rows_[k].row) += strict_rows_[k].sign * weights(static_cast<Index>(k));
    }
    space_.complete(y);
    return Kind::no_motion;
  }

  Vector u, y;

 private:
  void set_rows() {
    const Index freedoms = space_.directions.cols();
    A_.resize(static_cast<Index>(strict_rows_.size()), freedoms + 1);
    known_.resize(A_.rows());
    for (std::size_t k = 0; k < strict_rows_.size(); ++k) {
      const auto [row, sign] = strict_rows_[k];
      const auto i = static_cast<Index>(k);
      Vector entries = sign * (rules_.P.row(row) * space_.directions).transpose();
      // What is rounding beside the row that it comes from, linear programs would scale up.
      const double rounding = 1e-13 * rules_.P.row(row).norm();
      entries = (entries.array().abs() < rounding).select(0, entries);
      A_.row(i) << entries.transpose(), -1;
      known_(i) = sign * (rules_.P.row(row).dot(space_.point) + rules_.v0(row)) / speed_;
    }
  }

  const ModeRules& rules_;
  const ZeroSpace& space_;
  const std::vector<RowSign>& strict_rows_;
  double speed_;
  Matrix A_;
  Vector known_;
};

/// Forces of as many edges as can carry force together, in units of the usual strength.
class Balance {
 public:
  Balance(const ModeRules& rules, const std::vector<int>& edges)
      : G_(take_columns(rules.G, edges)), h_(rules.h / rules.strength), program_(G_) {
    for (const int edge : edges) contacts_.push_back(rules.edges[static_cast<std::size_t>(edge)].contact);
  }

  QuasistaticNode::Kind find() {
    for (int i = 0; i < program_.row_count(); ++i) program_.bound_row(i, -h_(i), -h_(i));
    for (int j = 0; j < program_.column_count(); ++j) program_.bound_column(j, 0, LinearProgram::kInfinity);
    if (program_.solve() != LpStatus::optimal) {
      return program_.status() == LpStatus::infeasible ? Kind::no_forces : Kind::open;
    }
    f_ = program_.x();
    while (widen()) {
    }
    return Kind::solution;
  }

  /// no_forces
  Vector virtual_motion() const { return -program_.farkas(); }

  /// Whether no other forces of contacts have the same wrench, of those that these edges can make; polishes the forces.
  /// The edges of one contact make as many independent forces as there are of them, but three at most.
  bool polish() {
    std::vector<int> support;
    const double size = 1 + (f_.size() > 0 ? f_.maxCoeff() : 0);
    for (int j = 0; j < f_.size(); ++j) {
      if (f_(j) > kNoForceAtPoint * size) {
        support.push_back(j);
      } else {
        f_(j) = 0;
      }
    }
    if (support.empty()) return true;
    Matrix S = take_columns(G_, support);
    for (Index j = 0; j < S.cols(); ++j) S.col(j).normalize();
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
    factor.setThreshold(kRankOfPoint);
    factor.compute(S);
    const Vector correction = factor.solve(Vector(-h_ - G_ * f_));
    for (std::size_t k = 0; k < support.size(); ++k) {
      const int j = support[k];
      f_(j) = std::max(0.0, f_(j) + correction(static_cast<Index>(k)) / G_.col(j).norm());
    }
    Index forces = 0;
    std::map<int, Index> counts;
    for (const int j : support) {
      if (++counts[contacts_[static_cast<std::size_t>(j)]] <= 3) ++forces;
    }
    return factor.rank() == forces;
  }

  const Vector& f() const { return f_; }

 private:
  /// Looks for forces of edges that have none yet, and takes the mean with those known.
  bool widen() {
    const double size = 1 + (f_.size() > 0 ? f_.maxCoeff() : 0);
    bool has_idle = false;
    for (int j = 0; j < program_.column_count(); ++j) {
      const bool is_idle = f_(j) <= kNoForceAtPoint * size;
      program_.bound_column(j, 0, 4 * size);
      program_.set_cost(j, is_idle ? -1 : 0);
      has_idle = has_idle || is_idle;
    }
    if (!has_idle || program_.solve() != LpStatus::optimal) return false;
    bool is_wider = false;
    for (int j = 0; j < program_.column_count(); ++j) {
      is_wider = is_wider || (f_(j) <= kNoForceAtPoint * size && program_.x()(j) > 100 * kNoForceAtPoint * size);
    }
    if (is_wider) f_ = (f_ + program_.x()) / 2;
    return is_wider;
  }

  Matrix G_;
  Vector h_, f_;
  std::vector<int> contacts_;  ///< of the edges
  LinearProgram program_;
};

}  // namespace

ModeFinding find_mode_point(const ModeRules& rules, const ModeLabels& labels) {
  const Demands demands = collect_demands(rules, labels);
  const ZeroSpace space(rules, demands.zero_rows);
  if (space.is_empty()) return {std::nullopt, Kind::no_motion, space.refute()};
  StrictPoint strict(rules, space, demands.strict_rows);
  const Kind motion = strict.find();
  if (motion != Kind::solution) return {std::nullopt, motion, strict.y};
  Balance balance(rules, demands.edges);
  const Kind forces = balance.find();
  if (forces != Kind::solution) return {std::nullopt, forces, balance.virtual_motion()};
  ModePoint out;
  out.u = strict.u;
  out.velocity_unique = space.directions.cols() == 0;
  out.forces_unique = balance.polish();
  out.f = Vector::Zero(rules.edge_count());
  for (std::size_t k = 0; k < demands.edges.size(); ++k) {
    out.f(demands.edges[k]) = rules.strength * balance.f()(static_cast<Index>(k));
  }
  return {std::move(out), Kind::solution, {}};
}

ModeLabels find_labels(const ModeRules& rules, const VectorX<double>& u) {
  const Vector v = rules.P * u + rules.v0;
  const auto sign_of = [&](int row) { return v(row) > rules.still / 2 ? 1 : (v(row) < -rules.still / 2 ? -1 : 0); };
  ModeLabels out;
  for (const RuledContact& contact : rules.contacts) {
    int label = 0;
    for (std::size_t k = 0; k < contact.modes.size() && sign_of(contact.normal) <= 0 && label == 0; ++k) {
      const auto& signs = contact.modes[k].signs;
      const bool fits =
          std::all_of(signs.begin(), signs.end(), [&](const RowSign& sign) { return sign_of(sign.row) == sign.sign; });
      if (fits) label = static_cast<int>(k) + 1;
    }
    out.push_back(label);
  }
  return out;
}

}  // namespace thenar::internal
