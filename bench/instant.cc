// SPDX-License-Identifier: BSD-3-Clause
//
// What one instant of a hand that holds a box costs, in multiples of one forward dynamics of the same hand and box
// (articulated bodies, 15 + 6 degrees of freedom): its contact forces without a verdict, and with the proof whether
// they are the only answer.
//
//     bench_instant [--csv FILE] [--contacts N …] [--problems N] [--distribution]
//
// Problems are those of tests/complementarity/grasp_problems.h with cones of four sides, as plain matrices: the
// kinematics and the matrix A are not in these times. Per problem, the least of three turns of
//
//     cone, cold    ConeSolver from nothing
//     cone, warm    ConeSolver after b has changed by 1 %, from the forces before
//     front         ConstraintFront, which picks a solver, starts from its last forces and grades its answer, with b
//     that
//                   changes by 1 % to and fro
//     verdict       solve_modes(): all answers, or the proof that there is no other motion, verified
//
// and over the problems the median, nine of ten, and the worst. Answers are judged before they count: forces by
// grade_solution(), and a motion that is proved to be the only one must be the cone solver's too. Others that are open
// to us give no verdict, so that there is no peer here; the unit of time is the peer. A hash of all motions is printed:
// speed is never bought with another answer.

#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>

#include "../tests/complementarity/grasp_problems.h"
#include "hand_and_box.h"
#include "hash.h"
#include "measure.h"
#include "program.h"
#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/constraint_front.h"
#include "thenar/complementarity/grade.h"
#include "thenar/modes/mode_solver.h"

namespace thenar::bench {
namespace {

constexpr double kSolved = 1e-8;
/// Motions of two methods, over the largest |b|: each is solved to 1e-8 or better in units of its own.
constexpr double kSameMotion = 1e-6;

struct Options : CommonOptions {
  std::vector<int> contacts{1, 2, 3, 4, 5, 6, 7, 8};
  int problems = 50;
  bool distribution = false;
};

/// All problems with one number of contacts.
struct Row {
  int contacts = 0;
  Sample cold, warm, front, verdict;  ///< s
  Sample nodes, programs;
  int problems = 0, solved = 0, decided = 0, at_root = 0;
  Hash motions;

  double share(int count) const { return 100.0 * count / problems; }
};

ConstraintProblem make_problem(int contacts, unsigned seed) {
  ConstraintProblem out = test::GraspProblems(seed).hand(contacts);
  for (int i = 0; i < out.size(); ++i) {
    if (out.row(i).kind == RowKind::normal) out.row(i).faces = 4;
  }
  return out;
}

class Instants {
 public:
  Instants(int contacts, const Options& options) : cone_(3 * contacts), front_(3 * contacts) {
    row_.contacts = contacts;
    for (int i = 0; i < options.problems; ++i) run(make_problem(contacts, static_cast<unsigned>(i)));
  }

  Row& row() { return row_; }

 private:
  void run(const ConstraintProblem& problem) {
    ++row_.problems;
    const std::optional<VectorX<double>> motion = run_solvers(problem);
    ModeAnswer answer;
    row_.verdict.add(time_call([&] { answer = solve_modes(problem); }));
    row_.nodes.add(static_cast<double>(answer.tree.size()));
    row_.programs.add(static_cast<double>(answer.programs));
    row_.decided += answer.verdict != Verdict::undecided;
    row_.at_root += answer.verdict != Verdict::undecided && answer.tree.size() == 1;
    check(problem, answer, motion);
  }

  /// The cone solver's motion, if it has one.
  std::optional<VectorX<double>> run_solvers(const ConstraintProblem& problem) {
    row_.cold.add(time_call([&] { cone_.solve(problem); }));
    const std::vector<double> z = cone_.solution().z;
    const bool is_solved =
        cone_.solution().status == ConeStatus::solved && grade_solution(problem, z).worst() <= kSolved;
    row_.solved += is_solved;
    ConstraintProblem next = problem;
    next.b() += 0.01 * problem.b().lpNorm<Eigen::Infinity>() * VectorX<double>::Random(problem.size());
    row_.warm.add(time_call([&] { cone_.solve(next, z); }));
    bool is_next = false;
    row_.front.add(time_call([&] { front_.solve((is_next = !is_next) ? next : problem); }));
    if (!is_solved) return std::nullopt;
    return problem.A() * Eigen::Map<const VectorX<double>>(z.data(), problem.size()) + problem.b();
  }

  void check(const ConstraintProblem& problem, const ModeAnswer& answer, const std::optional<VectorX<double>>& motion) {
    for (const ModeCell& cell : answer.cells) {
      const std::span<const double> z(cell.z.data(), static_cast<std::size_t>(cell.z.size()));
      if (!(grade_solution(problem, z).worst() <= kSolved)) throw std::runtime_error(name() + ": forces are none");
      for (const double x : cell.w) row_.motions.add(x);
    }
    const bool has_one_motion = answer.verdict == Verdict::unique || answer.verdict == Verdict::unique_motion;
    if (!motion) return;
    if (answer.verdict == Verdict::none) throw std::runtime_error(name() + ": an answer to what has none");
    const double size = problem.b().lpNorm<Eigen::Infinity>();
    if (has_one_motion && !((answer.cells.at(0).w - *motion).lpNorm<Eigen::Infinity>() <= kSameMotion * size)) {
      throw std::runtime_error(name() + ": another motion than the only one");
    }
  }

  std::string name() const { return fmt::format("{} contacts, problem {}", row_.contacts, row_.problems - 1); }

  ConeSolver cone_;
  ConstraintFront front_;
  Row row_;
};

constexpr double kMedian = 0.5, kNineOfTen = 0.9, kWorst = 1;

std::string three(const Sample& sample, double unit) {
  const auto number = [&](double share) { return sample.quantile(share) / unit; };
  return fmt::format("{:>7.0f} {:>7.0f} {:>7.0f}", number(kMedian), number(kNineOfTen), number(kWorst));
}

void print_table(const std::vector<Row>& rows, const Unit& unit) {
  const double aba = unit.seconds();
  fmt::print("one forward dynamics with {} degrees of freedom: {:.3f} µs; all times in multiples of it\n",
             unit.freedoms(), aba * 1e6);
  fmt::print("median, nine of ten, worst of {} problems each\n\n", rows.front().problems);
  fmt::print("{:>8} | {:^23} | {:^23} | {:^23} | {:^23} | {:^23} | {:>8} {:>9} {:>9} {:>17}\n", "contacts",
             "cone, cold", "cone, warm", "front", "verdict", "nodes", "solved %", "decided %", "at root %", "motions");
  for (const Row& row : rows) {
    fmt::print("{:>8} | {} | {} | {} | {} | {} | {:>8.1f} {:>9.1f} {:>9.1f} {:>17x}\n", row.contacts,
               three(row.cold, aba), three(row.warm, aba), three(row.front, aba), three(row.verdict, aba),
               three(row.nodes, 1), row.share(row.solved), row.share(row.decided), row.share(row.at_root),
               row.motions.value());
  }
}

/// How the time of a verdict is spread over the problems.
void print_distribution(const Row& row, const Unit& unit) {
  fmt::print("\n{} contacts, {} problems: share of the problems that take at most\n", row.contacts, row.problems);
  fmt::print("  {:>6} {:>12} {:>10} {:>10} {:>10}\n", "%", "multiples", "ms", "nodes", "programs");
  for (const double share : {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0}) {
    const double seconds = row.verdict.quantile(share);
    fmt::print("  {:>6.0f} {:>12.0f} {:>10.3f} {:>10.0f} {:>10.0f}\n", 100 * share, seconds / unit.seconds(),
               1e3 * seconds, row.nodes.quantile(share), row.programs.quantile(share));
  }
}

void write_csv(const std::string& file, const std::vector<Row>& rows, const Unit& unit) {
  std::ofstream out(file);
  out << "contacts,problems,forward_dynamics_us,method,median,nine_of_ten,worst,solved,decided,at_root,motions\n";
  for (const Row& row : rows) {
    const auto write = [&](const char* method, const Sample& sample, double of) {
      out << fmt::format("{},{},{:.6f},\"{}\",{:.3f},{:.3f},{:.3f},{:.4f},{:.4f},{:.4f},{:016x}\n", row.contacts,
                         row.problems, unit.seconds() * 1e6, method, sample.quantile(kMedian) / of,
                         sample.quantile(kNineOfTen) / of, sample.quantile(kWorst) / of, row.share(row.solved) / 100,
                         row.share(row.decided) / 100, row.share(row.at_root) / 100, row.motions.value());
    };
    write("cone, cold", row.cold, unit.seconds());
    write("cone, warm", row.warm, unit.seconds());
    write("front", row.front, unit.seconds());
    write("verdict", row.verdict, unit.seconds());
    write("nodes", row.nodes, 1);
    write("programs", row.programs, 1);
  }
}

void run(const Options& options) {
  if (options.problems < 1 || options.contacts.empty()) throw std::runtime_error("nothing to measure");
  Unit unit;
  unit.measure_again(options.rounds);
  std::vector<Row> rows;
  for (const int contacts : options.contacts) {
    fmt::print(stderr, "{} contacts …\n", contacts);
    rows.push_back(std::move(Instants(contacts, options).row()));
    unit.measure_again(options.rounds);
  }
  print_table(rows, unit);
  if (options.distribution) {
    for (const Row& row : rows) print_distribution(row, unit);
  }
  if (!options.csv.empty()) write_csv(options.csv, rows, unit);
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  CLI::App app("Instants of a hand that holds a box, with and without a verdict, in multiples of forward dynamics");
  options.add_to(app);
  app.add_option("--contacts", options.contacts, "Numbers of contacts")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--problems", options.problems, "Problems for each number of contacts")->capture_default_str();
  app.add_flag("--distribution", options.distribution, "Also how the time of a verdict is spread over the problems");
  return thenar::bench::run_program(app, argc, argv, [&] { thenar::bench::run(options); });
}
