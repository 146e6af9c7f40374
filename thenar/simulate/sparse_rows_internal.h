// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rows J of a model that act on few of its bodies each, as contacts do, and what they do to each other, J M⁻¹ Fᵀ.
///
/// Rows come in groups that act on the same bodies. A group has entries for the degrees of freedom between its bodies
/// and the world alone, and two groups answer to each other only through links that both of them hang on. With
/// y = D^(−1/2) L⁻ᵀ Jᵀ, which has entries where J has (reduce_articulated), J M⁻¹ Fᵀ = y_Jᵀ y_F is a sum over these
/// links: the cost is that of the pairs of groups that share one, whatever the size of the model.
///
/// Storage is made by finish(); nothing else allocates.

#include <span>
#include <vector>

#include "thenar/dynamics/forward_dynamics.h"

namespace thenar::internal {

class SparseRows {
 public:
  /// The model must outlive it.
  explicit SparseRows(const Model& model);

  /// No groups.
  void clear();
  /// The next `count` rows, with entries for these degrees of freedom and all that carry them.
  void add_group(std::span<const int> dofs, int count);
  /// The next `count` rows, of the relative motion of two bodies.
  void add_group(BodyIndex A, BodyIndex B, int count);
  /// Ends the list. All entries are 0.
  void finish();

  int size() const { return row_count_; }

  /// Row k takes its entries from a vector over all degrees of freedom.
  template <class Row>
  void set_row(int k, const Row& full) {
    const Place& place = places_[static_cast<std::size_t>(k)];
    const std::vector<int>& dofs = groups_[static_cast<std::size_t>(place.group)].dofs;
    for (std::size_t i = 0; i < dofs.size(); ++i) entries_[place.start + i] = full(dofs[i]);
  }

  /// The entries of rows of the same groups.
  void copy_entries(const SparseRows& other) { entries_ = other.entries_; }

  double multiply(int k, const double* x) const;            ///< (J x)ₖ
  double multiply_sizes(int k, const double* x) const;      ///< (|J| |x|)ₖ
  void add_transposed(int k, double z, double* tau) const;  ///< tau += z Jₖᵀ

  /// Half of M⁻¹ Jᵀ. Needs factorize_articulated.
  void reduce(Workspace<double>& workspace);
  /// out = J M⁻¹ Fᵀ, for rows F of the same groups; symmetric to the last bit where F is J. Needs reduce() of both.
  void calc_response(const SparseRows& F, Eigen::Ref<MatrixX<double>> out) const;

 private:
  struct Group {
    std::vector<int> links;  ///< from the largest number to the smallest
    std::vector<int> dofs;   ///< of these links, in their order
    int first = 0, count = 0;
  };
  /// Where the entries of a row are.
  struct Place {
    int group = 0;
    std::size_t start = 0;
  };
  /// A group that hangs on a link, and where in a row of it the entries of the link begin.
  struct Share {
    int group = 0, offset = 0;
  };

  void add_links(int link, std::vector<int>& links) const;
  void append(std::vector<int> links, int count);
  using Block = Eigen::Map<const MatrixX<double>, 0, Eigen::OuterStride<>>;
  Block get_block(const Share& share, int link) const;

  const Model* model_;
  int row_count_ = 0;
  std::vector<Group> groups_;
  std::vector<Place> places_;                ///< by row
  std::vector<std::vector<Share>> by_link_;  ///< what hangs on each link
  std::vector<double> entries_, reduced_;    ///< row by row: of J, and of y
  VectorX<double> tau_, y_;                  ///< over all degrees of freedom
};

}  // namespace thenar::internal
