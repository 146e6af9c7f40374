// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reads the bodies of a hand, from a model file or from inside a scenario, and adds them to a model under
/// construction. The format is described in docs/formats.md; errors are InputErrors at the offending value.
///
/// A body `palm` of the hand `left` becomes `left.palm`, a joint `wrist` becomes `left.wrist`. The frame in which the
/// hand is mounted is the massless body `left.base`, with the joint `left.base`.

#include <filesystem>
#include <unordered_map>
#include <vector>

#include "thenar/io/text/reader.h"
#include "thenar/model/model_builder.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

/// The most bodies and shapes that a model may have.
inline constexpr int kMostBodies = 10000;
inline constexpr int kMostShapes = 10 * kMostBodies;

/// The name of the mounting frame, reserved among the bodies of a hand.
inline constexpr const char* kBaseName = "base";

/// Where a hand is mounted and whether that frame can move. A fixed base sits at X_PF on the parent, which is the world
/// or a body of another hand; a planar or free one moves relative to it and takes its place from the initial state.
struct HandMount {
  std::string name;
  BodyIndex parent = kWorld;
  Pose<double> X_PF;
  JointKind base_joint = JointKind::fixed;
};

/// Where something stands in a file, and what messages call it: "'upper' of 'limits' of joint 'pip'".
struct WrittenPlace {
  SourceMark mark;
  std::string label;
};

/// What a reader remembers of the bodies it added, and of what was said about their joints.
struct AddedBodies {
  std::vector<std::pair<std::string, BodyIndex>> names;  ///< of the bodies of hands, in their order
  std::unordered_map<int, SourceMark> marks;             ///< of each body, by index
  std::unordered_map<int, SourceMark> joint_marks;       ///< of the joint of each body, by index of the body
  std::vector<BodyShape> shapes;
  std::vector<WrittenPlace> stops, couplings;  ///< where their bounds and values stand, in the order of the model
  BodyIndex base;                              ///< of the hand added last
  int dof_count = 0;                           ///< of all bodies
};

/// True when the document is a model (it has `bodies` at its top), not a scenario.
bool is_model_document(const Node& root);

/// Adds the hand described by the keys `dh`, `bodies`, `springs` and `couplings` of a mapping; the caller finishes the
/// mapping.
void add_hand(MapReader& reader, const Parameters& parameters, const HandMount& mount, ModelBuilder& builder,
              AddedBodies& added);

/// Adds the hand of a model file. `overrides` replace the values of the file's own parameters.
void add_hand_from_model(const Node& root, const Parameters& overrides, const HandMount& mount, ModelBuilder& builder,
                         AddedBodies& added);

/// Throws InputError unless the mapping says `thenar: 1`.
void check_version(MapReader& root);

}  // namespace thenar
