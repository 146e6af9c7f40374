// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A step of slow motion that one can look into, and the first thing that happens in it:
///
///     touch   two bodies meet (touch_watch.h)           stop    a joint meets its stop
///     face    a contact leaves one of its features      slip    a slip comes to rest, or a velocity changes its sector
///     force   the forces of the modes have no reserve left: something breaks, slips or jams
///
/// Slips are polynomials through nine places of which no crossing is missed (crossing.h); reserves have kinks, and are
/// followed from place to place. Steps are short beside the bodies (kLongestWay).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thenar/events/touch_watch.h"
#include "thenar/integrate/crossing.h"
#include "thenar/integrate/step_view.h"
#include "thenar/quasistatic_run/quasistatic_motion_internal.h"
#include "thenar/quasistatic_run/step_powers_internal.h"

namespace thenar::internal {

struct QuasistaticCrossing {
  enum class Kind : std::uint8_t { touch, stop, face, slip, force };
  double theta = 1;
  Kind kind = Kind::touch;
  std::string name{};

  /// Whether velocities up to here fit the geometry behind it; else what comes next shows only behind it.
  bool is_geometric() const { return kind == Kind::touch || kind == Kind::stop || kind == Kind::face; }
};

class QuasistaticStep final : public StepView {
 public:
  /// All must outlive it.
  QuasistaticStep(const Scenario& scenario, QuasistaticMotion& motion, const Tolerances& tolerances);

  /// Goes on from here, in the modes of the motion.
  void start(double t, const VectorX<double>& q);
  /// How long a step may be, s: bodies move little beside their size.
  double longest_step() const;
  /// One step, not beyond t_limit. False if none succeeds.
  bool step(double t_limit);
  /// Whether powers are smooth enough in it for its books of energy; else it should be made shorter. look() comes
  /// first.
  bool has_smooth_powers() const { return powers_.are_smooth(); }
  /// Makes it again, half as long. False if it is short enough for anything that goes on.
  bool shorten();
  /// Looks into it, in nine places.
  void look();
  /// The first thing that happens in it, after look().
  std::optional<QuasistaticCrossing> find_crossing();
  /// Takes the step up to theta; start() must follow unless that is 1.
  void accept(double theta);

  double t() const { return t_; }
  double t_end(double theta) const { return theta == 1 ? t_end_ : t_ + theta * h_; }
  const VectorX<double>& q() const { return q_; }
  double size() const { return touches_.size(); }
  double h() const override { return h_; }
  const StepPoint& interpolate(double theta) override;
  const StepPoint& interpolate_roughly(double theta) override;

  /// Work and dissipation from the start of the step up to theta, J; after look().
  StepPoint calc_energy(double theta) const { return powers_.integrate(crossings_.nodes(), h_, theta); }

  /// What its future depends on. The motion must have been read before.
  template <class Archive>
  void archive(Archive& a);

  long long steps() const { return steps_; }
  long long rejected() const { return rejected_; }

 private:
  bool try_step(double h, double t_limit);
  double calc_exit(const HeldContact& contact) const;
  void keep(double theta, QuasistaticCrossing::Kind kind, std::string name,
            std::optional<QuasistaticCrossing>& first) const;
  void find_slip(std::size_t row, std::optional<QuasistaticCrossing>& first);
  void find_force(std::optional<QuasistaticCrossing>& first);
  void find_face(std::size_t contact, std::optional<QuasistaticCrossing>& first);
  void find_stop(std::size_t stop, std::optional<QuasistaticCrossing>& first);
  std::string name_of(int owner) const;

  const Scenario& scenario_;
  QuasistaticMotion& motion_;
  const Tolerances& tolerances_;
  std::unique_ptr<Integrator> integrator_;
  TouchWatch touches_;
  CrossingFinder crossings_;
  double t_ = 0, h_ = 0, t_end_ = 0, next_h_ = 0;
  VectorX<double> q_, y_, slope_, inside_;
  std::vector<double> weights_;
  StepPoint point_;
  MatrixX<double> slips_, exits_, stop_gaps_;  ///< by place
  VectorX<double> reserves_;
  StepPowers powers_;
  double speed_ = 0;  ///< the largest usual one in the step
  long long steps_ = 0, rejected_ = 0;
};

template <class Archive>
void archive_state(Archive& a, QuasistaticCrossing& at) {
  a(at.theta, at.kind, at.name);
}

}  // namespace thenar::internal
