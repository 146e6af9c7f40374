// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "commands.h"
#include "standard_input.h"
#include "thenar/io/answer/instant_answer.h"
#include "thenar/io/answer/lcp_answer.h"
#include "thenar/io/answer/quasistatic_answer.h"

namespace thenar::app {
namespace {

/// Prints what became of each claim; returns whether there are any, and all hold.
template <class Claims>
bool print_claims(const Claims& claims) {
  bool holds = !claims.empty();
  for (const auto& claim : claims) {
    const auto& check = claim.check;
    holds = holds && check.holds();
    if (check.holds()) {
      fmt::print("holds: {} (residual {:.1e}{})\n", claim.claim, check.residual,
                 check.reach > 0 ? fmt::format(", reach {:.1e}", check.reach) : "");
    } else {
      fmt::print("{}: {}: {}\n", to_string(check.result), claim.claim, check.reason);
    }
  }
  if (claims.empty()) fmt::print("the answer claims nothing\n");
  return holds;
}

}  // namespace

int verify(const VerifyCommand& command) {
  const std::string text = read_file_or_stdin(command.file);
  bool holds = false;
  if (is_quasistatic_json(text)) {
    holds = print_claims(verify_quasistatic_json(text, command.file));
  } else if (is_instant_json(text)) {
    holds = print_claims(verify_instant_json(text, command.file));
  } else {
    holds = print_claims(verify_lcp_json(text, command.file));
  }
  return holds ? kDone : kRunFailed;
}

}  // namespace thenar::app
