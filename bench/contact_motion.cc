// SPDX-License-Identifier: BSD-3-Clause
#include "contact_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact_contenders.h"

namespace thenar::bench {
namespace {

constexpr double kStep = 1e-3;    // s, what peers are compared at
constexpr double kSample = 1e-2;  // s, at rest

double dot(const Numbers3& a, const Numbers3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double norm(const Numbers3& a) { return std::sqrt(dot(a, a)); }
Numbers3 operator-(const Numbers3& a, const Numbers3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

bool is_at_common_step(const MeasuredPath& measured) {
  return measured.mover.is_peer && measured.mover.step == kStep && measured.path && measured.path->is_done;
}

/// The fastest of the peers at the common step, s per s; 0: none.
double find_base_time(const std::vector<MeasuredPath>& all) {
  double best = 0;
  for (const MeasuredPath& measured : all) {
    if (is_at_common_step(measured) && (best == 0 || measured.median() < best)) best = measured.median();
  }
  return best;
}

/// What rows of both kinds have in common.
Row make_row(const std::string& scene, const MeasuredPath& measured, double base) {
  Row row{.scene = scene, .contender = measured.mover.name, .setting = measured.mover.setting};
  row.microseconds = measured.median() * 1e3;
  if (base > 0) row.ratio = measured.median() / base;
  row.steps = measured.path->steps;
  row.evaluations = measured.path->evaluations;
  row.hash = measured.path->hash_of_end();
  if (!measured.path->is_done) row.diverged_at = measured.path->points.back().t;
  return row;
}

void print_unavailable(const MeasuredPath& measured) {
  fmt::print("  {:<54} {:>9}  not available: {}\n", measured.mover.name, measured.mover.setting, measured.why_not);
}

std::string ratio_text(const Row& row) { return row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "–"; }

// --- Scenes with a known end ---------------------------------------------------------------------------------------

std::vector<double> list_steps(bool is_quick) {
  if (is_quick) return {1e-3, 1e-4, 1e-5};
  return {1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5};
}

/// How far the body came beside how far it should have come.
void grade_travel(const ContactScene& scene, const Path& path, Row& row) {
  const Numbers3 travelled = path.at(scene.known_at).p - path.points.front().p;
  const double length = norm(scene.travel);
  row.error_end = path.is_done ? std::abs(dot(travelled, scene.travel) / length - length) : INFINITY;
  row.error_max = path.is_done ? norm(travelled - scene.travel) : INFINITY;
}

std::string error_text(const Row* row) {
  if (row == nullptr) return "–";
  return row->diverged_at ? "blew up" : fmt::format("{:.3g}", row->error_end * 1e3);
}

const Row* find_row(const std::vector<Row>& rows, const std::string& contender, const std::string& setting) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& row) { return row.contender == contender && row.setting == setting; });
  return found == rows.end() ? nullptr : &*found;
}

const Row* find_row(const std::vector<Row>& rows, const std::string& contender, double h) {
  return find_row(rows, contender, fmt::format("{:g} ms", h * 1e3));
}

/// One line for each setting of a peer, with the errors of all steps and the time of the common one.
void print_peers(const std::vector<Row>& rows, const std::vector<double>& steps) {
  fmt::print("  {:<54}", "error, mm, with steps of");
  for (const double h : steps) fmt::print(" {:>9}", fmt::format("{:g} ms", h * 1e3));
  fmt::print(" {:>11} {:>7} {:>17}\n", "us / ms", "ratio", "end at 1 ms");
  for (const Row& row : rows) {
    if (find_row(rows, row.contender, kStep) != &row) continue;
    fmt::print("  {:<54}", row.contender);
    for (const double h : steps) fmt::print(" {:>9}", error_text(find_row(rows, row.contender, h)));
    fmt::print(" {:>11.3f} {:>7} {:>17x}\n", row.microseconds, ratio_text(row), row.hash);
  }
}

/// The row of a contender with the least error; null if all of them blew up.
const Row* find_best_row(const std::vector<Row>& rows, const std::string& contender) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.contender != contender || row.diverged_at) continue;
    if (best == nullptr || row.error_end < best->error_end) best = &row;
  }
  return best;
}

/// One line for each setting of a peer: its least error over all steps, what it costs there, and what Thenar costs
/// beside that.
void print_best(const std::vector<Row>& rows) {
  const Row& own = *find_row(rows, rows.front().contender, "tol 1e-08");
  fmt::print("  {:<54} {:>12} {:>9} {:>11} {:>7}\n", "each at its own best", "error, mm", "step", "us / ms", "ratio");
  fmt::print("  {:<54} {:>12.2g} {:>9} {:>11.3f}\n", own.contender, own.error_end * 1e3, own.setting, own.microseconds);
  for (const Row& row : rows) {
    if (find_row(rows, row.contender, kStep) != &row) continue;
    const Row* best = find_best_row(rows, row.contender);
    if (best == nullptr) continue;
    fmt::print("  {:<54} {:>12.2g} {:>9} {:>11.3f} {:>7.3f}\n", best->contender, best->error_end * 1e3, best->setting,
               best->microseconds, own.microseconds / best->microseconds);
  }
}

void print_own(const Row& row) {
  fmt::print("  {:<54} {:>9} {:>9.2g} mm {:>11.4f} us / ms {:>7} x {:>6} steps {:>17x}\n", row.contender, row.setting,
             row.error_end * 1e3, row.microseconds, ratio_text(row), row.steps, row.hash);
}

std::vector<Row> run_precision_scene(const ContactScene& scene, const std::vector<ScenePeer>& peers,
                                     const ContactMotionOptions& options) {
  const std::vector<double> steps = list_steps(options.is_quick);
  std::vector<SceneMover> movers;
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12})
    movers.push_back(scene_thenar_mover(scene, tolerance, scene.until));
  for (const ScenePeer& peer : peers) {
    for (const double h : steps) movers.push_back(scene_peer_mover(peer, scene, h, scene.until));
  }
  const std::vector<MeasuredPath> all = measure_scene_movers(std::move(movers), options.rounds);
  const double base = find_base_time(all);

  fmt::print("\n{}, 1 s, friction {:g}; ratio: time over that of the fastest peer at 1 ms\n", scene.name,
             scene.friction);
  std::vector<Row> rows;
  for (const MeasuredPath& measured : all) {
    if (!measured.path) {
      print_unavailable(measured);
      continue;
    }
    rows.push_back(make_row(scene.name, measured, base));
    grade_travel(scene, *measured.path, rows.back());
    if (!measured.mover.is_peer) print_own(rows.back());
  }
  print_peers(rows, steps);
  print_best(rows);
  return rows;
}

// --- Scenes that are to rest ---------------------------------------------------------------------------------------

/// Three digits in the unit that suits. Below a picometre there is only rounding.
std::string length_text(double x) {
  if (x == 0) return "0";
  if (x < 1e-12) return "< 1 pm";
  if (x < 1e-6) return fmt::format("{:.3g} nm", x * 1e9);
  if (x < 1e-3) return fmt::format("{:.3g} um", x * 1e6);
  if (x < 1) return fmt::format("{:.4g} mm", x * 1e3);
  return fmt::format("{:.4g} m", x);
}

/// Moved from where it came to rest until t.
double calc_drift(const ContactScene& scene, const Path& path, double t) {
  return norm(path.at(t).p - path.at(scene.known_at).p);
}

double calc_rise(const ContactScene& scene, const Path& path) {
  double rise = 0;
  for (const PathPoint& point : path.points) rise = std::max(rise, dot(point.p - path.points.front().p, scene.up));
  return rise;
}

double calc_travel_error(const ContactScene& scene, const Path& path) {
  return norm(path.at(scene.known_at).p - path.points.front().p - scene.travel);
}

void print_rest(const ContactScene& scene, const Path& path, const Row& row, const std::vector<double>& times) {
  fmt::print("  {:<54} {:>9} {:>12} {:>12}", row.contender, row.setting, length_text(calc_travel_error(scene, path)),
             length_text(calc_rise(scene, path)));
  for (const double t : times) {
    fmt::print(" {:>12}", path.points.back().t < 0.999 * t ? "blew up" : length_text(calc_drift(scene, path, t)));
  }
  fmt::print(" {:>11.4f} {:>7} {:>17x}\n", row.microseconds, ratio_text(row), row.hash);
}

std::vector<Row> run_rest_scene(const ContactScene& scene, const std::vector<ScenePeer>& peers,
                                const std::vector<double>& times) {
  std::vector<SceneMover> movers;
  for (const double tolerance : {1e-8, 1e-10}) movers.push_back(scene_thenar_mover(scene, tolerance, kSample));
  for (const ScenePeer& peer : peers) movers.push_back(scene_peer_mover(peer, scene, kStep, kSample));
  const std::vector<MeasuredPath> all = measure_scene_movers(std::move(movers), 1);
  const double base = find_base_time(all);

  fmt::print("\n{}, friction {:g}: place at {:g} s, rise, and moved from then on\n", scene.name, scene.friction,
             scene.known_at);
  fmt::print("  {:<54} {:>9} {:>12} {:>12}", "", "", "error", "rise");
  for (const double t : times) fmt::print(" {:>12}", fmt::format("until {:g} s", t));
  fmt::print(" {:>11} {:>7} {:>17}\n", "us / ms", "ratio", "end");
  std::vector<Row> rows;
  for (const MeasuredPath& measured : all) {
    if (!measured.path) {
      print_unavailable(measured);
      continue;
    }
    const Path& path = *measured.path;
    Row row = make_row(scene.name, measured, base);
    row.error_max = calc_rise(scene, path);
    print_rest(scene, path, row, times);
    for (const double t : times) {
      row.scene = fmt::format("{}, {:g} s", scene.name, t);
      row.error_end = calc_drift(scene, path, t);
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

std::vector<Row> run_contact_precision(const ContactMotionOptions& options) {
  const std::vector<ScenePeer> peers = open_scene_peers(options.peers);
  std::vector<Row> rows;
  for (const ContactScene& scene : make_precision_scenes()) {
    const std::vector<Row> more = run_precision_scene(scene, peers, options);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

std::vector<Row> run_contact_rest(const ContactMotionOptions& options) {
  const std::vector<ScenePeer> peers = open_scene_peers(options.peers);
  std::vector<double> times = {10, 100};
  if (options.is_quick) times = {10};
  std::vector<Row> rows;
  for (const ContactScene& scene : make_rest_scenes(times.back())) {
    const std::vector<Row> more = run_rest_scene(scene, peers, times);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace thenar::bench
