// SPDX-License-Identifier: BSD-3-Clause
#include "reference_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "reference_search.h"

namespace thenar::reference {
namespace {

using V = Vector3<double>;
constexpr Real kRealInfinity = std::numeric_limits<Real>::infinity();

/// Local optima of one pair, and which of them is the gap.
class Candidates {
 public:
  /// `sign` 1: the least gap wins; −1: the largest.
  Candidates(Real sign, Real scale) : sign_(sign), scale_(scale) {}

  void add(const NearestPoints& found) {
    for (const NearestPoints& known : all_) {
      if (is_same(known, found)) return;
    }
    all_.push_back(found);
  }
  bool is_empty() const { return all_.empty(); }
  const NearestPoints& best() const {
    return *std::min_element(all_.begin(), all_.end(), [&](const NearestPoints& x, const NearestPoints& y) {
      return sign_ * x.gap < sign_ * y.gap;
    });
  }
  /// From the best to the next.
  Real lead() const {
    Real least = kRealInfinity;
    const NearestPoints& first = best();
    for (const NearestPoints& other : all_) {
      if (&other != &first) least = std::min(least, std::abs(other.gap - first.gap));
    }
    return least;
  }
  bool is_near_known(const V& n, double angle) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const NearestPoints& known) { return (known.n.cast<double>() - n).norm() < angle; });
  }

 private:
  bool is_same(const NearestPoints& x, const NearestPoints& y) const {
    return (x.n - y.n).norm() < 1e-9L && (x.a - y.a).norm() < 1e-9L * scale_;
  }

  Real sign_, scale_;
  std::vector<NearestPoints> all_;
};

/// Two bodies, A convex or a circle; a bowl or half-space only as B.
class Solver {
 public:
  Solver(const Body& A, const Body& B, const Pose<Real>& X_AB)
      : A_(A), B_(B), X_AB_(X_AB), scale_(X_AB.p.norm() + A.extent() + (B.is_bounded() ? B.extent() : B.size.x())) {}

  /// In the frame of A, without the balls.
  Result solve(NearestPoints& at) const {
    if (B_.kind == Kind::half_space) return solve_half_space(at);
    if (A_.kind == Kind::circle) return solve_circle(at);
    if (B_.kind == Kind::bowl) return solve_bowl(at);
    return solve_convex(at);
  }

 private:
  // --- Convex -------------------------------------------------------------------------------------------------------

  /// Whether the points are where planes across n touch the bodies, as they must be.
  bool is_supported(const NearestPoints& at) const {
    return std::abs(calc_separation(A_, B_, X_AB_, at.n) - at.gap) <= 1e-16L * scale_;
  }

  Result solve_convex(NearestPoints& at) const {
    // Where they overlap there are points, too, but no normal that separates them.
    if (const auto apart = find_nearest_apart(A_, B_, X_AB_)) {
      at = *apart;
      if (polish(A_, B_, X_AB_, at) && at.gap > 0 && is_supported(at)) return certify_convex(at, kRealInfinity);
    }
    return solve_touching(at);
  }

  Result certify_convex(const NearestPoints& at, Real lead) const {
    Result result;
    result.is_certified = true;
    result.duality_gap = std::abs((at.a - X_AB_ * at.b).norm() - std::abs(calc_separation(A_, B_, X_AB_, at.n)));
    result.lead = lead;
    return result;
  }

  /// Good values from the beginning make the bounds of branch and bound sharp. Where two sharp features (vertices,
  /// edges, rims) overlap by very little, s(n) is nearly the same over a wide range of directions and bounds cannot
  /// tell them apart: there all optima come from the features that meet at the place, and bounds exclude what is better
  /// by more than kPlateau of the scale.
  Result solve_touching(NearestPoints& at) const {
    constexpr double kPlateau = 1e-5;
    Candidates found(-1, scale_);
    add_adjacent(found);
    for (const auto& spot : find_separating_directions(A_, B_, X_AB_, -HUGE_VAL, 0.1).spots) {
      NearestPoints local;
      if (!solve_around(spot.n.cast<Real>(), local)) continue;
      found.add(local);
      break;
    }
    if (found.is_empty()) return {};
    const bool is_sharp = add_all_above(0, found) && add_climbed({found.best().n}, found);
    const bool is_complete = is_sharp || (add_climbed(spread_directions(found), found) &&
                                          add_all_above(kPlateau * static_cast<double>(scale_), found));
    at = found.best();
    Result result = certify_convex(at, is_sharp ? found.lead() : 0);
    result.is_certified = is_complete;
    return result;
  }

  /// Adds the optima that are by more than `slack` better than the best known. False when there are too many directions
  /// to look at, or no optimum is found around one of them.
  bool add_all_above(double slack, Candidates& found) const {
    constexpr int kMostSpots = 8;
    const auto wanted = [&] { return static_cast<double>(found.best().gap) + slack; };
    const Directions directions = find_separating_directions(A_, B_, X_AB_, wanted(), 1e-3);
    if (!directions.is_complete) return false;
    int looked_at = 0;
    for (const auto& spot : directions.spots) {
      if (spot.upper < wanted() - static_cast<double>(1e-15L * scale_) || found.is_near_known(spot.n, 0.03)) continue;
      NearestPoints local;
      if (++looked_at > kMostSpots || !solve_around(spot.n.cast<Real>(), local)) return false;
      found.add(local);
    }
    return true;
  }

  /// Some directions that bounds do not exclude, as far from each other and from known optima as can be.
  std::vector<Vec> spread_directions(const Candidates& found) const {
    constexpr std::size_t kCount = 12;
    const double known = static_cast<double>(found.best().gap);
    const Directions coarse = find_separating_directions(A_, B_, X_AB_, known, 0.05);
    std::vector<Vec> chosen = {found.best().n};
    while (chosen.size() < kCount && !coarse.spots.empty()) {
      const auto distance = [&](const Vec& n) {
        Real least = kRealInfinity;
        for (const Vec& other : chosen) least = std::min(least, (other - n).norm());
        return least;
      };
      const auto farthest =
          std::max_element(coarse.spots.begin(), coarse.spots.end(), [&](const auto& x, const auto& y) {
            return distance(x.n.template cast<Real>()) < distance(y.n.template cast<Real>());
          });
      chosen.push_back(farthest->n.cast<Real>());
    }
    return chosen;
  }

  /// Climbs from each direction and adds the optima that are found. False when a direction separates the bodies better
  /// than any of them.
  bool add_climbed(const std::vector<Vec>& starts, Candidates& found) const {
    Real best = -kRealInfinity;
    for (const Vec& start : starts) {
      const Vec n = climb_separation(start);
      const Real separation = calc_separation(A_, B_, X_AB_, n);
      best = std::max(best, separation);
      NearestPoints local;
      if (separation > found.best().gap + 1e-16L * scale_ && solve_around(n, local)) found.add(local);
    }
    return best <= found.best().gap + 1e-16L * scale_;
  }

  /// Towards a local maximum of s(n), which has ridges: by random steps that grow with success and shrink without.
  Vec climb_separation(Vec n) const {
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    Real value = calc_separation(A_, B_, X_AB_, n), step = 0.03L;
    for (int i = 0; i < 1500 && step > 1e-10L; ++i) {
      const double x = normal(generator), y = normal(generator), z = normal(generator);
      const Vec tried = (n + step * Vec(x, y, z)).normalized();
      const Real tried_value = calc_separation(A_, B_, X_AB_, tried);
      step *= tried_value > value ? 1.7L : 0.9L;
      if (tried_value <= value) continue;
      n = tried;
      value = tried_value;
    }
    return n;
  }

  /// Optima between the faces, edges and vertices that meet where the bodies touch. Overlapping bodies are stopped by a
  /// face of one of them or by two edges: the normal is the face's or is across both edges.
  void add_adjacent(Candidates& found) const {
    const auto touch = find_nearest_apart(A_, B_, X_AB_);
    if (!touch) return;
    for (const ActiveSet& set_A : list_subsets(A_, touch->a)) {
      for (const ActiveSet& set_B : list_subsets(B_, touch->b)) {
        const auto active_A = A_.active_constraints(set_A), active_B = B_.active_constraints(set_B);
        Vec n = Vec::Zero();
        if (active_A.size() == 1) n = active_A[0].evaluate(touch->a).gradient;
        if (active_B.size() == 1) n = X_AB_.R * active_B[0].evaluate(touch->b).gradient;
        if (active_A.size() == 2 && active_B.size() == 2) {
          n = find_line(active_A, touch->a).cross(X_AB_.R * find_line(active_B, touch->b));
        }
        if (n.isZero(0)) continue;
        for (const Real sign : {1, -1}) {
          NearestPoints local = *touch;
          local.n = sign * n.normalized();
          local.set_A = set_A;
          local.set_B = set_B;
          if (polish(A_, B_, X_AB_, local) && local.is_maximum && is_supported(local)) found.add(local);
        }
      }
    }
  }
  /// The tangent of an edge.
  static Vec find_line(const std::vector<Constraint>& active, const Vec& x) {
    return active[0].evaluate(x).gradient.cross(active[1].evaluate(x).gradient);
  }
  /// Sets of the features that meet at x or very near it.
  static std::vector<ActiveSet> list_subsets(const Body& body, const Vec& x) {
    const ActiveSet all = find_active(body, x, 1e-4L * body.extent());
    if (all.is_apex) return {all, {1u, false}};
    std::vector<ActiveSet> out;
    for (unsigned bits = all.bits;; bits = (bits - 1) & all.bits) {
      out.push_back({bits, false});
      if (bits == 0) return out;
    }
  }

  /// The local optimum around n: B is moved away along n until the bodies are apart. Where n is the optimum's normal,
  /// that changes neither the points nor the normal; else it brings n closer to it, or away from a saddle, the faster
  /// the less they are moved.
  bool solve_around(const Vec& start, NearestPoints& at) const {
    Vec n = start;
    const auto is_done = [&] { return polish(A_, B_, X_AB_, at) && at.is_maximum && is_supported(at); };
    const Real smallest = find_smallest_extent();
    for (int round = 0; round < 24; ++round) {
      if (round == 12) n = start;
      const Real depth = std::max(Real(0), -calc_separation(A_, B_, X_AB_, n));
      Pose<Real> moved = X_AB_;
      moved.p -= (depth + (round < 12 ? 0.02L * smallest : std::max(depth, 1e-12L * scale_))) * n;
      const auto apart = find_nearest_apart(A_, B_, moved);
      if (!apart) return false;
      at = *apart;
      if (is_done()) return true;
      n = apart->n;
    }
    return false;
  }
  /// Of the two bodies, points not counted; 1 m for two points.
  Real find_smallest_extent() const {
    const Real a = A_.extent(), b = B_.extent();
    return a > 0 && b > 0 ? std::min(a, b) : a + b > 0 ? a + b : 1;
  }

  // --- Half-space ---------------------------------------------------------------------------------------------------

  Result solve_half_space(NearestPoints& at) const {
    at.n = X_AB_.R.col(2);
    at.a = support<Real>(A_, -at.n);
    const Vec a_B = X_AB_.inverse() * at.a;
    at.gap = a_B.z();
    at.b = {a_B.x(), a_B.y(), 0};
    Result result;
    result.is_certified = true;
    result.lead = kRealInfinity;
    return result;
  }

  // --- Circle -------------------------------------------------------------------------------------------------------

  Result solve_circle(NearestPoints& at) const {
    const Pose<Real> X_BA = X_AB_.inverse();
    Candidates found(1, scale_);
    add_circle_minima(A_.size.x(), {X_BA.R.cast<double>(), X_BA.p.cast<double>()}, B_, [&](const CircleMinimum& m) {
      const Real r = A_.size.x();
      NearestPoints local;
      local.a = Vec(r * std::cos(Real(m.angle)), r * std::sin(Real(m.angle)), 0);
      local.b = m.foot.p.cast<Real>();
      local.n = X_AB_.R * m.foot.n.cast<Real>();
      local.set_B = m.foot.set;
      if (!polish(A_, B_, X_AB_, local) || !is_near(local, m)) return false;
      found.add(local);
      return true;
    });
    return pick(found, at);
  }

  template <class Add>
  void add_circle_minima(Real radius, const Pose<double>& X_BC, const Body& B, const Add& add) const {
    for (const CircleMinimum& m : find_circle_minima(static_cast<double>(radius), X_BC, B)) {
      if (!add(m)) failures_ = true;
    }
  }

  /// Whether Newton has stayed where it started. A circle that runs through a body has its deepest point on a ridge,
  /// which solves no conditions.
  bool is_near(const NearestPoints& local, const CircleMinimum& m) const {
    return std::abs(local.gap - m.foot.distance) < 1e-9L * scale_;
  }

  Result pick(const Candidates& found, NearestPoints& at) const {
    Result result;
    if (found.is_empty()) return result;
    at = found.best();
    result.is_certified = !failures_;
    result.lead = found.lead();
    return result;
  }

  // --- Bowl ---------------------------------------------------------------------------------------------------------

  /// A convex body and a bowl: what is nearest to the flat part, the rim and the hollow.
  Result solve_bowl(NearestPoints& at) const {
    Candidates found(1, scale_);
    add_flat(found);
    add_rim(found);
    add_hollow(found);
    Result result = pick(found, at);
    if (result.is_certified) result.is_certified = !is_at_rim_and_inside(at) && has_no_deeper_point(at.gap);
    return result;
  }

  /// A body that cuts into the bowl at its rim can get out by either side of it: then the gap is no nearest distance.
  bool is_at_rim_and_inside(const NearestPoints& at) const {
    const Real from_rim = std::hypot(at.b.head<2>().norm() - B_.size.y(), at.b.z());
    return at.gap < 0 && from_rim < -20 * at.gap;
  }
  /// Away from the rim the gap is the least signed distance of A's points from the bowl: tried with points all over A
  /// and with those nearest to the rim. One that is deeper shows that A is too deep inside for any of the places above.
  bool has_no_deeper_point(Real gap) const {
    constexpr int kTurns = 48;
    const Pose<Real> X_BA = X_AB_.inverse();
    const auto is_deeper = [&](const V& a) {
      const Vec x = X_BA * a.cast<Real>().eval();
      return find_foot(B_, x.cast<double>()).distance < static_cast<double>(gap - 1e-12L * scale_);
    };
    for (int i = 0; i <= kTurns; ++i) {
      for (int k = 0; k < 2 * kTurns; ++k) {
        const double up = std::numbers::pi * (i - kTurns / 2.0) / kTurns, around = std::numbers::pi * k / kTurns;
        const V u(std::cos(up) * std::cos(around), std::cos(up) * std::sin(around), std::sin(up));
        if (is_deeper(support<double>(A_, u))) return false;
      }
    }
    const auto minima =
        find_circle_minima(static_cast<double>(B_.size.y()), {X_AB_.R.cast<double>(), X_AB_.p.cast<double>()}, A_);
    return std::none_of(minima.begin(), minima.end(), [&](const CircleMinimum& m) { return is_deeper(m.foot.p); });
  }

  /// A solution of the conditions whose points are on the right sides: where the gap is negative, the body's point is
  /// in the bowl's body.
  void offer(const NearestPoints& local, Candidates& found) const {
    if (local.gap < -1e-12L * scale_ && local.set_B.bits != 3u) {
      const Vec a_B = X_AB_.inverse() * local.a;
      for (const Constraint& c : B_.constraints) {
        if (c.evaluate(a_B).value > 1e-12L * scale_) return;
      }
    }
    found.add(local);
  }

  void add_flat(Candidates& found) const {
    NearestPoints local;
    local.n = X_AB_.R.col(2);
    local.a = support<Real>(A_, -local.n);
    const Vec a_B = X_AB_.inverse() * local.a;
    if (a_B.head<2>().norm() < B_.size.y()) return;
    local.b = {a_B.x(), a_B.y(), 0};
    local.gap = a_B.z();
    local.set_B = {1u, false};
    offer(local, found);
  }

  void add_rim(Candidates& found) const {
    add_circle_minima(B_.size.y(), {X_AB_.R.cast<double>(), X_AB_.p.cast<double>()}, A_, [&](const CircleMinimum& m) {
      const Real r = B_.size.y();
      NearestPoints local;
      local.a = m.foot.p.cast<Real>();
      local.b = Vec(r * std::cos(Real(m.angle)), r * std::sin(Real(m.angle)), 0);
      local.n = -m.foot.n.cast<Real>();
      local.set_A = m.foot.set;
      local.set_B = {3u, false};
      const bool has_place = polish(A_, B_, X_AB_, local);
      if (has_place) offer(local, found);
      // No solution: the rim's point is hidden behind the flat part or the hollow, unless it is in A.
      return (has_place && is_near(local, m)) || m.foot.distance > 1e-6L * scale_;
    });
  }

  void add_hollow(Candidates& found) const {
    const Real radius = B_.size.x();
    const Vec centre = X_AB_ * B_.hollow_centre();
    const V up = X_AB_.R.col(2).cast<double>();
    const double highest = static_cast<double>(-B_.size.z() / radius);
    const Real known = found.is_empty() ? kRealInfinity : found.best().gap;
    const double least = std::isinf(known) ? -1e300 : static_cast<double>(radius - known) * (1 - 1e-12);
    const Directions directions = find_farthest_directions(
        A_, centre.cast<double>(), least, [&](const V& u, double margin) { return up.dot(u) <= highest + margin; });
    if (!directions.is_complete) failures_ = true;
    std::vector<Vec> ends;
    for (const auto& spot : directions.spots) {
      const Vec end = climb(centre, spot.n.cast<Real>());
      const auto is_end = [&](const Vec& other) { return (other - end).norm() < 1e-4L * scale_; };
      if (std::any_of(ends.begin(), ends.end(), is_end)) continue;
      ends.push_back(end);
      add_hollow_at(centre, end, found);
    }
  }

  /// Towards a local maximum of |a − centre|: the farthest point in the direction of the last one.
  Vec climb(const Vec& centre, Vec u) const {
    Vec a = support<Real>(A_, u);
    for (int i = 0; i < 200; ++i) {
      u = (a - centre).normalized();
      const Vec next = support<Real>(A_, u);
      const Real step = (next - a).norm();
      a = next;
      if (step <= 1e-9L * scale_) break;
    }
    return a;
  }

  void add_hollow_at(const Vec& centre, const Vec& end, Candidates& found) const {
    NearestPoints local;
    const Vec u = (end - centre).normalized();
    local.a = end;
    local.b = X_AB_.inverse() * Vec(centre + B_.size.x() * u);
    local.n = -u;
    local.set_A = find_active(A_, end, 1e-9L * A_.extent());
    local.set_B = {2u, false};
    // A local maximum of the distance from the centre; Newton may leave it for a saddle.
    if (polish(A_, B_, X_AB_, local) && (local.a - end).norm() < 1e-3L * scale_) offer(local, found);
  }

  const Body& A_;
  const Body& B_;
  Pose<Real> X_AB_;
  Real scale_;
  mutable bool failures_ = false;
};

/// The rotation nearest to one that is rounded: one step of Newton's iteration for the polar decomposition.
Pose<Real> orthonormalized(const Pose<Real>& X) {
  const Matrix3<Real> RtR = X.R.transpose() * X.R;
  return {X.R * (3 * Matrix3<Real>::Identity() - RtR) / 2, X.p};
}

/// Whether the solver wants the two the other way round.
bool must_swap(const Body& A, const Body& B) {
  if (!A.is_bounded()) return true;
  return B.kind == Kind::circle && A.kind != Kind::circle;
}

}  // namespace

Result calc_distance(const Shape& A, const Pose<Real>& rounded_WA, const Shape& B, const Pose<Real>& rounded_WB) {
  const Body body_A = make_body(A), body_B = make_body(B);
  if (must_swap(body_A, body_B)) {
    Result result = calc_distance(B, rounded_WB, A, rounded_WA);
    result.N = -result.N;
    std::swap(result.p_A, result.p_B);
    return result;
  }
  const Pose<Real> X_WA = orthonormalized(rounded_WA), X_WB = orthonormalized(rounded_WB);
  NearestPoints at;
  Result result = Solver(body_A, body_B, X_WA.inverse() * X_WB).solve(at);
  result.gap = at.gap - body_A.radius - body_B.radius;
  result.N = X_WA.R * at.n;
  result.p_A = X_WA * at.a - body_A.radius * result.N;
  result.p_B = X_WB * at.b + body_B.radius * result.N;
  result.normal_sensitivity = at.normal_sensitivity;
  result.point_sensitivity = at.point_sensitivity;
  return result;
}

Real calc_separation(const Shape& A, const Pose<Real>& rounded_WA, const Shape& B, const Pose<Real>& rounded_WB,
                     const Vec& N) {
  const Body body_A = make_body(A), body_B = make_body(B);
  const Pose<Real> X_WA = orthonormalized(rounded_WA), X_WB = orthonormalized(rounded_WB);
  const Vec n = (X_WA.R.transpose() * N).normalized();
  return calc_separation(body_A, body_B, X_WA.inverse() * X_WB, n) - body_A.radius - body_B.radius;
}

}  // namespace thenar::reference
