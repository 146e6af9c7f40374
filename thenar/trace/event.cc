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

}  // namespace thenar
