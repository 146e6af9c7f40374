// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The hand and the box of the benchmarks of instants and impacts, the unit of time that they are measured in, and
/// samples of times.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "measure.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/model/model_builder.h"
#include "thenar/spatial/rotation.h"

namespace thenar::bench {

/// Five fingers of three joints on a fixed palm, and a box that is free.
class HandAndBox {
 public:
  HandAndBox() : model_(build()), ws_(model_) {
    q_ = VectorX<double>::Zero(model_.position_count());
    q_(model_.position_count() - 4) = 1;  // w of the box's quaternion
    q_.head(kJoints) = 0.5 * VectorX<double>::Random(kJoints);
    v_ = VectorX<double>::Random(model_.velocity_count());
    tau_ = 0.1 * VectorX<double>::Random(model_.velocity_count());
    vdot_ = VectorX<double>::Zero(model_.velocity_count());
  }

  const Model& model() const { return model_; }
  int freedoms() const { return model_.velocity_count(); }
  void calc_acceleration() {
    forward_dynamics<double>(model_, q_.data(), v_.data(), tau_.data(), {}, ws_, vdot_.data());
  }

  static constexpr int kFingers = 5, kLinks = 3, kJoints = kFingers * kLinks;

 private:
  static Symmetric3<double> block(double mass, double x, double y, double z) {
    return {mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12, 0, 0, 0};
  }

  static Model build() {
    ModelBuilder builder;
    for (int finger = 0; finger < kFingers; ++finger) {
      BodyIndex parent = kWorld;
      const double place = 2 * std::numbers::pi * finger / kFingers;
      for (int link = 0; link < kLinks; ++link) {
        const std::string name = std::to_string(finger) + "." + std::to_string(link);
        JointSpec joint{.name = "joint " + name, .kind = JointKind::revolute};
        if (link == 0) {
          joint.X_PF = {rotation_from_rpy(Vector3<double>(0.1, 0.2, place)),
                        Vector3<double>(0.05 * std::cos(place), 0.05 * std::sin(place), 0)};
        } else {
          joint.X_PF = {rotation_from_rpy(Vector3<double>(0.1, 0.05, 0)), Vector3<double>(0, 0, 0.04)};
        }
        joint.axis = link == 0 ? Vector3<double>::UnitX() : Vector3<double>::UnitY();
        const MassProperties mass{0.04, Vector3<double>(0, 0, 0.02), block(0.04, 0.02, 0.02, 0.04)};
        parent = builder.add_body({"link " + name, mass}, parent, joint);
      }
    }
    const MassProperties box{0.1, Vector3<double>::Zero(), block(0.1, 0.06, 0.06, 0.06)};
    builder.add_body({"box", box}, kWorld, {.name = "box", .kind = JointKind::free});
    return std::move(builder).finalize();
  }

  Model model_;
  Workspace<double> ws_;
  VectorX<double> q_, v_, tau_, vdot_;
};

/// Seconds of one forward dynamics: the median of turns before, between and after everything else, since the clock of a
/// machine drifts.
class Unit {
 public:
  void measure_again(int rounds) {
    constexpr double kTurnSeconds = 2e-3;
    std::vector<Contender> turns{{"forward dynamics", [this] { scene_.calc_acceleration(); }}};
    measure(turns, rounds, kTurnSeconds);
    all_.seconds.insert(all_.seconds.end(), turns[0].seconds.begin(), turns[0].seconds.end());
  }
  double seconds() const { return all_.median(); }
  int freedoms() const { return scene_.freedoms(); }

 private:
  HandAndBox scene_;
  Contender all_;
};

/// Numbers of all problems, in order of size when asked for a share.
class Sample {
 public:
  void add(double x) { values_.push_back(x); }
  double quantile(double share) const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
  }

 private:
  std::vector<double> values_;
};

/// The least of three turns of about 20 µs or one call: other programs may disturb any one.
template <class Call>
double time_call(const Call& call) {
  constexpr int kTurns = 3;
  constexpr double kTurnSeconds = 20e-6;
  double start = thread_seconds();
  call();
  double least = thread_seconds() - start;
  const int calls = 1 + static_cast<int>(kTurnSeconds / least);
  for (int turn = 1; turn < kTurns; ++turn) {
    start = thread_seconds();
    for (int k = 0; k < calls; ++k) call();
    least = std::min(least, (thread_seconds() - start) / calls);
  }
  return least;
}

}  // namespace thenar::bench
