// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// All solutions of a small LCP by trying every complementary basis, singular ones too: the oracle of
/// all_solutions.h. Nothing is pruned; corners of a solution set come from every choice of equations.

#include <cmath>
#include <vector>

#include "thenar/complementarity/lcp.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

/// S(α) of all_solutions.h where it is not empty.
struct BruteForceSet {
  std::vector<bool> in_basis;
  std::vector<VectorX<double>> vertices, rays;
};

class BruteForceLcp {
 public:
  explicit BruteForceLcp(const Lcp& problem)
      : M_(problem.M.cast<long double>()),
        q_(problem.q.cast<long double>()),
        n_(problem.size()),
        free_count_(problem.free_count) {}

  std::vector<BruteForceSet> run() const {
    std::vector<BruteForceSet> out;
    for (unsigned alpha = 0; alpha < (1U << n_); ++alpha) {
      const unsigned free = (1U << free_count_) - 1;
      if ((alpha & free) != free) continue;
      BruteForceSet set = find_set(alpha);
      if (!set.vertices.empty()) out.push_back(std::move(set));
    }
    return out;
  }

 private:
  using Long = long double;
  using Rows = MatrixX<Long>;
  static constexpr Long kZero = 1e-9L;

  static bool has(unsigned set, int i) { return (set >> i & 1U) != 0; }

  /// The equations and inequalities A z = b, C z ≥ d of S(α).
  struct System {
    Rows A, C;
    VectorX<Long> b, d;
  };
  System make_system(unsigned alpha) const {
    System s{Rows(n_, n_), Rows(n_, n_), VectorX<Long>(n_), VectorX<Long>(n_)};
    for (int i = 0; i < n_; ++i) {
      const VectorX<Long> unit = VectorX<Long>::Unit(n_, i);
      s.A.row(i) = has(alpha, i) ? VectorX<Long>(M_.row(i)) : unit;
      s.C.row(i) = has(alpha, i) ? unit : VectorX<Long>(M_.row(i));
      if (i < free_count_) s.C.row(i).setZero();
      s.b(i) = has(alpha, i) ? -q_(i) : 0;
      s.d(i) = has(alpha, i) ? 0 : -q_(i);
    }
    return s;
  }

  BruteForceSet find_set(unsigned alpha) const {
    const System s = make_system(alpha);
    BruteForceSet out;
    for (int i = 0; i < n_; ++i) out.in_basis.push_back(has(alpha, i));
    const int freedom = n_ - rank(s.A);
    for_choices(freedom, [&](const std::vector<int>& chosen) {
      Rows A(n_ + freedom, n_);
      VectorX<Long> b(n_ + freedom);
      A << s.A, s.C(chosen, Eigen::all);
      b << s.b, s.d(chosen);
      Eigen::FullPivLU<Rows> lu(A);
      lu.setThreshold(1e-12L);
      if (lu.rank() < n_) return;
      const VectorX<Long> z = lu.solve(b);
      const bool is_met = (A * z - b).cwiseAbs().maxCoeff() < kZero && (s.C * z - s.d).minCoeff() > -kZero;
      if (is_met) add(out.vertices, z);
    });
    if (freedom == 0 || out.vertices.empty()) return out;
    for_choices(freedom - 1, [&](const std::vector<int>& chosen) {
      Rows A(n_ + freedom - 1, n_);
      A << s.A, s.C(chosen, Eigen::all);
      Eigen::FullPivLU<Rows> lu(A);
      lu.setThreshold(1e-12L);
      if (lu.rank() != n_ - 1) return;
      VectorX<Long> direction = lu.kernel().col(0);
      direction /= direction.cwiseAbs().maxCoeff();
      for (const int sign : {1, -1}) {
        if ((s.C * (direction * sign)).minCoeff() > -kZero) add(out.rays, direction * sign);
      }
    });
    return out;
  }

  int rank(const Rows& A) const {
    Eigen::FullPivLU<Rows> lu(A);
    lu.setThreshold(1e-12L);
    return static_cast<int>(lu.rank());
  }

  template <class Use>
  void for_choices(int count, const Use& use) const {
    std::vector<int> chosen;
    choose_from(0, count, chosen, use);
  }
  template <class Use>
  void choose_from(int first, int count, std::vector<int>& chosen, const Use& use) const {
    if (count == 0) return use(chosen);
    for (int i = first; i < n_; ++i) {
      chosen.push_back(i);
      choose_from(i + 1, count - 1, chosen, use);
      chosen.pop_back();
    }
  }

  static void add(std::vector<VectorX<double>>& list, const VectorX<Long>& x) {
    for (const VectorX<double>& other : list) {
      if ((other.cast<Long>() - x).cwiseAbs().maxCoeff() < 1e-7L * (1 + x.cwiseAbs().maxCoeff())) return;
    }
    list.push_back(x.cast<double>());
  }

  MatrixX<Long> M_;
  VectorX<Long> q_;
  int n_, free_count_;
};

}  // namespace thenar::test
