// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/impact_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/io/answer/dof_json_internal.h"
#include "thenar/io/text/text_table_internal.h"

namespace thenar {
namespace {

using internal::Json;
using internal::number_text;
using internal::Table;

/// N, T, U and torsion of a contact out of the impulses of all rows.
Vector4<double> pick_impulse(const ImpactContact& contact, const VectorX<double>& z) {
  Vector4<double> out = Vector4<double>::Zero();
  out(0) = z(contact.row);
  for (int k = 0; k < 3; ++k) {
    const int row = contact.tangent_rows[static_cast<std::size_t>(k)];
    if (row >= 0) out(k + 1) = z(row);
  }
  return out;
}

bool is_soft(const ImpactContact& contact) { return contact.tangent_rows[2] >= 0; }

/// A gain beyond what rounding makes of the energies.
bool gains_energy(const ImpactOutcome& outcome, double before) {
  return outcome.energy_after - before > 1e-9 * before || outcome.answer.gain > 1e-9 * before;
}

// For machines.

Json three(const Vector4<double>& x) { return {x(0), x(1), x(2)}; }
Json three(const Vec3<double>& x) { return {x.x, x.y, x.z}; }

Json contact_json(const ImpactContact& contact) {
  Json out{{"name", contact.name},
           {"point", three((contact.place.p_A + contact.place.p_B) * 0.5)},
           {"normal", three(contact.place.N)},
           {"tangents", Json::array({three(contact.place.T), three(contact.place.U)})},
           {"friction", contact.law.friction},
           {"restitution", contact.restitution},
           {"velocity", three(contact.velocity)}};
  if (is_soft(contact)) {
    out["torsion"] = contact.law.torsion;
    out["spin"] = contact.velocity(3);
  }
  return out;
}

Json stop_json(const ImpactStop& stop) {
  return {{"name", stop.name}, {"rate", stop.rate}, {"restitution", stop.restitution}};
}

Json energy_json(const ImpactOutcome& outcome, double before) {
  Json out{{"after", outcome.energy_after}, {"change", outcome.energy_after - before}};
  if (outcome.method != ImpactMethod::propagation) {
    out["compression"] = outcome.answer.energy.compression;
    out["restitution"] = outcome.answer.energy.restitution;
    out["friction"] = outcome.answer.energy.friction;
    out["gain"] = outcome.answer.gain;
    out["capped"] = outcome.answer.is_capped;
  }
  return out;
}

Json marks_json(const ImpactOutcome& outcome) {
  Json out = Json::array();
  for (const PointImpactResult::Mark& mark : outcome.marks) {
    out.push_back(
        {{"mark", to_string(mark.kind)}, {"impulse", three(mark.place.P)}, {"velocity", three(mark.place.u)}});
  }
  return out;
}

const char* status_word(ImpactStatus status) {
  switch (status) {
    case ImpactStatus::done:
      return "done";
    case ImpactStatus::no_approach:
      return "no_approach";
    case ImpactStatus::fault:
      break;
  }
  return "failed";
}

Json outcome_json(const Scenario& scenario, const ImpactInstant& instant, const ImpactOutcome& outcome, double before) {
  Json impulses = Json::object(), velocities = Json::object(), torsion = Json::object(), stops = Json::object();
  for (const ImpactContact& contact : instant.contacts) {
    const Vector4<double> P = pick_impulse(contact, outcome.answer.z), u = contact.J * outcome.v;
    impulses[contact.name] = three(P);
    velocities[contact.name] = three(u);
    if (is_soft(contact)) torsion[contact.name] = {P(3), u(3)};
  }
  for (const ImpactStop& stop : instant.stops) {
    stops[stop.name] = {{"impulse", outcome.answer.z(stop.row)}, {"rate", instant.J.row(stop.row).dot(outcome.v)}};
  }
  Json out{{"law", to_string(outcome.law)},
           {"method", to_string(outcome.method)},
           {"status", status_word(outcome.answer.status)}};
  if (!outcome.answer.reason.empty()) out["reason"] = outcome.answer.reason;
  out["impulses"] = impulses;
  out["velocities"] = velocities;
  if (!torsion.empty()) out["torsion"] = torsion;
  if (!stops.empty()) out["stops"] = stops;
  out["v"] = internal::dofs_json(scenario.model, outcome.v);
  out["energy"] = energy_json(outcome, before);
  if (outcome.method == ImpactMethod::sequential) {
    out["impacts"] = outcome.answer.impacts;
    out["cut"] = outcome.answer.is_cut;
  }
  if (outcome.answer.is_polygonal) out["cone"] = "64";
  if (outcome.method == ImpactMethod::propagation) out["momentum_defect"] = outcome.momentum_defect;
  if (!outcome.marks.empty()) out["path"] = marks_json(outcome);
  return out;
}

// For people.

std::string head_text(const Scenario& scenario, const ImpactInstant& instant) {
  std::size_t struck = 0;
  for (const ImpactContact& contact : instant.contacts) struck += instant.problem.rows.b()(contact.row) < 0;
  for (const ImpactStop& stop : instant.stops) struck += stop.rate < 0;
  const auto count = [](std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  return fmt::format("{}: {} and {} touch, {} struck\n\n", scenario.name, count(instant.contacts.size(), "contact"),
                     count(instant.stops.size(), "stop"), struck == 1 ? "1 is" : fmt::format("{} are", struck));
}

std::string before_text(const ImpactInstant& instant) {
  double scale = 0;
  for (const ImpactContact& contact : instant.contacts) scale = std::max(scale, contact.velocity.head<3>().norm());
  Table table(6);
  table.add({"before", "", "u_N/(m/s)", "u_T/(m/s)", "u_U/(m/s)", "friction", "restitution"});
  for (const ImpactContact& contact : instant.contacts) {
    const bool rests = instant.problem.rows.b()(contact.row) == 0;
    table.add({contact.name,
               rests                     ? "rests"
               : contact.velocity(0) < 0 ? "strikes"
                                         : "parts",
               number_text(contact.velocity(0), scale), number_text(contact.velocity(1), scale),
               number_text(contact.velocity(2), scale), fmt::format("{:.4g}", contact.law.friction),
               fmt::format("{:.4g}", contact.restitution)});
  }
  for (const ImpactStop& stop : instant.stops) {
    table.add({stop.name, stop.rate < 0 ? "strikes" : "rests", fmt::format("{:.5g}", stop.rate), "", "", "",
               fmt::format("{:.4g}", stop.restitution)});
  }
  return table.text();
}

/// What is worth saying beside the numbers.
std::string remarks(const ImpactOutcome& outcome, double before) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  if (outcome.answer.status == ImpactStatus::fault) {
    add(outcome.answer.reason.empty() ? "failed" : "failed: " + outcome.answer.reason);
  }
  for (const PointImpactResult::Mark& mark : outcome.marks) {
    if (mark.kind == ImpactMark::stick) add("slip comes to rest");
    if (mark.kind == ImpactMark::slip_resumes) add("slip stops and goes on in another direction");
    if (mark.kind == ImpactMark::recompression) add("compressed twice");
  }
  if (gains_energy(outcome, before)) {
    add(fmt::format("gains {:.3g} J{}", std::max(outcome.answer.gain, outcome.energy_after - before),
                    outcome.answer.is_capped ? ", capped" : ""));
  }
  if (outcome.answer.law != outcome.law && outcome.method == ImpactMethod::simultaneous) add("as poisson");
  if (outcome.method == ImpactMethod::sequential && outcome.answer.impacts > 1) {
    add(fmt::format("{} impacts{}", outcome.answer.impacts, outcome.answer.is_cut ? " and no end" : ""));
  }
  if (outcome.answer.is_polygonal) add("friction on 64 faces");
  if (outcome.method == ImpactMethod::propagation) {
    add(fmt::format("momentum is off by {:.3g} %", 100 * outcome.momentum_defect));
  }
  return out;
}

std::string outcomes_text(const ImpactInstant& instant, const ImpactComparison& comparison) {
  Table table(8);
  table.add({"law", "contact", "P_N/(N s)", "P_T/(N s)", "P_U/(N s)", "u_N/(m/s)", "u_T/(m/s)", "u_U/(m/s)"});
  double speed = 0;
  for (const ImpactContact& contact : instant.contacts) speed = std::max(speed, contact.velocity.head<3>().norm());
  for (const ImpactOutcome& outcome : comparison.outcomes) {
    std::string law = to_string(outcome.law);
    if (outcome.method != ImpactMethod::path) law += fmt::format(", {}", to_string(outcome.method));
    const double impulse = outcome.answer.z.size() > 0 ? outcome.answer.z.lpNorm<Eigen::Infinity>() : 0;
    for (const ImpactContact& contact : instant.contacts) {
      const Vector4<double> P = pick_impulse(contact, outcome.answer.z), u = contact.J * outcome.v;
      table.add({law, contact.name, number_text(P(0), impulse), number_text(P(1), impulse), number_text(P(2), impulse),
                 number_text(u(0), speed), number_text(u(1), speed), number_text(u(2), speed)});
      law.clear();
    }
    for (const ImpactStop& stop : instant.stops) {
      table.add({law, stop.name, number_text(outcome.answer.z(stop.row), impulse), "", "",
                 fmt::format("{:.5g}", instant.J.row(stop.row).dot(outcome.v)), "", ""});
      law.clear();
    }
  }
  return table.text();
}

std::string audit_text(const ImpactComparison& comparison) {
  const double before = comparison.energy_before;
  Table table(7);
  table.add({"energy/J", "", "before", "compression", "restitution", "friction", "after", ""});
  for (const ImpactOutcome& outcome : comparison.outcomes) {
    const ImpactEnergy& energy = outcome.answer.energy;
    const bool is_audited = outcome.method != ImpactMethod::propagation;
    const auto cell = [&](double x) { return is_audited ? number_text(x, before) : std::string("-"); };
    table.add({to_string(outcome.law), outcome.method == ImpactMethod::path ? "" : to_string(outcome.method),
               number_text(before, before), cell(energy.compression), cell(energy.restitution), cell(energy.friction),
               number_text(outcome.energy_after, before), remarks(outcome, before)});
  }
  return table.text();
}

}  // namespace

std::string impact_text(const Scenario& scenario, const ImpactInstant& instant, const ImpactComparison& comparison) {
  return head_text(scenario, instant) + before_text(instant) + "\n" + outcomes_text(instant, comparison) + "\n" +
         audit_text(comparison);
}

std::string impact_json(const Scenario& scenario, const ImpactInstant& instant, const ImpactComparison& comparison) {
  Json contacts = Json::array(), stops = Json::array(), outcomes = Json::array();
  for (const ImpactContact& contact : instant.contacts) contacts.push_back(contact_json(contact));
  for (const ImpactStop& stop : instant.stops) stops.push_back(stop_json(stop));
  for (const ImpactOutcome& outcome : comparison.outcomes) {
    outcomes.push_back(outcome_json(scenario, instant, outcome, comparison.energy_before));
  }
  Json out{{"name", scenario.name}, {"contacts", contacts}, {"stops", stops}};
  if (instant.contacts.size() == 1 && instant.stops.empty()) {
    const StickingTest sticking = test_sticking(isolate_point(instant.problem, instant.contacts.front().row));
    out["sticking"] = {{"stable", sticking.is_stable}, {"share", sticking.share}};
    if (!sticking.is_stable) out["sticking"]["ray"] = sticking.direction;
  }
  out["energy_before"] = comparison.energy_before;
  out["outcomes"] = outcomes;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thenar
