// SPDX-License-Identifier: BSD-3-Clause
//
// Gap, rate and acceleration as functions of q, v and v̇, against differences along motions of a model: an object that
// flies freely, touched by a finger of two joints or by the world. Lengths of order 0.1 m to 1 m, speeds of order 1.

#include "thenar/contact/gap_function.h"

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <optional>

#include "random_contacts.h"
#include "thenar/geometry/distance.h"
#include "thenar/model/model_builder.h"
#include "thenar/spatial/rotation.h"

namespace thenar::gap_function_test {
namespace {

using test::compose;
using test::inverse;
using test::make_facing_pose;
using test::Random;
using test::random_point;
using L = long double;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kDofs = 8;  // two hinges, then the object

struct Scene {
  Model model;
  BodyIndex tip, object;
};

Scene make_scene(Random& random) {
  const auto pose = [&] {
    return Pose<double>{rotation_from_rpy(random.vector(3).eigen()), random.vector(0.3).eigen()};
  };
  ModelBuilder builder;
  const MassProperties mass = mass_properties_from_mass(Sphere{0.1}, 1);
  BodyIndex parent = kWorld;
  for (const char* name : {"base", "tip"}) {
    JointSpec joint{.name = std::string(name) + "_hinge", .kind = JointKind::revolute};
    joint.X_PF = pose();
    joint.X_BM = pose();
    joint.axis = random.vector(1).eigen();
    parent = builder.add_body({name, mass}, parent, joint);
  }
  const BodyIndex object =
      builder.add_body({"object", mass}, kWorld, JointSpec{.name = "flight", .kind = JointKind::free});
  return {std::move(builder).finalize(), parent, object};
}

/// A random feature of a random shape, at a random pose on a body.
ContactSide random_side(BodyIndex body, Random& random) {
  static const std::vector<Shape> shapes = {Sphere{0.3},
                                            Ellipsoid{{0.3, 0.2, 0.4}},
                                            Cylinder{0.2, 0.5},
                                            Capsule{0.2, 0.3},
                                            Cone{0.2, 0.4},
                                            Box{{0.3, 0.4, 0.5}},
                                            RoundedBox{{0.3, 0.4, 0.5}, 0.1},
                                            Torus{0.3, 0.1},
                                            Rod{0.5},
                                            Ellipse{0.3, 0.2},
                                            Plane{},
                                            Bowl{1.5, 0.7}};
  const GrownCore core = make_core(shapes[static_cast<std::size_t>(random.uniform(0, 11.999))]);
  const int feature = static_cast<int>(random.uniform(0, feature_count(core.core.kind) - 1e-9));
  return make_contact_side(body, core, {rotation_from_rpy(random.vector(3).eigen()), random.vector(0.1).eigen()},
                           feature);
}

Placement<double> to_placement(const Pose<double>& X) { return {Mat3<double>(X.R), Vec3<double>(X.p)}; }

/// A state in which random places of both sides face each other, A on the object.
struct Start {
  VectorX<double> q;
  ContactElement<double> A, B;  ///< in world axes
};
Start make_start(const Scene& scene, const ContactSide& A, const ContactSide& B, double gap, Random& random) {
  Start start;
  start.q = scene.model.neutral_position();
  start.q.head<2>() << random.uniform(-1, 1), random.uniform(-1, 1);
  Workspace<double> ws(scene.model);
  update_positions(scene.model, start.q.data(), ws);
  const Placement<double> X_WB = compose(calc_body_pose(scene.model, ws, B.body), to_placement(B.X_BF));
  const ChartedPoint<double> a = random_point(A.surface, random), b = random_point(B.surface, random);
  const ContactElement<double> e_A = evaluate(A.surface, a.chart, a.u), e_B = evaluate(B.surface, b.chart, b.u);
  const Placement<double> X_WA = compose(X_WB, inverse(make_facing_pose(e_A, e_B, random.uniform(-3, 3), gap)));
  const Placement<double> X_WO = compose(X_WA, inverse(to_placement(A.X_BF)));
  start.q.segment<3>(2) = X_WO.p.eigen();
  start.q.segment<4>(5) = quaternion_from_rotation(X_WO.R.eigen());
  start.A = transform(X_WA, e_A);
  start.B = transform(X_WB, e_B);
  return start;
}

template <class T>
using Velocities = Eigen::Matrix<T, kDofs, 1>;

/// The motion q(t) = q₀ ⊕ x(t) with x = v t + a t²/2: at t = 0 the velocities are v and their rates a. (Of rotations in
/// space the velocity is J(x) ẋ, with J = 1 + x×/2 + …, and x × ẋ vanishes to second order.)
struct QuadraticMotion {
  VectorX<double> q;
  Velocities<double> v, a;

  /// Brings the workspace to time t.
  void update(const Model& model, L t, Workspace<L>& ws) const {
    const Velocities<L> x = v.cast<L>() * t + a.cast<L>() * (t * t / 2), rate = v.cast<L>() + a.cast<L>() * t;
    const VectorX<L> q0 = q.cast<L>();
    VectorX<L> q_t = q0;
    integrate_position<L>(model, q0.data(), x.data(), q_t.data());
    update_positions<L>(model, q_t.data(), ws);
    Velocities<L> v_t = rate;
    v_t.segment<3>(2) = left_jacobian<L>(Vec3<L>(x(2), x(3), x(4)), Vec3<L>(rate(2), rate(3), rate(4))).eigen();
    update_velocities<L>(model, v_t.data(), ws);
  }
};

/// gap, v_C, ω_C at an instant.
using Facts = Eigen::Matrix<L, 7, 1>;
Facts find_facts(const Scene& scene, const QuadraticMotion& motion, GapFunction<L> gap, L t,
                 const ContactFrame<L>& start) {
  Workspace<L> ws(scene.model);
  motion.update(scene.model, t, ws);
  EXPECT_EQ(gap.update_positions(ws), FacingStatus::found);
  gap.update_velocities(ws);
  const ContactFrame<L> frame = carry_frame<L>(start, gap.N());
  Facts facts;
  facts << gap.gap(), express_in(frame, gap.velocity().v).eigen(), express_in(frame, gap.velocity().w).eigen();
  return facts;
}

/// Rows of Wᵀ: v_C, then ω_C, per velocity.
Eigen::Matrix<L, 6, Eigen::Dynamic> calc_rows(const Scene& scene, const Workspace<L>& ws, const GapFunction<L>& gap,
                                              const ContactSide& A, const ContactSide& B,
                                              const ContactFrame<L>& frame) {
  const auto jacobian = [&](BodyIndex body, const Vec3<L>& p_W) {
    const Placement<L> X = calc_body_pose(scene.model, ws, body);
    Eigen::Matrix<L, 6, Eigen::Dynamic> J(6, kDofs);
    calc_jacobian<L>(scene.model, ws, body, X.R.transpose_times(p_W - X.p), J);
    return J;
  };
  const Eigen::Matrix<L, 6, Eigen::Dynamic> J = jacobian(A.body, gap.place().A.p) - jacobian(B.body, gap.place().B.p);
  Matrix3<L> C;
  C << frame.N.eigen(), frame.T.eigen(), frame.U.eigen();
  Eigen::Matrix<L, 6, Eigen::Dynamic> rows(6, kDofs);
  rows << C.transpose() * J.bottomRows<3>(), C.transpose() * J.topRows<3>();
  return rows;
}

/// False if the pair conforms or is so near to it that it runs away.
bool compare_with_differences(const Scene& scene, const ContactSide& A, const ContactSide& B, double distance,
                              Random& random) {
  const Start start = make_start(scene, A, B, distance, random);
  QuadraticMotion motion{start.q, {}, {}};
  for (int i = 0; i < kDofs; ++i) motion.v(i) = random.uniform(-1, 1), motion.a(i) = random.uniform(-1, 1);

  GapFunction<L> gap(scene.model, A, B);
  Workspace<L> ws(scene.model);
  motion.update(scene.model, 0, ws);
  gap.start_at(ws, start.A.p.cast<L>(), start.B.p.cast<L>(), start.B.n.cast<L>());
  if (gap.update_positions(ws) != FacingStatus::found) return false;
  gap.update_velocities(ws);
  const ContactVelocity<L>& rates = gap.velocity();
  const L speed = rates.u_A.norm() + rates.u_B.norm();
  if (!(speed < 30)) return false;
  EXPECT_NEAR(static_cast<double>(gap.gap()), distance, 1e-13);

  const ContactFrame<L> frame = make_contact_frame<L>(gap.N(), false);
  const Velocities<L> vdot = motion.a.cast<L>();
  const ContactAcceleration<L> second = gap.calc_acceleration(ws, vdot.data());
  const Eigen::Matrix<L, 6, Eigen::Dynamic> W_rows = calc_rows(scene, ws, gap, A, B, frame);
  const ContactDrift<L> drift = gap.calc_drift(frame);
  Eigen::Matrix<L, 6, 1> drift_sum;
  drift_sum << drift.sum().linear.eigen(), drift.sum().angular.eigen();
  const Eigen::Matrix<L, 6, 1> relative = W_rows * motion.v.cast<L>(), relative_rate = W_rows * vdot + drift_sum;

  // v = Wᵀ V, and its first row is the gap rate. Shapes and poses are doubles, rotations of them to kEps.
  EXPECT_LT((relative.head<3>() - express_in(frame, rates.v).eigen()).norm(), 32 * kEps);
  EXPECT_LT((relative.tail<3>() - express_in(frame, rates.w).eigen()).norm(), 32 * kEps);
  EXPECT_LT(std::abs(relative(0) - rates.gap), 32 * kEps);
  EXPECT_LT(std::abs(relative_rate(0) - second.gap), 32 * kEps * (1 + speed) * (1 + speed));

  const L h = 2e-3L / (1 + speed + std::sqrt(second.u_A.norm() + second.u_B.norm()));
  std::array<Facts, 9> f;  // at −2h, −3h/2, … 2h
  for (int i = 0; i < 9; ++i) f[i] = find_facts(scene, motion, gap, (i - 4) * h / 2, frame);
  const auto first = [&](int step) -> Facts {
    const L width = step * h / 2;
    return ((f[4 + step] - f[4 - step]) * 8 - (f[4 + 2 * step] - f[4 - 2 * step])) / (12 * width);
  };
  const auto second_of_gap = [&](int step) {
    const L width = step * h / 2;
    const auto g = [&](int k) { return f[4 + k * step](0); };
    return ((g(1) + g(-1)) * 16 - (g(2) + g(-2)) - g(0) * 30) / (12 * width * width);
  };
  // Fourth order: the change when the step is halved is 15 times the error that is left. Rotations that are orthogonal
  // to kEps only make normals that are; they stay the same along the motion but for turning, which costs kEps of the
  // rates.
  const L slack = 64 * kEps * (1 + speed);
  const Facts fine = first(1), coarse = first(2);
  const auto expect_rate = [&](int i, L expected) {
    EXPECT_LT(std::abs(fine(i) - expected), std::abs(fine(i) - coarse(i)) + slack + 1e-17L / h) << "fact " << i;
  };
  expect_rate(0, rates.gap);
  for (int i = 0; i < 6; ++i) expect_rate(1 + i, relative_rate(i));
  const L fine2 = second_of_gap(1), coarse2 = second_of_gap(2);
  EXPECT_LT(std::abs(fine2 - second.gap), std::abs(fine2 - coarse2) + slack * (1 + speed) + 1e-16L / (h * h));
  return true;
}

TEST(GapFunction, RateAndAccelerationEqualDifferences) {
  Random random(71);
  int compared = 0;
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE(i);
    const Scene scene = make_scene(random);
    const ContactSide A = random_side(scene.object, random), B = random_side(i % 3 == 0 ? kWorld : scene.tip, random);
    compared += compare_with_differences(scene, A, B, i % 2 == 0 ? 0 : random.uniform(-0.02, 0.2), random) ? 1 : 0;
  }
  EXPECT_GT(compared, 250);
}

/// The gap and its derivatives by q, as many at a time as a dual carries; nothing where no gap is found.
std::optional<double> calc_gap_by_duals(const Scene& scene, const ContactSide& A, const ContactSide& B,
                                        const Start& start, std::array<double, kDofs>& gradient) {
  std::optional<double> out;
  for (int first = 0; first < kDofs; first += Dual4::kDirections) {
    const int count = std::min(Dual4::kDirections, kDofs - first);
    std::vector<Dual4> q0, dq(kDofs, Dual4(0));
    for (const double x : start.q) q0.push_back(Dual4(x));
    std::vector<Dual4> q = q0;
    for (int k = 0; k < count; ++k) dq[static_cast<std::size_t>(first + k)].seed(k, 1);
    integrate_position<Dual4>(scene.model, q0.data(), dq.data(), q.data());
    Workspace<Dual4> ws(scene.model);
    update_positions<Dual4>(scene.model, q.data(), ws);
    GapFunction<Dual4> gap(scene.model, A, B);
    gap.start_at(ws, start.A.p.cast<Dual4>(), start.B.p.cast<Dual4>(), start.B.n.cast<Dual4>());
    if (gap.update_positions(ws) != FacingStatus::found) return std::nullopt;
    for (int k = 0; k < count; ++k) gradient[static_cast<std::size_t>(first + k)] = gap.gap().gradient()[k];
    out = gap.gap().value();
  }
  return out;
}

/// Duals through Newton's method: the derivative of the gap by q is row N of Wᵀ.
TEST(GapFunction, GradientByDualsIsTheNormalRow) {
  Random random(72);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const Scene scene = make_scene(random);
    const ContactSide A = random_side(scene.object, random), B = random_side(scene.tip, random);
    const Start start = make_start(scene, A, B, 0.05, random);
    std::array<double, kDofs> gradient;
    const std::optional<double> distance = calc_gap_by_duals(scene, A, B, start, gradient);
    if (!distance) continue;

    // The same in long double.
    Workspace<L> ws_L(scene.model);
    const VectorX<L> q_L = start.q.cast<L>();
    update_positions<L>(scene.model, q_L.data(), ws_L);
    GapFunction<L> gap_L(scene.model, A, B);
    gap_L.start_at(ws_L, start.A.p.cast<L>(), start.B.p.cast<L>(), start.B.n.cast<L>());
    ASSERT_EQ(gap_L.update_positions(ws_L), FacingStatus::found);
    const ContactFrame<L> frame = make_contact_frame<L>(gap_L.N(), false);
    const Eigen::Matrix<L, 6, Eigen::Dynamic> W_rows = calc_rows(scene, ws_L, gap_L, A, B, frame);
    EXPECT_NEAR(*distance, static_cast<double>(gap_L.gap()), 64 * kEps);
    // Errors of the place, up to 1e-11 where features nearly conform, enter the row to first order.
    for (int k = 0; k < kDofs; ++k) {
      EXPECT_NEAR(gradient[static_cast<std::size_t>(k)], static_cast<double>(W_rows(0, k)), 1e-11);
    }
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

/// The tip of a pendulum over a floor: gap = h − l cos θ.
TEST(GapFunction, PinnedTipOfPendulumHasItsClosedForm) {
  const double l = 0.4, h = 0.5, angle = 0.7, rate = 1.3, acceleration = -2.1;
  ModelBuilder builder;
  JointSpec hinge{.name = "hinge", .kind = JointKind::revolute};
  hinge.X_PF = Pose<double>::translation({0, 0, h});
  hinge.axis = {0, 1, 0};
  const BodyIndex rod = builder.add_body({"rod", mass_properties_from_mass(Rod{l}, 1)}, kWorld, hinge);
  const Model model = std::move(builder).finalize();
  GapFunction<double> gap(model, make_pinned_side(rod, {0, 0, -l}),
                          make_contact_side(kWorld, make_core(Plane{}), Pose<double>{}, 0));
  Workspace<double> ws(model);
  update_positions(model, &angle, ws);
  gap.start_at(ws, {0.1, 0.1, 0.1}, {0, 0, 0}, {0, 0, 1});
  ASSERT_EQ(gap.update_positions(ws), FacingStatus::found);
  update_velocities(model, &rate, ws);
  gap.update_velocities(ws);
  EXPECT_NEAR(gap.gap(), h - l * std::cos(angle), 4 * kEps);
  EXPECT_NEAR(gap.velocity().gap, l * std::sin(angle) * rate, 4 * kEps);
  EXPECT_NEAR(gap.calc_acceleration(ws, &acceleration).gap,
              l * std::cos(angle) * rate * rate + l * std::sin(angle) * acceleration, 8 * kEps);
  // A pinned point does not travel over its body.
  EXPECT_EQ(dot(gap.velocity().travel_A, gap.velocity().travel_A), 0);
}

/// Started at the witness points of distance.h it finds the same place, and follows it.
TEST(GapFunction, StartsFromAFoundContact) {
  Random random(73);
  const GrownCore finger = make_core(Capsule{0.1, 0.4}), egg = make_core(Ellipsoid{{0.2, 0.15, 0.3}});
  for (int i = 0; i < 50; ++i) {
    const Scene scene = make_scene(random);
    VectorX<double> q = scene.model.neutral_position();
    q.segment<3>(2) = random.vector(1).eigen();
    q.segment<4>(5) = quaternion_from_rotation(rotation_from_rpy(random.vector(3).eigen()));
    Workspace<double> ws(scene.model);
    update_positions(scene.model, q.data(), ws);
    const auto pose = [&](BodyIndex body) {
      const Placement<double> X = calc_body_pose(scene.model, ws, body);
      return Pose<double>{X.R.eigen(), X.p.eigen()};
    };
    PairMemory memory;
    const Proximity found = find_closest(egg, pose(scene.object), finger, pose(scene.tip), memory);
    GapFunction<double> gap(scene.model, make_contact_side(scene.object, egg, {}, found.feature_A),
                            make_contact_side(scene.tip, finger, {}, found.feature_B));
    gap.start_at(ws, found.p_A, found.p_B, found.N);
    ASSERT_EQ(gap.update_positions(ws), FacingStatus::found);
    EXPECT_NEAR(gap.gap(), found.gap, 1e-14);
    EXPECT_LT(norm(gap.N() - found.N), 1e-13);
  }
}

}  // namespace
}  // namespace thenar::gap_function_test
