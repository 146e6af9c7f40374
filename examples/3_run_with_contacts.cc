// SPDX-License-Identifier: BSD-3-Clause
//
// A motion with contacts, held in the hand: a ball rolls down a slope, is looked at every 0.1 s, saved, pushed, and
// taken back to where it was saved. Rolling without slip it goes s = 5/14 g sin(slope) t².

#include <fmt/format.h>
#include <thenar/thenar.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace {

/// Way of the ball's middle from where it started, m.
double calc_way(const thenar::State& now, const thenar::State& start) {
  return (now.q.head(3) - start.q.head(3)).norm();
}

}  // namespace

int main() {
  thenar::Simulation sim(thenar::load(THENAR_SCENES "/truth/ball_on_incline.yaml"));
  const thenar::State start = sim.state();
  const double a = 5.0 / 7 * 9.81 * std::sin(25 * std::numbers::pi / 180);

  double worst = 0;
  thenar::Snapshot half_way;
  while (sim.time() < 1) {
    if (const auto report = sim.advance(0.1); !report.ok()) {
      fmt::print(stderr, "{}\n", report.reason);
      return EXIT_FAILURE;
    }
    const thenar::Contact& c = sim.contacts().front();
    fmt::print("t = {:.1f} s: {:.6f} m, {} {}s, slip margin {:.3f}\n", sim.time(), calc_way(sim.state(), start), c.name,
               to_string(c.mode), c.margin);
    worst = std::max(worst, std::abs(calc_way(sim.state(), start) - a / 2 * sim.time() * sim.time()));
    if (half_way.empty() && sim.time() > 0.45) half_way = sim.save();
  }
  const thenar::State end = sim.state();

  // From half way on with a push of 5 N for 0.1 s; the ball slips.
  sim.restore(half_way);
  sim.new_events();
  sim.apply_wrench({.body = sim.model().body_of("ball"), .force = {5, 0, 0}, .until = sim.time() + 0.1});
  sim.advance(0.2);
  for (const thenar::Event& event : sim.new_events()) {
    fmt::print("t = {:.6f} s: {}, {}: {}\n", event.t, event.where(), to_string(event.kind), describe(event));
  }

  // And without it: the same bits as before.
  sim.restore(half_way);
  sim.advance_to(end.t);
  const bool is_same = sim.state() == end;
  fmt::print("farthest from the formula: {:.2g} m; the same bits after restore(): {}\n", worst, is_same);
  return worst < 1e-9 && is_same ? EXIT_SUCCESS : EXIT_FAILURE;
}
