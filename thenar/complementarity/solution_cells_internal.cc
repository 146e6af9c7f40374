// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/solution_cells_internal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// z_α = origin + kernel t solves M_αα z_α = −q_α; z is 0 elsewhere.
struct SolutionLine {
  LongVector origin;
  LongMatrix kernel;
  bool is_consistent = true;
};

SolutionLine solve_equations(const LongMatrix& M, const LongVector& q, const std::vector<int>& alpha) {
  SolutionLine out{LongVector::Zero(q.size()), LongMatrix(q.size(), 0)};
  if (alpha.empty()) return out;
  Eigen::FullPivLU<LongMatrix> lu(LongMatrix(M(alpha, alpha)));
  lu.setThreshold(kRank);
  out.origin(alpha) = LongVector(lu.solve(LongVector(-q(alpha))));
  const auto nullity = static_cast<Eigen::Index>(alpha.size()) - lu.rank();
  if (nullity > 0) {
    out.kernel = LongMatrix::Zero(q.size(), nullity);
    out.kernel(alpha, Eigen::all) = kernel_of(lu);
    out.kernel.colwise().normalize();
  }
  const long double error = (M * out.origin + q)(alpha).cwiseAbs().maxCoeff();
  out.is_consistent = error <= kZero * (1 + out.origin.cwiseAbs().maxCoeff());
  return out;
}

/// What is a bound is met exactly.
void clean(int free_count, std::vector<LongVector>& list) {
  constexpr long double kRounding = 1e-16L;
  for (LongVector& z : list) {
    const long double nothing = kRounding * z.cwiseAbs().maxCoeff();
    for (Eigen::Index i = free_count; i < z.size(); ++i) z(i) = z(i) > nothing ? z(i) : 0;
  }
}

/// The corners of a cell, ready for comparisons.
class CellCorners {
 public:
  CellCorners(const Lcp& scaled, const LcpScale& scale, const SolutionCell& cell) {
    for (const VectorX<double>& z : cell.vertices) add(scaled, scale, z, true);
    for (const VectorX<double>& z : cell.rays) add(scaled, scale, z, false);
    for (const VectorX<double>& z : cell.lines) add(scaled, scale, z, false);
  }

  /// Whether all of them have z and w = 0 where `other` has.
  bool fit(const SolutionCell& other) const {
    return std::all_of(corners_.begin(), corners_.end(), [&](const Corner& corner) {
      for (Eigen::Index i = 0; i < corner.z.size(); ++i) {
        const double value = other.in_basis[static_cast<std::size_t>(i)] ? corner.w(i) : corner.z(i);
        if (std::abs(value) > corner.tolerance) return false;
      }
      return true;
    });
  }

 private:
  struct Corner {
    VectorX<double> z, w;
    double tolerance;
  };

  void add(const Lcp& scaled, const LcpScale& scale, VectorX<double> z, bool is_point) {
    for (int j = 0; j < scaled.size(); ++j) z(j) /= scale.C(j);
    if (!is_point) z /= z.cwiseAbs().maxCoeff();
    VectorX<double> w = scaled.M * z;
    if (is_point) w += scaled.q;
    const double tolerance = kZero * (1 + z.cwiseAbs().maxCoeff());
    corners_.push_back({std::move(z), std::move(w), tolerance});
  }

  std::vector<Corner> corners_;
};

/// For each cell the one that it is part of, itself if none.
std::vector<int> find_keepers(const Lcp& scaled, const LcpScale& scale, const std::vector<SolutionCell>& cells) {
  std::vector<int> keeper(cells.size());
  std::iota(keeper.begin(), keeper.end(), 0);
  for (std::size_t a = 0; a < cells.size(); ++a) {
    const CellCorners corners(scaled, scale, cells[a]);
    for (std::size_t b = 0; b < cells.size(); ++b) {
      const bool is_dropped = keeper[b] != static_cast<int>(b);
      if (a == b || is_dropped || !corners.fit(cells[b])) continue;
      keeper[a] = static_cast<int>(b);
      break;
    }
  }
  return keeper;
}

}  // namespace

std::optional<Generators> find_solution_set(const Lcp& scaled, const std::vector<bool>& in_basis, int most) {
  const int n = scaled.size();
  std::vector<int> alpha, others;
  for (int i = 0; i < n; ++i) (in_basis[static_cast<std::size_t>(i)] ? alpha : others).push_back(i);
  const LongMatrix M = scaled.M.cast<long double>();
  const LongVector q = scaled.q.cast<long double>();
  const SolutionLine line = solve_equations(M, q, alpha);
  if (!line.is_consistent) return Generators{};
  // t is bounded by the signs of z_α and of the other w.
  LongMatrix G(n, line.kernel.cols());
  LongVector h(n);
  Eigen::Index row = 0;
  const LongVector w = M * line.origin + q;
  const LongMatrix w_by_t = M * line.kernel;
  for (const int i : alpha) {
    if (i < scaled.free_count) continue;
    G.row(row) = line.kernel.row(i);
    h(row++) = line.origin(i);
  }
  for (const int i : others) {
    G.row(row) = w_by_t.row(i);
    h(row++) = w(i);
  }
  const long double tolerance = kZero * (1 + line.origin.cwiseAbs().maxCoeff());
  std::optional<Generators> out = find_generators(G.topRows(row), h.head(row), tolerance, most);
  if (!out) return out;
  for (LongVector& t : out->vertices) t = (line.origin + line.kernel * t).eval();
  for (LongVector& t : out->rays) t = (line.kernel * t).eval();
  for (LongVector& t : out->lines) t = (line.kernel * t).eval();
  clean(scaled.free_count, out->vertices);
  clean(scaled.free_count, out->rays);
  return out;
}

void merge_cells(const Lcp& scaled, const LcpScale& scale, std::vector<SolutionCell>& cells,
                 std::vector<ProofNode>& tree) {
  const std::vector<int> keeper = find_keepers(scaled, scale, cells);
  std::vector<int> number(cells.size(), -1);
  std::vector<SolutionCell> kept;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (keeper[k] != static_cast<int>(k)) continue;
    number[k] = static_cast<int>(kept.size());
    kept.push_back(std::move(cells[k]));
  }
  const auto find_kept = [&](int k) {
    while (keeper[static_cast<std::size_t>(k)] != k) k = keeper[static_cast<std::size_t>(k)];
    return number[static_cast<std::size_t>(k)];
  };
  for (ProofNode& node : tree) {
    if (node.cell >= 0) node.cell = find_kept(node.cell);
  }
  cells = std::move(kept);
}

}  // namespace thenar::internal
