// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_cells_internal.h"

#include <cmath>

#include "thenar/complementarity/lcp_solver.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using LongRow = Eigen::Matrix<long double, 1, Eigen::Dynamic>;

/// Equations whose pivots are below this depend on each other, as far as data in double can tell.
constexpr long double kSpanRank = 1e-11L;

/// Collects E z + e = 0 and G z + g ≥ 0.
class CellWriter {
 public:
  CellWriter(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts,
             const ModeChoice& choice, const VectorX<double>* w)
      : problem_(problem), scaled_(scaled), parts_(parts), choice_(choice), w_(w), n_(problem.size()) {}

  CellPolyhedron write() {
    for (int i = 0; i < n_; ++i) {
      if (is_bilateral(problem_.row(i))) equal(motion(i));
    }
    for (std::size_t p = 0; p < parts_.normals.size(); ++p) write_normal(parts_.normals[p].row, choice_.normals[p]);
    for (std::size_t p = 0; p < parts_.frictions.size(); ++p) write_friction(parts_.frictions[p], choice_.frictions[p]);
    write_frictionless_rows();
    return {stack(equations_), stack(inequalities_), constants(equations_), constants(inequalities_)};
  }

 private:
  /// gradient · z + constant.
  struct Affine {
    LongRow gradient;
    long double constant = 0;

    Affine operator*(long double factor) const { return {gradient * factor, constant * factor}; }
    Affine operator-(const Affine& other) const { return {gradient - other.gradient, constant - other.constant}; }
  };

  static bool is_bilateral(const ConstraintRow& row) {
    return row.kind == RowKind::bilateral || (row.kind == RowKind::boxed && std::isinf(row.limit));
  }

  void equal(const Affine& value) { equations_.push_back(value); }
  void at_least_zero(const Affine& value) { inequalities_.push_back(value); }

  Affine force(int row) const {
    Affine out{LongRow::Zero(n_), 0};
    out.gradient(row) = 1;
    return out;
  }
  Affine motion(int row) const { return {scaled_.A.row(row).cast<long double>(), scaled_.b(row)}; }
  /// Friction of `row` per coefficient 1 under the normal force of a part.
  Affine unit_friction(const FrictionPart& part, int row) const {
    if (part.normal < 0) return {LongRow::Zero(n_), 1 / static_cast<long double>(scaled_.force_unit(row))};
    const int normal = parts_.normals[static_cast<std::size_t>(part.normal)].row;
    return force(normal) * ratio(normal, row);
  }
  long double ratio(int normal, int row) const {
    return static_cast<long double>(scaled_.force_unit(normal)) / static_cast<long double>(scaled_.force_unit(row));
  }

  void write_normal(int row, NormalChoice choice) {
    equal(choice == NormalChoice::open ? force(row) : motion(row));
    at_least_zero(choice == NormalChoice::open ? motion(row) : force(row));
    if (problem_.row(row).kind != RowKind::normal) return;
    for (int k = row + 1; k <= row + problem_.tangent_count(row); ++k) {
      if (problem_.row(k).kind != RowKind::sliding) continue;
      equal(force(k) - force(row) * (problem_.row(k).limit * ratio(row, k)));
    }
  }

  void write_friction(const FrictionPart& part, const FrictionChoice& choice) {
    const bool is_open =
        part.normal >= 0 && choice_.normals[static_cast<std::size_t>(part.normal)] == NormalChoice::open;
    if (part.is_interval()) {
      write_interval(part, choice, is_open);
    } else if (is_open) {
      for (const int row : part.rows) equal(force(row));
    } else if (choice.kind == FrictionChoice::Kind::stick) {
      for (const int row : part.rows) equal(motion(row));
      write_section(part);
    } else if (part.is_smooth) {
      write_smooth_slip(part);
    } else {
      write_place(part, choice.first % part.place_count());
    }
  }

  void write_interval(const FrictionPart& part, const FrictionChoice& choice, bool is_open) {
    const Affine s = along(part, part.force_axis, [&](int row, Index) { return force(row); });
    const Affine slip = along(part, part.motion_axis, [&](int row, Index) { return motion(row); });
    const Affine most = unit_friction(part, part.rows[0]) * part.limit;  // rows of one contact have one unit
    if (is_open) {
      equal(s);
    } else if (choice.kind == FrictionChoice::Kind::stick) {
      equal(slip);
      at_least_zero(s - most * -1);
      at_least_zero(most - s);
    } else {
      const int sign = choice.first % 2 == 0 ? 1 : -1;
      equal(s - most * -sign);
      at_least_zero(slip * sign);
    }
  }

  /// w_t as given, and the force that takes most power from it.
  void write_smooth_slip(const FrictionPart& part) {
    const Index k = part.rays.cols();
    const Eigen::Vector2d mu(part.corners(0, k), part.corners(1, k + k / 4));
    const Eigen::Vector2d slip((*w_)(part.rows[0]), (*w_)(part.rows[1]));
    const Eigen::Vector2d friction = -mu.cwiseProduct(mu.cwiseProduct(slip).normalized());
    for (Index i = 0; i < 2; ++i) {
      const int row = part.rows[static_cast<std::size_t>(i)];
      equal(motion(row) - Affine{LongRow::Zero(n_), slip(i)});
      equal(force(row) - unit_friction(part, row) * friction(i));
    }
  }

  /// z_t ∈ zₙ C.
  void write_section(const FrictionPart& part) {
    if (part.is_smooth) return write_smooth_section(part);
    for (Index j = 0; j < part.corners.cols(); ++j) at_least_zero(beyond_edge(part, j));
  }

  /// The polygon around it: rⱼ · (z_t − zₙ pⱼ) ≥ 0.
  void write_smooth_section(const FrictionPart& part) {
    for (Index j = 0; j < part.rays.cols(); ++j) {
      at_least_zero(along(part, part.rays.col(j), [&](int row, Index k) {
        return force(row) - unit_friction(part, row) * part.corners(k, part.rays.cols() + j);
      }));
    }
  }

  /// rⱼ · (z_t − zₙ cⱼ): 0 on the edge from cⱼ to cⱼ₊₁, positive inside.
  Affine beyond_edge(const FrictionPart& part, Index j) const {
    return along(part, part.rays.col(j),
                 [&](int row, Index k) { return force(row) - unit_friction(part, row) * part.corners(k, j); });
  }

  void write_place(const FrictionPart& part, int place) {
    const Index j = place / 2, rays = part.rays.cols(), before = (j + rays - 1) % rays;
    const auto slip_across = [&](Index ray) {  // r × w_t
      const Eigen::Vector2d turned(-part.rays(1, ray), part.rays(0, ray));
      return along(part, turned, [&](int row, Index) { return motion(row); });
    };
    at_least_zero(slip_across(before));
    if (place % 2 == 0) {
      for (Index k = 0; k < 2; ++k) {
        const int row = part.rows[static_cast<std::size_t>(k)];
        equal(force(row) - unit_friction(part, row) * part.corners(k, j));
      }
      at_least_zero(slip_across(j) * -1);
      return;
    }
    equal(slip_across(j));
    equal(beyond_edge(part, j));
    at_least_zero(beyond_edge(part, before));
    at_least_zero(beyond_edge(part, (j + 1) % rays));
  }

  /// direction · (values of the rows of the part).
  template <class Value>
  Affine along(const FrictionPart& part, const VectorX<double>& direction, const Value& value) const {
    Affine out{LongRow::Zero(n_), 0};
    for (Index k = 0; k < direction.size(); ++k) {
      out = out - value(part.rows[static_cast<std::size_t>(k)], k) * -static_cast<long double>(direction(k));
    }
    return out;
  }

  /// Directions that belong to no part: z = 0.
  void write_frictionless_rows() {
    std::vector<bool> has_part(static_cast<std::size_t>(n_), false);
    for (const FrictionPart& part : parts_.frictions) {
      for (const int row : part.rows) has_part[static_cast<std::size_t>(row)] = true;
    }
    for (int i = 0; i < n_; ++i) {
      const RowKind kind = problem_.row(i).kind;
      const bool is_friction = kind == RowKind::tangent || (kind == RowKind::boxed && !is_bilateral(problem_.row(i)));
      if (is_friction && !has_part[static_cast<std::size_t>(i)]) equal(force(i));
    }
  }

  LongMatrix stack(const std::vector<Affine>& rows) const {
    LongMatrix out(static_cast<Index>(rows.size()), n_);
    for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<Index>(i)) = rows[i].gradient;
    return out;
  }
  static LongVector constants(const std::vector<Affine>& rows) {
    LongVector out(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) out(static_cast<Index>(i)) = rows[i].constant;
    return out;
  }

  const ConstraintProblem& problem_;
  const ScaledProblem& scaled_;
  const ModeParts& parts_;
  const ModeChoice& choice_;
  const VectorX<double>* w_;
  Index n_;
  std::vector<Affine> equations_, inequalities_;
};

/// z = origin + kernel t solves E z + e = 0.
struct Flat {
  LongVector origin;
  LongMatrix kernel;
  bool is_consistent = true;
};

Flat solve_equations(const LongMatrix& E, const LongVector& e) {
  Flat out{LongVector::Zero(E.cols()), LongMatrix::Identity(E.cols(), E.cols())};
  if (E.rows() == 0) return out;
  Eigen::FullPivLU<LongMatrix> lu(E);
  lu.setThreshold(kSpanRank);
  out.origin = lu.solve(LongVector(-e));
  const long double error = (E * out.origin + e).cwiseAbs().maxCoeff();
  out.is_consistent = error <= kModeZero * (1 + out.origin.cwiseAbs().maxCoeff());
  if (lu.rank() == E.cols()) {
    out.kernel.resize(E.cols(), 0);
  } else {
    out.kernel = kernel_of(lu);
    // Orthonormal, so that steps along it are lengths.
    out.kernel = first_columns(Eigen::HouseholderQR<LongMatrix>(out.kernel).householderQ(), out.kernel.cols());
  }
  return out;
}

/// Orthonormal columns that span those of `directions`.
LongMatrix orthonormalize(const LongMatrix& directions) {
  if (directions.cols() == 0) return LongMatrix(directions.rows(), 0);
  Eigen::ColPivHouseholderQR<LongMatrix> qr(directions);
  qr.setThreshold(kModeZero);
  return first_columns(qr.householderQ(), qr.rank());
}

/// A point inside, and the directions that the polyhedron {t : B t + c ≥ 0} extends in.
struct Inside {
  LongVector t;
  LongMatrix span;
  bool is_empty = false;
};

Inside look_inside(const Generators& corners, Index dimension) {
  Inside out{LongVector::Zero(dimension), LongMatrix(dimension, 0)};
  out.is_empty = corners.vertices.empty();
  if (out.is_empty) return out;
  std::vector<LongVector> directions(corners.rays);
  directions.insert(directions.end(), corners.lines.begin(), corners.lines.end());
  for (const LongVector& vertex : corners.vertices) {
    out.t += vertex / static_cast<long double>(corners.vertices.size());
    directions.push_back(vertex - corners.vertices.front());
  }
  for (const LongVector& ray : corners.rays) out.t += ray;
  LongMatrix all(dimension, static_cast<Index>(directions.size()));
  for (std::size_t i = 0; i < directions.size(); ++i) all.col(static_cast<Index>(i)) = directions[i];
  out.span = orthonormalize(all);
  return out;
}

/// The same without corners: each inequality in turn is given as much room as it can have, up to 1. Those that get none
/// are equations.
Inside look_inside(const LongMatrix& B, const LongVector& c) {
  const Index dimension = B.cols();
  Inside out{LongVector::Zero(dimension), LongMatrix::Identity(dimension, dimension)};
  LinearProgram program(B.cast<double>());
  const double infinity = LinearProgram::kInfinity;
  for (Index i = 0; i < B.rows(); ++i) {
    program.bound_row(static_cast<int>(i), -static_cast<double>(c(i)) - kModeZero, infinity);
  }
  std::vector<Index> tight;
  long double count = 0;
  for (Index i = 0; i < B.rows(); ++i) {
    const double low = -static_cast<double>(c(i)) - kModeZero;
    program.bound_row(static_cast<int>(i), low, low + 1);
    for (Index j = 0; j < dimension; ++j) program.set_cost(static_cast<int>(j), -static_cast<double>(B(i, j)));
    const LpStatus status = program.solve();
    program.bound_row(static_cast<int>(i), low, infinity);
    if (status == LpStatus::infeasible) out.is_empty = true;
    if (status != LpStatus::optimal) return out;
    out.t += program.x().cast<long double>();
    ++count;
    if (program.activity()(i) - low <= 10 * kModeZero) tight.push_back(i);
  }
  if (count > 0) out.t /= count;
  if (tight.empty()) return out;
  const LongMatrix equations = B(tight, Eigen::all);
  out.span = solve_equations(equations, LongVector::Zero(equations.rows())).kernel;
  return out;
}

/// The point of {o + K t : B t + c ≥ 0} with the smallest sum of squares in the units of the problem.
std::optional<LongVector> find_smallest(const Flat& flat, const LongMatrix& B, const LongVector& c,
                                        const VectorX<double>& force_unit) {
  const MatrixX<double> K = force_unit.asDiagonal() * flat.kernel.cast<double>();
  const VectorX<double> o = force_unit.cwiseProduct(flat.origin.cast<double>());
  const Index d = K.cols(), m = B.rows();
  const double scale = K.norm() > 0 ? 1 / K.norm() : 1;
  Lcp lcp{MatrixX<double>::Zero(d + m, d + m), VectorX<double>(d + m), static_cast<int>(d)};
  lcp.M.topLeftCorner(d, d) = scale * scale * K.transpose() * K;
  lcp.M.topRightCorner(d, m) = -B.transpose().cast<double>();
  lcp.M.bottomLeftCorner(m, d) = B.cast<double>();
  lcp.q << scale * scale * (K.transpose() * o), c.cast<double>();
  const LcpAnswer answer = solve_lcp(lcp);
  if (answer.status != LcpStatus::solved) return std::nullopt;
  return LongVector(answer.z.head(d).cast<long double>());
}

}  // namespace

std::vector<ContactState> find_states(const ConstraintProblem& problem, const ModeParts& parts,
                                      const VectorX<double>& w, double tolerance) {
  std::vector<ContactState> out;
  for (const NormalPart& part : parts.normals) {
    ContactState state = w(part.row) > tolerance ? ContactState::open : ContactState::stick;
    const bool is_contact = problem.row(part.row).kind == RowKind::normal;
    for (int k = 1; is_contact && state != ContactState::open && k <= problem.tangent_count(part.row); ++k) {
      const bool slides = problem.row(part.row + k).kind == RowKind::sliding;
      if (slides || std::abs(w(part.row + k)) > tolerance) state = ContactState::slide;
    }
    out.push_back(state);
  }
  return out;
}

CellPolyhedron describe_cell(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts,
                             const ModeChoice& choice, const VectorX<double>* w) {
  return CellWriter(problem, scaled, parts, choice, w).write();
}

std::optional<ModeCell> make_cell(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts,
                                  const ModeChoice& choice, int most_generators, const VectorX<double>* w) {
  const CellPolyhedron cell = describe_cell(problem, scaled, parts, choice, w);
  const Flat flat = solve_equations(cell.E, cell.e);
  if (!flat.is_consistent) return std::nullopt;
  const long double tolerance = kModeZero * (1 + flat.origin.cwiseAbs().maxCoeff());
  const LongMatrix B = cell.G * flat.kernel;
  const LongVector c = cell.G * flat.origin + cell.g;

  ModeCell out;
  out.choice = choice;
  Inside inside{LongVector(0), LongMatrix(0, 0)};
  const auto to_force = [&](const LongVector& z) {
    return VectorX<double>(scaled.force_unit.cwiseProduct(z.cast<double>()));
  };
  const auto point = [&](const LongVector& t) { return LongVector(flat.origin + flat.kernel * t); };
  if (flat.kernel.cols() == 0) {
    if (c.size() > 0 && c.minCoeff() < -tolerance) return std::nullopt;
    out.vertices.push_back(to_force(flat.origin));
  } else if (const auto corners = find_generators(B, c, tolerance, most_generators)) {
    inside = look_inside(*corners, flat.kernel.cols());
    for (const LongVector& t : corners->vertices) out.vertices.push_back(to_force(point(t)));
    for (const LongVector& t : corners->rays) out.rays.push_back(to_force(flat.kernel * t));
    for (const LongVector& t : corners->lines) out.lines.push_back(to_force(flat.kernel * t));
  } else {
    inside = look_inside(B, c);
    out.is_listed = false;
  }
  if (inside.is_empty) return std::nullopt;

  const LongMatrix span = flat.kernel * inside.span;
  const VectorX<double> middle = point(inside.t).cast<double>();
  const double size = 1 + middle.lpNorm<Eigen::Infinity>();
  out.states = find_states(problem, parts, scaled.A * middle + scaled.b, kModeZero * size);
  out.forces_unique = span.cols() == 0;
  out.motion_unique = out.forces_unique || (scaled.A * span.cast<double>()).lpNorm<Eigen::Infinity>() <= kModeZero;
  out.span = orthonormalize(LongMatrix(scaled.force_unit.cast<long double>().asDiagonal() * span)).cast<double>();
  std::optional<LongVector> smallest;
  if (!out.forces_unique) smallest = find_smallest(flat, B, c, scaled.force_unit);
  out.z = to_force(smallest ? point(*smallest) : point(inside.t));
  out.w = problem.A() * out.z + problem.b();
  return out;
}

bool is_part_of(const ModeCell& cell, const ScaledProblem& scaled, const CellPolyhedron& polyhedron) {
  const auto fits = [&](const VectorX<double>& z, bool is_point, bool both_ways) {
    const LongVector scaled_z = z.cwiseQuotient(scaled.force_unit).cast<long double>();
    const long double size = scaled_z.cwiseAbs().maxCoeff();
    const long double tolerance = 10 * kModeZero * (is_point ? 1 + size : size);
    LongVector equations = polyhedron.E * scaled_z, inequalities = polyhedron.G * scaled_z;
    if (is_point) equations += polyhedron.e, inequalities += polyhedron.g;
    if (equations.size() > 0 && equations.cwiseAbs().maxCoeff() > tolerance) return false;
    if (inequalities.size() == 0) return true;
    return (both_ways ? LongVector(-inequalities.cwiseAbs()) : inequalities).minCoeff() >= -tolerance;
  };
  if (!cell.is_listed) return false;
  for (const auto& z : cell.vertices) {
    if (!fits(z, true, false)) return false;
  }
  for (const auto& z : cell.rays) {
    if (!fits(z, false, false)) return false;
  }
  for (const auto& z : cell.lines) {
    if (!fits(z, false, true)) return false;
  }
  return true;
}

}  // namespace thenar::internal
