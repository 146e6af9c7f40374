// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Every list of labels tried one by one, on PTL's own polyhedra X and Y: which of them have velocities and forces. The
/// oracle of the search over modes; it shares no more with it than the linear programs.

#include <set>
#include <string>

#include "thenar/quasistatic/uncoupled_polyhedra.h"

namespace thenar::test {

/// Strict inequalities hold by this much, in the usual speed. A violation of 1e-9 in each row of Z adds up to more than
/// the solver's kStill; no cell of the problems here is as narrow as this.
inline constexpr double kStrict = 1e-6;

class BruteForceQuasistatic {
 public:
  explicit BruteForceQuasistatic(const QuasistaticProblem& problem)
      : n_(problem.contact_count()),
        polyhedra_(make_polyhedra(problem)),
        speed_(find_speed_scale(make_unknown_form(problem).v0)),
        X_(scaled(polyhedra_.X_rows, polyhedra_.X_known / speed_)),
        Y_(scaled(polyhedra_.C, polyhedra_.d / find_speed_scale(polyhedra_.d))) {}

  /// One letter for each contact: B, +, −, R.
  std::set<std::string> run() {
    std::string labels(static_cast<std::size_t>(n_), 'B');
    try_all(0, labels);
    return found_;
  }

 private:
  static LinearProgram scaled(const MatrixX<double>& rows, const VectorX<double>& known) {
    LinearProgram out(rows);
    for (int i = 0; i < out.row_count(); ++i) out.bound_row(i, -known(i), -known(i));
    return out;
  }

  void bound(LinearProgram& program, int part, int contact, double lower, double upper) {
    program.bound_column(part * n_ + contact, lower, upper);
  }

  void try_all(int contact, std::string& labels) {
    if (contact == n_) {
      if (X_.solve() == LpStatus::optimal && Y_.solve() == LpStatus::optimal) found_.insert(labels);
      return;
    }
    constexpr double kInfinity = LinearProgram::kInfinity;
    for (const char label : {'B', '+', '-', 'R'}) {
      labels[static_cast<std::size_t>(contact)] = label;
      bound(X_, 0, contact, label == 'B' ? kStrict : 0, label == 'B' ? kInfinity : 0);
      const bool slips_freely = label == 'B';
      bound(X_, 1, contact, label == '+' ? kStrict : 0, label == '+' || slips_freely ? kInfinity : 0);
      bound(X_, 2, contact, label == '-' ? kStrict : 0, label == '-' || slips_freely ? kInfinity : 0);
      const double most = label == 'B' ? 0 : kInfinity;
      bound(Y_, 0, contact, 0, most);
      bound(Y_, 1, contact, 0, label == '+' ? 0 : most);
      bound(Y_, 2, contact, 0, label == '-' ? 0 : most);
      try_all(contact + 1, labels);
    }
  }

  int n_;
  UncoupledPolyhedra polyhedra_;
  double speed_;
  LinearProgram X_, Y_;
  std::set<std::string> found_;
};

}  // namespace thenar::test
