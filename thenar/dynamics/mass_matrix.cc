// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/mass_matrix.h"

#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar {

template <class T>
MassMatrix<T>::MassMatrix(const Model& model) : size_(model.velocity_count()) {
  std::size_t total = 0;
  for (int i = 0; i < size_; ++i) {
    parent_.push_back(model.dof_parent(i));
    depth_.push_back(model.dof_depth(i));
    row_start_.push_back(total);
    total += static_cast<std::size_t>(model.dof_depth(i)) + 1;
  }
  entries_.assign(total, T(0));
  inverse_diagonal_.assign(static_cast<std::size_t>(size_), T(0));
}

/// Row j of a degree of freedom of link i: the wrench that gives the whole subtree unit acceleration along it, felt at
/// every degree of freedom on the way to the world.
template <class T>
template <bool kAngular>
void MassMatrix<T>::fill_row(const Model& model, const Workspace<T>& ws, int i, int j) {
  const Link* links = model.links().data();
  const Vec3<T>& axis = ws.axis[j];
  const RigidInertia<T>& I = ws.rigid[i];
  Wrench<T> f = kAngular ? Wrench<T>{I.J * axis, cross(axis, I.h)} : Wrench<T>{cross(I.h, axis), axis * I.mass};
  T* entries = row(j);
  internal::visit_dofs(links[i], [&](int k, auto angular) {
    if (k <= j) entries[depth_[k]] = internal::project<angular>(ws.axis[k], f);
  });
  entries[depth_[j]] += T(model.armature()(j));
  while (links[i].parent != 0) {
    f = f.moved_by(ws.frame[i].r);
    i = links[i].parent;
    internal::visit_dofs(links[i],
                         [&](int k, auto angular) { entries[depth_[k]] = internal::project<angular>(ws.axis[k], f); });
  }
}

template <class T>
void MassMatrix<T>::update(const Model& model, Workspace<T>& ws) {
  const Link* links = model.links().data();
  const LinkConstants<double>* constants = model.link_constants().data();
  const int n = model.link_count();
  for (int i = 1; i <= n; ++i) {
    // Member by member, see position_step.
    const RigidInertia<T> I = internal::rotated_inertia(constants[i].inertia, ws.frame[i].R);
    RigidInertia<T>& out = ws.rigid[i];
    out.mass = I.mass, out.h.x = I.h.x, out.h.y = I.h.y, out.h.z = I.h.z;
    out.J.xx = I.J.xx, out.J.yy = I.J.yy, out.J.zz = I.J.zz, out.J.xy = I.J.xy, out.J.xz = I.J.xz, out.J.yz = I.J.yz;
  }
  for (int i = n; i >= 1; --i) {
    const Link& link = links[i];
    if (link.parent != 0) ws.rigid[link.parent] += ws.rigid[i].moved_by(ws.frame[i].r);
    internal::visit_dofs(link, [&](int j, auto angular) { fill_row<angular>(model, ws, i, j); });
  }
  is_factorized_ = false;
}

template <class T>
void MassMatrix<T>::factorize() {
  THENAR_ASSERT(!is_factorized_);
  for (int k = size_ - 1; k >= 0; --k) {
    T* rk = row(k);
    const T inverse = T(1) / rk[depth_[k]];
    inverse_diagonal_[k] = inverse;
    for (int i = parent_[k]; i >= 0; i = parent_[i]) {
      const int d = depth_[i];
      const T a = rk[d] * inverse;
      T* ri = row(i);
      for (int j = 0; j <= d; ++j) ri[j] -= a * rk[j];
    }
    for (int j = 0; j < depth_[k]; ++j) rk[j] *= inverse;
  }
  is_factorized_ = true;
}

template <class T>
void MassMatrix<T>::solve_in_place(T* x) const {
  THENAR_ASSERT(is_factorized_);
  for (int i = size_ - 1; i >= 0; --i) {
    const T* ri = row(i);
    for (int j = parent_[i], d = depth_[i] - 1; j >= 0; j = parent_[j], --d) x[j] -= ri[d] * x[i];
  }
  for (int i = 0; i < size_; ++i) {
    const T* ri = row(i);
    T sum = x[i] * inverse_diagonal_[i];
    for (int j = parent_[i], d = depth_[i] - 1; j >= 0; j = parent_[j], --d) sum -= ri[d] * x[j];
    x[i] = sum;
  }
}

template <class T>
void MassMatrix<T>::multiply(const T* x, T* y) const {
  THENAR_ASSERT(!is_factorized_);
  for (int i = 0; i < size_; ++i) y[i] = T(0);
  for (int i = 0; i < size_; ++i) {
    const T* ri = row(i);
    y[i] += ri[depth_[i]] * x[i];
    for (int j = parent_[i], d = depth_[i] - 1; j >= 0; j = parent_[j], --d) {
      y[i] += ri[d] * x[j];
      y[j] += ri[d] * x[i];
    }
  }
}

template <class T>
MatrixX<T> MassMatrix<T>::dense() const {
  THENAR_ASSERT(!is_factorized_);
  MatrixX<T> M(size_, size_);
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < size_; ++j) M(i, j) = T(0);
  }
  for (int i = 0; i < size_; ++i) {
    for (int j = i, d = depth_[i]; j >= 0; j = parent_[j], --d) M(i, j) = M(j, i) = row(i)[d];
  }
  return M;
}

#define THENAR_INSTANTIATE(T) template class MassMatrix<T>;
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
