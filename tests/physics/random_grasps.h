// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random grasps, as texts of scenarios: a hand in any posture, an object of any shape among its fingers, anything that
/// drives the fingers. Bodies are apart at the start.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "thenar/contact/pair_filter.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/geometry/distance.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::test {

/// Pairs of shapes that may touch, looked at afresh: every pair by itself, without a broad phase and without what was
/// known of it before.
class FreshGaps {
 public:
  explicit FreshGaps(const Scenario& scenario) : model_(scenario.model), workspace_(scenario.model) {
    const ShapedBodies bodies = find_touching_pairs(scenario.model, scenario.shapes, *scenario.contacts);
    shapes_ = scenario.shapes;
    const auto place = [&](std::size_t i) { return bodies.place[static_cast<std::size_t>(shapes_[i].body.value())]; };
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      for (std::size_t k = i + 1; k < shapes_.size(); ++k) {
        if (shapes_[i].body != shapes_[k].body && bodies.filter.allows(place(i), place(k))) pairs_.emplace_back(i, k);
      }
    }
    for (const BodyShape& shape : shapes_) cores_.push_back(make_core(shape.shape));
  }

  struct Least {
    double gap = std::numeric_limits<double>::infinity();  ///< m
    std::string where;
  };
  Least find_least(const VectorX<double>& q) {
    update_positions(model_, q.data(), workspace_);
    Least out;
    for (const auto& [i, k] : pairs_) {
      PairMemory memory;
      const double gap = find_closest(cores_[i], calc_pose(i), cores_[k], calc_pose(k), memory).gap;
      if (gap >= out.gap) continue;
      out = {gap, model_.body(shapes_[i].body).name + "/" + model_.body(shapes_[k].body).name};
    }
    return out;
  }

  const std::vector<std::pair<std::size_t, std::size_t>>& pairs() const { return pairs_; }
  const BodyShape& shape(std::size_t i) const { return shapes_[i]; }
  /// At the q of the last call.
  Pose<double> calc_pose(std::size_t i) const {
    const Placement<double> X_WB = calc_body_pose(model_, workspace_, shapes_[i].body);
    return Pose<double>{X_WB.R.eigen(), X_WB.p.eigen()} * shapes_[i].X_BS;
  }

 private:
  const Model& model_;
  Workspace<double> workspace_;
  std::vector<BodyShape> shapes_;
  std::vector<GrownCore> cores_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

class GraspMaker {
 public:
  explicit GraspMaker(unsigned seed) : random_(seed) {}

  /// The first of its scenarios in which nothing is nearer than a hair at the start. Fingers open more from try to try.
  Scenario make() {
    constexpr double kHair = 1e-4;  // m
    constexpr int kTries = 200;
    for (int i = 0; i < kTries; ++i) {
      bend_ = 1 - static_cast<double>(i) / kTries;
      text_ = write();
      Scenario scenario = parse_scenario(text_, "grasp.yaml", THENAR_SOURCE_DIR "/scenes");
      if (FreshGaps(scenario).find_least(scenario.initial.q).gap > kHair) return scenario;
    }
    throw std::runtime_error("no posture without overlap");
  }

  /// Of the scenario made last.
  const std::string& text() const { return text_; }

 private:
  enum class Hand { chan, varied, human };

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double share) { return uniform(0, 1) < share; }

  std::string write() {
    hand_ = static_cast<Hand>(std::min(pick(0, 3), 2));
    is_on_stand_ = hand_ != Hand::human && chance(0.4);
    is_squeezed_ = chance(0.25);
    std::string text = fmt::format("thenar: 1\nname: grasp\ngravity: {}\n", write_gravity());
    text += hand_ == Hand::human ? write_human_hand() : write_chan_hand();
    if (is_on_stand_) text += write_stand();
    return text + write_object() + write_contacts() + write_control() +
           "run: {until: 2, sample: 20 ms, on_indeterminate: first}\n";
  }

  /// Downwards with a stand, else in any direction, or none.
  std::string write_gravity() {
    if (is_on_stand_) return "[0, 0, -9.81]";
    if (chance(0.3)) return "[0, 0, 0]";
    const double z = uniform(-1, 1), angle = uniform(-3.14, 3.14), r = 9.81 * std::sqrt(1 - z * z);
    return fmt::format("[{:.4f}, {:.4f}, {:.4f}]", r * std::cos(angle), r * std::sin(angle), 9.81 * z);
  }

  // --- Hands ---------------------------------------------------------------------------------------------------------

  static constexpr const char* kChanFingers[] = {"thumb", "index", "middle", "ring", "pinkie"};
  static constexpr const char* kHumanFingers[] = {"index", "middle", "ring", "little"};

  std::string write_chan_hand() {
    std::string text = "hands:\n  - name: hand\n    model: ../models/chan_hand.yaml\n    parameters: {";
    reach_ = 0.045;
    height_ = 0.1;
    if (hand_ == Hand::varied) {
      const double l1 = uniform(0.018, 0.035), l2 = uniform(0.035, 0.06), l3 = uniform(0.03, 0.05);
      reach_ = uniform(0.04, 0.06);
      height_ = l1 + l2 + 0.75 * l3;
      text += fmt::format("l1: {:.4f}, l2: {:.4f}, l3: {:.4f}, reach: {:.4f}, pitch: {:.4f}, radius: {:.4f}, ", l1, l2,
                          l3, reach_, uniform(0.021, 0.03), uniform(0.005, 0.009));
      text += fmt::format("mass: {:.4f}, rotor: {:.3g}, effort: {:.3f}, ", uniform(0.02, 0.1),
                          chance(0.5) ? uniform(0, 2e-5) : 0, uniform(0.1, 1));
    }
    text += fmt::format("damping: {:.5f}}}\n    q: {{", chance(0.7) ? uniform(0, 0.01) : 0);
    for (const char* finger : kChanFingers) {
      text += fmt::format("{0}_1: {1:.3f}, {0}_2: {2:.3f}, {0}_3: {3:.3f}, ", finger, uniform(-0.15, 0.15),
                          uniform(-0.3, 0.2 + 0.6 * bend_), uniform(-0.3, 0.1 + 0.9 * bend_));
    }
    text.replace(text.size() - 2, 2, "}\n");
    return text;
  }

  /// Palm up. Light links: some damping is that of tissue.
  std::string write_human_hand() {
    const double length = uniform(0.16, 0.21);
    reach_ = 0.03;
    std::string text = fmt::format(
        "hands:\n  - name: hand\n    model: ../models/human_hand.yaml\n    base: {{rpy: [180 deg, 0, 0]}}\n"
        "    parameters: {{hand_length: {:.4f}, body_mass: {:.1f}, female: {:.2f}, damping: {:.5f}}}\n    q: {{",
        length, uniform(45, 100), uniform(0, 1), uniform(1e-4, 5e-3));
    for (const char* finger : kHumanFingers) {
      text +=
          fmt::format("{0}_mcp: [{1:.3f}, {2:.3f}], {0}_pip: {3:.3f}, {0}_dip: {4:.3f}, ", finger, uniform(-0.03, 0.03),
                      uniform(0, 0.9 * bend_), uniform(0, 0.8 * bend_), uniform(0, 0.6 * bend_));
    }
    text += fmt::format("thumb_cmc1: {:.3f}, thumb_cmc2: {:.3f}, thumb_mcp: {:.3f}, thumb_ip: {:.3f}}}\n",
                        uniform(0.3, 1.2), uniform(0, 0.6), uniform(0, 0.5), uniform(0, 0.5));
    length_ = length;
    return text;
  }

  /// Under the object, which falls onto it from a little above; it sinks away.
  std::string write_stand() {
    return "  - name: stand\n    bodies:\n      - name: top\n        joint: {name: lift, type: prismatic}\n"
           "        shape: {box: [24 mm, 24 mm, 10 mm]}\n        shape_pose: {xyz: [0, 0, 0]}\n        mass: 0.2 kg\n"
           "    q: {lift: " +
           fmt::format("{:.4f}", stand_height()) + "}\n";
  }
  double stand_height() const { return height_ - 0.055; }

  // --- The object ----------------------------------------------------------------------------------------------------

  std::string write_shape(double size) {
    switch (pick(0, 5)) {
      case 0:
        return fmt::format("{{sphere: {:.4f}}}", size);
      case 1:
        return fmt::format("{{box: [{:.4f}, {:.4f}, {:.4f}]}}", 2 * size * uniform(0.6, 1), 2 * size * uniform(0.6, 1),
                           2 * size * uniform(0.6, 1));
      case 2:
        return fmt::format("{{capsule: {{radius: {:.4f}, length: {:.4f}}}}}", uniform(0.4, 0.8) * size,
                           uniform(0.5, 2) * size);
      case 3:
        return fmt::format("{{cylinder: {{radius: {:.4f}, length: {:.4f}}}}}", uniform(0.5, 1) * size,
                           uniform(1, 3) * size);
      case 4:
        return fmt::format("{{ellipsoid: [{:.4f}, {:.4f}, {:.4f}]}}", size * uniform(0.5, 1), size * uniform(0.5, 1),
                           size * uniform(0.5, 1.3));
      default:
        return fmt::format("{{rounded_box: {{sides: [{:.4f}, {:.4f}, {:.4f}], radius: {:.4f}}}}}",
                           2 * size * uniform(0.6, 1), 2 * size * uniform(0.6, 1), 2 * size * uniform(0.6, 1),
                           0.2 * size);
    }
  }

  std::string write_object() {
    const bool is_human = hand_ == Hand::human;
    const double size = is_human ? uniform(0.015, 0.03) : uniform(0.45, 0.7) * reach_;
    const double x = is_human ? uniform(0.4, 0.75) * length_ : uniform(-0.006, 0.006);
    const double z = is_human ? uniform(0.02, 0.05) + size : is_on_stand_ ? height_ : height_ - uniform(0, 0.03);
    const double turn = chance(0.4) ? 0 : 1;  // many objects are grasped along their axes
    return fmt::format(
        "objects:\n  - {{name: object, shape: {}, mass: {:.4f}, pose: {{xyz: [{:.4f}, {:.4f}, {:.4f}], "
        "rpy: [{:.3f}, {:.3f}, {:.3f}]}}, velocity: {{angular: [{:.3f}, {:.3f}, {:.3f}]}}}}\n",
        write_shape(size), std::exp(uniform(std::log(0.01), std::log(0.5))), x, uniform(-0.01, 0.01), z,
        turn * uniform(-3, 3), turn * uniform(-1.5, 1.5), uniform(-3, 3), turn * uniform(-1, 1), turn * uniform(-1, 1),
        turn * uniform(-1, 1));
  }

  // --- Contacts and control ------------------------------------------------------------------------------------------

  std::string write_contacts() {
    std::string text = "contacts:\n  law: rigid\n";
    const int tip = pick(0, 9);
    if (tip == 0) {
      text += "  fingertip: frictionless\n";
    } else {
      const double friction = uniform(0.05, 1.2);
      text += chance(0.15) ? fmt::format("  friction: {{static: {:.3f}, kinetic: {:.3f}}}\n", 1.3 * friction, friction)
                           : fmt::format("  friction: {:.3f}\n", friction);
      if (tip <= 3) text += fmt::format("  fingertip: soft\n  torsion: {:.5f}\n", uniform(0.0005, 0.01));
    }
    text += fmt::format("  restitution: {:.3f}\n", chance(0.5) ? 0 : uniform(0, 0.8));
    if (chance(0.15)) text += fmt::format("  cone: {}\n", chance(0.5) ? "8" : "box");
    return text + write_pairs();
  }

  /// All pairs, or the object with all of the hand, or with its tips. Tips that are drawn to each other touch as well:
  /// the law that draws them has no answer where they are in one place.
  std::string write_pairs() {
    const bool is_human = hand_ == Hand::human;
    if (!is_human && chance(0.5)) return "";
    const char* tip = is_human ? "_distal" : "_3";
    std::string text = fmt::format("  pairs: [[object, \"hand.*{}\"]", chance(0.4) ? tip : "");
    if (is_on_stand_) text += ", [object, stand.top]";
    for (const char* finger : {"index", "middle", "ring"}) {
      if (is_squeezed_) text += fmt::format(", [hand.thumb{0}, hand.{1}{0}]", tip, finger);
    }
    return text + "]\n";
  }

  std::string write_control() {
    std::string text = "control:\n";
    switch (is_squeezed_ ? 0 : pick(1, 4)) {
      case 1:
        text += write_torques();
        if (hand_ == Hand::human)
          text += "  - pd_gravity: {joints: \"hand.*\", kp: {hand.wrist: 2}, kd: {hand.wrist: 0.05}}\n";
        break;
      case 0:
        text += "  - pd_gravity: {joints: \"hand.*\", kd: " + fmt::format("{:.4f}", uniform(0.001, 0.02)) + "}\n" +
                write_squeezes();
        break;
      case 2:
        text += write_targets("computed_torque", uniform(50, 600), uniform(5, 40));
        break;
      default:
        text += write_targets(chance(0.8) ? "pd_gravity" : "pd", uniform(0.1, 1), uniform(0.005, 0.04));
    }
    if (is_on_stand_) {
      text += fmt::format(
          "  - pd_gravity: {{joints: stand.lift, kp: 500 N/m, kd: 40 N s/m, targets: [[0.8, {{stand.lift: {:.4f}}}], "
          "[1.2, {{stand.lift: {:.4f}}}]]}}\n",
          stand_height(), stand_height() - 0.04);
    }
    return text;
  }

  std::string write_torques() {
    std::string text = "  - torque: {";
    const auto add = [&](const std::string& joint, double most) {
      const double torque = uniform(-0.2 * most, most);
      text += chance(0.5) ? fmt::format("hand.{}: {:.5f}, ", joint, torque)
                          : fmt::format("hand.{}: {:.5f}*sin({:.2f}*t), ", joint, torque, uniform(1, 10));
    };
    if (hand_ == Hand::human) {
      for (const char* finger : kHumanFingers) {
        add(std::string(finger) + "_pip", 0.02);
        add(std::string(finger) + "_dip", 0.01);
      }
      add("thumb_cmc2", 0.03);
    } else {
      for (const char* finger : kChanFingers) {
        add(std::string(finger) + "_2", 0.15);
        add(std::string(finger) + "_3", 0.08);
      }
    }
    text.replace(text.size() - 2, 2, "}\n");
    return text;
  }

  std::string write_squeezes() {
    std::string text;
    const bool is_human = hand_ == Hand::human;
    const char* end = is_human ? "_distal" : "_3";
    for (const char* finger : {"index", "middle", "ring"}) {
      if (!chance(0.8)) continue;
      text +=
          fmt::format("  - squeeze: {{between: [hand.thumb{0}, hand.{1}{0}], force: \"{2:.3f}*min(t/{3:.2f}, 1)\"}}\n",
                      end, finger, uniform(0.2, is_human ? 1 : 4), uniform(0.05, 0.5));
    }
    return text;
  }

  /// Fingers close.
  std::string write_targets(const char* kind, double kp, double kd) {
    if (hand_ == Hand::human && std::string(kind) != "computed_torque") kp *= 0.3, kd *= 0.3;
    const bool is_human = hand_ == Hand::human;
    static constexpr const char* kWays[] = {"quintic", "linear", "hold", "via"};
    std::string text =
        fmt::format("  - {}: {{joints: \"hand.*\", kp: {:.4f}, kd: {:.4f}, interpolation: {}, {}targets: [", kind, kp,
                    kd, kWays[pick(0, 3)], chance(0.1) ? "rate: 500, " : "");
    const int rows = pick(1, 3);
    double time = 0;
    for (int row = 0; row < rows; ++row) {
      time += uniform(0.1, 0.6);
      const double far = row % 2 == 0 ? uniform(0.5, 1) : uniform(0, 0.6);
      text += fmt::format("[{:.3f}, {}], ", time, is_human ? write_human_target(far) : write_chan_target(far));
    }
    text.replace(text.size() - 2, 2, "]}\n");
    return text;
  }
  std::string write_chan_target(double far) {
    return fmt::format("{{\"hand.*_2\": {:.3f}, \"hand.*_3\": {:.3f}, hand.thumb_2: {:.3f}}}", far * uniform(0.3, 1.1),
                       far * uniform(0.3, 1.3), far * uniform(0.3, 1.2));
  }
  std::string write_human_target(double far) {
    return fmt::format("{{\"hand.*_pip\": {:.3f}, \"hand.*_dip\": {:.3f}, hand.thumb_cmc2: {:.3f}}}",
                       far * uniform(0.5, 1.5), far * uniform(0.3, 1.2), far * uniform(0.3, 1.2));
  }

  std::mt19937 random_;
  std::string text_;
  Hand hand_ = Hand::chan;
  bool is_on_stand_ = false, is_squeezed_ = false;
  double bend_ = 1;                               ///< how far fingers may be bent at the start
  double reach_ = 0, height_ = 0.1, length_ = 0;  ///< m: of the hand
};

}  // namespace thenar::test
