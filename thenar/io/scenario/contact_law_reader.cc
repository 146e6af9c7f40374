// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "thenar/base/text.h"
#include "thenar/io/scenario/contact_law_reader_internal.h"

namespace thenar::internal {
namespace {

/// {static: .., kinetic: ..}, or one number for both.
CoulombFriction read_coefficients(const Field& field, const Parameters& parameters) {
  if (!field.node().is_mapping()) {
    const double mu = read::non_negative(field, kNumber, parameters);
    return {.kinetic = mu, .at_rest = mu};
  }
  MapReader reader(field);
  const auto at_rest = reader.optional("static"), kinetic = reader.optional("kinetic");
  reader.finish();
  const Field at_rest_field = at_rest ? *at_rest : reader.required("static");
  const CoulombFriction out{
      .kinetic = read::non_negative(kinetic ? *kinetic : reader.required("kinetic"), kNumber, parameters),
      .at_rest = read::non_negative(at_rest_field, kNumber, parameters)};
  if (out.at_rest < out.kinetic) {
    at_rest_field.fail(fmt::format("must not be less than 'kinetic', found {} and {}", out.at_rest, out.kinetic));
  }
  return out;
}

/// A direction in the tangent plane: +, - along T, or [T, U] of any length.
std::array<double, 2> read_direction(const Field& field, const Parameters& parameters) {
  const Node& node = field.node();
  if (node.is_scalar() && node.scalar == "+") return {1, 0};
  if (node.is_scalar() && node.scalar == "-") return {-1, 0};
  if (!node.is_sequence()) {
    field.fail(fmt::format("expects '+', '-' or a direction [T, U], found {}", describe(node)));
  }
  Eigen::VectorXd direction = read::vector(field, 2, kNumber, parameters);
  const double largest = direction.cwiseAbs().maxCoeff();
  if (largest == 0) field.fail("must not be zero: it is the direction in which A starts to slip on B");
  direction /= largest;  // first, so that no square overflows
  direction.normalize();
  return {direction[0], direction[1]};
}

/// Whether the text has the approach speed in it.
bool names_speed(std::string_view text) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  };
  for (std::size_t i = text.find('v'); i != std::string_view::npos; i = text.find('v', i + 1)) {
    if ((i == 0 || !is_letter(text[i - 1])) && (i + 1 == text.size() || !is_letter(text[i + 1]))) return true;
  }
  return false;
}

/// A number from 0 to 1, or an expression of the approach speed v that stays there.
Restitution read_restitution_of_contact(const Field& field, const Parameters& parameters) {
  if (!field.node().is_scalar() || !names_speed(field.node().scalar)) {
    return read::number_between(field, 0, 1, kNumber, parameters);
  }
  const Expression found = read::time_function(field, kRestitutionVariables, kNumber, parameters);
  for (const double speed : {0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0}) {
    const double e = found.evaluate(std::array<double, 1>{speed});
    if (e >= 0 && e <= 1) continue;
    field.fail(fmt::format("gives {:.6g} at v = {} m/s, but must stay between 0 and 1: {} (clamp(x, 0, 1) cuts it off)",
                           e, speed, quote(trim(field.node().scalar))));
  }
  return Restitution(found);
}

[[noreturn]] void fail_cone(const Field& field, std::string_view hint) {
  field.fail(fmt::format("expects 'circular', 'box' or a number of faces from {} to {}, found {}{}",
                         FrictionCone::kFewestFaces, FrictionCone::kMostFaces, describe(field.node()), hint));
}

/// SYK (13).
LayerChoice read_scaled_layer(const Field& scale, const std::optional<Field>& mass, const std::optional<Field>& time,
                              const Parameters& parameters) {
  LayerChoice out;
  out.scale = read::positive(scale, kNumber, parameters);
  if (mass) out.mass = read::positive(*mass, kMass, parameters);
  if (time) out.time = read::positive(*time, kTime, parameters);
  return out;
}

/// Springs and dampers in SI units; along the surface as along the normal, unless that is said.
LayerChoice read_spring_layer(MapReader& reader, LayerChoice::Kind kind, const Parameters& parameters) {
  LayerChoice out;
  out.kind = kind;
  LayerConstants& c = out.constants;
  const Field stiffness = reader.required("stiffness");
  const auto shear_stiffness = reader.optional("shear_stiffness"), shear_damping = reader.optional("shear_damping");
  if (kind == LayerChoice::Kind::hunt_crossley) {
    // N/mⁿ is no unit with a whole exponent, so that no unit may be written.
    c.stiffness = read::positive(stiffness, kNumber, parameters);
    if (const auto exponent = reader.optional("exponent")) {
      out.exponent = read::number_between(*exponent, 1, 10, kNumber, parameters);
    }
    const Dimension slowness{.length = -1, .time = 1};
    out.dissipation = read::non_negative(reader.required("dissipation"), slowness, parameters);
    c.shear_stiffness = read::non_negative(reader.required("shear_stiffness"), kLinearStiffness, parameters);
    c.shear_damping = read::positive(reader.required("shear_damping"), kLinearDamping, parameters);
    return out;
  }
  c.stiffness = read::positive(stiffness, kLinearStiffness, parameters);
  const Field damping = reader.required("damping");
  c.damping = read::non_negative(damping, kLinearDamping, parameters);
  c.shear_stiffness =
      shear_stiffness ? read::non_negative(*shear_stiffness, kLinearStiffness, parameters) : c.stiffness;
  if (!shear_damping && !(c.damping > 0)) {
    damping.fail(
        "is 0, which needs the key 'shear_damping' beside it: along the surface there is no layer without one");
  }
  c.shear_damping = shear_damping ? read::positive(*shear_damping, kLinearDamping, parameters) : c.damping;
  return out;
}

}  // namespace

LayerChoice read_layer(const Field& field, const Parameters& parameters) {
  using Kind = LayerChoice::Kind;
  MapReader reader(field);
  if (const auto scale = reader.optional("scale")) {
    const auto mass = reader.optional("mass"), time = reader.optional("time");
    reader.finish();
    return read_scaled_layer(*scale, mass, time, parameters);
  }
  const auto type = reader.optional("type");
  const Kind kind =
      type ? read::choice<Kind>(*type, {{"kelvin_voigt", Kind::kelvin_voigt}, {"hunt_crossley", Kind::hunt_crossley}})
           : Kind::kelvin_voigt;
  // Known keys first, so that a typing error is told before a missing one.
  for (const char* key : {"stiffness", "shear_stiffness", "shear_damping"}) reader.optional(key);
  const bool is_hertz = kind == Kind::hunt_crossley;
  for (const char* key : {is_hertz ? "exponent" : "damping", is_hertz ? "dissipation" : "damping"})
    reader.optional(key);
  reader.finish();
  return read_spring_layer(reader, kind, parameters);
}

ContactLaw LawChoices::make_law() const {
  ContactLaw law{.fingertip = fingertip,
                 .restitution = restitution,
                 .model = model,
                 .layer = layer,
                 .starts_loaded = starts_loaded};
  if (fingertip != Fingertip::frictionless) {
    law.friction = friction.kinetic;
    law.static_friction = friction.at_rest;
  }
  if (fingertip == Fingertip::soft) law.torsion = torsion.value();
  return law;
}

LawReader::LawReader(MapReader& mapping, bool is_about_runs)
    : friction_(mapping.optional("friction")),
      fingertip_(mapping.optional("fingertip")),
      torsion_(mapping.optional("torsion")),
      restitution_(mapping.optional("restitution")),
      law_(is_about_runs ? mapping.optional("law") : std::nullopt),
      layer_(is_about_runs ? mapping.optional("layer") : std::nullopt),
      start_(is_about_runs ? mapping.optional("start") : std::nullopt) {}

LawChoices LawReader::read(const LawChoices& inherited, const Parameters& parameters) const {
  LawChoices out = inherited;
  if (fingertip_) {
    out.fingertip = read::choice<Fingertip>(*fingertip_, {{"frictionless", Fingertip::frictionless},
                                                          {"frictional_point", Fingertip::frictional_point},
                                                          {"soft", Fingertip::soft}});
  }
  read_friction(parameters, out);
  read_torsion(parameters, out);
  if (restitution_) out.restitution = read_restitution_of_contact(*restitution_, parameters);
  if (law_) {
    out.model = read::choice<ContactModel>(*law_, {{"automatic", ContactModel::automatic},
                                                   {"rigid", ContactModel::rigid},
                                                   {"compliant", ContactModel::compliant}});
  }
  if (layer_) out.layer = read_layer(*layer_, parameters);
  if (start_) out.starts_loaded = read::choice<bool>(*start_, {{"unloaded", false}, {"loaded", true}});
  return out;
}

void LawReader::read_friction(const Parameters& parameters, LawChoices& out) const {
  if (!friction_) return;
  out.friction = read_coefficients(*friction_, parameters);
  if (out.fingertip == Fingertip::frictionless && out.friction.at_rest > 0) {
    friction_->fail(fmt::format(
        "must be 0, found {}: a frictionless fingertip has no friction (leave it out, or choose another fingertip)",
        describe(friction_->node())));
  }
}

void LawReader::read_torsion(const Parameters& parameters, LawChoices& out) const {
  if (torsion_) {
    out.torsion = read::positive(*torsion_, kLength, parameters);
    if (out.fingertip == Fingertip::soft) return;
    torsion_->fail(fmt::format("is for soft fingertips; this one is {}", to_string(out.fingertip)));
  }
  // Only a fingertip named beside this key can be soft without torsion: an inherited one was checked before.
  if (out.fingertip == Fingertip::soft && !out.torsion) {
    fingertip_->fail(
        "is 'soft', which needs the key 'torsion': the largest moment about the normal per normal force, m");
  }
}

StartReader::StartReader(MapReader& mapping) : mode_(mapping.optional("mode")), slip_(mapping.optional("slip")) {}

void StartReader::read(const Parameters& parameters, ContactLaw& law) const {
  if (mode_) {
    law.mode = read::choice<DeclaredMode>(*mode_, {{"roll", DeclaredMode::roll}, {"slide", DeclaredMode::slide}});
  }
  if (!slip_) return;
  if (law.mode == DeclaredMode::roll) slip_->fail("contradicts mode: roll; a rolling contact does not slip");
  law.mode = DeclaredMode::slide;
  law.slip = read_direction(*slip_, parameters);
}

FrictionCone read_cone(const Field& field, const Parameters& parameters) {
  using Kind = FrictionCone::Kind;
  const Node& node = field.node();
  if (!node.is_scalar()) fail_cone(field, "");
  if (node.scalar == "circular") return {Kind::circular};
  if (node.scalar == "box") return {Kind::box};
  if (is_word(node.scalar)) {  // no number, nor an expression that could be one
    const auto close = closest_match(node.scalar, std::array<std::string, 2>{"circular", "box"});
    fail_cone(field, close ? fmt::format("; did you mean '{}'?", *close) : std::string());
  }
  return {Kind::polygon, read::integer(field, FrictionCone::kFewestFaces, FrictionCone::kMostFaces, parameters)};
}

}  // namespace thenar::internal
