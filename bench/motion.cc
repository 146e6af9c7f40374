// SPDX-License-Identifier: BSD-3-Clause
//
// Motion in time beside the peers, in one run, in turns, as ratios: the 22-DoF hand swinging freely, where energy tells
// the error, the over-damped hand, where a reference does (MuJoCo must move the same mechanism before it is timed), and
// bodies in contact (contact_motion.h). Every repetition must end in the same state to the last bit, whose hash is
// printed.
//
//     bench_motion [--peers FOLDER] [--scenes FOLDER] [--csv FILE] [--rounds N] [--quick] [--only PART]

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "contact_motion.h"
#include "measure.h"
#include "motion_contenders.h"
#include "motion_row.h"
#include "program.h"
#include "thenar/dynamics/energy.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/motion/state_energy.h"

namespace thenar::bench {
namespace {

constexpr double kStep = 1e-3;  // s, what fixed steps are compared at
constexpr double kReferenceTolerance = 1e-11;

struct Options : CommonOptions {
  std::filesystem::path scenes = "scenes";
  bool is_quick = false;  ///< few rounds, and long steps only
  std::string only;       ///< one part of the program; empty: all
};

using Peers = std::vector<std::unique_ptr<LoadedPeer>>;

/// Those that can move at all.
Peers open_movers(const Options& options, const PeerTreeArrays& arrays, const Scenario& scenario, double check_step) {
  Peers peers = open_peers(options.peers, arrays.tree(), scenario.name);
  std::erase_if(peers, [&](const auto& peer) { return !can_move(*peer, scenario, kPeerRk4); });
  for (const auto& peer : peers) require_same_mechanism(*peer, scenario, check_step);
  return peers;
}

/// Moves once for the answer, then in turns for the time.
std::vector<Motion> measure_movers(const std::vector<Mover>& movers, int rounds, std::vector<Row>& rows) {
  std::vector<Motion> motions;
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < movers.size(); ++i) {
    const Mover& mover = movers[i];
    motions.push_back(mover.move());
    Row& row = rows[i];
    row.contender = mover.name;
    row.setting = mover.setting;
    row.steps = motions.back().steps;
    row.evaluations = motions.back().evaluations;
    row.hash = hash_of_end(motions.back());
    const auto call = [&mover, &row] {
      if (hash_of_end(mover.move()) == row.hash) return;
      throw std::runtime_error(fmt::format("{}, {}: another end in another run", mover.name, mover.setting));
    };
    // A run that blew up counts with the time it reached, at least one row's.
    contenders.push_back({mover.name, call, std::max(motions.back().reached(), 10 * kStep) * 1e3});
  }
  measure(contenders, rounds, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].microseconds = contenders[i].median() * 1e6;
  return motions;
}

// --- Free swing: energy --------------------------------------------------------------------------------------------

double calc_kinetic(const Model& model, const State& state) {
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  return calc_kinetic_energy(model, workspace, state.v.data());
}

/// Errors of energy relative to `scale`, the same for all contenders. A motion has diverged where it gained or lost
/// more energy than it ever had to move with.
void grade_energy(const Model& model, const Motion& motion, double scale, Row& row) {
  const double start = calc_energy(model, motion.rows.front());
  for (const State& state : motion.rows) {
    const double error = std::abs(calc_energy(model, state) - start) / scale;
    if (!(error <= 1) && !row.diverged_at) row.diverged_at = state.t;
    row.error_max = std::max(row.error_max, error);
    row.error_end = error;
  }
  if (!motion.is_done && !row.diverged_at) row.diverged_at = motion.reached();
}

std::vector<Mover> swing_movers(const Scenario& swing, const Peers& peers) {
  std::vector<Mover> movers;
  for (const auto kind : {IntegratorKind::rk4, IntegratorKind::rk8, IntegratorKind::symplectic})
    movers.push_back(fixed_step_mover(swing, kind, kStep));
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) movers.push_back(automatic_mover(swing, tolerance));
  for (const auto& peer : peers) {
    for (const auto kind : {kPeerEuler, kPeerImplicit, kPeerRk4})
      movers.push_back(peer_mover(*peer, swing, kind, kStep));
    movers.push_back(peer_mover(*peer, swing, kPeerRk4, 0.5 * kStep));
  }
  return movers;
}

/// The fastest of the peers' classical Runge–Kutta methods at the common step, or 0.
double find_base_time(const std::vector<Row>& rows) {
  double best = 0;
  for (const Row& row : rows) {
    if (!row.contender.ends_with(" RK4") || row.setting != "1 ms") continue;
    if (best == 0 || row.microseconds < best) best = row.microseconds;
  }
  return best;
}

std::vector<Row> run_swing(const Options& options) {
  const Scenario swing = read_scenario(options.scenes / "human_hand_swing.yaml");
  const PeerTreeArrays arrays(swing.model);
  const Peers peers = open_movers(options, arrays, swing, kStep);
  const std::vector<Mover> movers = swing_movers(swing, peers);
  std::vector<Row> rows(movers.size(), Row{.scene = "swing"});
  const std::vector<Motion> motions = measure_movers(movers, options.rounds, rows);

  double scale = 0;
  for (const State& state : move_by_thenar(with_tolerance(swing, kReferenceTolerance)).rows)
    scale = std::max(scale, calc_kinetic(swing.model, state));
  const double base = find_base_time(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    grade_energy(swing.model, motions[i], scale, rows[i]);
    if (base > 0) rows[i].ratio = rows[i].microseconds / base;
  }
  return rows;
}

void print_swing(const std::vector<Row>& rows) {
  fmt::print("\nFree swing of the 22-DoF hand, 10 s; errors of energy in parts of the largest kinetic energy\n");
  fmt::print("  {:<26} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>17}\n", "", "", "at end", "largest", "diverged",
             "us / ms", "ratio", "steps", "end");
  for (const Row& row : rows) {
    const std::string diverged = row.diverged_at ? fmt::format("{:.2f} s", *row.diverged_at) : "no";
    const std::string ratio = row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "–";
    fmt::print("  {:<26} {:>9} {:>9.1e} {:>9.1e} {:>9} {:>9.2f} {:>7} {:>7} {:>17x}\n", row.contender, row.setting,
               row.error_end, row.error_max, diverged, row.microseconds, ratio, row.steps, row.hash);
  }
}

// --- Stiff hand: error at the end ----------------------------------------------------------------------------------

/// Largest difference of positions at the end, rad; infinite when the motion did not reach it.
double calc_end_error(const Motion& motion, const State& reference) {
  if (!motion.is_done) return std::numeric_limits<double>::infinity();
  return (motion.rows.back().q - reference.q).cwiseAbs().maxCoeff();
}

/// A step that was tried, s, and the error it led to, rad.
struct StepError {
  double h, error;
};

/// The step at which the error is `target`: a straight line in logarithmic scales through the two steps around it, or
/// beyond the steps that were tried (which are in falling order, at least two), through the last two on that side.
double find_step_of_error(const std::vector<StepError>& tried, double target) {
  for (std::size_t i = 1; i < tried.size(); ++i) {
    const auto [h0, e0] = tried[i - 1];
    const auto [h1, e1] = tried[i];
    if (e1 > target && i + 1 < tried.size()) continue;
    const double order = std::log(e0 / e1) / std::log(h0 / h1);
    return h1 * std::pow(target / e1, 1 / order);
  }
  return 0;
}

/// What a peer takes for the error that one of our runs has.
struct EqualError {
  std::string contender;
  std::string ours;      ///< setting of our run
  double error, step;    ///< rad, s
  double microseconds;   ///< per simulated ms
  double ratio;          ///< our time over the peer's
  bool is_extrapolated;  ///< the step is beyond those tried
};

std::vector<StepError> try_steps(const LoadedPeer& peer, const Scenario& scenario, PeerIntegrator kind,
                                 const State& reference, const Options& options) {
  std::vector<StepError> tried;
  for (const double factor : {1.0, 0.5, 0.25, 0.1, 0.05}) {
    if (options.is_quick && factor < 0.25) break;
    const double h = factor * kStep;
    const double error = calc_end_error(move_by_peer(peer.peer(), scenario, kind, h), reference);
    if (std::isfinite(error)) tried.push_back({h, error});
  }
  return tried;
}

constexpr PeerIntegrator kStiffIntegrators[] = {kPeerEuler, kPeerImplicit, kPeerImplicitFast};

struct StiffResult {
  std::vector<Row> rows;
  std::vector<EqualError> equal;
};

/// Peers move it only if they have all it has: for stops and springs their models differ.
StiffResult run_stiff(const Options& options, const std::string& scene, bool with_peers) {
  const Scenario scenario = read_scenario(options.scenes / "carv" / (scene + ".yaml"));
  const State reference = move_by_thenar(with_tolerance(scenario, kReferenceTolerance)).rows.back();
  // The fastest motion decays at 2e7/s, which an explicit method must resolve.
  constexpr double kCheckStep = 1e-8;
  std::optional<PeerTreeArrays> arrays;
  Peers peers;
  if (with_peers) peers = open_movers(options, arrays.emplace(scenario.model), scenario, kCheckStep);

  std::vector<Mover> movers;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) movers.push_back(automatic_mover(scenario, tolerance));
  const std::size_t own_count = movers.size();
  std::vector<std::vector<StepError>> tried;
  for (const auto& peer : peers) {
    for (const auto kind : kStiffIntegrators) {
      if (!can_move(*peer, scenario, kind)) continue;
      movers.push_back(peer_mover(*peer, scenario, kind, kStep));
      tried.push_back(try_steps(*peer, scenario, kind, reference, options));
    }
  }
  StiffResult result;
  std::vector<Row>& rows = result.rows;
  rows.assign(movers.size(), Row{.scene = scene});
  const std::vector<Motion> motions = measure_movers(movers, options.rounds, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].error_end = calc_end_error(motions[i], reference);
  for (std::size_t i = 0; i < own_count; ++i) {
    for (std::size_t k = 0; k < tried.size(); ++k) {
      if (tried[k].size() < 2) continue;
      const Row &ours = rows[i], &theirs = rows[own_count + k];
      const double h = find_step_of_error(tried[k], ours.error_end);
      const double microseconds = theirs.microseconds * kStep / h;
      result.equal.push_back({theirs.contender, ours.setting, ours.error_end, h, microseconds,
                              ours.microseconds / microseconds, h < tried[k].back().h || h > tried[k].front().h});
    }
  }
  return result;
}

void print_stiff(const std::string& scene, const StiffResult& result) {
  fmt::print("\n{}, 10 s; largest error of a position at the end, rad\n", scene);
  fmt::print("  {:<26} {:>9} {:>9} {:>9} {:>9} {:>7} {:>12} {:>17}\n", "", "", "error", "us / ms", "run, ms", "steps",
             "evaluations", "end");
  for (const Row& row : result.rows) {
    fmt::print("  {:<26} {:>9} {:>9.1e} {:>9.3f} {:>9.2f} {:>7} {:>12} {:>17x}\n", row.contender, row.setting,
               row.error_end, row.microseconds, row.microseconds * 10, row.steps,
               row.evaluations > 0 ? std::to_string(row.evaluations) : "–", row.hash);
  }
  if (result.equal.empty()) return;
  fmt::print("\n{}: time of Thenar auto over that of a peer at the step that gives it the same error\n", scene);
  for (const EqualError& e : result.equal) {
    fmt::print("  {:<26} {:>9} {:>9.1e} {:>11.3g} ms {:>11.3g} us / ms {:>10.2g} x{}\n", e.contender, e.ours, e.error,
               e.step * 1e3, e.microseconds, e.ratio, e.is_extrapolated ? "  (step extrapolated)" : "");
  }
}

// --- The program ---------------------------------------------------------------------------------------------------

/// The equal-error lines as rows of their own: the setting tells the step, the ratio is Thenar's time over the peer's.
void append_equal(const std::string& scene, const StiffResult& result, std::vector<Row>& rows) {
  rows.insert(rows.end(), result.rows.begin(), result.rows.end());
  for (const EqualError& e : result.equal) {
    rows.push_back({.scene = scene + " at equal error",
                    .contender = e.contender,
                    .setting = fmt::format("{:.4g} ms", e.step * 1e3),
                    .error_end = e.error,
                    .microseconds = e.microseconds,
                    .ratio = e.ratio});
  }
}

std::vector<Row> run_hand(const Options& options) {
  std::vector<Row> rows = run_swing(options);
  print_swing(rows);
  for (const auto& [scene, with_peers] : {std::pair("hand_damped", true), std::pair("hand_limits", false)}) {
    const StiffResult result = run_stiff(options, scene, with_peers);
    print_stiff(scene, result);
    append_equal(scene, result, rows);
  }
  return rows;
}

void run(const Options& options) {
  const ContactMotionOptions contact{options.peers / "scenes", options.rounds, options.is_quick};
  std::vector<Row> rows;
  const auto run_part = [&](const char* name, const std::function<std::vector<Row>()>& part) {
    if (!options.only.empty() && options.only != name) return;
    const std::vector<Row> more = part();
    rows.insert(rows.end(), more.begin(), more.end());
  };
  run_part("hand", [&] { return run_hand(options); });
  run_part("contact", [&] { return run_contact_precision(contact); });
  run_part("rest", [&] { return run_contact_rest(contact); });
  if (!options.csv.empty()) write_csv(options.csv, rows);
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  CLI::App app("Motions of a hand and of bodies in contact beside the peers: errors and times");
  options.add_to(app);
  app.add_option("--scenes", options.scenes, "Folder of the shipped scenes")->capture_default_str();
  app.add_flag("--quick", options.is_quick, "Few rounds, and long steps only");
  app.add_option("--only", options.only, "Only this part")->check(CLI::IsMember({"hand", "contact", "rest"}));
  return thenar::bench::run_program(app, argc, argv, [&] {
    if (options.is_quick) options.rounds = 3;
    thenar::bench::run(options);
  });
}
