// SPDX-License-Identifier: BSD-3-Clause
//
// Distance of shapes beside FCL and Bullet, in one run, in turns, as ratios: nanoseconds per pair of every kind, cold
// and warm, and the errors of each against the reference in long double (tests/geometry/reference_distance.h).
//
//     bench_distance [--peers FOLDER] [--csv FILE] [--rounds N] [--pairs N] [--only KIND]
//
// Errors are of gaps (in parts of the pair's length) and normals (rad) over --pairs random pairs of each kind: a third
// apart, a third touching to within ±1e-12 … ±1e-3 of the size, a third overlapping a little. Times are of pairs that
// are apart, along paths of small motions: warm calls may remember the last one, cold ones may not. A hash of all
// answers is printed: speed is never bought with another answer.

#include <algorithm>
#include <fstream>
#include <limits>

#include "distance_contenders.h"
#include "hash.h"
#include "measure.h"
#include "program.h"
#include "thenar/spatial/rotation.h"

namespace thenar::bench {
namespace {

using test::KindPair;
using test::Placement;
using test::RandomPairs;
using test::ShapePair;

struct Options : CommonOptions {
  std::string only;
  int pairs = 300;
  double turn_seconds = 2e-3;
};

/// Errors of one sort: the middle and the largest.
class Errors {
 public:
  void add(double error) { all_.push_back(error); }
  std::size_t count() const { return all_.size(); }
  double largest() const { return all_.empty() ? 0 : *std::max_element(all_.begin(), all_.end()); }
  double median() const {
    if (all_.empty()) return 0;
    std::vector<double> sorted = all_;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  }

 private:
  std::vector<double> all_;
};

struct Row {
  std::string kind, contender, setting;
  Errors gap{}, gap_apart{};              ///< parts of the pair's length
  Errors normal{}, normal_apart{};        ///< rad, where rounding of the input does not turn N by more than 1e-10
  int failures = 0;                       ///< no answer
  double cold = 0, warm = 0;              ///< ns per pair
  double cold_ratio = 0, warm_ratio = 0;  ///< to Thenar's
  std::uint64_t hash = 0;
};

/// Whether the reference's normal is meaningful to 1e-10 rad when places are rounded to double.
bool has_sure_normal(const ShapePair& pair) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double turn = 64 * kEpsilon * pair.length * static_cast<double>(pair.expected.normal_sensitivity);
  return turn <= 1e-10 && static_cast<double>(pair.expected.lead) > 1e-9 * pair.length;
}

void measure_errors(DistanceContender& contender, const std::vector<ShapePair>& pairs, Row& row) {
  Hash hash;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ShapePair& pair = pairs[i];
    Answer answer;
    if (!contender.find_first(i, answer)) {
      ++row.failures;
      continue;
    }
    hash.add(answer.gap);
    for (const double x : answer.N) hash.add(x);
    const bool is_apart = i % 3 == 0;  // see run_kind()
    const double gap_error = std::abs(static_cast<double>(answer.gap - pair.expected.gap)) / pair.length;
    row.gap.add(gap_error);
    if (is_apart) row.gap_apart.add(gap_error);
    if (!has_sure_normal(pair)) continue;
    const double turn = (answer.N - pair.expected.N.cast<double>()).norm();
    row.normal.add(turn);
    if (is_apart) row.normal_apart.add(turn);
  }
  row.hash = hash.value();
}

/// B moves on by a thousandth of its size or of the radian from pose to pose.
PathPair make_path(RandomPairs& random, const ShapePair& pair) {
  constexpr int kPoses = 16;
  constexpr double kStep = 1e-3;
  const double size = std::min(test::calc_thickness(pair.A), test::calc_thickness(pair.B));
  const Vector3<double> way = random.unit_vector() * kStep * size;
  const Matrix3<double> turn = rotation_about_axis(random.unit_vector(), kStep);
  PathPair path{pair.A, pair.B, pair.X_WA, {pair.X_WB}};
  while (path.X_WB.size() < kPoses) path.X_WB.push_back({turn * path.X_WB.back().R, path.X_WB.back().p + way});
  return path;
}

bool add_all(DistanceContender& contender, const std::vector<PathPair>& paths) {
  contender.clear();
  return std::all_of(paths.begin(), paths.end(), [&](const PathPair& path) { return contender.add(path); });
}

using Contenders = std::vector<std::unique_ptr<DistanceContender>>;

/// Fills in the times of rows, whose contenders are in the same order and hold the paths.
void measure_times(const std::vector<DistanceContender*>& able, const std::vector<PathPair>& paths,
                   const Options& options, std::vector<Row>& rows) {
  const double calls = static_cast<double>(paths.size() * paths.front().X_WB.size());
  volatile double sink = 0;
  std::vector<Contender> turns;
  for (DistanceContender* contender : able) {
    for (const bool is_warm : {false, true}) {
      turns.push_back({contender->name(), [contender, is_warm, &sink] { sink = contender->sweep(is_warm); }, calls});
    }
  }
  measure(turns, options.rounds, options.turn_seconds);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].cold = turns[2 * i].median() * 1e9;
    rows[i].warm = turns[2 * i + 1].median() * 1e9;
    rows[i].cold_ratio = rows[i].cold / rows[0].cold;
    rows[i].warm_ratio = rows[i].warm / rows[0].warm;
  }
}

std::vector<Row> run_kind(const KindPair& kinds, const Contenders& contenders, const Options& options) {
  constexpr Placement kPlacements[] = {Placement::apart, Placement::touching, Placement::shallow};
  constexpr int kTimedPairs = 40;
  RandomPairs random(1 + 100 * static_cast<unsigned>(kinds.A * test::kShapeKinds + kinds.B));
  std::vector<ShapePair> pairs;
  std::vector<PathPair> still, paths;
  for (int i = 0; i < options.pairs; ++i) {
    pairs.push_back(random.pair(kinds, kPlacements[i % 3]));
    still.push_back({pairs.back().A, pairs.back().B, pairs.back().X_WA, {pairs.back().X_WB}});
  }
  for (int i = 0; i < kTimedPairs; ++i) paths.push_back(make_path(random, random.pair(kinds, Placement::apart)));

  std::vector<Row> rows;
  std::vector<DistanceContender*> able;
  for (const auto& contender : contenders) {
    if (!add_all(*contender, still)) continue;
    rows.push_back({.kind = test::name_of(kinds), .contender = contender->name(), .setting = contender->setting()});
    measure_errors(*contender, pairs, rows.back());
    add_all(*contender, paths);
    able.push_back(contender.get());
  }
  measure_times(able, paths, options, rows);
  for (const auto& contender : contenders) contender->clear();
  return rows;
}

void print_kind(const std::vector<Row>& rows) {
  fmt::print("\n{}\n", rows.front().kind);
  fmt::print("  {:<34} {:>8} {:>8} {:>7} {:>7} {:>9} {:>9} {:>9} {:>9} {:>5} {:>17}\n", "", "cold ns", "warm ns",
             "ratio", "ratio", "gap", "gap apart", "normal", "n. apart", "fails", "answers");
  for (const Row& row : rows) {
    fmt::print("  {:<34} {:>8.0f} {:>8.0f} {:>7.2f} {:>7.2f} {:>9.1e} {:>9.1e} {:>9.1e} {:>9.1e} {:>5} {:>17x}\n",
               row.setting.empty() ? row.contender : row.contender + ", " + row.setting, row.cold, row.warm,
               row.cold_ratio, row.warm_ratio, row.gap.largest(), row.gap_apart.largest(), row.normal.largest(),
               row.normal_apart.largest(), row.failures, row.hash);
  }
}

void write_csv(const std::string& file, const std::vector<Row>& rows) {
  std::ofstream out(file);
  out << "kind,contender,setting,cold_ns,warm_ns,cold_ratio,warm_ratio,pairs,failures,gap_median,gap_max,"
         "gap_apart_median,gap_apart_max,normals,normal_median,normal_max,normal_apart_median,normal_apart_max,"
         "answers\n";
  for (const Row& row : rows) {
    out << fmt::format(
        "{},\"{}\",\"{}\",{:.2f},{:.2f},{:.4f},{:.4f},{},{},{:.3e},{:.3e},{:.3e},{:.3e},{},{:.3e},{:.3e},"
        "{:.3e},{:.3e},{:016x}\n",
        row.kind, row.contender, row.setting, row.cold, row.warm, row.cold_ratio, row.warm_ratio, row.gap.count(),
        row.failures, row.gap.median(), row.gap.largest(), row.gap_apart.median(), row.gap_apart.largest(),
        row.normal.count(), row.normal.median(), row.normal.largest(), row.normal_apart.median(),
        row.normal_apart.largest(), row.hash);
  }
}

/// Smallest, middle and largest.
std::string spread(std::vector<double> values, const char* format) {
  std::sort(values.begin(), values.end());
  const auto text = [&](double x) { return fmt::format(fmt::runtime(format), x); };
  return text(values.front()) + " … " + text(values[values.size() / 2]) + " … " + text(values.back());
}

/// Every peer over the kinds that it can do: its time over Thenar's, its errors over Thenar's.
void print_summary(const std::vector<Row>& rows) {
  fmt::print("\nover all kinds of pairs: smallest … middle … largest of a kind\n");
  std::vector<std::pair<std::string, std::string>> done;
  for (const Row& first : rows) {
    const std::pair who(first.contender, first.setting);
    if (first.contender == "Thenar" || std::find(done.begin(), done.end(), who) != done.end()) continue;
    done.push_back(who);
    std::vector<double> cold, warm, error;
    const Row* ours = nullptr;
    int failures = 0;
    for (const Row& row : rows) {
      if (row.contender == "Thenar") ours = &row;
      if (row.contender != first.contender || row.setting != first.setting) continue;
      cold.push_back(row.cold_ratio);
      warm.push_back(row.warm_ratio);
      error.push_back(row.gap_apart.largest() / ours->gap_apart.largest());
      failures += row.failures;
    }
    fmt::print("  {:<34} {} kinds, {} failures\n", first.contender + ", " + first.setting, cold.size(), failures);
    fmt::print("      its time over ours, cold {} | warm {}\n", spread(cold, "{:.2f}"), spread(warm, "{:.2f}"));
    fmt::print("      its largest error over ours, apart {}\n", spread(error, "{:.1e}"));
  }
}

void run(const Options& options) {
  const Contenders contenders = open_distance_contenders(options.peers / "distance");
  std::vector<Row> rows;
  for (const KindPair& kinds : test::all_kind_pairs()) {
    if (test::name_of(kinds).find(options.only) == std::string::npos) continue;
    const std::vector<Row> of_kind = run_kind(kinds, contenders, options);
    print_kind(of_kind);
    rows.insert(rows.end(), of_kind.begin(), of_kind.end());
  }
  if (rows.empty()) throw std::runtime_error("no kind of pair is called " + options.only);
  print_summary(rows);
  if (!options.csv.empty()) write_csv(options.csv, rows);
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  thenar::bench::Options options;
  CLI::App app("Distance of shapes beside FCL and Bullet: errors and times");
  options.add_to(app);
  app.add_option("--pairs", options.pairs, "Random pairs of each kind for the errors")->capture_default_str();
  app.add_option("--only", options.only, "Part of the name of the kinds to run, such as cone–box");
  return thenar::bench::run_program(app, argc, argv, [&] { thenar::bench::run(options); });
}
