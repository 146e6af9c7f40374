// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/linear_programs/linear_program.h"

#include <algorithm>
#include <cmath>
#include <coin/ClpFactorization.hpp>
#include <coin/CoinError.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "thenar/linear_programs/linear_program_internal.h"

namespace thenar {
namespace {

using Index = Eigen::Index;
using Method = internal::LpMethod;
using internal::find_scale;

/// Of ClpSimplex::specialOptions(). Without it the primal method lets unknowns pass their bounds by some 1e-12, which
/// helps it out of cycles, and leaves them there.
constexpr unsigned kExactBounds = 4;
/// More find no better powers of two.
constexpr int kScalingPasses = 8;

/// The power of two that brings the nonzero entries to 1 in the mean of their logarithms.
template <class Entries>
double find_mean_scale(const Entries& entries) {
  double sum = 0;
  int count = 0;
  for (Index k = 0; k < entries.size(); ++k) {
    if (entries(k) == 0) continue;
    sum += std::log2(std::abs(entries(k)));
    ++count;
  }
  return count > 0 ? std::exp2(-std::round(sum / count)) : 1;
}

/// Sets to zero what is rounding beside the largest entries of its row and of its column, in whatever units they are.
/// Scaling would take it at its word: bring it to 1, and what is 1 far beyond all tolerances.
void drop_rounding(MatrixX<double>& matrix) {
  constexpr double kRounding = 1e-14;
  if (matrix.size() == 0) return;
  const VectorX<double> rows = matrix.cwiseAbs().rowwise().maxCoeff();
  const VectorX<double> columns = matrix.cwiseAbs().colwise().maxCoeff().transpose();
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (std::abs(matrix(i, j)) <= kRounding * std::min(rows(i), columns(j))) matrix(i, j) = 0;
    }
  }
}

double to_clp(double bound) {
  return std::abs(bound) < LinearProgram::kLargestBound ? bound : std::copysign(COIN_DBL_MAX, bound);
}

double from_clp(double bound) {
  return std::abs(bound) < COIN_DBL_MAX ? bound : std::copysign(LinearProgram::kInfinity, bound);
}

ClpSimplex::Status to_clp(BasisPlace place) {
  switch (place) {
    case BasisPlace::basic:
      return ClpSimplex::basic;
    case BasisPlace::at_lower:
      return ClpSimplex::atLowerBound;
    case BasisPlace::at_upper:
      return ClpSimplex::atUpperBound;
    case BasisPlace::free:
      break;
  }
  return ClpSimplex::isFree;
}

BasisPlace from_clp(ClpSimplex::Status status) {
  switch (status) {
    case ClpSimplex::basic:
      return BasisPlace::basic;
    case ClpSimplex::atLowerBound:
    case ClpSimplex::isFixed:
      return BasisPlace::at_lower;
    case ClpSimplex::atUpperBound:
      return BasisPlace::at_upper;
    default:
      return BasisPlace::free;
  }
}

void check_index(const char* what, int i, int count) {
  if (i < 0 || i >= count) throw std::invalid_argument(std::string(what) + ": no such index: " + std::to_string(i));
}

void check_bounds(const char* what, int i, double lower, double upper) {
  if (lower <= upper && lower < LinearProgram::kInfinity && upper > -LinearProgram::kInfinity) return;
  throw std::invalid_argument(std::string(what) + " of " + std::to_string(i) +
                              ": not an interval: " + std::to_string(lower) + " to " + std::to_string(upper));
}

}  // namespace

const char* to_string(LpStatus status) {
  switch (status) {
    case LpStatus::optimal:
      return "optimal";
    case LpStatus::infeasible:
      return "infeasible";
    case LpStatus::unbounded:
      return "unbounded";
    case LpStatus::failed:
      break;
  }
  return "failed";
}

LinearProgram::Work::Work(const MatrixX<double>& matrix) : A(matrix) {
  drop_rounding(A);
  scale();
  find_blocks();
  costs = VectorX<double>::Zero(columns());
  set_up(simplex);
  load();
}

void LinearProgram::Work::set_up(ClpSimplex& program) const {
  program.setLogLevel(0);
  program.scaling(0);
  program.factorization()->setDenseThreshold(0);  // no LAPACK: its kernels differ from machine to machine
  program.setPerturbation(100);                   // none: perturbed costs would end at another vertex
  program.setSpecialOptions(program.specialOptions() | kExactBounds);
  constexpr int kKeepMethod = 8192;  // or each method calls the other one to clean up
  program.setMoreSpecialOptions(program.moreSpecialOptions() | kKeepMethod);
  program.setPrimalTolerance(kTolerance);
  program.setDualTolerance(kTolerance);
  program.setMaximumIterations(static_cast<int>(2000 + 100 * (rows() + columns())));
}

/// First so that the entries are of size 1 in the mean of their logarithms, by rows and columns in turn: this undoes
/// any units. Then so that the largest is about 1. Rows come first, so that the unknowns stay as they are if they can.
void LinearProgram::Work::scale() {
  row_scale = VectorX<double>::Ones(rows());
  column_scale = VectorX<double>::Ones(columns());
  const auto scale_row = [&](Index i, double factor) {
    row_scale(i) *= factor;
    A.row(i) *= factor;
  };
  const auto scale_column = [&](Index j, double factor) {
    column_scale(j) *= factor;
    A.col(j) *= factor;
  };
  for (int pass = 0; pass < kScalingPasses; ++pass) {
    for (Index i = 0; i < rows(); ++i) scale_row(i, find_mean_scale(A.row(i)));
    for (Index j = 0; j < columns(); ++j) scale_column(j, find_mean_scale(A.col(j)));
  }
  for (Index i = 0; i < rows(); ++i) scale_row(i, find_scale(A.row(i).lpNorm<Eigen::Infinity>()));
  for (Index j = 0; j < columns(); ++j) scale_column(j, find_scale(A.col(j).lpNorm<Eigen::Infinity>()));
}

/// Numbers the blocks of A; a row or a column without entries is one by itself.
void LinearProgram::Work::find_blocks() {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  row_block.assign(static_cast<std::size_t>(rows()), kNone);
  column_block.assign(static_cast<std::size_t>(columns()), kNone);
  std::size_t count = 0;
  std::vector<Index> reached;  // columns of the block whose rows have not been visited
  const auto reach = [&](Index j) {
    std::size_t& block = column_block[static_cast<std::size_t>(j)];
    if (block != kNone) return;
    block = count;
    reached.push_back(j);
  };
  const auto visit_rows = [&](Index j) {
    for (Index i = 0; i < rows(); ++i) {
      std::size_t& block = row_block[static_cast<std::size_t>(i)];
      if (A(i, j) == 0 || block != kNone) continue;
      block = count;
      for (Index k = 0; k < columns(); ++k) {
        if (A(i, k) != 0) reach(k);
      }
    }
  };
  for (Index first = 0; first < columns(); ++first) {
    if (column_block[static_cast<std::size_t>(first)] != kNone) continue;
    reach(first);
    while (!reached.empty()) {
      const Index j = reached.back();
      reached.pop_back();
      visit_rows(j);
    }
    ++count;
  }
  for (std::size_t& block : row_block) {
    if (block == kNone) block = count++;
  }
  cost_scale = VectorX<double>::Ones(static_cast<Index>(count));
}

void LinearProgram::Work::load() {
  std::vector<CoinBigIndex> starts = {0};
  std::vector<int> indices;
  std::vector<double> entries;
  for (Index j = 0; j < columns(); ++j) {
    for (Index i = 0; i < rows(); ++i) {
      if (A(i, j) == 0) continue;
      indices.push_back(static_cast<int>(i));
      entries.push_back(A(i, j));
    }
    starts.push_back(static_cast<CoinBigIndex>(entries.size()));
  }
  const auto row_count = static_cast<std::size_t>(rows()), column_count = static_cast<std::size_t>(columns());
  const std::vector<double> low(std::max(row_count, column_count), -COIN_DBL_MAX);
  const std::vector<double> high(std::max(row_count, column_count), COIN_DBL_MAX);
  const std::vector<double> zeros(column_count, 0.0);
  simplex.loadProblem(static_cast<int>(columns()), static_cast<int>(rows()), starts.data(), indices.data(),
                      entries.data(), low.data(), high.data(), zeros.data(), low.data(), high.data());
}

void LinearProgram::Work::drop_costs() {
  for (int j = 0; j < simplex.numberColumns(); ++j) simplex.setObjectiveCoefficient(j, 0);
  cost_scale.setOnes();
}

/// The largest cost of each block becomes about 1.
void LinearProgram::Work::update_costs() {
  const VectorX<double> scaled = costs.cwiseProduct(column_scale);
  VectorX<double> largest = VectorX<double>::Zero(cost_scale.size());
  const auto block_of = [&](Index j) { return static_cast<Index>(column_block[static_cast<std::size_t>(j)]); };
  for (Index j = 0; j < columns(); ++j) largest(block_of(j)) = std::max(largest(block_of(j)), std::abs(scaled(j)));
  for (Index b = 0; b < largest.size(); ++b) cost_scale(b) = find_scale(largest(b));
  for (Index j = 0; j < columns(); ++j) {
    simplex.setObjectiveCoefficient(static_cast<int>(j), scaled(j) * cost_scale(block_of(j)));
  }
}

/// Nonbasic unknowns whose bound was taken away go to the other one, or become free and start at 0: CLP may have left
/// them at a makeshift bound of 1e10. Returns whether all stayed.
bool LinearProgram::Work::mend_places() {
  const auto mend = [](ClpSimplex::Status place, double lower, double upper) {
    if (place == ClpSimplex::basic) return place;
    const bool has_lower = lower > -COIN_DBL_MAX, has_upper = upper < COIN_DBL_MAX;
    if (!has_lower && !has_upper) return ClpSimplex::isFree;
    const bool prefers_upper = place == ClpSimplex::atUpperBound;
    return has_upper && (prefers_upper || !has_lower) ? ClpSimplex::atUpperBound : ClpSimplex::atLowerBound;
  };
  bool are_same = true;
  for (int j = 0; j < simplex.numberColumns(); ++j) {
    const ClpSimplex::Status place = simplex.getColumnStatus(j);
    const ClpSimplex::Status mended = mend(place, simplex.columnLower()[j], simplex.columnUpper()[j]);
    are_same = are_same && from_clp(place) == from_clp(mended);
    simplex.setColumnStatus(j, mended);
    if (mended == ClpSimplex::isFree) simplex.primalColumnSolution()[j] = 0;
  }
  for (int i = 0; i < simplex.numberRows(); ++i) {
    const ClpSimplex::Status place = simplex.getRowStatus(i);
    const ClpSimplex::Status mended = mend(place, simplex.rowLower()[i], simplex.rowUpper()[i]);
    are_same = are_same && from_clp(place) == from_clp(mended);
    simplex.setRowStatus(i, mended);
    if (mended == ClpSimplex::isFree) simplex.primalRowSolution()[i] = 0;
  }
  return are_same;
}

/// False if CLP threw. CLP frees its work areas and factors the basis anew each time: keeping them would save a third
/// of the time at most, and make answers depend on what was solved before.
bool LinearProgram::Work::run(ClpSimplex& program, Method method) {
  try {
    method == Method::dual ? program.dual(0, 0) : program.primal(0, 0);
    return true;
  } catch (const CoinError&) {
    return false;
  }
}

/// Programs without a nonzero entry: each unknown goes to the bound that its cost asks for. CLP forgets the basis here.
LpStatus LinearProgram::Work::solve_without_entries() {
  if (find_impossible_row()) return LpStatus::infeasible;
  for (int i = 0; i < simplex.numberRows(); ++i) simplex.setRowStatus(i, ClpSimplex::basic);
  ray = VectorX<double>::Zero(columns());
  for (int j = 0; j < simplex.numberColumns(); ++j) {
    const bool was_basic = simplex.getColumnStatus(j) == ClpSimplex::basic;
    if (was_basic || costs(j) > 0) simplex.setColumnStatus(j, ClpSimplex::atLowerBound);
    if (costs(j) < 0) simplex.setColumnStatus(j, ClpSimplex::atUpperBound);
    const double wanted = costs(j) > 0 ? simplex.columnLower()[j] : costs(j) < 0 ? simplex.columnUpper()[j] : 0;
    if (std::abs(wanted) >= COIN_DBL_MAX) ray(j) = -std::copysign(1, costs(j));
  }
  mend_places();
  for (int j = 0; j < simplex.numberColumns(); ++j) {
    const ClpSimplex::Status place = simplex.getColumnStatus(j);
    simplex.primalColumnSolution()[j] = place == ClpSimplex::atLowerBound   ? simplex.columnLower()[j]
                                        : place == ClpSimplex::atUpperBound ? simplex.columnUpper()[j]
                                                                            : 0;
  }
  std::fill_n(simplex.dualRowSolution(), simplex.numberRows(), 0.0);
  if (!ray.isZero(0)) return LpStatus::unbounded;
  return read_optimum() ? LpStatus::optimal : LpStatus::failed;
}

/// Each method starts from a basis that suits it, for otherwise CLP makes do with bounds of 1e10 (dual) or penalties of
/// 1e10 (primal), gets lost now and then, and may even end the process on an assertion. The dual one suits programs
/// without costs, and changes of bounds that leave an optimum's basis dual feasible; then the primal one goes on from a
/// feasible point.
LpStatus LinearProgram::Work::attempt() {
  if (A.isZero(0)) return solve_without_entries();
  if (is_dual_feasible) {
    if (!run(Method::dual)) return LpStatus::failed;
    if (simplex.status() == 0) return finish_optimum();
    if (simplex.status() == 1 && read_farkas()) return LpStatus::infeasible;
  }
  drop_costs();
  mend_places();
  if (!run(Method::dual)) return LpStatus::failed;
  if (simplex.status() == 1) return name_infeasible();
  if (simplex.status() != 0) return LpStatus::failed;
  if (costs.isZero(0)) return finish_optimum();
  update_costs();
  if (!run(Method::primal)) return LpStatus::failed;
  if (simplex.status() == 2) return name_unbounded();
  return simplex.status() == 0 ? finish_optimum() : LpStatus::failed;
}

/// At a degenerate vertex the primal method may stop with a basis whose multipliers have the wrong sign by more than
/// the tolerance (secondary status 5 of CLP). The dual method goes on from there.
LpStatus LinearProgram::Work::finish_optimum() {
  if (push_to_vertex() && read_optimum()) return LpStatus::optimal;
  if (!run(Method::dual) || simplex.status() != 0) return LpStatus::failed;
  return push_to_vertex() && read_optimum() ? LpStatus::optimal : LpStatus::failed;
}

LpStatus LinearProgram::Work::name_infeasible() {
  if (read_farkas() || find_impossible_row()) return LpStatus::infeasible;
  return find_farkas_by_weights() ? LpStatus::infeasible : LpStatus::failed;
}

LpStatus LinearProgram::Work::name_unbounded() {
  const Eigen::Map<const VectorX<double>> point(simplex.primalColumnSolution(), columns());
  return is_feasible(point) && find_ray() ? LpStatus::unbounded : LpStatus::failed;
}

/// An optimal basis may leave free unknowns outside at 0 although they could go on to a bound of others. Their reduced
/// costs are zero, so there they go.
bool LinearProgram::Work::push_to_vertex() {
  const auto is_free = [](ClpSimplex::Status place) {
    return place == ClpSimplex::isFree || place == ClpSimplex::superBasic;
  };
  for (Index pushes = 0; pushes <= columns(); ++pushes) {
    bool has_free = false;
    for (int j = 0; j < simplex.numberColumns(); ++j) has_free |= is_free(simplex.getColumnStatus(j));
    for (int i = 0; i < simplex.numberRows(); ++i) has_free |= is_free(simplex.getRowStatus(i));
    if (!has_free) return true;
    const std::optional<internal::Exchange> push = internal::VertexEdges(make_vertex()).find_push(find_basic());
    if (!push) return true;
    set_place(push->entering, ClpSimplex::basic);
    set_place(push->blocking, push->at_upper ? ClpSimplex::atUpperBound : ClpSimplex::atLowerBound);
    if (!run(Method::dual) || simplex.status() != 0) return false;
  }
  return false;
}

void LinearProgram::Work::set_place(int k, ClpSimplex::Status place) {
  const int n = simplex.numberColumns();
  k < n ? simplex.setColumnStatus(k, place) : simplex.setRowStatus(k - n, place);
}

std::vector<bool> LinearProgram::Work::find_basic() const {
  std::vector<bool> out;
  for (int j = 0; j < simplex.numberColumns(); ++j) out.push_back(simplex.getColumnStatus(j) == ClpSimplex::basic);
  for (int i = 0; i < simplex.numberRows(); ++i) out.push_back(simplex.getRowStatus(i) == ClpSimplex::basic);
  return out;
}

/// The point where CLP stands.
internal::VertexProblem LinearProgram::Work::make_vertex() const {
  const Index n = columns(), m = rows();
  VectorX<double> lower(n + m), upper(n + m), value(n + m);
  value.head(n) = Eigen::Map<const VectorX<double>>(simplex.primalColumnSolution(), n);
  value.tail(m).noalias() = A * value.head(n);
  for (Index j = 0; j < n; ++j) lower(j) = from_clp(simplex.columnLower()[j]);
  for (Index j = 0; j < n; ++j) upper(j) = from_clp(simplex.columnUpper()[j]);
  for (Index i = 0; i < m; ++i) lower(n + i) = from_clp(simplex.rowLower()[i]);
  for (Index i = 0; i < m; ++i) upper(n + i) = from_clp(simplex.rowUpper()[i]);
  return {A, std::move(lower), std::move(upper), std::move(value), kTolerance};
}

void LinearProgram::Work::start_over() {
  simplex.allSlackBasis(true);
  mend_places();
}

/// From scratch, with costs perturbed and bounds passed against cycles.
LpStatus LinearProgram::Work::retry() {
  is_dual_feasible = false;
  start_over();
  simplex.setPerturbation(50);
  simplex.setSpecialOptions(simplex.specialOptions() & ~kExactBounds);
  const LpStatus answer = attempt();
  simplex.setSpecialOptions(simplex.specialOptions() | kExactBounds);
  simplex.setPerturbation(100);
  if (answer == LpStatus::failed) start_over();
  return answer;
}

LinearProgram::LinearProgram(const MatrixX<double>& A) {
  if (!A.allFinite()) throw std::invalid_argument("LinearProgram: the matrix is not finite");
  work_ = std::make_unique<Work>(A);
}

LinearProgram::~LinearProgram() = default;
LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;
LinearProgram& LinearProgram::operator=(LinearProgram&&) noexcept = default;

int LinearProgram::row_count() const { return static_cast<int>(work_->rows()); }
int LinearProgram::column_count() const { return static_cast<int>(work_->columns()); }

void LinearProgram::bound_row(int i, double lower, double upper) {
  check_index("bound_row", i, row_count());
  check_bounds("bound_row", i, lower, upper);
  const double scale = work_->row_scale(i);
  work_->simplex.setRowBounds(i, to_clp(lower * scale), to_clp(upper * scale));
  work_->has_vertex = false;
}

void LinearProgram::bound_column(int j, double lower, double upper) {
  check_index("bound_column", j, column_count());
  check_bounds("bound_column", j, lower, upper);
  const double scale = work_->column_scale(j);
  work_->simplex.setColumnBounds(j, to_clp(lower / scale), to_clp(upper / scale));
  work_->has_vertex = false;
}

void LinearProgram::set_cost(int j, double cost) {
  check_index("set_cost", j, column_count());
  if (!std::isfinite(cost)) throw std::invalid_argument("set_cost of " + std::to_string(j) + ": not a finite number");
  work_->costs(j) = cost;
  work_->is_dual_feasible = false;
}

void LinearProgram::clear_costs() {
  work_->costs.setZero();
  work_->is_dual_feasible = false;
}

LpStatus LinearProgram::solve() {
  Work& work = *work_;
  work.is_dual_feasible = work.mend_places() && work.is_dual_feasible;
  work.status = work.attempt();
  if (work.status == LpStatus::failed) work.status = work.retry();
  work.has_vertex = work.is_dual_feasible = work.status == LpStatus::optimal;
  return work.status;
}

LpStatus LinearProgram::status() const { return work_->status; }
const VectorX<double>& LinearProgram::x() const { return work_->x; }
double LinearProgram::objective() const { return work_->objective; }
const VectorX<double>& LinearProgram::activity() const { return work_->activity; }
const VectorX<double>& LinearProgram::multipliers() const { return work_->multipliers; }
const VectorX<double>& LinearProgram::farkas() const { return work_->farkas; }
const VectorX<double>& LinearProgram::ray() const { return work_->ray; }
bool LinearProgram::has_all_edges() const { return work_->has_all_edges; }

LpBasis LinearProgram::basis() const {
  LpBasis out;
  const ClpSimplex& simplex = work_->simplex;
  for (int j = 0; j < column_count(); ++j) out.columns.push_back(from_clp(simplex.getColumnStatus(j)));
  for (int i = 0; i < row_count(); ++i) out.rows.push_back(from_clp(simplex.getRowStatus(i)));
  return out;
}

void LinearProgram::set_basis(const LpBasis& basis) {
  const auto count = std::count(basis.columns.begin(), basis.columns.end(), BasisPlace::basic) +
                     std::count(basis.rows.begin(), basis.rows.end(), BasisPlace::basic);
  if (static_cast<int>(basis.columns.size()) != column_count() || static_cast<int>(basis.rows.size()) != row_count() ||
      count != row_count()) {
    throw std::invalid_argument("set_basis: not a basis of this program");
  }
  ClpSimplex& simplex = work_->simplex;
  for (int j = 0; j < column_count(); ++j)
    simplex.setColumnStatus(j, to_clp(basis.columns[static_cast<std::size_t>(j)]));
  for (int i = 0; i < row_count(); ++i) simplex.setRowStatus(i, to_clp(basis.rows[static_cast<std::size_t>(i)]));
  work_->has_vertex = work_->is_dual_feasible = false;
}

std::vector<LpEdge> LinearProgram::find_edges(int most_bases) {
  Work& work = *work_;
  if (!work.has_vertex) throw std::logic_error("find_edges: no vertex, or changed since");
  internal::VertexEdges search(work.make_vertex());
  std::vector<LpEdge> edges = search.find(work.find_basic(), most_bases);
  for (LpEdge& edge : edges) edge.x = edge.x.cwiseProduct(work.column_scale);
  work.has_all_edges = search.is_complete();
  return edges;
}

}  // namespace thenar
