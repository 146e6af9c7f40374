// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar {
namespace {

/// How far the norm of a direction may be from 1: rounding of a normalisation, with room for one done elsewhere.
constexpr double kUnitTolerance = 16 * std::numeric_limits<double>::epsilon();

bool is_finite_and_not_negative(double value) { return std::isfinite(value) && value >= 0; }

std::optional<std::string> find_friction_fault(const ContactLaw& law) {
  if (!is_finite_and_not_negative(law.friction)) {
    return fmt::format("friction must be finite and not negative, found {}", law.friction);
  }
  if (!std::isfinite(law.static_friction) || law.static_friction < law.friction) {
    return fmt::format("static friction must be finite and not less than the kinetic {}, found {}", law.friction,
                       law.static_friction);
  }
  if (law.fingertip == Fingertip::frictionless && law.static_friction > 0) {
    return fmt::format("a frictionless fingertip has no friction, found {}", law.static_friction);
  }
  return std::nullopt;
}

std::optional<std::string> find_torsion_fault(const ContactLaw& law) {
  if (law.fingertip == Fingertip::soft && !(std::isfinite(law.torsion) && law.torsion > 0)) {
    return fmt::format("the torsion of a soft fingertip must be finite and greater than 0, found {}", law.torsion);
  }
  if (law.fingertip != Fingertip::soft && law.torsion != 0) {
    return fmt::format("only a soft fingertip has torsion, found {}", law.torsion);
  }
  return std::nullopt;
}

std::optional<std::string> find_slip_fault(const ContactLaw& law) {
  const double norm = std::hypot(law.slip[0], law.slip[1]);
  if (norm == 0) return std::nullopt;
  if (law.mode != DeclaredMode::slide) return "only a contact that is declared to slide has a direction of slip";
  if (std::abs(norm - 1) <= kUnitTolerance) return std::nullopt;
  return fmt::format("the direction of slip must be a unit vector or zero, found ({}, {})", law.slip[0], law.slip[1]);
}

}  // namespace

const char* to_string(Fingertip fingertip) {
  switch (fingertip) {
    case Fingertip::frictionless:
      return "frictionless";
    case Fingertip::frictional_point:
      return "frictional_point";
    case Fingertip::soft:
      return "soft";
  }
  return "";
}

std::optional<std::string> ContactLaw::find_fault() const {
  if (auto fault = find_friction_fault(*this)) return fault;
  if (auto fault = find_torsion_fault(*this)) return fault;
  if (restitution.is_constant() && !(restitution.value() >= 0 && restitution.value() <= 1)) {
    return fmt::format("restitution must be between 0 and 1, found {}", restitution.value());
  }
  if (auto fault = layer.find_fault()) return fault;
  return find_slip_fault(*this);
}

std::optional<std::string> FrictionCone::find_fault() const {
  if (kind != Kind::polygon && faces != 0) return fmt::format("only a polygonal cone has faces, found {}", faces);
  if (kind == Kind::polygon && (faces < kFewestFaces || faces > kMostFaces)) {
    return fmt::format("a polygonal cone has {} to {} faces, found {}", kFewestFaces, kMostFaces, faces);
  }
  return std::nullopt;
}

std::string to_string(const FrictionCone& cone) {
  switch (cone.kind) {
    case FrictionCone::Kind::circular:
      return "circular";
    case FrictionCone::Kind::box:
      return "box";
    case FrictionCone::Kind::polygon:
      return fmt::format("{}", cone.faces);
  }
  return "";
}

double calc_cone_size(const FrictionCone& cone, double f_T, double f_U) {
  if (cone.kind == FrictionCone::Kind::circular) return std::hypot(f_T, f_U);
  if (cone.kind == FrictionCone::Kind::box) return std::max(std::abs(f_T), std::abs(f_U));
  double out = 0;
  for (int j = 0; j < cone.faces; ++j) {
    const Eigen::Vector2d middle =
        0.5 * (calc_regular_corner(j, cone.faces) + calc_regular_corner((j + 1) % cone.faces, cone.faces));
    out = std::max(out, middle.dot(Eigen::Vector2d(f_T, f_U)) / middle.squaredNorm());
  }
  return out;
}

double calc_sliding_share(const FrictionCone& cone, const std::array<double, 3>& direction) {
  if (cone.kind != FrictionCone::Kind::polygon) return 1;
  const double reach = std::max(calc_cone_size(cone, direction[0], direction[1]), std::abs(direction[2]));
  return reach > 0 ? 1 / reach : 1;
}

int count_faces(const FrictionCone& cone) {
  if (cone.kind == FrictionCone::Kind::circular) return 0;
  return cone.kind == FrictionCone::Kind::box ? kBoxFaces : cone.faces;
}

}  // namespace thenar
