// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_watch_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/instant/flat_rim_internal.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Kind = QuasistaticCrossing::Kind;
using Vector = VectorX<double>;

/// Nothing moves farther in a step than this part of the size of the scene, or turns by more than this, rad.
constexpr double kLongestWay = 0.1;
/// The longest step as a part of the run, where nothing moves and only forces change.
constexpr double kLongestPart = 0.05;
/// A step this short, as a part of the run, makes no progress.
constexpr double kShortestPart = 1e-14;
/// Steps shorter than this part of the run are not made shorter for the sake of their books of energy.
constexpr double kShortestForBooks = 1e-7;
/// What slips, reserves, exits and stops may have against them, in their usual sizes: rounding.
constexpr double kSlipMargin = 1e-12, kSlowForceMargin = 1e-9, kSlowExitMargin = 1e-11, kStopMargin = 1e-13;
/// What is beyond its bound at the start of a step is met when it is so much farther.
constexpr double kWorse = 1.5;
/// But forces not beyond this part of the usual strength.
constexpr double kMostWorse = 1e-4;

}  // namespace

QuasistaticStep::QuasistaticStep(const Scenario& scenario, QuasistaticMotion& motion, const Tolerances& tolerances)
    : scenario_(scenario),
      motion_(motion),
      tolerances_(tolerances),
      integrator_(make_explicit_integrator(motion)),
      touches_(scenario),
      crossings_(CrossingFinder::make_nodes(kSlowDegree)) {
  const int nv = scenario.model.velocity_count();
  for (Vector* vector : {&y_, &slope_, &inside_}) vector->setZero(nv);
  for (int i = 0; i < nv; ++i) weights_.push_back(tolerances.position_weight(i));
  next_h_ = kLongestPart * scenario.run.until;
}

void QuasistaticStep::start(double t, const Vector& q) {
  t_ = t;
  q_ = q;
  motion_.evaluate(t, q);
  motion_.set_origin(q);
  y_.setZero();
  motion_.calc_slope(t, y_.data(), slope_.data());
  integrator_->reset();
}

double QuasistaticStep::longest_step() const {
  const double size = std::max(touches_.size(), tolerances_.scales().length);
  double rate = 0;  // of the largest part of the scene's size, 1/s
  for (int i = 0; i < scenario_.model.velocity_count(); ++i) {
    rate = std::max(rate, std::abs(slope_(i)) / (scenario_.model.is_angular(i) ? 1 : size));
  }
  const double usual = kLongestPart * scenario_.run.until;
  double out = rate > 0 ? std::min(usual, kLongestWay / rate) : usual;
  if (scenario_.run.step) out = std::min(out, *scenario_.run.step);
  return out;
}

bool QuasistaticStep::step(double t_limit) {
  const double left = t_limit - t_;
  double h = std::min(next_h_, longest_step());
  if (h >= 0.99 * left) {
    h = left;
  } else if (h > 0.5 * left) {
    h = 0.5 * left;
  }
  return try_step(h, t_limit);
}

bool QuasistaticStep::try_step(double h, double t_limit) {
  const double left = t_limit - t_;
  while (h > kShortestPart * scenario_.run.until) {
    const StepAttempt attempt = integrator_->attempt(motion_, t_, h, y_.data(), slope_.data(), weights_);
    if (attempt.accepted) {
      h_ = h;
      t_end_ = h == left ? t_limit : t_ + h;
      next_h_ = attempt.next_h;
      ++steps_;
      return true;
    }
    ++rejected_;
    h = std::min(attempt.next_h, 0.5 * h);
  }
  return false;
}

const StepPoint& QuasistaticStep::interpolate(double theta) {
  interpolate_roughly(theta);
  motion_.project(t_end(theta), point_.q);
  motion_.evaluate(t_end(theta), point_.q);
  point_.v = motion_.v();
  return point_;
}

const StepPoint& QuasistaticStep::interpolate_roughly(double theta) {
  if (theta == 1) {
    inside_ = integrator_->end_state();
  } else {
    integrator_->interpolate(theta, inside_.data());
  }
  motion_.calc_position(t_end(theta), inside_.data(), point_.q);
  motion_.evaluate(t_end(theta), point_.q);
  point_.v = motion_.v();
  return point_;
}

double QuasistaticStep::calc_exit(const HeldContact& contact) const {
  const double touch = calc_touch(scenario_.run.tolerance, touches_.size());
  return std::max(contact.calc_exit(motion_.workspace(), touches_.size()),
                  calc_flat_exit(touches_.finder(), contact, touch));
}

/// Values of all functions at the places of the step.
void QuasistaticStep::look() {
  const std::vector<double>& nodes = crossings_.nodes();
  const auto count = static_cast<Index>(nodes.size());
  const auto contacts = static_cast<Index>(motion_.contacts().size());
  exits_.resize(count, contacts);
  stop_gaps_.resize(count, static_cast<Index>(motion_.stops().size()));
  for (Vector* vector : {&reserves_, &powers_.work, &powers_.dissipated}) vector->resize(count);
  speed_ = powers_.usual = 0;
  for (Index k = 0; k < count; ++k) {
    interpolate(nodes[static_cast<std::size_t>(k)]);
    const std::vector<double> strict = motion_.list_strict();
    slips_.conservativeResize(count, static_cast<Index>(strict.size()));
    for (std::size_t i = 0; i < strict.size(); ++i) slips_(k, static_cast<Index>(i)) = strict[i];
    reserves_(k) = motion_.reserve();
    powers_.work(k) = motion_.calc_work_rate();
    powers_.dissipated(k) = motion_.calc_dissipation();
    for (Index i = 0; i < contacts; ++i) exits_(k, i) = calc_exit(motion_.contacts()[static_cast<std::size_t>(i)]);
    for (Index i = 0; i < stop_gaps_.cols(); ++i) {
      stop_gaps_(k, i) = motion_.stops()[static_cast<std::size_t>(i)].calc_value(point_.q.data());
    }
    speed_ = std::max(speed_, motion_.row_speeds().size() > 0 ? motion_.speed_scale() : 0);
    powers_.usual = std::max(powers_.usual, motion_.rules().strength * motion_.speed_scale());
  }
}

bool QuasistaticStep::shorten() {
  if (h_ < kShortestForBooks * scenario_.run.until) return false;
  next_h_ = 0.5 * h_;
  return try_step(next_h_, t_ + h_);
}

std::optional<QuasistaticCrossing> QuasistaticStep::find_crossing() {
  std::optional<QuasistaticCrossing> first;
  if (auto touch = touches_.find(*this, motion_.contacts())) {
    first = QuasistaticCrossing{touch->theta, Kind::touch, std::move(touch->name)};
  }
  for (std::size_t i = 0; i < motion_.stops().size(); ++i) find_stop(i, first);
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) find_face(i, first);
  for (Index i = 0; i < slips_.cols(); ++i) find_slip(static_cast<std::size_t>(i), first);
  find_force(first);
  return first;
}

void QuasistaticStep::keep(double theta, Kind kind, std::string name, std::optional<QuasistaticCrossing>& first) const {
  if (first && first->theta <= theta) return;
  first = QuasistaticCrossing{theta, kind, std::move(name)};
}

std::string QuasistaticStep::name_of(int owner) const {
  if (owner < 0) return {};
  const auto i = static_cast<std::size_t>(owner);
  if (i < motion_.contacts().size()) return motion_.contacts()[i].name();
  const int stop = motion_.held_stops()[i - motion_.contacts().size()];
  return scenario_.model.dof_name(motion_.stops()[static_cast<std::size_t>(stop)].dof());
}

void QuasistaticStep::find_slip(std::size_t row, std::optional<QuasistaticCrossing>& first) {
  const auto column = static_cast<Index>(row);
  const double allowed = std::max(kSlipMargin * speed_, -kWorse * slips_(0, column));
  const Vector values = slips_.col(column).array() + allowed;
  if (!(values.minCoeff() < 0.5 * values.cwiseAbs().maxCoeff())) return;
  const auto function = [&](double theta) {
    interpolate(theta);
    return motion_.list_strict()[row] + allowed;
  };
  const auto bracket = crossings_.find(values, function);
  if (!bracket || (first && bracket->before >= first->theta)) return;
  keep(refine_crossing(*bracket, kEventBracket, function).after, Kind::slip, name_of(motion_.strict_owners()[row]),
       first);
}

/// Values that have kinks, so that the places bracket where they fall below 0.
template <class Function>
std::optional<double> find_by_places(const std::vector<double>& nodes, const Vector& values, const Function& function) {
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if (values(static_cast<Index>(k)) >= 0) continue;
    return refine_crossing({nodes[k - 1], nodes[k]}, kEventBracket, function).after;
  }
  return std::nullopt;
}

void QuasistaticStep::find_force(std::optional<QuasistaticCrossing>& first) {
  const double allowed = std::clamp(-kWorse * reserves_(0), kSlowForceMargin, kMostWorse);
  const auto function = [&](double theta) {
    interpolate(theta);
    return motion_.reserve() + allowed;
  };
  const Vector values = reserves_.array() + allowed;
  const auto theta = find_by_places(crossings_.nodes(), values, function);
  if (!theta) return;
  interpolate(*theta);
  keep(*theta, Kind::force, name_of(motion_.tightest()), first);
}

void QuasistaticStep::find_face(std::size_t contact, std::optional<QuasistaticCrossing>& first) {
  const auto column = static_cast<Index>(contact);
  const double allowed = std::max(kSlowExitMargin, 2 * exits_(0, column));
  const auto function = [&](double theta) {
    interpolate(theta);
    return allowed - calc_exit(motion_.contacts()[contact]);
  };
  const Vector values = allowed - exits_.col(column).array();
  const auto theta = find_by_places(crossings_.nodes(), values, function);
  if (theta) keep(*theta, Kind::face, motion_.contacts()[contact].name(), first);
}

void QuasistaticStep::find_stop(std::size_t stop, std::optional<QuasistaticCrossing>& first) {
  const std::vector<int>& held = motion_.held_stops();
  if (std::find(held.begin(), held.end(), static_cast<int>(stop)) != held.end()) return;
  const auto column = static_cast<Index>(stop);
  JointRow& row = motion_.stops()[stop];
  const double allowed = std::max(kStopMargin * tolerances_.unit(row.dof()), -kWorse * stop_gaps_(0, column));
  const Vector values = stop_gaps_.col(column).array() + allowed;
  const auto function = [&](double theta) { return row.calc_value(interpolate(theta).q.data()) + allowed; };
  const auto bracket = crossings_.find(values, function);
  if (!bracket || (first && bracket->before >= first->theta)) return;
  keep(refine_crossing(*bracket, kEventBracket, function).after, Kind::stop, scenario_.model.dof_name(row.dof()),
       first);
}

void QuasistaticStep::accept(double theta) {
  const StepPoint& point = interpolate(theta);
  t_ = t_end(theta);
  q_ = point.q;
  if (theta != 1) return;
  start(t_, q_);
}

template <class Archive>
void QuasistaticStep::archive(Archive& a) {
  a(touches_, t_, h_, t_end_, next_h_, q_, y_, slope_, slips_, exits_, stop_gaps_, reserves_, powers_.work,
    powers_.dissipated, speed_, powers_.usual, steps_, rejected_);
  if constexpr (Archive::kReads) {
    integrator_->load(a, motion_);
  } else {
    integrator_->save(a);
  }
}
THENAR_INSTANTIATE_ARCHIVE(QuasistaticStep);

}  // namespace thenar::internal
