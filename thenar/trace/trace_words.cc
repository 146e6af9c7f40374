// SPDX-License-Identifier: BSD-3-Clause

#include "thenar/trace/run_report.h"
#include "thenar/trace/sample.h"

namespace thenar {

const char* to_string(ContactMotion motion) {
  switch (motion) {
    case ContactMotion::free:
      return "free";
    case ContactMotion::fixed:
      return "fixed";
    case ContactMotion::roll:
      return "roll";
    case ContactMotion::slide:
      return "slide";
    case ContactMotion::spin:
      break;
  }
  return "spin";
}

const char* to_string(RunStatus status) { return status == RunStatus::done ? "done" : "failed"; }

}  // namespace thenar
