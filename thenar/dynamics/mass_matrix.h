// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/dynamics/workspace.h"

namespace thenar {

/// The mass matrix M(q) of a tree, with armature, by the composite-rigid-body algorithm, and its factorization
/// M = Lᵀ D L that keeps the tree's zeros (Featherstone 2005): entry (i, j) is stored only if one of the two degrees of
/// freedom lies between the other and the world. Row i holds the entries with j = i's ancestors and i itself, in order
/// of depth, so every inner loop runs over two contiguous pieces of memory.
///
///     MassMatrix<double> M(model);         // allocates
///     M.update(model, workspace);          // needs update_positions
///     M.factorize();
///     M.solve_in_place(x);                 // x ← M⁻¹ x
template <class T>
class MassMatrix {
 public:
  explicit MassMatrix(const Model& model);

  void update(const Model& model, Workspace<T>& workspace);
  /// Replaces M by its factors. Needs update(); multiply() and dense() want the matrix before this.
  void factorize();
  bool is_factorized() const { return is_factorized_; }
  void solve_in_place(T* x) const;
  /// y = M x.
  void multiply(const T* x, T* y) const;
  /// The full symmetric matrix; allocates.
  MatrixX<T> dense() const;

 private:
  template <bool kAngular>
  void fill_row(const Model& model, const Workspace<T>& workspace, int i, int j);
  T* row(int i) { return entries_.data() + row_start_[static_cast<std::size_t>(i)]; }
  const T* row(int i) const { return entries_.data() + row_start_[static_cast<std::size_t>(i)]; }

  int size_ = 0;
  std::vector<int> parent_;
  std::vector<int> depth_;
  std::vector<std::size_t> row_start_;
  std::vector<T> entries_;
  std::vector<T> inverse_diagonal_;
  bool is_factorized_ = false;
};

}  // namespace thenar
