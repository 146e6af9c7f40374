// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a trace asks of each actuator (actuator_envelope.h), as tables, JSON and a picture: docs/plots.md.

#include <filesystem>
#include <string>
#include <vector>

#include "thenar/io/trace/trace_units.h"
#include "thenar/study/actuator_envelope.h"

namespace thenar {

struct JointDemand {
  std::string name;  ///< of the degree of freedom: "hand.wrist.0"
  MotionKind kind = MotionKind::not_known;
  ActuatorDemand demand;
  std::vector<PlotPoint> cloud;  ///< (|v|, |τ|) thinned for a picture; only if asked for
};

struct SizingReport {
  std::string name{};  ///< of the folder
  double duration = 0;
  std::vector<JointDemand> joints{};  ///< every degree of freedom with a column tau, in the order of the trace
  std::vector<std::string> notes{};   ///< for people: what was left out
};

/// Reads a trace, the folder of a run or a states.csv, once and in any length. Throws InputError if it is bad, has no
/// column tau or spans no time.
SizingReport size_actuators(const std::filesystem::path& trace, bool with_cloud);

/// Tables for people. Required figures are those of the run times `safety`.
std::string sizing_text(const SizingReport& report, double safety);

/// One JSON object, on several lines, with a line end.
std::string sizing_json(const SizingReport& report, double safety);

/// Effort against speed, a panel for every driven degree of freedom; needs the clouds. Of a large model the first
/// kMostEnvelopePanels are drawn. Throws InputError if nothing is driven.
inline constexpr std::size_t kMostEnvelopePanels = 60;
std::string plot_envelopes(const SizingReport& report);

}  // namespace thenar
