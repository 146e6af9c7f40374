// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "thenar/base/text.h"
#include "thenar/io/scenario/initial_state_internal.h"
#include "thenar/io/scenario/part_reader_internal.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::internal {
namespace {

/// How far a written state may be from what its constraints ask, relative to the scales of the scenario: the rounding
/// of a number that was copied from elsewhere. It is then moved to where it belongs.
constexpr double kSlack = 1e-9;

const char* to_string(StopSide side) { return side == StopSide::lower ? "lower" : "upper"; }

class StateSettler {
 public:
  StateSettler(const Model& model, const AddedBodies& added, const StatePlaces& places, State& state)
      : model_(model),
        added_(added),
        places_(places),
        state_(state),
        slack_(model, find_scales(model, state), kSlack),
        coupling_of_(static_cast<std::size_t>(model.velocity_count())) {
    for (std::size_t k = 0; k < model.couplings().size(); ++k) {
      coupling_of_[static_cast<std::size_t>(model.couplings()[k].dof)] = k;
    }
  }

  void settle() {
    check_written_positions();
    check_bounds();
    touch_stops();
    check_locks();
    settle_velocities();
  }

 private:
  // Positions

  /// Sets the coupled positions, each from those settled before it, and compares them with what was written.
  void check_written_positions() {
    for (std::size_t k = 0; k < model_.couplings().size(); ++k) {
      const Coupling& coupling = model_.couplings()[k];
      const double found = q(coupling.dof), wanted = settle_position(k);
      const auto& place = q_place(coupling.dof);
      if (!place || std::abs(found - wanted) <= slack_.position_weight(coupling.dof)) continue;
      throw InputError(place->mark,
                       fmt::format("{} is {} {}, but coupling '{}' makes it {} {}; leave it out, or change "
                                   "the joints that it follows",
                                   place->label, found, unit(coupling.dof), coupling.name, wanted, unit(coupling.dof)));
    }
  }

  double settle_position(std::size_t k) {
    const Coupling& coupling = model_.couplings()[k];
    return q(coupling.dof) = evaluate(coupling.value, added_.couplings[k]);
  }

  /// No position beyond a stop, and no lower stop beyond the upper one.
  void check_bounds() {
    bounds_.clear();
    for (std::size_t k = 0; k < model_.stops().size(); ++k) {
      bounds_.push_back(evaluate(model_.stops()[k].bound, added_.stops[k]));
    }
    check_order_of_bounds();
    for (std::size_t k = 0; k < model_.stops().size(); ++k) {
      const int dof = model_.stops()[k].dof;
      if (gap(k) < -slack_.position_weight(dof)) fail_beyond(k);
    }
  }

  void check_order_of_bounds() const {
    // The two stops of a degree of freedom follow each other, the lower one first.
    for (std::size_t k = 1; k < model_.stops().size(); ++k) {
      const Stop &lower = model_.stops()[k - 1], &upper = model_.stops()[k];
      if (lower.dof != upper.dof || bounds_[k - 1] <= bounds_[k]) continue;
      throw InputError(
          added_.stops[k].mark,
          fmt::format("{} is {} {} at the initial position, below the lower bound of {} {}", added_.stops[k].label,
                      bounds_[k], unit(upper.dof), bounds_[k - 1], unit(lower.dof)));
    }
  }

  /// Puts what is a little beyond a stop onto it. Coupled joints have no say in where they are.
  void touch_stops() {
    for (std::size_t k = 0; k < model_.stops().size(); ++k) {
      const int dof = model_.stops()[k].dof;
      if (gap(k) < 0 && !coupling_of_[static_cast<std::size_t>(dof)]) q(dof) = bounds_[k];
    }
    for (std::size_t k = 0; k < model_.couplings().size(); ++k) settle_position(k);
  }

  [[noreturn]] void fail_beyond(std::size_t k) const {
    const Stop& stop = model_.stops()[k];
    const auto& place = q_place(stop.dof);
    const auto coupling = coupling_of_[static_cast<std::size_t>(stop.dof)];
    const std::string excess = fmt::format("{} {}, beyond its {} stop at {} {}", q(stop.dof), unit(stop.dof),
                                           to_string(stop.side), bounds_[k], unit(stop.dof));
    if (place) {
      throw InputError(place->mark, fmt::format("{} starts joint '{}' at {}; start within the limits, or move them",
                                                place->label, model_.dof_name(stop.dof), excess));
    }
    if (coupling) {
      throw InputError(added_.couplings[*coupling].mark,
                       fmt::format("{} puts joint '{}' at {}; change 'q' of the joints that it follows, or the limits",
                                   added_.couplings[*coupling].label, model_.dof_name(stop.dof), excess));
    }
    const Joint& joint = model_.joint(model_.dof_joint(stop.dof));
    throw InputError(added_.joint_marks.at(joint.child.value()),
                     fmt::format("joint '{}' starts at {}; give its position in 'q' of the hand",
                                 model_.dof_name(stop.dof), excess));
  }

  double gap(std::size_t k) const {
    const Stop& stop = model_.stops()[k];
    return stop.side == StopSide::lower ? q(stop.dof) - bounds_[k] : bounds_[k] - q(stop.dof);
  }

  // Velocities

  void check_locks() {
    for (int dof = 0; dof < model_.velocity_count(); ++dof) {
      double& v = state_.v(dof);
      if (!model_.is_locked(dof) || v == 0) continue;
      const WrittenPlace& place = *v_place(dof);  // Only what is written is not zero.
      throw InputError(place.mark, fmt::format("{} is {} {}/s, but joint '{}' is locked; leave it out", place.label, v,
                                               unit(dof), model_.joint(model_.dof_joint(dof)).spec.name));
    }
  }

  void settle_velocities() {
    for (std::size_t k = 0; k < model_.couplings().size(); ++k) {
      const Coupling& coupling = model_.couplings()[k];
      const double found = state_.v(coupling.dof), wanted = calc_rate(coupling.value);
      const auto& place = v_place(coupling.dof);
      const bool agrees = std::abs(found - wanted) <= slack_.velocity_weight(coupling.dof, wanted);
      const bool is_locked = model_.is_locked(coupling.dof);
      if (!agrees && is_locked) fail_moving_lock(k, wanted);
      if (!agrees && place) {
        throw InputError(place->mark, fmt::format("{} is {} {}/s, but coupling '{}' makes it {} {}/s; leave it out, or "
                                                  "change the joints that it follows",
                                                  place->label, found, unit(coupling.dof), coupling.name, wanted,
                                                  unit(coupling.dof)));
      }
      state_.v(coupling.dof) = is_locked ? 0 : wanted;
    }
  }

  [[noreturn]] void fail_moving_lock(std::size_t k, double rate) const {
    const Coupling& coupling = model_.couplings()[k];
    WrittenPlace place = added_.couplings[k];
    for (const int dof : coupling.value.dofs) {
      if (v_place(dof)) place = *v_place(dof);
    }
    throw InputError(place.mark,
                     fmt::format("{} moves the locked joint '{}' with {} {}/s, by way of coupling '{}'", place.label,
                                 model_.dof_name(coupling.dof), rate, unit(coupling.dof), coupling.name));
  }

  // Both

  double& q(int dof) { return state_.q(model_.dof_coordinate(dof)); }
  double q(int dof) const { return state_.q(model_.dof_coordinate(dof)); }
  const std::optional<WrittenPlace>& q_place(int dof) const { return places_.q[static_cast<std::size_t>(dof)]; }
  const std::optional<WrittenPlace>& v_place(int dof) const { return places_.v[static_cast<std::size_t>(dof)]; }

  const char* unit(int dof) const {
    const Joint& joint = model_.joint(model_.dof_joint(dof));
    return is_angular(joint.spec.kind, dof - joint.v_start) ? "rad" : "m";
  }

  std::vector<double> values_of(const CoordinateFunction& function) const {
    std::vector<double> values;
    for (const int dof : function.dofs) values.push_back(q(dof));
    return values;
  }

  double evaluate(const CoordinateFunction& function, const WrittenPlace& place) const {
    const double value = function.value.evaluate(values_of(function));
    if (std::isfinite(value)) return value;
    throw InputError(place.mark, fmt::format("{} is not finite at the initial position: {}", place.label,
                                             quote(function.value.text())));
  }

  double calc_rate(const CoordinateFunction& function) const {
    std::vector<double> rates;
    for (const int dof : function.dofs) rates.push_back(state_.v(dof));
    return function.value.evaluate_along(values_of(function), rates).first;
  }

  const Model& model_;
  const AddedBodies& added_;
  const StatePlaces& places_;
  State& state_;
  Tolerances slack_;
  std::vector<std::optional<std::size_t>> coupling_of_;  // Per degree of freedom.
  std::vector<double> bounds_;                           // Per stop, at the initial position.
};

}  // namespace

void settle_initial_state(const Model& model, const AddedBodies& added, const StatePlaces& places, State& state) {
  StateSettler(model, added, places, state).settle();
}

}  // namespace thenar::internal
