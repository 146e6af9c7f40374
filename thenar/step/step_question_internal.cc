// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_question_internal.h"

#include <algorithm>
#include <utility>

#include "thenar/dynamics/kinematics.h"

namespace thenar::internal {
namespace {

std::vector<HeldContact> list_held(AssemblyContext& context, const std::vector<StepContactState>& contacts,
                                   double reach, const State& state) {
  std::vector<HeldContact> out;
  if (contacts.empty()) return out;
  const Model& model = context.scenario().model;
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  context.finder().update(workspace, reach);
  for (const FoundContact& found : context.finder().contacts()) {
    const auto known = std::find_if(contacts.begin(), contacts.end(), [&](const StepContactState& contact) {
      return contact.contact.id == ContactId{found.shape_A, found.shape_B, found.id};
    });
    if (known == contacts.end()) continue;
    const bool slides = known->contact.mode == ContactMode::slide;
    HeldContact contact(model, workspace, context.finder(), found, context.laws().find_law(found.body_A, found.body_B),
                        slides ? ContactHold::smooth : ContactHold::rolling, 0);
    if (!contact.is_immovable()) out.push_back(std::move(contact));
  }
  return out;
}

}  // namespace

void put_in_touch(AssemblyContext& context, const std::vector<StepContactState>& contacts,
                  const std::vector<char>& stops, double reach, State& state) {
  std::vector<HeldContact> held = list_held(context, contacts, reach, state);
  std::vector<JointRow>& rows = context.motion().rows();
  std::vector<int> joints;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointRowKind kind = rows[i].kind();
    const bool presses = kind == JointRowKind::stop && i < stops.size() && stops[i] != 0;
    if (kind == JointRowKind::lock || kind == JointRowKind::coupling || presses) joints.push_back(static_cast<int>(i));
  }
  if (held.empty() && joints.empty()) return;
  context.projection().project(rows, joints, std::move(held), state.q, state.v);
}

}  // namespace thenar::internal
