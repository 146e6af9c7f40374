// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/flat_rim_internal.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <variant>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::internal {
namespace {

/// Points that are nearer to each other, rad, are one.
constexpr double kSamePoint = 1e-4;
/// A point that follows the centre of pressure stands for others so near, rad: they would share its force in many ways.
constexpr double kNearPoint = 0.003;
/// Accelerations of gaps below this part of what belongs to the size of the scenario are none: more than solvers leave,
/// less than what tips has when it is found to do so (ContactWatch::kForceMargin).
constexpr double kNothing = 3e-9;

double wrap(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

ContactSide make_side(const ContactFinder& finder, const FoundContact& point, bool is_A) {
  const int shape = is_A ? point.shape_A : point.shape_B;
  return make_contact_side(is_A ? point.body_A : point.body_B, finder.core(shape),
                           finder.shapes()[static_cast<std::size_t>(shape)].X_BS,
                           is_A ? point.feature_A : point.feature_B);
}

bool is_rim(const ContactFinder& finder, const FoundContact& point, bool is_A) {
  return std::holds_alternative<RingSurface>(make_side(finder, point, is_A).surface) &&
         std::holds_alternative<PlaneSurface>(make_side(finder, point, !is_A).surface);
}

/// That of a point that stays where it is on it.
std::optional<ContactSide> find_rim(const ContactFinder& finder, const FoundContact& point) {
  if (!is_fixed_number(contact_number(point.id))) return std::nullopt;
  const bool is_of_A = is_rim(finder, point, true);
  if (!is_of_A && !is_rim(finder, point, false)) return std::nullopt;
  return make_side(finder, point, is_of_A);
}

/// How gaps differ along a rim, half of it, m, on a face with the normal N. Needs update_positions.
double calc_gap_amplitude(const Model& model, const Workspace<double>& workspace, const ContactSide& rim,
                          const Vec3<double>& N) {
  const auto& ring = std::get<RingSurface>(rim.surface);
  const Mat3<double> R_WF = calc_body_pose(model, workspace, rim.body).R * Mat3<double>(rim.X_BF.R);
  const Vec3<double> N_F = R_WF.transpose_times(N);
  return std::hypot(ring.a * N_F.x, ring.b * N_F.y);
}

}  // namespace

double RimWave::amplitude() const { return std::hypot(cosine, sine); }
double RimWave::find_lowest() const { return std::atan2(-sine, -cosine); }
double RimWave::calc_slope(double angle) const { return sine * std::cos(angle) - cosine * std::sin(angle); }

double calc_no_acceleration(const Tolerances& tolerances) {
  const Scales& scales = tolerances.scales();
  return kNothing * scales.length / (scales.time * scales.time);
}

bool tips(const RimWave& accelerations, const Tolerances& tolerances) {
  return accelerations.amplitude() > calc_no_acceleration(tolerances);
}

FlatRim::FlatRim(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
                 const FoundContact& point)
    : point_(point),
      is_of_A_(is_rim(finder, point, true)),
      gaps_{GapFunction<double>(model, make_side(finder, point, true), make_side(finder, point, false)),
            GapFunction<double>(model, make_side(finder, point, true), make_side(finder, point, false)),
            GapFunction<double>(model, make_side(finder, point, true), make_side(finder, point, false))} {
  const ContactSide rim = make_side(finder, point, is_of_A_), face = make_side(finder, point, !is_of_A_);
  const auto& ring = std::get<RingSurface>(rim.surface);
  a_ = ring.a, b_ = ring.b, radius_ = ring.radius;
  const Placement<double> X_WB = calc_body_pose(model, workspace, rim.body);
  X_WF_ = {X_WB.R * Mat3<double>(rim.X_BF.R), X_WB.R * Vec3<double>(rim.X_BF.p) + X_WB.p};
  for (std::size_t k = 0; k < gaps_.size(); ++k) {
    const Vec3<double> p_W = calc_point(0.5 * std::numbers::pi * static_cast<double>(k));
    const ContactSide pinned = make_pinned_side(rim.body, X_WB.R.transpose_times(p_W - X_WB.p).eigen(), radius_);
    gaps_[k] = GapFunction<double>(model, is_of_A_ ? pinned : face, is_of_A_ ? face : pinned);
    gaps_[k].start_at(workspace, p_W, p_W, point.N);
    gaps_[k].update_positions(workspace);
  }
  gap_wave_ = read_wave([](const GapFunction<double>& gap) { return gap.gap(); });
}

bool FlatRim::is_of(const FoundContact& contact) const {
  return contact.shape_A == point_.shape_A && contact.shape_B == point_.shape_B;
}

bool FlatRim::has(const FoundContact& contact) const {
  return is_of(contact) && contact.feature_A == point_.feature_A && contact.feature_B == point_.feature_B &&
         is_fixed_number(contact_number(contact.id));
}

Vec3<double> FlatRim::calc_point(double angle) const {
  return X_WF_.p + X_WF_.R * Vec3<double>(a_ * std::cos(angle), b_ * std::sin(angle), 0);
}

/// From the values at 0°, 90° and 180°.
template <class Function>
RimWave FlatRim::read_wave(const Function& function) {
  const double first = function(gaps_[0]), second = function(gaps_[1]), opposite = function(gaps_[2]);
  const double mean = 0.5 * (first + opposite);
  return {mean, 0.5 * (first - opposite), second - mean};
}

RimWave FlatRim::calc_rates(const Workspace<double>& workspace) {
  return read_wave([&](GapFunction<double>& gap) {
    gap.update_velocities(workspace);
    return gap.velocity().gap;
  });
}

RimWave FlatRim::calc_accelerations(const Workspace<double>& workspace, const VectorX<double>& vdot) {
  return read_wave([&](GapFunction<double>& gap) {
    gap.update_velocities(workspace);
    return gap.calc_acceleration(workspace, vdot.data()).gap;
  });
}

FlatRim::Direction FlatRim::find_direction(const Vec3<double>& p_W) const {
  const Vec3<double> p = X_WF_.R.transpose_times(p_W - X_WF_.p);
  const double x = p.x / a_, y = p.y / b_;
  return {std::atan2(y, x), std::hypot(x, y)};
}

FoundContact FlatRim::make_travelling(double angle) const {
  FoundContact out = point_;
  const double side = is_of_A_ ? 1 : -1;
  const Vec3<double> p_rim = calc_point(angle) - point_.N * (side * radius_);
  const Vec3<double>& p_face = is_of_A_ ? point_.p_B : point_.p_A;
  out.gap = side * dot(point_.N, p_rim - p_face);
  out.p_A = is_of_A_ ? p_rim : p_rim + point_.N * out.gap;
  out.p_B = is_of_A_ ? p_rim - point_.N * out.gap : p_rim;
  out.id = make_contact_id(point_.feature_A, point_.feature_B, 0);
  out.number = 0;
  out.count = 1;
  out.patch = PatchKind::points;
  return out;
}

FoundContact FlatRim::make_pinned(double angle, int slot) const {
  FoundContact out = make_travelling(angle);
  out.id = make_contact_id(point_.feature_A, point_.feature_B, kFirstArcNumber + slot);
  return out;
}

void FlatRim::pin(ContactFinder& finder, double angle, int slot) const {
  ArcPoints* arc = finder.arc_points(point_.shape_A, point_.shape_B, is_of_A_);
  if (arc != nullptr) arc->angles[static_cast<std::size_t>(slot)] = angle;
}

bool FlatRim::ask_for(ContactFinder& finder, double angle, const Slots& needed) const {
  ArcPoints* arc = finder.arc_points(point_.shape_A, point_.shape_B, is_of_A_);
  if (arc == nullptr || std::isnan(angle)) return false;
  const double quarter = 0.5 * std::numbers::pi;
  if (std::abs(std::remainder(angle, quarter)) < kSamePoint) return false;
  for (const double known : arc->angles) {
    if (std::abs(wrap(known - angle)) < kSamePoint) return false;
  }
  const auto is_free = [](double known) { return std::isnan(known); };
  auto slot = std::find_if(arc->angles.begin(), arc->angles.end(), is_free);
  for (std::size_t k = 0; slot == arc->angles.end() && k < needed.size(); ++k) {
    if (!needed[k]) slot = arc->angles.begin() + static_cast<std::ptrdiff_t>(k);
  }
  if (slot == arc->angles.end()) return false;
  *slot = angle;
  return true;
}

void FlatRim::move_or_ask_for(ContactFinder& finder, double angle) const {
  ArcPoints* arc = finder.arc_points(point_.shape_A, point_.shape_B, is_of_A_);
  if (arc == nullptr) return;
  const auto is_near = [&](double known) { return std::abs(wrap(known - angle)) < kNearPoint; };
  const auto slot = std::find_if(arc->angles.begin(), arc->angles.end(), is_near);
  if (slot == arc->angles.end()) {
    ask_for(finder, angle, {});
  } else {
    *slot = angle;
  }
}

double calc_touch(double tolerance, double size) {
  constexpr double kTouch = 1e-11, kTouchOfTolerance = 0.1;
  return std::clamp(kTouchOfTolerance * tolerance, kTouch, ContactTolerances(1).touch()) * size;
}

double calc_flat_exit(const ContactFinder& finder, const HeldContact& contact, double touch) {
  const GapFunction<double>& kinematics = contact.kinematics();
  if (kinematics.is_pinned_A() || kinematics.is_pinned_B()) return 0;
  const bool is_of_A = is_rim(finder, contact.found(), true);
  if (!is_of_A && !is_rim(finder, contact.found(), false)) return 0;
  const auto ring = std::get<RingSurface>(make_side(finder, contact.found(), is_of_A).surface);
  const double latitude = (is_of_A ? kinematics.point_A() : kinematics.point_B()).u(1);
  const double tilt = 0.5 * std::numbers::pi - std::abs(wrap(latitude));  // negative across the rim
  return std::max(0.0, 0.5 * touch / std::max(ring.a, ring.b) - tilt);
}

double calc_tilt_exit(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
                      const HeldContact& contact, double touch) {
  constexpr double kTilted = 2;  // more than what is flat, so that it goes on from there as one that is not
  const auto rim = find_rim(finder, contact.found());
  if (!rim) return 0;
  const auto& ring = std::get<RingSurface>(rim->surface);
  const double amplitude = calc_gap_amplitude(model, workspace, *rim, contact.frame().N);
  return std::max(0.0, amplitude - kTilted * touch) / std::max(ring.a, ring.b);
}

void find_touching(AssemblyContext& context, const Workspace<double>& workspace) {
  ContactFinder& finder = context.finder();
  finder.update(workspace, context.touch);
  const auto is_lower = [](const FoundContact& a, const FoundContact& b) {
    const bool is_same_rim =
        a.shape_A == b.shape_A && a.shape_B == b.shape_B && a.feature_A == b.feature_A && a.feature_B == b.feature_B;
    return is_same_rim && (a.gap < b.gap || !is_fixed_number(contact_number(a.id)));
  };
  finder.drop_if([&](const FoundContact& point) {
    const auto rim = find_rim(finder, point);
    if (!rim) return false;
    if (calc_gap_amplitude(context.scenario().model, workspace, *rim, point.N) <= context.touch) return false;
    return std::any_of(finder.contacts().begin(), finder.contacts().end(),
                       [&](const FoundContact& other) { return is_lower(other, point); });
  });
}

std::vector<FlatRim> find_flat_rims(const Model& model, const Workspace<double>& workspace,
                                    const ContactFinder& finder) {
  std::vector<FlatRim> out;
  for (const FoundContact& contact : finder.contacts()) {
    const bool is_new = is_fixed_number(contact_number(contact.id)) &&
                        std::none_of(out.begin(), out.end(), [&](const FlatRim& rim) { return rim.has(contact); });
    if (is_new && (is_rim(finder, contact, true) || is_rim(finder, contact, false))) {
      out.emplace_back(model, workspace, finder, contact);
    }
  }
  return out;
}

}  // namespace thenar::internal
