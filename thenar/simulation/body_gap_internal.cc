// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/body_gap_internal.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "thenar/dynamics/kinematics.h"
#include "thenar/geometry/distance.h"

namespace thenar::internal {
namespace {

struct PlacedShape {
  GrownCore core;
  Pose<double> X_WS;
};

std::vector<PlacedShape> place_shapes(const Scenario& scenario, const Workspace<double>& workspace, BodyIndex body) {
  if (body.value() >= scenario.model.body_count()) {
    throw std::invalid_argument(fmt::format("there is no body {} to measure", body.value()));
  }
  const Placement<double> X_WB = calc_body_pose(scenario.model, workspace, body);
  const Pose<double> X_WB_pose{X_WB.R.eigen(), X_WB.p.eigen()};
  std::vector<PlacedShape> out;
  for (const BodyShape& shape : scenario.shapes) {
    if (shape.body == body) out.push_back({make_core(shape.shape), X_WB_pose * shape.X_BS});
  }
  return out;
}

}  // namespace

std::vector<BodyGap> find_gaps(const Scenario& scenario, const Workspace<double>& workspace,
                               std::span<const std::pair<BodyIndex, BodyIndex>> pairs) {
  std::vector<BodyGap> out;
  for (const auto& [A, B] : pairs) {
    std::optional<Proximity> nearest;
    const std::vector<PlacedShape> shapes_B = place_shapes(scenario, workspace, B);
    for (const PlacedShape& a : place_shapes(scenario, workspace, A)) {
      for (const PlacedShape& b : shapes_B) {
        if (!is_bounded(a.core.core.kind) && !is_bounded(b.core.core.kind)) continue;
        PairMemory memory;
        const Proximity place = find_closest(a.core, a.X_WS, b.core, b.X_WS, memory);
        if (!nearest || place.gap < nearest->gap) nearest = place;
      }
    }
    if (nearest) out.push_back({A, B, nearest->gap, nearest->N, nearest->p_A, nearest->p_B});
  }
  return out;
}

}  // namespace thenar::internal
