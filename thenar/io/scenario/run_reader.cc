// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <optional>

#include "thenar/io/scenario/run_reader_internal.h"

namespace thenar::internal {
namespace {

EngineKind read_engine(const Field& field) {
  const std::string name = read::choice(field, {"event", "step", "quasistatic"});
  if (name == "step") return EngineKind::step;
  return name == "event" ? EngineKind::event : EngineKind::quasistatic;
}

/// The other engines have one method each, and nothing to draw back.
void check_keys_of_event(const RunOptions& run, const std::optional<Field>& integrator,
                         const std::optional<Field>& baumgarte) {
  if (run.engine == EngineKind::event) return;
  if (integrator) integrator->fail("is for the engine 'event'; the others have one method each");
  if (baumgarte)
    baumgarte->fail("is for the engine 'event'; the others put bodies back on their contacts after every step");
}

IntegratorKind read_integrator(const Field& field) {
  std::vector<std::string> names;
  constexpr std::array kKinds{IntegratorKind::automatic, IntegratorKind::explicit_pair, IntegratorKind::implicit_radau,
                              IntegratorKind::rk4,       IntegratorKind::rk8,           IntegratorKind::symplectic};
  for (const IntegratorKind kind : kKinds) names.emplace_back(to_string(kind));
  return kKinds[read::choice_index(field, names)];
}

OnIndeterminate read_on_indeterminate(const Field& field) {
  return read::choice<OnIndeterminate>(
      field, {{to_string(OnIndeterminate::stop), OnIndeterminate::stop},
              {to_string(OnIndeterminate::first), OnIndeterminate::first},
              {to_string(OnIndeterminate::min_acceleration), OnIndeterminate::min_acceleration}});
}

double read_tolerance(const Field& field, IntegratorKind integrator, bool is_chosen, const Parameters& parameters) {
  if (!has_error_control(integrator)) {
    field.fail(
        fmt::format("is for the integrators auto, explicit and implicit, which choose their steps by it; this "
                    "run has the fixed steps of {}{}",
                    to_string(integrator),
                    is_chosen ? "" : ", since it has a 'step' and no 'integrator' (write 'integrator: auto')"));
  }
  return read::number_between(field, RunOptions::kTightestTolerance, RunOptions::kLoosestTolerance, kNumber,
                              parameters);
}

}  // namespace

RunOptions read_run(const Field& field, const Parameters& parameters) {
  MapReader reader(field);
  const auto until = reader.optional("until"), sample = reader.optional("sample"),
             integrator = reader.optional("integrator"), tolerance = reader.optional("tolerance"),
             step = reader.optional("step"), engine = reader.optional("engine"),
             on_indeterminate = reader.optional("on_indeterminate"), baumgarte = reader.optional("baumgarte"),
             verdicts = reader.optional("verdicts");
  reader.finish();
  RunOptions run;
  if (engine) run.engine = read_engine(*engine);
  check_keys_of_event(run, integrator, baumgarte);
  if (verdicts && run.engine != EngineKind::step) {
    verdicts->fail("is for the engine 'step'; the others ask at every event");
  }
  if (verdicts) run.verdicts = read::positive(*verdicts, kTime, parameters);
  run.until = read::positive(until ? *until : reader.required("until"), kTime, parameters);
  if (sample) run.sample = read::positive(*sample, kTime, parameters);
  if (step) {
    run.step = read::positive(*step, kTime, parameters);
    if (run.engine == EngineKind::event) run.integrator = IntegratorKind::rk8;
    if (*run.step > run.until)
      step->fail(fmt::format("is {} s, longer than the whole run of {} s", *run.step, run.until));
  }
  if (integrator) run.integrator = read_integrator(*integrator);
  if (tolerance) run.tolerance = read_tolerance(*tolerance, run.integrator, integrator.has_value(), parameters);
  if (on_indeterminate) run.on_indeterminate = read_on_indeterminate(*on_indeterminate);
  if (baumgarte) run.baumgarte = read::positive(*baumgarte, kFrequency, parameters);
  if (const std::string fault = run.find_fault(); !fault.empty()) reader.fail("is too much: " + fault);
  return run;
}

}  // namespace thenar::internal
