// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_relaxation_internal.h"

#include <cmath>
#include <limits>

#include "thenar/base/numbers.h"
#include "thenar/modes/mode_proof.h"

namespace thenar::internal {
namespace {

/// √Aᵢᵢ, or 1 for a row that nothing moves.
double find_stiffness_unit(double diagonal) { return diagonal > 0 ? std::sqrt(diagonal) : 1; }

/// For each row √ of the largest diagonal entry among the rows that share its unit.
VectorX<double> find_row_units(const ConstraintProblem& problem) {
  VectorX<double> out(problem.size());
  for (int i = 0; i < problem.size(); ++i) out(i) = find_stiffness_unit(problem.A()(i, i));
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).kind != RowKind::normal) continue;
    const int same = std::min(problem.tangent_count(i), 2);  // the third is torsion
    out.segment(i, 1 + same).setConstant(out.segment(i, 1 + same).maxCoeff());
  }
  return out;
}

/// Sets to zero what rounding left of it: entries that are nothing beside the terms they are sums of. They would
/// mislead whoever scales by the entries that there are.
void drop_rounding(const VectorX<double>& sizes, VectorX<double>& row) {
  constexpr double kRounding = 1e-14;
  for (Eigen::Index j = 0; j < row.size(); ++j) {
    if (std::abs(row(j)) <= kRounding * sizes(j)) row(j) = 0;
  }
}

}  // namespace

ScaledProblem::ScaledProblem(const ConstraintProblem& problem) {
  const VectorX<double> unit = find_row_units(problem);
  const VectorX<double> inverse = unit.cwiseInverse();
  b = problem.b().cwiseProduct(inverse);
  const double largest = b.size() > 0 ? b.lpNorm<Eigen::Infinity>() : 0;
  const double level = largest > 0 ? largest : 1;
  b /= level;
  A = inverse.asDiagonal() * problem.A() * inverse.asDiagonal();
  // What is below the accuracy of the data is none of them.
  A = (A.array().abs() <= problem.accuracy).select(0, A);
  b = (b.array().abs() <= problem.accuracy).select(0, b);
  force_unit = level * inverse;
  motion_unit = level * unit;
}

RelaxationRows::RelaxationRows(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts) {
  const int n = problem.size();
  std::vector<VectorX<double>> columns;
  const auto add_column = [&](bool free) {
    columns.push_back(VectorX<double>::Zero(n));
    is_free.push_back(free);
    return static_cast<int>(columns.size()) - 1;
  };
  // Forces in units of the row whose force or friction they are: ẑ_t = β̂ c unitₙ / unit_t.
  const auto ratio = [&](int of, int per) { return scaled.force_unit(per) / scaled.force_unit(of); };
  std::vector<int> bilaterals;
  for (int i = 0; i < n; ++i) {
    const ConstraintRow& row = problem.row(i);
    if (row.kind == RowKind::bilateral || (row.kind == RowKind::boxed && std::isinf(row.limit))) {
      columns[static_cast<std::size_t>(add_column(true))](i) = 1;
      bilaterals.push_back(i);
    }
  }
  for (const NormalPart& part : parts.normals) {
    normal_column.push_back(add_column(false));
    VectorX<double>& column = columns.back();
    column(part.row) = 1;
    if (problem.row(part.row).kind != RowKind::normal) continue;
    for (int k = part.row + 1; k <= part.row + problem.tangent_count(part.row); ++k) {
      if (problem.row(k).kind == RowKind::sliding) column(k) = problem.row(k).limit * ratio(k, part.row);
    }
  }
  t = VectorX<double>::Zero(n);
  for (const FrictionPart& part : parts.frictions) {
    friction_column.push_back(static_cast<int>(columns.size()));
    const auto unit_ratio = [&](int row) {
      return part.normal < 0 ? 1 / scaled.force_unit(row)
                             : ratio(row, parts.normals[static_cast<std::size_t>(part.normal)].row);
    };
    if (part.is_interval()) {  // z_t = (x − zₙ) μ e
      add_column(false);
      VectorX<double>& least =
          part.normal < 0 ? t : columns[static_cast<std::size_t>(normal_column[static_cast<std::size_t>(part.normal)])];
      for (std::size_t k = 0; k < part.rows.size(); ++k) {
        const double entry = part.limit * part.motion_axis(static_cast<Eigen::Index>(k)) * unit_ratio(part.rows[k]);
        columns.back()(part.rows[k]) = entry;
        least(part.rows[k]) -= entry;
      }
      continue;
    }
    for (Eigen::Index c = 0; c < part.corners.cols(); ++c) {
      add_column(false);
      for (std::size_t k = 0; k < part.rows.size(); ++k) {
        const int row = part.rows[k];
        columns.back()(row) = part.corners(static_cast<Eigen::Index>(k), c) * unit_ratio(row);
      }
    }
  }
  const auto column_count = static_cast<Eigen::Index>(columns.size());
  T.resize(n, column_count);
  for (Eigen::Index j = 0; j < column_count; ++j) T.col(j) = columns[static_cast<std::size_t>(j)];

  const MatrixX<double> AT = scaled.A * T;
  const VectorX<double> w0 = scaled.A * t + scaled.b;
  const MatrixX<double> sizes = scaled.A.cwiseAbs() * T.cwiseAbs();
  std::vector<VectorX<double>> rows;
  std::vector<double> constants, units;
  const auto add_row = [&](const VectorX<double>& row, double constant, double row_unit) {
    rows.push_back(row);
    constants.push_back(constant);
    units.push_back(row_unit);
    return static_cast<int>(rows.size()) - 1;
  };
  const auto add_motion = [&](int i) {
    VectorX<double> row = AT.row(i);
    drop_rounding(sizes.row(i), row);
    return add_row(row, w0(i), scaled.motion_unit(i));
  };
  for (const int i : bilaterals) bilateral_row.push_back(add_motion(i));
  for (const NormalPart& part : parts.normals) {
    normal_row.push_back(add_motion(part.row));
  }
  for (std::size_t f = 0; f < parts.frictions.size(); ++f) {
    const FrictionPart& part = parts.frictions[f];
    VectorX<double> sum = VectorX<double>::Zero(column_count);
    double sum_unit = 1;
    if (part.normal >= 0) {
      sum(normal_column[static_cast<std::size_t>(part.normal)]) = 1;
      sum_unit = scaled.force_unit(parts.normals[static_cast<std::size_t>(part.normal)].row);
    }
    const double width = part.is_interval() ? 2 : 1;
    sum *= width;
    sum.segment(friction_column[f], part.is_interval() ? 1 : part.corners.cols()).setConstant(-1);
    friction_row.push_back(add_row(sum, part.normal >= 0 ? 0 : width, sum_unit));
    const auto add_slip = [&](const VectorX<double>& direction) {
      VectorX<double> row = VectorX<double>::Zero(column_count), size = row;
      double constant = 0;
      for (std::size_t k = 0; k < part.rows.size(); ++k) {
        const double factor = direction(static_cast<Eigen::Index>(k));
        row += factor * AT.row(part.rows[k]).transpose();
        size += std::abs(factor) * sizes.row(part.rows[k]).transpose();
        constant += factor * w0(part.rows[k]);
      }
      drop_rounding(size, row);
      add_row(row, constant, scaled.motion_unit(part.rows[0]));
    };
    if (part.is_interval()) add_slip(part.motion_axis);
    for (Eigen::Index j = 0; j < part.rays.cols(); ++j) add_slip(Eigen::Vector2d(-part.rays(1, j), part.rays(0, j)));
  }
  const auto row_count = static_cast<Eigen::Index>(rows.size());
  R.resize(row_count, column_count);
  r.resize(row_count);
  unit.resize(row_count);
  for (Eigen::Index i = 0; i < row_count; ++i) {
    R.row(i) = rows[static_cast<std::size_t>(i)];
    r(i) = constants[static_cast<std::size_t>(i)];
    unit(i) = units[static_cast<std::size_t>(i)];
  }
}

ModeRelaxation::ModeRelaxation(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts)
    : scaled_(scaled), parts_(parts), rows_(problem, scaled, parts), node_(rows_.R, rows_.r) {
  for (std::size_t j = 0; j < rows_.is_free.size(); ++j) {
    node_.bound_column(static_cast<int>(j), rows_.is_free[j] ? NodeRange::free : NodeRange::at_least_zero);
  }
  for (const int row : rows_.bilateral_row) node_.bound_row(row, NodeRange::zero);
}

void ModeRelaxation::set(const ModeChoice& choice) {
  for (std::size_t i = 0; i < choice.normals.size(); ++i) set_normal(static_cast<int>(i), choice.normals[i]);
  for (std::size_t i = 0; i < choice.frictions.size(); ++i) set_friction(static_cast<int>(i), choice.frictions[i]);
}

void ModeRelaxation::set_normal(int part, NormalChoice choice) {
  const auto i = static_cast<std::size_t>(part);
  const auto zero_if = [](bool is_zero) { return is_zero ? NodeRange::zero : NodeRange::at_least_zero; };
  node_.bound_column(rows_.normal_column[i], zero_if(choice == NormalChoice::open));
  node_.bound_row(rows_.normal_row[i], zero_if(choice == NormalChoice::held));
}

void ModeRelaxation::set_friction(int part, const FrictionChoice& choice) {
  using Kind = FrictionChoice::Kind;
  const auto f = static_cast<std::size_t>(part);
  const FrictionPart& friction = parts_.frictions[f];
  if (friction.is_interval()) return set_interval(f, choice);
  const int sum_row = rows_.friction_row[f];
  const int slip_rows = static_cast<int>(friction.rays.cols());
  const bool slips = choice.kind == Kind::slip;
  const NodeRange sum_range = slips ? NodeRange::zero : NodeRange::at_least_zero;
  for (int c = 0; c < friction.corners.cols(); ++c) node_.bound_column(rows_.friction_column[f] + c, sum_range);
  node_.bound_row(sum_row, sum_range);
  const NodeRange slip_range = choice.kind == Kind::stick ? NodeRange::zero : NodeRange::free;
  for (int j = 1; j <= slip_rows; ++j) node_.bound_row(sum_row + j, slip_range);
  if (!slips) return;
  for (const int c : find_corners(friction, choice.first, choice.count)) {
    node_.bound_column(rows_.friction_column[f] + c, NodeRange::at_least_zero);
  }
  bound_slip(friction, sum_row + 1, choice.first, choice.count);
}

void ModeRelaxation::set_interval(std::size_t f, const FrictionChoice& choice) {
  const bool slips = choice.kind == FrictionChoice::Kind::slip;
  const bool is_low = choice.first % 2 == 0;
  node_.bound_column(rows_.friction_column[f], slips && is_low ? NodeRange::zero : NodeRange::at_least_zero);
  node_.bound_row(rows_.friction_row[f], slips && !is_low ? NodeRange::zero : NodeRange::at_least_zero);
  NodeRange slip = choice.kind == FrictionChoice::Kind::stick ? NodeRange::zero : NodeRange::free;
  if (slips) slip = is_low ? NodeRange::at_least_zero : NodeRange::at_most_zero;
  node_.bound_row(rows_.friction_row[f] + 1, slip);
}

void ModeRelaxation::bound_slip(const FrictionPart& part, int row, int first, int count) {
  const RayRange range = find_rays(part, first, count);
  if (!range.is_convex) return;
  if (range.from == range.to) {
    const int rays = static_cast<int>(part.rays.cols());
    node_.bound_row(row + range.from, NodeRange::zero);
    node_.bound_row(row + (range.from + rays - 1) % rays, NodeRange::at_least_zero);
  } else {
    node_.bound_row(row + range.from, NodeRange::at_least_zero);
    node_.bound_row(row + range.to, NodeRange::at_most_zero);
  }
}

LinearProgram& ModeRelaxation::hand_over() {
  ++handed_over_;
  if (!program_) program_.emplace(rows_.R);
  const auto lower = [](NodeRange range) {
    return range == NodeRange::free || range == NodeRange::at_most_zero ? -kInfinity : 0;
  };
  const auto upper = [](NodeRange range) {
    return range == NodeRange::free || range == NodeRange::at_least_zero ? kInfinity : 0;
  };
  for (int j = 0; j < node_.column_count(); ++j) {
    program_->bound_column(j, lower(node_.column_range(j)), upper(node_.column_range(j)));
  }
  for (int i = 0; i < node_.row_count(); ++i) {
    program_->bound_row(i, lower(node_.row_range(i)) - rows_.r(i), upper(node_.row_range(i)) - rows_.r(i));
  }
  return *program_;
}

LpStatus ModeRelaxation::solve() {
  ++programs_;
  const LpStatus status = node_.find_point();
  is_handed_over_ = status == LpStatus::failed;
  if (!is_handed_over_) return status;
  LinearProgram& program = hand_over();
  program.clear_costs();
  return program.solve();
}

LargestValue ModeRelaxation::find_largest(const VectorX<double>& gradient, double constant, double unit,
                                          double enough) {
  ++programs_;
  switch (node_.maximize(gradient, constant, enough)) {
    case LpStatus::optimal:
      if (node_.value() > enough) return {node_.value(), {}};
      return {node_.value(), unit * node_.y().cwiseQuotient(rows_.unit)};
    case LpStatus::unbounded:
      return {kInfinity, {}};
    case LpStatus::infeasible:
      return {std::numeric_limits<double>::quiet_NaN(), {}};
    case LpStatus::failed:
      break;
  }
  return find_largest_by_clp(gradient, constant, unit);
}

LargestValue ModeRelaxation::find_largest_by_clp(const VectorX<double>& gradient, double constant, double unit) {
  LinearProgram& program = hand_over();
  for (int j = 0; j < program.column_count(); ++j) program.set_cost(j, -gradient(j));
  switch (program.solve()) {
    case LpStatus::optimal:
      return {constant - program.objective(), unit * program.multipliers().cwiseQuotient(rows_.unit)};
    case LpStatus::unbounded:
      return {kInfinity, {}};
    default:
      return {std::numeric_limits<double>::quiet_NaN(), {}};
  }
}

LargestValue ModeRelaxation::find_largest_force(int normal, double enough) {
  VectorX<double> gradient = VectorX<double>::Zero(rows_.R.cols());
  gradient(rows_.normal_column[static_cast<std::size_t>(normal)]) = 1;
  return find_largest(gradient, 0, scaled_.force_unit(parts_.normals[static_cast<std::size_t>(normal)].row), enough);
}

LargestValue ModeRelaxation::find_largest_motion(int normal, double enough) {
  const int row = rows_.normal_row[static_cast<std::size_t>(normal)];
  return find_largest(rows_.R.row(row), rows_.r(row), rows_.unit(row), enough);
}

LargestValue ModeRelaxation::find_largest_slip(int friction, const VectorX<double>& direction, double enough) {
  VectorX<double> gradient = VectorX<double>::Zero(rows_.R.cols());
  double constant = 0;
  const FrictionPart& part = parts_.frictions[static_cast<std::size_t>(friction)];
  for (std::size_t k = 0; k < part.rows.size(); ++k) {
    const double d = direction(static_cast<Eigen::Index>(k));
    gradient += d * (scaled_.A.row(part.rows[k]) * rows_.T).transpose();
    constant += d * (scaled_.b(part.rows[k]) + scaled_.A.row(part.rows[k]).dot(rows_.t));
  }
  return find_largest(gradient, constant, scaled_.motion_unit(part.rows[0]), enough);
}

}  // namespace thenar::internal
