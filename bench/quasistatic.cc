// SPDX-License-Identifier: BSD-3-Clause
/// Quasistatic problems with the settings of PTL's Table 1, ten of each: pairs, time and verdict; and growth with the
/// number of contacts. Times are of the thread's CPU.

#include <array>
#include <fstream>

#include "measure.h"
#include "program.h"
#include "thenar/quasistatic/quasistatic_solver.h"
#include "thenar/quasistatic/random_quasistatic.h"

namespace thenar::bench {
namespace {

struct Options : CommonOptions {
  int problems = 10;    ///< for each setting
  double seconds = 60;  ///< limit for each problem
};

/// PTL Table 1: contacts, range of μ, |ᾱ|, pairs (0: not solved).
struct Setting {
  int contacts;
  double mu;
  int efforts;
  int published_pairs;
};
constexpr std::array<Setting, 20> kTable1 = {{{3, 1.0, 0, 2},   {10, 1.0, 0, 1},   {10, 2.0, 0, 5},  {15, 1.2, 1, 2},
                                              {18, 0.8, 9, 1},  {20, 1.0, 0, 1},   {20, 1.5, 0, 4},  {20, 1.2, 0, 2},
                                              {20, 1.0, 10, 2}, {20, 1.0, 10, 2},  {20, 1.0, 0, 4},  {30, 1.0, 0, 2},
                                              {30, 0.5, 15, 1}, {30, 0.6, 15, 24}, {40, 1.0, 0, 1},  {40, 1.0, 0, 1},
                                              {10, 1.3, 5, 0},  {15, 1.2, 6, 0},   {30, 0.6, 15, 0}, {40, 1.0, 20, 0}}};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// What became of the problems of one setting.
struct Tally {
  std::array<int, 4> verdicts{};  ///< unique, several, none, undecided
  int solved_by_pairs = 0;
  std::vector<double> pairs, pair_seconds, seconds, nodes;

  void add(const QuasistaticProblem& problem, const Options& options, bool all) {
    const double start = thread_seconds();
    const PairSearch fast = search_pairs(problem);
    const double middle = thread_seconds();
    QuasistaticOptions chosen;
    chosen.all = all;
    chosen.goes_on = [&](long long) { return thread_seconds() - middle < options.seconds; };
    const QuasistaticAnswer answer = solve_quasistatic(problem, chosen);
    seconds.push_back(thread_seconds() - middle);
    nodes.push_back(static_cast<double>(answer.tree.size()));
    ++verdicts[static_cast<std::size_t>(answer.verdict)];
    if (fast.status != PairSearch::Status::solved) return;
    ++solved_by_pairs;
    pairs.push_back(fast.pairs);
    pair_seconds.push_back(middle - start);
  }
};

/// Seconds that a warm linear program over X and one over Y take, with costs that change: the unit of PTL's algorithm.
double time_warm_programs(const QuasistaticProblem& problem) {
  const UncoupledPolyhedra polyhedra = make_polyhedra(problem);
  LinearProgram X = polyhedra.make_X(), Y = polyhedra.make_Y();
  X.solve();
  Y.solve();
  constexpr int kPrograms = 40;
  const double start = thread_seconds();
  for (int k = 0; k < kPrograms / 2; ++k) {
    for (LinearProgram* program : {&X, &Y}) {
      for (int j = 0; j < program->column_count(); ++j) program->set_cost(j, 1 + 0.1 * ((j * 7 + k * 3) % 11));
      program->solve();
    }
  }
  return (thread_seconds() - start) / kPrograms;
}

void run_table(const Options& options, std::ofstream& csv) {
  fmt::print("PTL Table 1: {} problems of each setting, limit {} s\n", options.problems, options.seconds);
  fmt::print("{:>3} {:>3} {:>4} {:>4} | {:>9} | {:>9} {:>7} {:>6} | {:>6} {:>7} {:>4} {:>9} | {:>8} {:>8}\n", "no",
             "n_c", "mu", "|a'|", "published", "by pairs", "pairs", "s", "unique", "several", "none", "undecided",
             "median s", "worst s");
  int decided = 0, all = 0, number = 0;
  for (const Setting& setting : kTable1) {
    ++number;
    Tally tally;
    for (int k = 0; k < options.problems; ++k) {
      const auto seed = static_cast<std::uint64_t>(1000 * number + k);
      tally.add(make_random_quasistatic({setting.contacts, setting.mu, setting.efforts, seed}), options, false);
    }
    fmt::print("{:>3} {:>3} {:>4} {:>4} | {:>9} | {:>9} {:>7} {:>6.3f} | {:>6} {:>7} {:>4} {:>9} | {:>8.3f} {:>8.3f}\n",
               number, setting.contacts, setting.mu, setting.efforts,
               setting.published_pairs > 0 ? fmt::format("{}", setting.published_pairs) : "unsolved",
               tally.solved_by_pairs, median(tally.pairs), median(tally.pair_seconds), tally.verdicts[0],
               tally.verdicts[1], tally.verdicts[2], tally.verdicts[3], median(tally.seconds), largest(tally.seconds));
    csv << fmt::format("table,{},{},{},{},{},{},{},{},{},{},{},{}\n", number, setting.contacts, setting.mu,
                       setting.efforts, tally.solved_by_pairs, median(tally.pairs), tally.verdicts[0],
                       tally.verdicts[1], tally.verdicts[2], tally.verdicts[3], median(tally.seconds),
                       largest(tally.seconds));
    all += options.problems;
    decided += options.problems - tally.verdicts[3];
  }
  fmt::print("decided: {} of {}\n\n", decided, all);
}

void run_growth(const Options& options, std::ofstream& csv) {
  fmt::print("All solutions, all joints position-controlled, mu up to 1, {} problems each\n", options.problems);
  fmt::print("{:>4} | {:>9} {:>9} {:>8} | {:>12} {:>14}\n", "n_c", "median s", "worst s", "nodes", "pairs alone s",
             "warm programs");
  for (const int contacts : {3, 5, 10, 20, 40, 80}) {
    Tally tally;
    std::vector<double> units;
    for (int k = 0; k < options.problems; ++k) {
      const QuasistaticProblem problem =
          make_random_quasistatic({contacts, 1.0, 0, static_cast<std::uint64_t>(100 * contacts + k)});
      tally.add(problem, options, true);
      units.push_back(time_warm_programs(problem));
    }
    const double pairs = median(tally.pair_seconds);
    fmt::print("{:>4} | {:>9.4f} {:>9.4f} {:>8} | {:>12.4f} {:>14.1f}\n", contacts, median(tally.seconds),
               largest(tally.seconds), median(tally.nodes), pairs, pairs / median(units));
    csv << fmt::format("growth,{},{},{},{},{},{}\n", contacts, median(tally.seconds), largest(tally.seconds),
                       median(tally.nodes), pairs, pairs / median(units));
  }
}

void run(const Options& options) {
  std::ofstream csv;
  if (!options.csv.empty()) csv.open(options.csv);
  run_table(options, csv);
  run_growth(options, csv);
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  CLI::App app("Quasistatic contact problems: PTL's Table 1, and growth with the number of contacts");
  options.add_to(app);
  app.add_option("--problems", options.problems, "For each setting")->capture_default_str();
  app.add_option("--seconds", options.seconds, "Limit for each problem")->capture_default_str();
  return thenar::bench::run_program(app, argc, argv, [&] { thenar::bench::run(options); });
}
