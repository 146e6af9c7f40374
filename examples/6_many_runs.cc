// SPDX-License-Identifier: BSD-3-Clause
//
// Many runs in parallel: one file is read, and a hundred copies of its scene with other frictions run on all cores,
// each in a Simulation of its own. How far does a box slide that is thrown on a floor? v²/(2 μ g). Threads change no
// bit.

#include <fmt/format.h>
#include <thenar/thenar.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr int kRuns = 100;

double friction(int run) { return 0.3 + 0.005 * run; }

/// The way that the cube slides, m.
double run_once(const thenar::Scenario& scene, int run) {
  thenar::Simulation sim(thenar::with_parameters(scene, std::vector<thenar::NamedValue>{{"mu", friction(run)}}));
  const double start = sim.state().q(0);
  if (!sim.advance_to(3).ok()) return std::nan("");
  return sim.state().q(0) - start;
}

std::vector<double> run_all(const thenar::Scenario& scene, unsigned threads) {
  std::vector<double> out(kRuns);
  std::atomic<int> next{0};
  std::vector<std::jthread> crew;
  for (unsigned i = 0; i < threads; ++i) {
    crew.emplace_back([&] {
      for (int run = next++; run < kRuns; run = next++) out[static_cast<std::size_t>(run)] = run_once(scene, run);
    });
  }
  crew.clear();  // waits for them
  return out;
}

}  // namespace

int main() {
  const thenar::Scenario scene = thenar::load(THENAR_SCENES "/truth/sliding_cube.yaml");
  const std::vector<double> ways = run_all(scene, std::max(2u, std::thread::hardware_concurrency()));
  double worst = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double expected = 6.0 * 6.0 / (2 * friction(run) * 9.81);
    worst = std::max(worst, std::abs(ways[static_cast<std::size_t>(run)] - expected));
  }
  const bool is_same = ways == run_all(scene, 1);
  fmt::print("{} runs, farthest from v²/(2 mu g): {:.2g} m; the same bits on one thread: {}\n", kRuns, worst, is_same);
  return worst < 1e-9 && is_same ? EXIT_SUCCESS : EXIT_FAILURE;
}
