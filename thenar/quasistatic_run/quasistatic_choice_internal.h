// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Which of the answers to a quasistatic problem slow motion goes on with, or why it ends there.
///
/// No answer: the hand jams. Several: RunOptions::on_indeterminate; but what is at rest and can stay there does while
/// nothing is driven. Answers that are none any more as soon as they move are left out.

#include <optional>
#include <string>
#include <vector>

#include "thenar/quasistatic_run/quasistatic_motion_internal.h"
#include "thenar/quasistatic_run/quasistatic_watch_internal.h"
#include "thenar/trace/advance_end.h"

namespace thenar::internal {

class QuasistaticChoice {
 public:
  /// How far behind an event the question is asked, as a part of the longest step.
  static constexpr double kFirstLook = 1e-5;

  /// All must outlive it.
  QuasistaticChoice(const Scenario& scenario, const Tolerances& tolerances, QuasistaticMotion& motion,
                    const QuasistaticStep& step);

  /// Where the question is asked, and at which time, s.
  struct Place {
    double t;
    VectorX<double> q;
  };
  /// Sets the modes of the motion, whose problem that is. False if the motion ends at time t: cause() and reason() say
  /// why.
  bool choose(double t, const Place& place, const QuasistaticProblem& problem, const QuasistaticAnswer& answer);
  AdvanceEnd cause() const { return cause_; }
  const std::string& reason() const { return reason_; }

  /// Whether any joint is moved by what drives it at that time.
  bool is_driven(double t) const;
  /// What a row of the problem is called: a contact, or a joint on its stop.
  std::string row_name(std::size_t row) const;

 private:
  struct Candidate {
    ModeLabels labels;
    VectorX<double> u, reference;
    double motion = 0;  ///< size of the velocity
  };

  bool end(AdvanceEnd cause, std::string reason);
  std::string describe_jam(double t, const QuasistaticAnswer& answer) const;
  std::string describe_several(double t, const QuasistaticAnswer& answer) const;
  Candidate make_candidate(const QuasistaticProblem& problem, const QuasistaticSolution& solution) const;
  void keep_those_that_go_on(const Place& place, std::vector<Candidate>& candidates);
  bool goes_on(const Place& place, Candidate& candidate);
  bool parts(const VectorX<double>& u, const ModeLabels& labels) const;
  std::optional<std::size_t> choose_among(double t, const std::vector<Candidate>& candidates) const;

  const Scenario& scenario_;
  const Tolerances& tolerances_;
  QuasistaticMotion& motion_;
  QuasistaticMotion trial_;
  const QuasistaticStep& step_;
  AdvanceEnd cause_ = AdvanceEnd::failed;
  std::string reason_;
};

}  // namespace thenar::internal
