// SPDX-License-Identifier: BSD-3-Clause
//
// A block pushed to and fro on a floor with friction (scenes/truth/pushed_block.yaml) against a reference that shares
// nothing with the program: closed forms from change to change, whose times are found by bisection.

#include "motion_scenes.h"

namespace thenar::stick_slip_test {
namespace {

using namespace test;

struct Block {
  double F = 4, w = 5, mu_s = 0.3, mu = 0.3, m = 1, until = 4;
};

struct Change {
  double t = 0;
  EventKind kind = EventKind::slip;  ///< slip, also where it reverses at once, or stick
};

/// m x″ = F sin(w t) − μ m g sign(x′); holds while |F sin(w t)| ≤ μ_s m g.
class Reference {
 public:
  explicit Reference(const Block& block) : b_(block) {
    while (t_ < b_.until) (sign_ == 0 ? hold() : slide());
  }

  const std::vector<Change>& changes() const { return changes_; }
  /// Place at any time before the end.
  double position(double t) const {
    std::size_t k = 0;
    while (k + 1 < pieces_.size() && pieces_[k + 1].t <= t) ++k;
    return pieces_[k].sign == 0 ? pieces_[k].x : calc_position(pieces_[k], t);
  }

 private:
  struct Piece {
    double t, x, v;
    int sign;
  };

  double push(double t) const { return b_.F * std::sin(b_.w * t); }
  double calc_velocity(const Piece& p, double t) const {
    return p.v + b_.F / (b_.m * b_.w) * (std::cos(b_.w * p.t) - std::cos(b_.w * t)) -
           p.sign * b_.mu * kGravity * (t - p.t);
  }
  double calc_position(const Piece& p, double t) const {
    const double h = t - p.t, k = b_.F / (b_.m * b_.w);
    return p.x + (p.v + k * std::cos(b_.w * p.t)) * h - k / b_.w * (std::sin(b_.w * t) - std::sin(b_.w * p.t)) -
           0.5 * p.sign * b_.mu * kGravity * h * h;
  }

  /// The first time after t at which f, which is positive there or about to be, becomes negative: steps of a thousandth
  /// of a period, then bisection.
  template <class Function>
  double find_crossing(double t, const Function& f) const {
    const double step = 2 * M_PI / b_.w / 1000;
    double before = t + 1e-3 * step, after = before;
    while (f(after) >= 0 && after < b_.until) before = after, after += step;
    for (int i = 0; i < 100; ++i) (f(0.5 * (before + after)) >= 0 ? before : after) = 0.5 * (before + after);
    return after;
  }

  void hold() {
    pieces_.push_back({t_, x_, 0, 0});
    t_ = find_crossing(t_, [&](double t) { return b_.mu_s * b_.m * kGravity - std::abs(push(t)); });
    begin_slip();
  }

  void begin_slip() {
    sign_ = push(t_) > 0 ? 1 : -1;
    if (t_ < b_.until) changes_.push_back({t_, EventKind::slip});
  }

  void slide() {
    const Piece piece{t_, x_, 0, sign_};
    pieces_.push_back(piece);
    t_ = find_crossing(t_, [&](double t) { return sign_ * calc_velocity(piece, t); });
    x_ = calc_position(piece, t_);
    if (std::abs(push(t_)) > b_.mu_s * b_.m * kGravity) return begin_slip();
    sign_ = 0;
    if (t_ < b_.until) changes_.push_back({t_, EventKind::stick});
  }

  Block b_;
  double t_ = 0, x_ = 0;
  int sign_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Change> changes_;
};

/// Slip begins late by the margin of forces (contact_watch.h), a part of 1e-7 of f_N: by this time. Den Hartog's
/// motion forgets its past wherever the block comes to rest, so that delays do not add up.
double calc_delay(const Block& b) {
  const double rate = b.w * std::sqrt(b.F * b.F - std::pow(b.mu_s * b.m * kGravity, 2));
  return 1e-7 * b.m * kGravity / rate;
}

/// "slip 0.1, stick 0.6", to a hundredth of a second: what happens, in the order of time.
std::string describe(const std::vector<Change>& changes) {
  std::string out;
  for (const Change& change : changes) out += fmt::format("{} {:.2f}, ", to_string(change.kind), change.t);
  return out;
}

void compare(const Block& b) {
  SCOPED_TRACE(fmt::format("F {} w {} mu_s {} mu {} m {}", b.F, b.w, b.mu_s, b.mu, b.m));
  const Reference reference(b);
  const Trace trace = run_scene("pushed_block", {{"F", b.F},
                                                 {"w", b.w},
                                                 {"mu_s", b.mu_s},
                                                 {"mu", b.mu},
                                                 {"m", b.m},
                                                 {"run.until", b.until},
                                                 {"run.tolerance", 1e-10}});
  std::vector<Change> found;
  for (const Event& event : trace.events) {
    if (event.kind != EventKind::slip && event.kind != EventKind::stick) {
      ADD_FAILURE() << to_string(event.kind) << " at " << event.t << ": " << describe(event);
    } else if (found.empty() || event.t != found.back().t || event.kind != found.back().kind) {
      found.push_back({event.t, event.kind});
    }
  }
  ASSERT_EQ(describe(found), describe(reference.changes()));
  // A delay d of slip with μ_s = μ changes velocities by the rate times d²/2, positions likewise; with μ_s > μ by the
  // jump of friction times d. Errors of steps, 1e-10 of 1 m/s each, add up over some hundred of them.
  const double delay = calc_delay(b), jump = (b.mu_s - b.mu) * kGravity;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].t, reference.changes()[i].t, 10 * delay + 1e-9) << i;
  }
  const double period = 2 * M_PI / b.w, allowed = 1e-8 + jump * delay * period * static_cast<double>(found.size());
  double worst = 0, aside = 0, way = 0, last = trace.samples.front().state.q(0);
  for (const Sample& sample : trace.samples) {
    way += std::abs(sample.state.q(0) - last);
    last = sample.state.q(0);
    worst = std::max(worst, std::abs(sample.state.q(0) - reference.position(sample.state.t)));
    aside = std::max(aside, std::abs(sample.state.q(1)));
  }
  EXPECT_LT(worst, allowed);
  // Where slip begins it has the direction of its friction, which the cone solver tells to 1e-8; and errors of steps.
  EXPECT_LT(aside, 1e-8 * way + 1e-10 * static_cast<double>(trace.report.steps));
}

TEST(PushedBlock, SticksAndSlipsWhenTheReferenceDoes) {
  for (const double F : {3.0, 4.0, 5.0}) {  // mu m g = 2.943 N
    for (const double w : {2.0, 5.0}) compare({.F = F, .w = w});
  }
}

TEST(PushedBlock, TurnsRoundWithoutRestWhenPushedHard) {
  for (const double F : {6.0, 12.0, 40.0}) compare({.F = F});
}

TEST(PushedBlock, DoesNotTurnAside) {
  // Slip across dies out at the rate mu g/|slip|, as stiff as slip is slow. Where a step kept it from doing so,
  // rounding grew to 4e-7 m/s with the first of these pushes, and runs took ten times as many steps with the others.
  for (const double F : {7.1, 12.3, 33.0}) {
    SCOPED_TRACE(F);
    const Trace trace = run_scene("pushed_block", {{"F", F}, {"run.tolerance", 1e-10}});
    double aside = 0;
    for (const Sample& sample : trace.samples) {
      aside = std::max({aside, std::abs(sample.state.v(2)), std::abs(sample.state.v(4))});  // about z, along y
    }
    EXPECT_LT(aside, 1e-10 * static_cast<double>(trace.report.steps));
    EXPECT_LT(trace.report.steps, 400);
  }
}

TEST(PushedBlock, NeverMovesBelowFriction) {
  const Trace trace = run_scene("pushed_block", {{"F", 2.94}});
  EXPECT_TRUE(trace.events.empty());
  EXPECT_LT(std::abs(trace.report.last.q(0)), 1e-12);
}

TEST(PushedBlock, NeedsStaticFrictionToStartAndKineticToGoOn) {
  for (const double mu_s : {0.35, 0.45}) {
    for (const double F : {4.6, 8.0}) compare({.F = F, .mu_s = mu_s, .mu = 0.2});
  }
}

}  // namespace
}  // namespace thenar::stick_slip_test
