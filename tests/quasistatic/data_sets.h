// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// PTL's data sets 1 to 4 (section 5).

#include "thenar/quasistatic/quasistatic_problem.h"

namespace thenar::test {

inline QuasistaticProblem make_data_set(int number) {
  const bool is_first = number == 1 || number == 3;
  Eigen::Matrix<double, 6, 3> P;
  if (is_first) {
    P << 0.966, 0.259, 0.000, 0.000, 1.000, 0.240, -0.707, 0.707, 0.750,  //
        -0.259, 0.966, -2.000, -1.000, 0.000, -1.450, -0.707, -0.707, -1.900;
  } else {
    P << 0.804, 0.595, 1.040, -0.707, 0.707, -3.500, -0.973, -0.232, 14.000,  //
        -0.595, 0.804, -20.900, -0.707, -0.707, -17.900, 0.232, -0.973, -7.630;
  }
  QuasistaticProblem out;
  out.W_n = P.topRows(3).transpose();
  out.W_t = P.bottomRows(3).transpose();
  out.J_n = out.J_t = MatrixX<double>::Zero(3, 6);
  for (int i = 0; i < 3; ++i) out.J_n(i, 2 * i) = out.J_t(i, 2 * i + 1) = 1;
  out.is_position_controlled.assign(6, true);
  out.theta_dot.resize(6);
  if (number == 1) out.theta_dot << 0.1, 0.995, 0.1, -0.995, 0.1, 0.995;
  if (number == 3) out.theta_dot << -0.161, 0.987, 0.995, 0.1, -0.774, -0.633;
  if (!is_first) out.theta_dot << 0.92, -0.391, 0.9276, -0.3747, 0.9306, -0.367;
  out.tau = out.g_man = VectorX<double>::Zero(6);
  out.g_obj = Eigen::Vector3d(0, -1, 0);
  out.mu = is_first ? Eigen::Vector3d(0.5, 0.5, 0.3)
                    : (number == 2 ? Eigen::Vector3d(0.1, 0.4, 0.3) : Eigen::Vector3d(0.7, 0.9, 0.9));
  return out;
}

}  // namespace thenar::test
