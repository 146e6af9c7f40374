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
/// Accelerations of gaps down to minus this part of what they differ by along the rim are none: so little is missed of
/// points that are 1e-3 rad beside those that press. Nor are those of the other part of what belongs to the size of the
/// scenario: more than solvers leave, less than what tips has when it is found to do so (ContactWatch::kForceMargin).
/// Rounds of an impact with more and more points.
constexpr int kMostRimRounds = 20;
constexpr double kMissed = 1e-6, kNothing = 3e-9;
/// The centre of pressure is worth asking for beyond this part of the radius; beyond the other the four points that are
/// always there may not do.
constexpr double kOffCentre = 0.1, kOfSquare = 0.7;

double wrap(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

/// m/s².
double calc_nothing(const Tolerances& tolerances) {
  const Scales& scales = tolerances.scales();
  return kNothing * scales.length / (scales.time * scales.time);
}

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

/// The pressure of some points: its sum and its centre.
struct Pressure {
  double sum = 0;
  Vec3<double> moment = Vec3<double>::zero();
  FlatRim::Slots needed{};

  void add(const FoundContact& place, double force) {
    if (!(force > 0)) return;
    sum += force;
    moment += place.p_A * force;
    const int slot = contact_number(place.id) - kFirstArcNumber;
    if (slot >= 0 && slot < ArcPoints::kSlots) needed[static_cast<std::size_t>(slot)] = true;
  }
};

/// Asks for the lowest point, and for the one that the centre of pressure lies towards.
bool ask_for_points(ContactFinder& finder, const FlatRim& rim, double lowest, const Pressure& pressure) {
  bool any = rim.ask_for(finder, lowest, pressure.needed);
  if (!(pressure.sum > 0)) return any;
  const FlatRim::Direction centre = rim.find_direction(pressure.moment * (1 / pressure.sum));
  if (centre.distance > kOffCentre && rim.ask_for(finder, centre.angle, pressure.needed)) any = true;
  return any;
}

}  // namespace

double RimWave::amplitude() const { return std::hypot(cosine, sine); }
double RimWave::find_lowest() const { return std::atan2(-sine, -cosine); }
double RimWave::calc_slope(double angle) const { return sine * std::cos(angle) - cosine * std::sin(angle); }

bool tips(const RimWave& accelerations, const Tolerances& tolerances) {
  return accelerations.amplitude() > calc_nothing(tolerances);
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

std::vector<PressedPoint> list_pressed_points(const ConstrainedMotion& motion) {
  std::vector<PressedPoint> out;
  for (std::size_t i = 0; i < motion.contacts().size(); ++i) {
    const HeldContact& contact = motion.contacts()[i];
    if (!is_fixed_number(contact_number(contact.found().id))) continue;
    PressedPoint& point = out.emplace_back(PressedPoint{contact.found(), motion.contact_forces()[i](0)});
    point.place.p_A = contact.kinematics().place().A.p;
    point.place.p_B = contact.kinematics().place().B.p;
  }
  return out;
}

void ask_for_pressed(AssemblyContext& context, const Workspace<double>& workspace,
                     const std::vector<PressedPoint>& pressed) {
  std::vector<FoundContact> held;
  for (const PressedPoint& point : pressed) held.push_back(point.place);
  context.finder().keep_arc_points(held);
  if (pressed.empty()) return;
  for (const FlatRim& rim : find_flat_rims(context.scenario().model, workspace, context.finder())) {
    Pressure pressure;
    for (const PressedPoint& point : pressed) {
      if (!rim.has(point.place)) continue;
      pressure.sum += point.force;  // also where a point would have to pull: the sum is what the body needs
      pressure.moment += point.place.p_A * point.force;
    }
    if (!(pressure.sum > 0) || !rim.is_flat(context.touch)) continue;
    const FlatRim::Direction centre = rim.find_direction(pressure.moment * (1 / pressure.sum));
    if (centre.distance > kOfSquare) rim.move_or_ask_for(context.finder(), centre.angle);
  }
}

namespace {

/// Those with the lowest gap rate, of rims that do not rest, to `slow` (m/s). Needs update_velocities.
void ask_for_lowest_rates(AssemblyContext& context, const Workspace<double>& workspace, double slow) {
  ContactFinder& finder = context.finder();
  for (FlatRim& rim : find_flat_rims(context.scenario().model, workspace, finder)) {
    const RimWave rates = rim.calc_rates(workspace);
    if (rim.is_flat(context.touch) && rates.amplitude() > slow) rim.ask_for(finder, rates.find_lowest(), {});
  }
}

/// Those that would go into their faces after an impact with the impulses z. Changes the velocities of the workspace.
bool ask_for_missed_points(AssemblyContext& context, Workspace<double>& workspace, const ImpactInstant& impact,
                           const VectorX<double>& z, double slow) {
  const Model& model = context.scenario().model;
  std::vector<FlatRim> rims = find_flat_rims(model, workspace, context.finder());
  if (rims.empty()) return false;
  const VectorX<double> v = impact.calc_velocity(z);
  update_velocities(model, v.data(), workspace);
  bool any = false;
  for (FlatRim& rim : rims) {
    const RimWave rates = rim.calc_rates(workspace);
    if (!rim.is_flat(context.touch) || rates.least() >= -slow) continue;
    Pressure pressure;
    for (const ImpactContact& contact : impact.contacts) {
      if (rim.has(contact.place)) pressure.add(contact.place, z(contact.row));
    }
    if (ask_for_points(context.finder(), rim, rates.find_lowest(), pressure)) any = true;
  }
  return any;
}

}  // namespace

ImpactOnRims solve_impact_on_rims(AssemblyContext& context, Workspace<double>& workspace, const State& state) {
  const ImpactOptions& options = context.scenario().impact;
  const double at_rest = context.tolerances().speed_at_rest();
  update_velocities(context.scenario().model, state.v.data(), workspace);
  ask_for_lowest_rates(context, workspace, at_rest);
  ImpactOnRims out{assemble_impact(context, state)};
  if (!out.instant.is_struck()) return out;
  out.answer = solve_impact(out.instant.problem, options);
  for (int round = 0; round < kMostRimRounds && out.answer.status == ImpactStatus::done; ++round) {
    const double slow = std::max(kLeftByImpulses * out.instant.calc_fastest(state.v), at_rest);
    if (!ask_for_missed_points(context, workspace, out.instant, out.answer.z, slow)) break;
    out.instant = assemble_impact(context, state);
    out.answer = solve_impact(out.instant.problem, options);
  }
  return out;
}

bool ask_for_missed_points(AssemblyContext& context, const State& state, const Instant& instant) {
  if (instant.cells.empty()) return false;
  const bool any_fixed = std::any_of(instant.contacts.begin(), instant.contacts.end(), [](const InstantContact& c) {
    return is_fixed_number(contact_number(c.place.id));
  });
  if (!any_fixed) return false;
  const InstantCell& cell = instant.cells.front();
  const Model& model = context.scenario().model;
  const double nothing = calc_nothing(context.tolerances());
  ContactFinder& finder = context.finder();
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  bool any = false;
  for (FlatRim& rim : find_flat_rims(model, workspace, finder)) {
    Pressure pressure;
    bool rests = true;
    for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
      const InstantContact& contact = instant.contacts[i];
      if (!rim.has(contact.place)) continue;
      rests = rests && contact.row >= 0;
      pressure.add(contact.place, cell.forces[i][0]);
    }
    if (!rests || !rim.is_flat(context.touch)) continue;  // gaps or rates tell which point matters, and it is there
    const RimWave accelerations = rim.calc_accelerations(workspace, cell.vdot);
    if (accelerations.least() >= -std::max(kMissed * accelerations.amplitude(), nothing)) continue;
    if (ask_for_points(finder, rim, accelerations.find_lowest(), pressure)) any = true;
  }
  return any;
}

}  // namespace thenar::internal
