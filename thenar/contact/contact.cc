// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact.h"

namespace thenar {

const char* to_string(ContactMode mode) {
  switch (mode) {
    case ContactMode::open:
      return "open";
    case ContactMode::stick:
      return "stick";
    case ContactMode::roll:
      return "roll";
    case ContactMode::slide:
      return "slide";
    case ContactMode::spin:
      break;
  }
  return "spin";
}

}  // namespace thenar
