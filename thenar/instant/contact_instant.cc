// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/contact_instant.h"

#include <algorithm>
#include <cmath>

#include "thenar/instant/instant_assembly_internal.h"
#include "thenar/instant/instant_reader_internal.h"
#include "thenar/instant/rim_points_internal.h"
#include "thenar/instant/stick_first_internal.h"
#include "thenar/modes/yy_formulation.h"

namespace thenar {
namespace {

/// How often points of round faces are added that an answer overlooks: each halves an arc at least.
constexpr int kMostInstantRounds = 24;

}  // namespace

const char* to_next_word(ContactMode mode) { return mode == ContactMode::open ? "break" : to_string(mode); }

char to_letter(ContactMode mode) {
  switch (mode) {
    case ContactMode::roll:
      return 'R';
    case ContactMode::slide:
    case ContactMode::spin:
      return 'S';
    case ContactMode::open:
      return 'B';
    case ContactMode::stick:
      break;
  }
  return 'F';
}

const char* to_string(PatchMode mode) {
  switch (mode) {
    case PatchMode::roll:
      return "roll";
    case PatchMode::slide:
      return "slide";
    case PatchMode::open:
      return "break";
    case PatchMode::tip:
      return "tip";
    case PatchMode::stick:
      break;
  }
  return "stick";
}

ContactMode InstantContact::now() const {
  if (row < 0) return ContactMode::open;
  return slides ? ContactMode::slide : ContactMode::roll;
}

Instant solve_instant(const Scenario& scenario, const State& state, const InstantOptions& options) {
  internal::AssemblyContext context(scenario, state);
  return internal::solve_instant(context, state, options);
}

Instant internal::solve_instant(AssemblyContext& context, const State& state, const InstantOptions& options) {
  internal::AssembledInstant assembled;
  Instant& out = assembled.instant;
  std::vector<std::size_t> answers;
  for (int round = 0; round < kMostInstantRounds; ++round) {
    assembled = internal::assemble_instant(context, state, options.time);
    answers = internal::solve_stick_first(assembled, options.search);
    internal::CellReader reader(out, assembled.rows, state.v);
    for (const std::size_t number : answers) out.cells.push_back(reader.read(number));
    if (!internal::ask_for_missed_points(context, state, out)) break;
  }
  if (options.margins) {
    internal::MarginReader margins(out, assembled.rows);
    for (InstantCell& cell : out.cells) margins.read(cell);
  }
  if (out.verdict == Verdict::unique) {
    const VectorX<double>& z = out.proof->answer.cells[answers.front()].z;
    out.determinate = calc_determinacy(out.proof->problem, z).is_P.value_or(false);
  }
  return std::move(out);
}

}  // namespace thenar
