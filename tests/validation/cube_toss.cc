// SPDX-License-Identifier: BSD-3-Clause
#include "cube_toss.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>

#include "thenar/simulation/simulate.h"

namespace thenar {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double kGravity = 9.81;  // m/s²

/// Numbers of a line of a CSV; stops at what is none.
std::vector<double> read_numbers(std::string line) {
  std::replace(line.begin(), line.end(), ',', ' ');
  std::istringstream fields(line);
  std::vector<double> numbers;
  for (double x; fields >> x;) numbers.push_back(x);
  return numbers;
}

/// Rows of numbers below the header of a CSV.
std::vector<std::vector<double>> read_rows(const std::filesystem::path& path) {
  std::vector<std::vector<double>> rows;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) rows.push_back(read_numbers(line));
  return rows;
}

/// t, x y z, qw qx qy qz, vx vy vz, and wx wy wz in body axes.
CubeFrame make_frame(const std::vector<double>& row, double scale) {
  CubeFrame frame;
  frame.position = Vector3d(row.at(1), row.at(2), row.at(3)) / scale;
  frame.rotation = Quaterniond(row.at(4), row.at(5), row.at(6), row.at(7)).normalized();
  frame.velocity = Vector3d(row.at(8), row.at(9), row.at(10)) / scale;
  frame.spin = frame.rotation * Vector3d(row.at(11), row.at(12), row.at(13));
  return frame;
}

CubeFrame make_frame(const State& state) {
  CubeFrame frame;
  frame.position = state.q.head<3>();
  frame.rotation = Quaterniond(state.q(3), state.q(4), state.q(5), state.q(6));
  frame.spin = state.v.head<3>();
  frame.velocity = state.v.tail<3>();
  return frame;
}

State make_state(const CubeFrame& frame) {
  State state;
  state.q.resize(7);
  state.q << frame.position, frame.rotation.w(), frame.rotation.vec();
  state.v.resize(6);
  state.v << frame.spin, frame.velocity;
  return state;
}

std::vector<Toss> select_tosses(const std::vector<Toss>& tosses, bool training) {
  std::vector<Toss> selected;
  for (std::size_t i = 0; i < tosses.size(); ++i) {
    if ((i % 3 == 0) == training) selected.push_back(tosses[i]);
  }
  return selected;
}

/// Velocity of the centre of mass at the first of `count` frames of free flight, by least squares.
Vector3d fit_flight_velocity(const std::vector<CubeFrame>& frames, std::size_t count, double offset) {
  const double middle = 0.5 * static_cast<double>(count - 1) * kFrameTime;
  Vector3d sum = Vector3d::Zero();
  double weight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) * kFrameTime;
    const Vector3d centre = frames[i].position + frames[i].rotation * Vector3d(0, 0, offset);
    sum += (t - middle) * (centre + Vector3d(0, 0, 0.5 * kGravity * t * t));
    weight += (t - middle) * (t - middle);
  }
  return sum / weight;
}

double calc_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double CubeFrame::calc_lowest() const {
  return position(2) - 0.5 * kCubeWidth * rotation.toRotationMatrix().row(2).lpNorm<1>();
}

std::size_t count_flight_frames(const Toss& toss, double height) {
  const auto is_low = [&](const CubeFrame& frame) { return frame.calc_lowest() <= height; };
  return static_cast<std::size_t>(std::find_if(toss.frames.begin(), toss.frames.end(), is_low) - toss.frames.begin());
}

Vector3d calc_mean_spin(const Quaterniond& from, const Quaterniond& to, double time) {
  const Eigen::AngleAxisd turn(to * from.conjugate());
  const double angle = turn.angle() > std::numbers::pi ? turn.angle() - 2 * std::numbers::pi : turn.angle();
  return turn.axis() * (angle / time);
}

std::vector<Toss> read_tosses(double scale) {
  const std::filesystem::path folder = std::filesystem::path(THENAR_SOURCE_DIR) / "../shared/data/cube_toss";
  std::vector<Toss> tosses;
  for (const std::vector<double>& entry : read_rows(folder / "index.csv")) {
    Toss toss;
    toss.number = static_cast<int>(entry.at(0));
    std::string digits = std::to_string(toss.number);
    digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
    for (const auto& row : read_rows(folder / "tosses" / ("toss_" + digits + ".csv"))) {
      toss.frames.push_back(make_frame(row, scale));
    }
    tosses.push_back(toss);
  }
  return tosses;
}

std::vector<Toss> select_training(const std::vector<Toss>& tosses) { return select_tosses(tosses, true); }
std::vector<Toss> select_test(const std::vector<Toss>& tosses) { return select_tosses(tosses, false); }

const char* to_string(TossStart start) {
  if (start == TossStart::first_frame) return "first frame";
  return start == TossStart::flight ? "flight" : "before contact";
}

Toss prepare_start(const Toss& toss, TossStart start, double offset) {
  const auto can_touch = [](const CubeFrame& frame) {
    return frame.position(2) <= 0.5 * kCubeWidth * std::numbers::sqrt3;
  };
  const auto end = std::find_if(toss.frames.begin(), toss.frames.end(), can_touch);
  const auto count = static_cast<std::size_t>(end - toss.frames.begin());
  if (start == TossStart::first_frame || count < 5) return toss;
  const bool from_end = start == TossStart::before_contact;
  const double time = static_cast<double>(count - 1) * kFrameTime;
  Toss prepared{toss.number, {from_end ? end - 1 : toss.frames.begin(), toss.frames.end()}};
  CubeFrame& first = prepared.frames.front();
  first.spin = calc_mean_spin(toss.frames.front().rotation, (end - 1)->rotation, time);
  first.velocity = fit_flight_velocity(toss.frames, count, offset) - Vector3d(0, 0, from_end ? kGravity * time : 0) -
                   first.spin.cross(first.rotation * Vector3d(0, 0, offset));
  return prepared;
}

TossPredictor::TossPredictor()
    : document_(std::filesystem::path(THENAR_SOURCE_DIR) / "scenes/validation/cube_toss.yaml") {}

TossPrediction TossPredictor::predict(const Toss& toss, const TossModel& model) const {
  ScenarioDocument document = document_;
  document.set(fmt::format("parameters.inertia={}", model.inertia));
  document.set(fmt::format("parameters.offset={}", model.offset));
  Scenario scenario = document.build();
  scenario.initial = make_state(toss.frames.front());
  scenario.contacts->law.friction = scenario.contacts->law.static_friction = model.friction;
  scenario.contacts->law.restitution = model.restitution;
  scenario.impact = model.impact;
  scenario.run.sample = kFrameTime;
  scenario.run.until = static_cast<double>(toss.frames.size() - 1) * kFrameTime;
  scenario.run.tolerance = model.tolerance;
  scenario.run.on_indeterminate = OnIndeterminate::first;

  TossPrediction prediction;
  prediction.deepest = std::numeric_limits<double>::infinity();
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    const CubeFrame frame = make_frame(sample.state);
    prediction.deepest = std::min(prediction.deepest, frame.calc_lowest());
    // Rows at jumps stand between those of the frames.
    const double next = static_cast<double>(prediction.frames.size()) * kFrameTime;
    if (std::abs(sample.state.t - next) < 1e-9) prediction.frames.push_back(frame);
    return true;
  };
  const RunReport report = simulate(scenario, callbacks);
  if (report.status != RunStatus::done) prediction.failure = report.reason.empty() ? "not done" : report.reason;
  prediction.frames.resize(toss.frames.size(), make_frame(report.last));
  return prediction;
}

std::vector<CubeFrame> freeze_at_contact(const Toss& toss) {
  std::vector<CubeFrame> frames;
  for (const CubeFrame& frame : toss.frames) {
    const bool touches = !frames.empty() && frames.back().calc_lowest() < 0.002;
    frames.push_back(touches ? frames.back() : frame);
  }
  return frames;
}

TossError calc_error(const Toss& toss, const std::vector<CubeFrame>& predicted) {
  TossError error;
  const double n = static_cast<double>(toss.frames.size());
  for (std::size_t i = 0; i < toss.frames.size(); ++i) {
    const CubeFrame &a = toss.frames[i], &b = predicted.at(i);
    error.position += 100 * (a.position - b.position).norm() / kCubeWidth / n;
    error.rotation += a.rotation.angularDistance(b.rotation) * 180 / std::numbers::pi / n;
  }
  return error;
}

TossScore calc_score(const std::vector<TossError>& errors) {
  TossScore score;
  for (const auto component : {&TossError::position, &TossError::rotation}) {
    std::vector<double> values;
    for (const TossError& error : errors) values.push_back(error.*component);
    double sum = 0, squares = 0;
    for (const double x : values) sum += x, squares += x * x;
    const double n = static_cast<double>(values.size()), mean = sum / n;
    score.mean.*component = mean;
    score.deviation.*component = std::sqrt(std::max(0.0, squares / n - mean * mean));
    score.median.*component = calc_median(values);
  }
  return score;
}

}  // namespace thenar
