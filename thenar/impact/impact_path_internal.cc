// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/impact/impact_path_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar::internal {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Of sums of a few terms.
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
/// du_N/dP_N of a contact that sticks, below which no impulse moves it: rounding of a singular K.
constexpr double kNoRebound = 1e-12;
/// Pieces of one path: some dozens, or thousands where torsion decays a million times more slowly than slip.
constexpr int kMostPieces = 200000;
/// Parts of a step at whose ends it is asked whether the phase is over.
constexpr int kLooks = 4;
/// Places per step of a path that is drawn.
constexpr int kPathPlaces = 12;
/// Of the tolerance: for one step, and for a rest of the path that is taken to be straight.
constexpr double kStepShare = 0.1, kStraightShare = 0.1;

/// The root of series − level between low and high, at whose ends its signs differ: Newton's method, with halving where
/// that leaves the bracket.
double find_root(const Series& series, double level, double low, double high) {
  const bool rises = evaluate(series, high) >= level;
  double sigma = 0.5 * (low + high);
  for (int round = 0; round < 100; ++round) {
    double value = series[kSeriesOrder], slope = 0;
    for (int k = kSeriesOrder - 1; k >= 0; --k) {
      slope = slope * sigma + value;
      value = value * sigma + series[k];
    }
    value -= level;
    (rises == (value >= 0) ? high : low) = sigma;
    double next = sigma - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool is_done = std::abs(next - sigma) <= kRounding * std::abs(sigma);
    sigma = next;
    if (is_done) break;
  }
  return sigma;
}

}  // namespace

double calc_sticking_share(const SlipCoordinates& x) {
  double out = 0;
  for (int i = 0; i < x.size; ++i) out = std::hypot(out, x.a[i] / x.lambda[i]);
  return out;
}

/// g with |a/(λ + g)| = 1, by Newton's method on 1/|a/(λ + g)|, which grows and is concave: from 0 every step comes
/// nearer from below. With one direction the first step is exact.
DivergingRay find_diverging_ray(const SlipCoordinates& x) {
  DivergingRay out;
  for (int round = 0; round < 100; ++round) {
    double square = 0, cube = 0;
    for (int i = 0; i < x.size; ++i) {
      out.n[i] = x.a[i] / (x.lambda[i] + out.rate);
      square += out.n[i] * out.n[i];
      cube += out.n[i] * out.n[i] / (x.lambda[i] + out.rate);
    }
    const double length = std::sqrt(square), step = (length - 1) * square / cube;
    if (!(step > kRounding * out.rate)) {
      for (int i = 0; i < x.size; ++i) out.n[i] /= length;
      break;
    }
    out.rate += step;
  }
  return out;
}

ImpactPath::ImpactPath(const PointImpact& impact, ImpactLaw law, const PointImpactOptions& options)
    : impact_(impact),
      law_(law),
      options_(options),
      x_(make_slip_coordinates(impact)),
      sticking_share_(calc_sticking_share(x_)) {
  least_lambda_ = x_.size > 0 ? kNever : 0;
  for (int i = 0; i < x_.size; ++i) {
    scale_ = std::max({scale_, std::abs(x_.a[i]), x_.lambda[i]});
    least_lambda_ = std::min(least_lambda_, x_.lambda[i]);
  }
  state_.r = std::sqrt(dot(x_, x_.w, x_.w));
  for (int i = 0; i < x_.size; ++i) state_.n[i] = state_.r > 0 ? x_.w[i] / state_.r : 0;
}

PointImpactResult ImpactPath::follow() {
  mark(ImpactMark::begin);
  sample();
  phase_start_ = state_;
  while (!is_over_ && !has_fault_) {
    if (++result_.steps > kMostPieces) has_fault_ = true;
    if (state_.r > 0) {
      slide();
    } else if (sticks_ || sticking_share_ <= 1) {
      stick();
    } else {
      resume_slip();
    }
  }
  finish();
  return result_;
}

ImpactPath::Slope ImpactPath::calc_slope() const {
  Slope out;
  out.u_N = 1 - dot(x_, x_.a, state_.n);
  for (int i = 0; i < x_.size; ++i) out.along += state_.n[i] * (x_.a[i] - x_.lambda[i] * state_.n[i]);
  double square = 0, drift = 0;
  for (int i = 0; i < x_.size; ++i) {
    const double part = x_.a[i] - (x_.lambda[i] + out.along) * state_.n[i];
    const double change = part / (x_.lambda[i] + std::max(0.0, out.along));
    square += part * part;
    drift += change * change;
  }
  out.across = std::sqrt(square);
  out.drift = std::sqrt(drift);
  return out;
}

/// Whether the direction stays, to rounding or as far as the tolerance can tell. A change δ of the direction goes by
/// dδ/dσ = across − (λ + g) δ, component by component as long as it is small. Where slip grows the direction tends to
/// its ray and is |across / (λ + g)| away from it. Where slip slows down, r falls like exp(−|g| σ), and what is made of
/// the slope across until it rests is ∫ δ r dσ = r |across / λ| / |g|, in units of P.
bool ImpactPath::is_straight(const Slope& slope) const {
  if (x_.size <= 1 || slope.across <= kRounding * scale_) return true;
  const double room = kStraightShare * options_.tolerance;
  if (slope.along >= 0) return slope.drift <= room;
  return state_.r * slope.drift <= room * std::max(1.0, state_.P) * -slope.along;
}

/// Whether slip is so small, while it grows again, that it has been at rest as far as the tolerance can tell: a path
/// that passes by the origin goes on along the same ray as one that meets it.
bool ImpactPath::is_at_rest(const Slope& slope) const {
  return slope.along >= 0 && state_.P > 0 &&
         state_.r <= kStraightShare * options_.tolerance * std::max(1.0, state_.P) * least_lambda_;
}

void ImpactPath::slide() {
  const Slope slope = calc_slope();
  if (is_at_rest(slope) && !resumes_) {
    come_to_rest();
    return;
  }
  if (!is_straight(slope)) {
    turn();
    return;
  }
  Piece piece{.dr = slope.along, .du_N = slope.u_N};
  for (int i = 0; i < x_.size; ++i) piece.dp[i] = -state_.n[i];
  go(piece);
}

void ImpactPath::resume_slip() {
  const DivergingRay ray = find_diverging_ray(x_);
  if (!(ray.rate > 0)) {  // at the border, to rounding
    sticks_ = true;
    return;
  }
  mark(ImpactMark::slip_resumes);
  resumes_ = true;
  state_.n = ray.n;
  Piece piece{.dr = ray.rate, .du_N = 1 - dot(x_, x_.a, ray.n)};
  for (int i = 0; i < x_.size; ++i) piece.dp[i] = -ray.n[i];
  go(piece);
}

void ImpactPath::stick() {
  if (!sticks_ && x_.size > 0) mark(ImpactMark::stick);
  sticks_ = true;
  Piece piece{.du_N = 1};
  for (int i = 0; i < x_.size; ++i) {
    piece.dp[i] = -x_.a[i] / x_.lambda[i];
    piece.du_N += x_.a[i] * piece.dp[i];
  }
  if (piece.du_N > kNoRebound) {
    go(piece);
    return;
  }
  // K is singular, and no impulse moves this contact any more: what is left of u_N is rounding.
  state_.u_N = 0;
  if (is_compressing_) {
    end_phase();
    return;
  }
  piece.du_N = 0;
  if (law_ == ImpactLaw::poisson) advance(piece, std::max(0.0, calc_wanted()));
  is_over_ = true;
}

/// What restitution still has to bring: impulse or work; of Newton's law, the normal velocity.
double ImpactPath::calc_wanted() const {
  const double e = impact_.restitution;
  if (law_ == ImpactLaw::poisson) {
    return e * compression_.impulse - restitution_.impulse - (state_.P - phase_start_.P);
  }
  if (law_ == ImpactLaw::stronge) {
    return -e * e * compression_.work - restitution_.work - (state_.work - phase_start_.work);
  }
  return e;
}

/// The impulse that ends the phase on a piece with this du_N/dP.
double ImpactPath::calc_phase_length(double du_N) const {
  const double u = state_.u_N;
  if (is_compressing_) return du_N > 0 ? -u / du_N : kNever;
  const double wanted = calc_wanted();
  if (law_ == ImpactLaw::poisson) return std::max(0.0, wanted);
  if (law_ == ImpactLaw::stronge) {  // u x + ½ du_N x² = wanted
    if (wanted <= 0) return 0;
    const double root = std::sqrt(u * u + 2 * du_N * wanted);  // NaN: u_N comes to 0 before
    return u + root > 0 ? 2 * wanted / (u + root) : kNever;
  }
  if (u >= wanted) return 0;
  return du_N > 0 ? (wanted - u) / du_N : kNever;
}

/// To the end of slip, to that of the phase, or to where u_N is 0 again, whichever is first.
void ImpactPath::go(const Piece& piece) {
  const double to_phase = calc_phase_length(piece.du_N);
  const double to_rest = piece.dr < 0 ? state_.r / -piece.dr : kNever;
  const double to_zero = !is_compressing_ && piece.du_N < 0 ? state_.u_N / -piece.du_N : kNever;
  const double length = std::min({to_phase, to_rest, to_zero});
  if (!(length < kNever)) {
    has_fault_ = true;
    return;
  }
  advance(piece, length);
  const double about = length * (1 + kRounding);  // both at once where K is singular
  if (to_rest <= about) come_to_rest();
  if (to_phase <= about) {
    end_phase();
  } else if (to_zero <= about) {
    resume_compression();
  }
}

void ImpactPath::advance(const Piece& piece, double length) {
  for (int i = 0; i < x_.size; ++i) state_.p[i] += piece.dp[i] * length;
  state_.work += (state_.u_N + 0.5 * piece.du_N * length) * length;
  state_.friction += (state_.r + 0.5 * piece.dr * length) * length;
  state_.P += length;
  state_.u_N += piece.du_N * length;
  state_.r += piece.dr * length;
  sample();
}

/// One step along a slip that turns.
void ImpactPath::turn() {
  const SlipSeries series(x_, state_);
  double reach = series.calc_reach(kStepShare * options_.tolerance);
  const End end = find_end(series, reach);
  for (int k = 1; options_.path != nullptr && k < kPathPlaces; ++k) {
    state_ = series.at(reach * k / kPathPlaces);
    sample();
  }
  state_ = series.at(reach);
  sample();
  if (end == End::phase) end_phase();
  if (end == End::recompression) resume_compression();
}

/// The first end within the step, which is shortened to it.
ImpactPath::End ImpactPath::find_end(const SlipSeries& series, double& reach) const {
  const Series* watched = &series.u_N();
  double level = is_compressing_ ? 0 : calc_wanted();
  if (!is_compressing_ && law_ == ImpactLaw::poisson) watched = &series.P(), level += state_.P;
  if (!is_compressing_ && law_ == ImpactLaw::stronge) watched = &series.work(), level += state_.work;
  double low = 0;
  for (int k = 1; k <= kLooks; ++k) {
    const double high = reach * k / kLooks;
    const bool ends = evaluate(*watched, high) >= level;
    const bool falls = !is_compressing_ && evaluate(series.u_N(), high) < 0;
    if (ends || falls) {
      const double to_end = ends ? find_root(*watched, level, low, high) : kNever;
      const double to_zero = falls ? find_root(series.u_N(), 0, low, high) : kNever;
      reach = std::min(to_end, to_zero);
      return to_end <= to_zero ? End::phase : End::recompression;
    }
    low = high;
  }
  return End::none;
}

/// Slip is 0; and so that it also follows from the impulses, those of friction are shifted within the tolerance.
void ImpactPath::come_to_rest() {
  state_.r = 0;
  const double room = options_.tolerance * std::max(1.0, state_.P);
  for (int i = 0; i < x_.size; ++i) {
    const double shift = -(x_.w[i] + x_.a[i] * state_.P) / x_.lambda[i] - state_.p[i];
    if (!(std::abs(shift) <= room)) continue;  // λ is so small that p cannot be told from w
    state_.p[i] += shift;
    state_.u_N += x_.a[i] * shift;
  }
}

void ImpactPath::close_books(Books& books) const {
  books.impulse += state_.P - phase_start_.P;
  books.work += state_.work - phase_start_.work;
}

void ImpactPath::end_phase() {
  if (!is_compressing_) {
    is_over_ = true;
    return;
  }
  state_.u_N = 0;
  close_books(compression_);
  is_compressing_ = false;
  phase_start_ = state_;
  mark(ImpactMark::compression_end);
  is_over_ = !(calc_wanted() > 0);
}

void ImpactPath::resume_compression() {
  state_.u_N = 0;
  close_books(restitution_);
  is_compressing_ = true;
  phase_start_ = state_;
  mark(ImpactMark::recompression);
}

ImpactPathPoint ImpactPath::calc_place() const {
  ImpactPathPoint out;
  out.P(0) = state_.P * x_.impulse_unit;
  for (int i = 0; i < x_.size; ++i) out.P.tail<3>() += x_.L.col(i) * (state_.p[i] * x_.impulse_unit);
  out.u = impact_.u + impact_.K * out.P;
  return out;
}

void ImpactPath::mark(ImpactMark kind) {
  if (result_.mark_count == PointImpactResult::kMostMarks) return;
  result_.marks[result_.mark_count++] = {kind, calc_place()};
}

void ImpactPath::sample() {
  if (options_.path != nullptr) options_.path->push_back(calc_place());
}

void ImpactPath::finish() {
  mark(ImpactMark::end);
  close_books(is_compressing_ ? compression_ : restitution_);
  const ImpactPathPoint place = calc_place();
  result_.P = place.P;
  result_.u = place.u;
  const double energy_unit = x_.impulse_unit * x_.speed_unit;
  result_.energy = energy_unit * ImpactEnergy{compression_.work, restitution_.work, -state_.friction};
  result_.status = has_fault_ || !result_.u.allFinite() ? ImpactStatus::fault : ImpactStatus::done;
}

}  // namespace thenar::internal
