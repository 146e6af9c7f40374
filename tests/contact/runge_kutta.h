// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thenar::test {

/// One step of the classical method of order four for ẏ = f(t, y).
template <class Vector, class F>
Vector runge_kutta_step(const F& f, double t, const Vector& y, double h) {
  const Vector k1 = f(t, y);
  const Vector k2 = f(t + h / 2, Vector(y + h / 2 * k1));
  const Vector k3 = f(t + h / 2, Vector(y + h / 2 * k2));
  const Vector k4 = f(t + h, Vector(y + h * k3));
  return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

}  // namespace thenar::test
