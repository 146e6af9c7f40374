// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/events/contact_crossing.h"

namespace thenar {

const char* to_string(ContactCrossingKind kind) {
  switch (kind) {
    case ContactCrossingKind::touch:
      return "touch";
    case ContactCrossingKind::break_away:
      return "break";
    case ContactCrossingKind::slip:
      return "slip";
    case ContactCrossingKind::stick:
      return "stick";
    case ContactCrossingKind::layer:
      return "layer";
    case ContactCrossingKind::verdict:
      return "loss of determinacy";
    case ContactCrossingKind::face:
      break;
  }
  return "face";
}

}  // namespace thenar
