// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The grasp of planar_grasp.h under SYK's law of control, with compliant layers between the links and the ellipse
/// (SYK 13), as one system of explicit equations: layers press, stick and slip by formulas, so that no events are
/// looked for. Classical Runge–Kutta steps of a fixed length. Shares nothing with the library.

#include "planar_grasp.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

/// Computed torque: SYK 4.2 with the choice of forces of thenar/control/whole_arm.h, (1) to (5) there.
struct PlanarLaw {
  double kp = 400, kd = 40;
  Vector4 grasp = Vector4::Constant(2);  ///< N

  /// Where the path makes the contacts slip: ±1, and less where a slip is about to reverse.
  static Vector4 plan_directions(const PlanarContacts& contacts, const Eigen::Vector3d& way) {
    constexpr double kReversal = 0.01;
    const Vector4 turns = -solve_columns(contacts.N.rightCols<4>(), contacts.N.leftCols<3>() * way);
    const Vector4 slip = contacts.T.leftCols<3>() * way + contacts.T.rightCols<4>() * turns;
    const Vector4 along = contacts.T.leftCols<3>() * way, into = contacts.N.leftCols<3>() * way;
    const double speed = std::sqrt((along.squaredNorm() + into.squaredNorm()) / 4);
    return (slip / (kReversal * speed)).unaryExpr([](double x) {
      return std::abs(x) < 1 ? x * (15 - 10 * x * x + 3 * x * x * x * x) / 8 : std::copysign(1, x);
    });
  }

  /// The normal forces with W λ = wrench that minimize Σ λ − g log λ. W leaves one of four free: along that line the
  /// function is convex, and infinite where a force is 0.
  Vector4 share(const Eigen::Matrix<double, 3, 4>& W, const Eigen::Vector3d& wrench) const {
    const VectorX<double> some = MatrixX<double>(W).completeOrthogonalDecomposition().solve(VectorX<double>(wrench));
    const Vector4 free = kernel_of(Eigen::FullPivLU<MatrixX<double>>(MatrixX<double>(W))).col(0).normalized();
    double from = -std::numeric_limits<double>::infinity(), to = -from;
    for (int i = 0; i < 4; ++i) {
      if (free(i) > 0) from = std::max(from, -some(i) / free(i));
      if (free(i) < 0) to = std::min(to, -some(i) / free(i));
    }
    // Where the line has no end the sum of forces grows along it.
    const double reach = some.cwiseAbs().maxCoeff() + grasp.maxCoeff();
    if (!std::isfinite(from)) from = std::min(0.0, to) - 1e3 * reach;
    if (!std::isfinite(to)) to = std::max(0.0, from) + 1e3 * reach;
    for (int step = 0; step < 200 && to > from; ++step) {
      const double middle = (from + to) / 2;
      if (middle == from || middle == to) break;
      const Vector4 force = some + middle * free;
      const double slope = free.dot(Vector4::Ones() - grasp.cwiseQuotient(force));
      (slope < 0 ? from : to) = middle;
    }
    return some + (from + to) / 2 * free;
  }

  struct Answer {
    Vector7 effort;  ///< on the absolute angles of the links, none on the ellipse
    Vector4 force;   ///< that the law counts on, along N
    Vector4 direction;
  };
  Answer apply(const PlanarExample& example, double t, const Vector7& q, const Vector7& v) const {
    const PlanarGrasp& grasp_model = example.grasp;
    const PlanarTask& task = example.task;
    const PlanarContacts contacts = grasp_model.find_contacts(q);
    Vector7 motion;
    motion.head<3>() = task.acceleration(t) + kd * (task.rate(t) - v.head<3>()) + kp * (task.position(t) - q.head<3>());
    motion.tail<4>() = -solve_columns(contacts.N.rightCols<4>(),
                                      contacts.N.leftCols<3>() * motion.head<3>() + grasp_model.calc_drift(q, v));
    const Vector7 needed = grasp_model.calc_mass(q) * motion + grasp_model.calc_bias(q, v);
    Answer out;
    out.direction = plan_directions(contacts, task.way());
    const Matrix47 W = grasp_model.calc_sliding_rows(contacts, out.direction);
    out.force = share(W.leftCols<3>().transpose(), needed.head<3>());
    out.effort = needed - W.transpose() * out.force;
    out.effort.head<3>().setZero();
    return out;
  }
};

/// Motion and shears; `offset` is how deep a layer is pressed where link and ellipse just touch.
struct LayeredState {
  Vector7 q, v;
  Vector4 shear = Vector4::Zero();
};

struct LayerForces {
  Vector4 normal, tangential;  ///< N, on the ellipse along N and T
};

/// Which shear layers begin with at a contact that slides.
enum class ShearStart {
  steady,  ///< δ̇_T = 0: the spring alone carries the friction (SYK 4.1)
  none,    ///< no shear
  stuck    ///< as if it stuck, ṡ = u: spring and damper together carry it
};

class PlanarLayers {
 public:
  PlanarExample example;
  PlanarLaw law;
  double epsilon = 1e-3;
  Vector4 offset = Vector4::Zero();
  double side_force = 0;  ///< N, on the ellipse along x

  double stiffness() const { return example.grasp.mass / epsilon; }
  double damping() const { return example.grasp.mass / std::sqrt(epsilon); }

  /// On the planned path at t, with layers that carry the planned forces without having moved anything.
  LayeredState begin(double t, ShearStart start) {
    LayeredState out;
    out.q = example.plan(t);
    out.v = example.grasp.follow(out.q, example.task.rate(t));
    const PlanarLaw::Answer plan = law.apply(example, t, out.q, out.v);
    offset = plan.force / stiffness();
    const Vector4 friction = -example.grasp.mu.cwiseProduct(plan.direction).cwiseProduct(plan.force);
    const Vector4 slip = example.grasp.find_contacts(out.q).T * out.v;
    if (start == ShearStart::steady) out.shear = -friction / stiffness();
    if (start == ShearStart::stuck) out.shear = -(friction + damping() * slip) / stiffness();
    return out;
  }
  /// At rest where the path begins, links pressed into the ellipse until layers carry the planned forces; no shear.
  LayeredState begin_pressed() {
    LayeredState out = begin(0, ShearStart::none);
    const Vector4 depth = offset;
    offset.setZero();
    for (int step = 0; step < 30; ++step) {
      const PlanarContacts contacts = example.grasp.find_contacts(out.q);
      out.q.tail<4>() -= solve_columns(contacts.N.rightCols<4>(), contacts.gap + depth);
    }
    return out;
  }

  LayerForces calc_forces(const LayeredState& state) const { return evaluate(state).forces; }

  /// Steps of h (s) from `t` to `until`; `look(t, state)` sees the start and every step.
  template <class Look>
  void run(double t, double until, double h, LayeredState state, const Look& look) const {
    const auto count = static_cast<int>(std::ceil((until - t) / h - 1e-9));
    h = (until - t) / count;
    look(t, state);
    for (int i = 0; i < count; ++i) {
      const double now = t + i * h;
      const LayeredState k1 = calc_rate(now, state), k2 = calc_rate(now + h / 2, shift(state, k1, h / 2));
      const LayeredState k3 = calc_rate(now + h / 2, shift(state, k2, h / 2));
      const LayeredState k4 = calc_rate(now + h, shift(state, k3, h));
      const auto add = [h](auto& x, const auto& a, const auto& b, const auto& c, const auto& d) {
        x += h / 6 * (a + 2 * b + 2 * c + d);
      };
      add(state.q, k1.q, k2.q, k3.q, k4.q);
      add(state.v, k1.v, k2.v, k3.v, k4.v);
      add(state.shear, k1.shear, k2.shear, k3.shear, k4.shear);
      look(t + (i + 1) * h, state);
    }
  }

 private:
  struct Evaluation {
    PlanarContacts contacts;
    LayerForces forces;
    Vector4 shear_rate;
  };
  Evaluation evaluate(const LayeredState& state) const {
    Evaluation out{example.grasp.find_contacts(state.q), {}, {}};
    const Vector4 depth = offset - out.contacts.gap, rate = -out.contacts.N * state.v, slip = out.contacts.T * state.v;
    const double K = stiffness(), C = damping();
    for (int i = 0; i < 4; ++i) {
      const double pressure = K * depth(i) + C * rate(i), wanted = K * state.shear(i) + C * slip(i);
      out.forces.normal(i) = depth(i) > 0 ? std::max(pressure, 0.0) : 0;
      const double limit = example.grasp.mu(i) * out.forces.normal(i);
      out.forces.tangential(i) = -std::clamp(wanted, -limit, limit);
      out.shear_rate(i) = -(out.forces.tangential(i) + K * state.shear(i)) / C;
    }
    return out;
  }
  LayeredState calc_rate(double t, const LayeredState& state) const {
    const Evaluation at = evaluate(state);
    Vector7 effort = law.apply(example, t, state.q, state.v).effort - example.grasp.calc_bias(state.q, state.v);
    effort += at.contacts.N.transpose() * at.forces.normal + at.contacts.T.transpose() * at.forces.tangential;
    effort(0) += side_force;
    return {state.v, solve_columns(example.grasp.calc_mass(state.q), effort), at.shear_rate};
  }
  static LayeredState shift(const LayeredState& state, const LayeredState& rate, double h) {
    return {state.q + h * rate.q, state.v + h * rate.v, state.shear + h * rate.shear};
  }
};

}  // namespace thenar::test
