// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_kinematics.h"

#include "thenar/contact/facing_system_internal.h"
#include "thenar/contact/instantiate_internal.h"
#include "thenar/contact/moving_internal.h"

namespace thenar {
namespace {

/// E a: the tangent vector with components a.
template <class T>
Vec3<T> raise(const ContactElement<T>& e, const Vector2<T>& a) {
  return e.x * a(0) + e.y * a(1);
}

/// Eᵀ a.
template <class T>
Vector2<T> project(const ContactElement<T>& e, const Vec3<T>& a) {
  return {dot(e.x, a), dot(e.y, a)};
}

template <class T>
Vector2<T> multiply(const Matrix2<T>& m, const Vector2<T>& a) {
  return {m(0, 0) * a(0) + m(0, 1) * a(1), m(1, 0) * a(0) + m(1, 1) * a(1)};
}

template <class T>
T inner(const Vector2<T>& a, const Vector2<T>& b) {
  return a(0) * b(0) + a(1) * b(1);
}

/// ṅ of (1).
template <class T>
Vec3<T> calc_normal_rate(const ContactElement<T>& e, const Vec3<T>& w, const Vector2<T>& u_rate) {
  return cross(w, e.n) + raise(e, multiply(e.N, u_rate));
}

/// Angular velocity of the Gauss frame: that of the body, what tips n over the surface, and the turn about n.
template <class T>
Vec3<T> calc_frame_turn(const ContactElement<T>& e, const Vec3<T>& w, const Vector2<T>& u_rate) {
  return w + cross(e.n, raise(e, multiply(e.N, u_rate))) + e.n * inner(e.connection, u_rate);
}

}  // namespace

template <class T>
ContactFrame<T> carry_frame(const ContactFrame<T>& frame, const Vec3<T>& N) {
  // Rodrigues with c = N₀ × N = sin θ axis: R a = a + c × a + c × (c × a)/(1 + cos θ).
  const Vec3<T> c = cross(frame.N, N);
  const T factor = T(1) / (T(1) + dot(frame.N, N));
  const Vec3<T> ct = cross(c, frame.T);
  const Vec3<T> carried = frame.T + ct + cross(c, ct) * factor;
  const Vec3<T> tangent = normalized(carried - N * dot(N, carried));  // against rounding over many calls
  return {N, tangent, cross(N, tangent)};
}

template <class T>
T calc_psi(const FacingElements<T>& place) {
  using std::atan2;
  return atan2(-dot(place.A.x, place.B.y), dot(place.A.x, place.B.x));
}

template <class T>
ContactVelocity<T> calc_contact_velocity(const FacingElements<T>& place, const PairMotion<T>& velocity) {
  const ContactElement<T>&A = place.A, &B = place.B;
  ContactVelocity<T> out;
  out.v = velocity.A.linear - velocity.B.linear;
  out.w = velocity.A.angular - velocity.B.angular;
  out.gap = -dot(A.n, out.v);  // (4)

  const internal::FacingSystem<T> system(A, B, place.gap, place.is_flat);
  const internal::PairCoordinates<T> u_rate =
      system.solve(project(A, out.v + cross(velocity.A.angular, A.n) * place.gap),  // (2)
                   project(A, -cross(out.w, A.n)));                                 // (3)
  out.is_regular = system.is_regular();
  out.u_A = u_rate.A;
  out.u_B = u_rate.B;
  out.psi = dot(out.w, A.n) + inner(A.connection, out.u_A) + inner(B.connection, out.u_B);  // (6)
  out.N = -calc_normal_rate(A, velocity.A.angular, out.u_A);
  out.travel_A = raise(A, multiply(A.D, out.u_A));
  out.travel_B = raise(B, multiply(B.D, out.u_B));
  return out;
}

template <class T>
ElementRates<T> calc_element_rates(const Surface& surface, int chart, const Vector2<T>& u, const Vector2<T>& u_rate) {
  using Moving = internal::Moving<T>;
  const Vector2<Moving> moving(Moving(u(0), u_rate(0)), Moving(u(1), u_rate(1)));
  const ContactElement<Moving> e = evaluate(surface, chart, moving);
  ElementRates<T> out;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      out.D(i, j) = e.D(i, j).rate();
      out.N(i, j) = e.N(i, j).rate();
    }
    out.connection(i) = e.connection(i).rate();
  }
  return out;
}

/// With S x = r for (2), (3): S ẋ = ṙ − Ṡ x. The components of a vector in the Gauss frame of A have the rate
/// d(Eᵀ a)/dt = Eᵀ (ȧ − Ω_E × a); those of Q D_B u̇_B follow from Q̇ = −ψ̇ [sin ψ, cos ψ; cos ψ, −sin ψ]
/// = ψ̇ Q [0, −1; 1, 0], by (5).
template <class T>
ContactAcceleration<T> calc_contact_acceleration(const FacingElements<T>& place, const ElementRates<T>& rates_A,
                                                 const ElementRates<T>& rates_B, const PairMotion<T>& velocity,
                                                 const PairMotion<T>& acceleration, const ContactVelocity<T>& rates) {
  const ContactElement<T>&A = place.A, &B = place.B;
  const Vec3<T>&w_A = velocity.A.angular, &w_B = velocity.B.angular;
  const Vec3<T> n_rate = -rates.N;
  const Vec3<T> w_rate = acceleration.A.angular - acceleration.B.angular;
  const Vec3<T> E_turn = calc_frame_turn(A, w_A, rates.u_A);

  // Rates of the right sides. A velocity of a place's material point changes because the point accelerates and because
  // the place travels to another point of the body.
  const Vec3<T> v_rate =
      acceleration.A.linear - acceleration.B.linear + cross(w_A, rates.travel_A) - cross(w_B, rates.travel_B);
  const Vec3<T> lever = cross(w_A, A.n), lever_rate = cross(acceleration.A.angular, A.n) + cross(w_A, n_rate);
  const Vec3<T> right1 = rates.v + lever * place.gap;
  const Vec3<T> right1_rate = v_rate + lever_rate * place.gap + lever * rates.gap;
  const Vec3<T> right2 = -cross(rates.w, A.n);
  const Vec3<T> right2_rate = -cross(w_rate, A.n) - cross(rates.w, n_rate);

  // Ṡ x.
  const auto turned_rate = [&](const Matrix2<T>& M, const Matrix2<T>& M_rate) {
    const Vector2<T> m = multiply(M, rates.u_B), moved = multiply(M_rate, rates.u_B);
    const Vector2<T> in_B(moved(0) - rates.psi * m(1), moved(1) + rates.psi * m(0));
    return project(A, raise(B, in_B));
  };
  const Vector2<T> DA_rate = multiply(rates_A.D, rates.u_A), NA = multiply(A.N, rates.u_A),
                   NA_rate = multiply(rates_A.N, rates.u_A);
  const Vector2<T> left1 = turned_rate(B.D, rates_B.D) - DA_rate - NA * rates.gap - NA_rate * place.gap;
  const Vector2<T> left2 = turned_rate(B.N, rates_B.N) + NA_rate;

  const internal::FacingSystem<T> system(A, B, place.gap, place.is_flat);
  const internal::PairCoordinates<T> u = system.solve(project(A, right1_rate - cross(E_turn, right1)) - left1,
                                                      project(A, right2_rate - cross(E_turn, right2)) - left2);

  ContactAcceleration<T> out;
  out.u_A = u.A;
  out.u_B = u.B;
  out.psi = dot(w_rate, A.n) + dot(rates.w, n_rate) + inner(A.connection, u.A) + inner(B.connection, u.B) +
            inner(rates_A.connection, rates.u_A) + inner(rates_B.connection, rates.u_B);
  out.gap = -dot(A.n, v_rate) + dot(rates.N, rates.v);  // rate of (4)
  return out;
}

template <class T>
ContactDrift<T> calc_contact_drift(const ContactFrame<T>& frame, const PairMotion<T>& velocity,
                                   const PairMotion<T>& bias, const ContactVelocity<T>& rates) {
  const Vec3<T> turn = cross(frame.N, rates.N);
  ContactDrift<T> out;
  out.spin = {express_in(frame, bias.A.angular - bias.B.angular), express_in(frame, bias.A.linear - bias.B.linear)};
  out.travel = {Vec3<T>::zero(), express_in(frame, cross(velocity.A.angular, rates.travel_A) -
                                                       cross(velocity.B.angular, rates.travel_B))};
  out.turn = {express_in(frame, cross(rates.w, turn)), express_in(frame, cross(rates.v, turn))};
  return out;
}

#define THENAR_INSTANTIATE(T)                                                                                     \
  template ContactFrame<T> carry_frame(const ContactFrame<T>&, const Vec3<T>&);                                   \
  template T calc_psi(const FacingElements<T>&);                                                                  \
  template ContactVelocity<T> calc_contact_velocity(const FacingElements<T>&, const PairMotion<T>&);              \
  template ElementRates<T> calc_element_rates(const Surface&, int, const Vector2<T>&, const Vector2<T>&);         \
  template ContactAcceleration<T> calc_contact_acceleration(const FacingElements<T>&, const ElementRates<T>&,     \
                                                            const ElementRates<T>&, const PairMotion<T>&,         \
                                                            const PairMotion<T>&, const ContactVelocity<T>&);     \
  template ContactDrift<T> calc_contact_drift(const ContactFrame<T>&, const PairMotion<T>&, const PairMotion<T>&, \
                                              const ContactVelocity<T>&);
THENAR_FOR_EACH_CONTACT_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
