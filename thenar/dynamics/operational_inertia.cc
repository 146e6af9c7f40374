// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/operational_inertia.h"

#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar {
namespace {

/// Ψ f.
template <class T>
Motion<T> apply_psi(const ArticulatedInertia<T>& psi, const Wrench<T>& f) {
  return {psi.M * f.moment + psi.H.transpose_times(f.force), psi.H * f.moment + psi.J * f.force};
}

/// S += a bᵀ + b aᵀ.
template <class T>
void add_symmetric_outer(Symmetric3<T>& S, const Vec3<T>& a, const Vec3<T>& b) {
  S.xx += T(2) * a.x * b.x, S.yy += T(2) * a.y * b.y, S.zz += T(2) * a.z * b.z;
  S.xy += a.x * b.y + a.y * b.x, S.xz += a.x * b.z + a.z * b.x, S.yz += a.y * b.z + a.z * b.y;
}

/// Ψ += s hᵀ + h sᵀ for the motion s of one degree of freedom (angular or linear only).
template <bool kAngular, class T>
void add_dof_outer(ArticulatedInertia<T>& psi, const Vec3<T>& axis, const Motion<T>& h) {
  if constexpr (kAngular) {
    add_symmetric_outer(psi.M, axis, h.angular);
    psi.H += Mat3<T>{h.linear * axis.x, h.linear * axis.y, h.linear * axis.z};
  } else {
    add_symmetric_outer(psi.J, axis, h.linear);
    psi.H += Mat3<T>{axis * h.angular.x, axis * h.angular.y, axis * h.angular.z};
  }
}

/// (1 − s Uᵀ/d) Ψ (1 − U sᵀ/d) + s sᵀ/d = Ψ + s hᵀ + h sᵀ with h = −Ψ U/d + s (Uᵀ Ψ U/d + 1)/(2 d).
template <bool kAngular, class T>
void release_dof(ArticulatedInertia<T>& psi, const Vec3<T>& axis, const DofElimination<T>& dof) {
  const Motion<T> g = apply_psi(psi, dof.U);
  const T half = T(0.5) * dof.inverse_d * (dot(g, dof.U) * dof.inverse_d + T(1));
  Motion<T> h{g.angular * -dof.inverse_d, g.linear * -dof.inverse_d};
  (kAngular ? h.angular : h.linear) += axis * half;
  add_dof_outer<kAngular>(psi, axis, h);
}

}  // namespace

template <class T>
OperationalInertia<T>::OperationalInertia(const Model& model) {
  const auto links = static_cast<std::size_t>(model.link_count() + 1);
  psi_.assign(links, ArticulatedInertia<T>::zero());
  response_.resize(links);
  for (auto& columns : response_) columns.fill(Motion<T>::zero());
  needed_.assign(links, 0);
  on_path_.assign(links, 0);
}

template <class T>
void OperationalInertia<T>::update(const Model& model, const Workspace<T>& ws) {
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[i];
    ArticulatedInertia<T> psi = psi_[link.parent].moved_by(-ws.frame[i].r);
    internal::visit_dofs(link, [&](int j, auto angular) { release_dof<angular>(psi, ws.axis[j], ws.dof[j]); });
    psi_[i] = psi;
  }
}

template <class T>
void OperationalInertia<T>::mark_needed(const Model& model, std::span<const BodyPoint<T>> points) {
  for (char& flag : needed_) flag = 0;
  for (const BodyPoint<T>& point : points) {
    for (int i = model.body(point.body).link; i != 0 && needed_[i] == 0; i = model.links()[i].parent) needed_[i] = 1;
  }
}

/// Carries the six unit wrenches at the point towards the world; every link on the way answers with Ψ Y.
template <class T>
void OperationalInertia<T>::push_inwards(const Model& model, const Workspace<T>& ws, const BodyPoint<T>& point) {
  for (char& flag : on_path_) flag = 0;
  const Body& body = model.body(point.body);
  const Vec3<T> d = calc_point_offset(body, ws, point.p_B);
  const Vec3<T> zero = Vec3<T>::zero();
  const Mat3<T> one = Mat3<T>::identity();
  std::array<Wrench<T>, kColumns> Y = {Wrench<T>{one.x, zero}, {one.y, zero}, {one.z, zero}};
  Y[3] = Wrench<T>{zero, one.x}.moved_by(d);
  Y[4] = Wrench<T>{zero, one.y}.moved_by(d);
  Y[5] = Wrench<T>{zero, one.z}.moved_by(d);
  for (int i = body.link; i != 0; i = model.links()[i].parent) {
    const Link& link = model.links()[i];
    on_path_[i] = 1;
    for (int c = 0; c < kColumns; ++c) {
      response_[i][c] = apply_psi(psi_[i], Y[c]);
      internal::visit_dofs_backwards(link, [&](int j, auto angular) {
        const DofElimination<T>& dof = ws.dof[j];
        const T share = internal::project<angular>(ws.axis[j], Y[c]) * dof.inverse_d;
        Y[c] -= Wrench<T>{dof.U.moment * share, dof.U.force * share};
      });
      Y[c] = Y[c].moved_by(ws.frame[i].r);
    }
  }
}

/// Links beside the path follow their parent's answer with their joints free.
template <class T>
void OperationalInertia<T>::spread_outwards(const Model& model, const Workspace<T>& ws) {
  for (int i = 1; i <= model.link_count(); ++i) {
    if (needed_[i] == 0 || on_path_[i] != 0) continue;
    const Link& link = model.links()[i];
    for (int c = 0; c < kColumns; ++c) {
      Motion<T> a = response_[link.parent][c].shifted(ws.frame[i].r);
      internal::visit_dofs(link, [&](int j, auto angular) {
        DofElimination<T> dof = ws.dof[j];
        dof.u = T(0);
        internal::accelerate<angular>(ws.axis[j], dof, a);
      });
      response_[i][c] = a;
    }
  }
}

template <class T>
void OperationalInertia<T>::calc(const Model& model, const Workspace<T>& ws, std::span<const BodyPoint<T>> points,
                                 Eigen::Ref<MatrixX<T>> inverse_inertia) {
  const int m = static_cast<int>(points.size());
  THENAR_DEMAND(inverse_inertia.rows() == 6 * m && inverse_inertia.cols() == 6 * m);
  mark_needed(model, points);
  for (int j = 0; j < m; ++j) {
    push_inwards(model, ws, points[j]);
    spread_outwards(model, ws);
    for (int i = 0; i < m; ++i) {
      const Body& body = model.body(points[i].body);
      const Vec3<T> d = calc_point_offset(body, ws, points[i].p_B);
      for (int c = 0; c < kColumns; ++c) {
        // A point on the world does not answer: response_[0] is zero.
        const Motion<T> a = response_[body.link][c].shifted(d);
        const int column = 6 * j + c;
        inverse_inertia(6 * i + 0, column) = a.angular.x;
        inverse_inertia(6 * i + 1, column) = a.angular.y;
        inverse_inertia(6 * i + 2, column) = a.angular.z;
        inverse_inertia(6 * i + 3, column) = a.linear.x;
        inverse_inertia(6 * i + 4, column) = a.linear.y;
        inverse_inertia(6 * i + 5, column) = a.linear.z;
      }
    }
  }
}

#define THENAR_INSTANTIATE(T) template class OperationalInertia<T>;
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
