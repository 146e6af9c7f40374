// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/trace/event.h"

namespace thenar {

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::touch:
      return "touch";
    case EventKind::impact:
      return "impact";
    case EventKind::limit_on:
      return "limit_on";
    case EventKind::limit_off:
      return "limit_off";
    case EventKind::slip:
      return "slip";
    case EventKind::stick:
      return "stick";
    case EventKind::break_away:
      return "break";
    case EventKind::face:
      return "face";
    case EventKind::zeno:
      return "zeno";
    case EventKind::model:
      return "switch";
    case EventKind::control:
      return "control";
  }
  return "";
}

const char* to_string(EventCause cause) {
  switch (cause) {
    case EventCause::gap_closes:
      return "gap_closes";
    case EventCause::meets_layer:
      return "meets_layer";
    case EventCause::strikes:
      return "strikes";
    case EventCause::rests:
      return "rests";
    case EventCause::thrown_off:
      return "thrown_off";
    case EventCause::would_pull:
      return "would_pull";
    case EventCause::unloaded:
      return "unloaded";
    case EventCause::margin_used_up:
      return "margin_used_up";
    case EventCause::friction_moves:
      return "friction_moves";
    case EventCause::slides:
      return "slides";
    case EventCause::left_by_impact:
      return "left_by_impact";
    case EventCause::joint_friction:
      return "joint_friction";
    case EventCause::begins:
      return "begins";
    case EventCause::layer_friction:
      return "layer_friction";
    case EventCause::comes_to_rest:
      return "comes_to_rest";
    case EventCause::leaves_points:
      return "leaves_points";
    case EventCause::layer_unloaded:
      return "layer_unloaded";
    case EventCause::leaves_layer:
      return "leaves_layer";
    case EventCause::goes_over:
      return "goes_over";
    case EventCause::layer_goes_over:
      return "layer_goes_over";
    case EventCause::bounces_end:
      return "bounces_end";
    case EventCause::crowded:
      return "crowded";
    case EventCause::to_compliant:
      return "to_compliant";
    case EventCause::to_rigid:
      return "to_rigid";
    case EventCause::jumps:
      return "jumps";
    case EventCause::kink:
      return "kink";
    case EventCause::law_switches:
      return "law_switches";
    case EventCause::reaches_limit:
      return "reaches_limit";
    case EventCause::leaves_limit:
      return "leaves_limit";
  }
  return "";
}

std::optional<double> Event::find(std::string_view name) const {
  for (const EventNumber& number : numbers) {
    if (number.name == name) return number.value;
  }
  return std::nullopt;
}

}  // namespace thenar
