// SPDX-License-Identifier: BSD-3-Clause
//
// Complementarity problems beside Siconos and DART, in one run, in turns, as ratios.
//
//     bench_complementarity [--peers FOLDER] [--csv FILE] [--rounds N] [--problems N] [--only FAMILY]
//
// Linear problems are those of tests/complementarity/lcp_families.h, all of which have a solution, and every answer is
// judged by calc_residual(). Contacts with true friction cones are those of a hand that holds a box
// (tests/complementarity/grasp_problems.h), judged by grade_solution(). Solved means 1e-8 or less, whatever the solver
// says of itself; iterative methods are asked for 1e-9, some for less, since they measure in other units. Three times
// are given:
//
//     sweep    all problems one after another, over their number: what a simulation pays, since no two are alike
//     median   of the problems' own times, each repeated by itself
//     worst    of those
//
// and ratios of the sweeps to Thenar's. Thenar's time includes the check of its answer in the original numbers; most
// others do not check theirs. What is inside of a peer's time is said in its source (peers/). A hash of all answers is
// printed: speed is never bought with another answer.

#include <cstdlib>
#include <fstream>

#include "../tests/complementarity/grasp_problems.h"
#include "complementarity_contenders.h"
#include "hash.h"
#include "measure.h"
#include "program.h"
#include "thenar/complementarity/grade.h"

namespace thenar::bench {
namespace {

struct Options : CommonOptions {
  std::string only;
  int problems = 200;
  double turn_seconds = 1e-3;

  bool asks_for(const std::string& family) const { return family.find(only) != std::string::npos; }
};

constexpr double kSolved = 1e-8, kTolerance = 1e-9;

double judge(const Lcp& problem, std::span<const double> z) { return calc_residual(problem, z); }
double judge(const ConstraintProblem& problem, std::span<const double> z) { return grade_solution(problem, z).worst(); }

struct Row {
  std::string family;
  int n = 0;  ///< rows of a problem
  std::string contender, setting;
  double solved = 0;                        ///< share with a residual of kSolved or less
  double wrong = 0;                         ///< share that the method itself calls solved although it is not
  double residual = 0;                      ///< largest of the solved ones
  double sweep = 0, median = 0, worst = 0;  ///< µs per problem
  double ratio = 0;                         ///< of the sweep to Thenar's
  std::uint64_t hash = 0;

  std::string who() const { return contender + ", " + setting; }
};

template <class Problem>
void judge_answers(Method& method, const std::vector<Problem>& problems, Row& row) {
  Hash hash;
  std::vector<double> x(static_cast<std::size_t>(row.n));
  const double share = 1 / static_cast<double>(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const bool is_claimed = method.solve(i, x);
    const double residual = judge(problems[i], x);
    const bool is_solved = residual <= kSolved;
    row.solved += is_solved ? share : 0;
    row.wrong += is_claimed && !is_solved ? share : 0;
    if (is_solved) row.residual = std::max(row.residual, residual);
    for (const double number : x) hash.add(number);
  }
  row.hash = hash.value();
}

/// Times of the sweeps, in turns.
void measure_sweeps(const std::vector<Method*>& methods, std::size_t count, const Options& options,
                    std::vector<Row>& rows) {
  std::vector<double> x(static_cast<std::size_t>(rows.front().n));
  std::vector<Contender> turns;
  for (Method* method : methods) {
    const auto sweep = [method, count, &x] {
      for (std::size_t i = 0; i < count; ++i) method->solve(i, x);
    };
    turns.push_back({method->name(), sweep, static_cast<double>(count)});
  }
  measure(turns, options.rounds, options.turn_seconds);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    rows[c].sweep = turns[c].median() * 1e6;
    rows[c].ratio = rows[c].sweep / rows[0].sweep;
  }
}

/// Times of single problems: of each the least of three turns of some 20 µs, since other programs may disturb any one.
void measure_problems(const std::vector<Method*>& methods, std::size_t count, std::vector<Row>& rows) {
  constexpr int kTurns = 3;
  constexpr double kTurnSeconds = 20e-6;
  std::vector<double> x(static_cast<std::size_t>(rows.front().n));
  for (std::size_t c = 0; c < methods.size(); ++c) {
    std::vector<double> times;
    const int calls = 1 + static_cast<int>(kTurnSeconds / (rows[c].sweep * 1e-6));
    for (std::size_t i = 0; i < count; ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (int turn = 0; turn < kTurns; ++turn) {
        const double start = thread_seconds();
        for (int k = 0; k < calls; ++k) methods[c]->solve(i, x);
        least = std::min(least, (thread_seconds() - start) / calls);
      }
      times.push_back(least * 1e6);
    }
    std::sort(times.begin(), times.end());
    rows[c].median = times[times.size() / 2];
    rows[c].worst = times.back();
  }
}

/// One table: all methods that can solve the problems, which have one size.
template <class Problem>
std::vector<Row> run_problems(const std::string& family, bool is_symmetric, const std::vector<Problem>& problems,
                              const Methods<Problem>& methods, const Options& options) {
  const int size = problems.front().size();
  std::vector<Row> rows;
  std::vector<Method*> able;
  const Silence silence;
  for (const auto& method : methods) {
    if (!method->can_solve(is_symmetric, size)) continue;
    method->hold(problems);
    rows.push_back({.family = family, .n = size, .contender = method->name(), .setting = method->setting()});
    judge_answers(*method, problems, rows.back());
    able.push_back(method.get());
  }
  measure_sweeps(able, problems.size(), options, rows);
  measure_problems(able, problems.size(), rows);
  return rows;
}

void print_rows(const std::vector<Row>& rows) {
  fmt::print("\n{}, n = {}\n", rows.front().family, rows.front().n);
  fmt::print("  {:<36} {:>9} {:>9} {:>9} {:>7} {:>9} {:>8} {:>9} {:>17}\n", "", "sweep µs", "median", "worst", "ratio",
             "solved %", "wrong %", "residual", "answers");
  for (const Row& row : rows) {
    fmt::print("  {:<36} {:>8.3f} {:>9.3f} {:>9.3f} {:>7.2f} {:>9.1f} {:>8.1f} {:>9.1e} {:>17x}\n", row.who(),
               row.sweep, row.median, row.worst, row.ratio, 100 * row.solved, 100 * row.wrong, row.residual, row.hash);
  }
}

void write_csv(const std::string& file, const std::vector<Row>& rows) {
  std::ofstream out(file);
  out << "family,n,contender,setting,sweep_us,median_us,worst_us,ratio,solved,wrong,residual,answers\n";
  for (const Row& row : rows) {
    out << fmt::format("\"{}\",{},\"{}\",\"{}\",{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.3e},{:016x}\n", row.family,
                       row.n, row.contender, row.setting, row.sweep, row.median, row.worst, row.ratio, row.solved,
                       row.wrong, row.residual, row.hash);
  }
}

/// Every peer over the families and sizes that it can do: its time over Thenar's, and what it solved.
void print_summary(const std::vector<Row>& rows) {
  fmt::print("\ntime over Thenar's, smallest … largest of all tables; share solved in the worst one\n");
  std::vector<std::string> done;
  for (const Row& first : rows) {
    if (std::find(done.begin(), done.end(), first.who()) != done.end()) continue;
    done.push_back(first.who());
    double least = std::numeric_limits<double>::infinity(), most = 0, solved = 1;
    for (const Row& row : rows) {
      if (row.who() != first.who()) continue;
      least = std::min(least, row.ratio);
      most = std::max(most, row.ratio);
      solved = std::min(solved, row.solved);
    }
    fmt::print("  {:<36} {:>7.2f} … {:<8.2f} {:>5.1f} %\n", first.who(), least, most, 100 * solved);
  }
}

class Report {
 public:
  void add(const std::vector<Row>& rows) {
    print_rows(rows);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

void run_linear(const Options& options, Report& report) {
  const Methods<Lcp> methods = open_lcp_methods(options.peers / "complementarity");
  for (const test::LcpFamily& family : test::kLcpFamilies) {
    if (!options.asks_for(family.name)) continue;
    int last_size = 0;  // contacts come in whole numbers of rows: two n may give one size
    for (const int n : {4, 8, 16, 64}) {
      std::vector<Lcp> problems;
      for (int i = 0; i < options.problems; ++i) problems.push_back(family.make(static_cast<unsigned>(i), n));
      if (std::exchange(last_size, problems.front().size()) == problems.front().size()) continue;
      report.add(run_problems(family.name, family.is_symmetric, problems, methods, options));
    }
  }
}

void run_cones(const Options& options, Report& report) {
  const std::string family = "contacts of a hand";
  if (!options.asks_for(family)) return;
  constexpr int kShare = 4;  // of the problems: some peers need a second for the worst of them
  const auto methods = open_cone_methods(options.peers / "complementarity", kTolerance);
  for (const int contacts : {4, 5, 8, 12, 20}) {
    test::GraspProblems random(static_cast<unsigned>(contacts));
    std::vector<ConstraintProblem> problems;
    for (int i = 0; i < std::max(1, options.problems / kShare); ++i) problems.push_back(random.hand(contacts));
    report.add(run_problems(fmt::format("{} {}", contacts, family), true, problems, methods, options));
  }
}

void run(const Options& options) {
  // Thread CPU time would not see what other threads of a peer's BLAS do.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  Report report;
  run_linear(options, report);
  run_cones(options, report);
  if (report.rows().empty()) throw std::runtime_error("no family is called " + options.only);
  print_summary(report.rows());
  if (!options.csv.empty()) write_csv(options.csv, report.rows());
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  CLI::App app("Complementarity problems beside Siconos and DART: times and shares solved");
  options.add_to(app);
  app.add_option("--problems", options.problems, "Problems of each family and size")->capture_default_str();
  app.add_option("--only", options.only, "Part of the name of the families to run");
  return thenar::bench::run_program(app, argc, argv, [&] { thenar::bench::run(options); });
}
