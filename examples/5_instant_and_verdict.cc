// SPDX-License-Identifier: BSD-3-Clause
//
// A verdict: is the answer the only one? Painlevé's rod slides on the ground and leans back. With little
// friction there is one motion. With μ = 1.4 no rigid motion exists at all, and while it spins fast enough there are
// two: it slides on, or it lifts off. (YY; the formula is in the file of the scene.)

#include <fmt/format.h>
#include <thenar/thenar.h>

#include <cstdlib>
#include <vector>

int main() {
  const thenar::Scenario rod = thenar::load(THENAR_SCENES "/truth/painleve_rod.yaml");
  struct Case {
    double mu, spin;  // -, rad/s
    thenar::Verdict expected;
  };
  bool is_good = true;
  for (const Case& c : {Case{0.5, 0, thenar::Verdict::unique}, Case{1.4, 0, thenar::Verdict::none},
                        Case{1.4, 6, thenar::Verdict::several}}) {
    thenar::Simulation sim(
        thenar::with_parameters(rod, std::vector<thenar::NamedValue>{{"mu", c.mu}, {"spin", c.spin}}));
    // The instant at the start says what the contacts do next.
    const thenar::Instant instant = thenar::solve_instant(sim.scenario(), sim.state());
    fmt::print("mu = {:.1f}, spin = {:.0f} rad/s: {}\n", c.mu, c.spin, to_string(instant.verdict));
    for (const thenar::InstantCell& cell : instant.cells) {
      for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
        fmt::print("    {} {}s, f_N = {:.3f} N\n", instant.contacts[i].name, thenar::to_next_word(cell.modes[i]),
                   cell.forces[i][0]);
      }
    }
    is_good &= instant.verdict == c.expected;
  }
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
