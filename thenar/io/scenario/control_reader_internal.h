// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <unordered_set>

#include "thenar/io/scenario/part_reader_internal.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

/// What readers of `control` need: the scenario, whose model and initial state are complete, and where it comes from.
struct ControlContext {
  const std::unordered_set<int>& objects;  ///< by index of their body; they have no actuators
  const Parameters& parameters;
  std::filesystem::path folder;  ///< files are named relative to it
  Scenario& scenario;
  std::uint64_t& files;  ///< number that differs if one of the files does that controllers read (DocumentFingerprint)
};

/// The joints with actuators of that name, or that fit the pattern. Throws InputError at the mark if there is none.
std::vector<JointIndex> find_actuated_joints(const std::string& pattern, const SourceMark& mark,
                                             const ControlContext& context);

BodyIndex find_body(const Field& field, const Model& model);

/// A function of time that is finite at t = 0; `level` is that of the joint it is for.
Expression read_profile(const Field& field, Dimension dimension, double level, const Parameters& parameters);

enum class JointControlKind { pd, pd_gravity, computed_torque };

/// Read one entry of `control` each.
void read_joint_control(const Field& field, JointControlKind kind, const ControlContext& context);
void read_squeeze(const Field& field, const ControlContext& context);
void read_object_control(const Field& field, const ControlContext& context);
void read_whole_arm(const Field& field, const ControlContext& context);

}  // namespace thenar::internal
