// SPDX-License-Identifier: BSD-3-Clause

#include "thenar/trace/advance_end.h"
#include "thenar/trace/run_report.h"

namespace thenar {

const char* to_string(RunStatus status) { return status == RunStatus::done ? "done" : "failed"; }

const char* to_string(AdvanceEnd end) {
  switch (end) {
    case AdvanceEnd::reached:
      return "reached";
    case AdvanceEnd::event:
      return "event";
    case AdvanceEnd::budget:
      return "budget";
    case AdvanceEnd::interrupted:
      return "interrupted";
    case AdvanceEnd::stopped:
      return "stopped";
    case AdvanceEnd::indeterminate:
      return "indeterminate";
    case AdvanceEnd::jam:
      return "jam";
    case AdvanceEnd::not_finite:
      return "not_finite";
    case AdvanceEnd::failed:
      break;
  }
  return "failed";
}

}  // namespace thenar
