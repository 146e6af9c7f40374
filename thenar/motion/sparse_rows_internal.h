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
/// The rows of a group, four at most, lie side by side in the lanes of packs, one pack per degree of freedom.
///
/// Storage is made by finish(); nothing else allocates.

#include <array>
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

  int size() const { return static_cast<int>(places_.size()); }

  /// Row k takes its entries from a vector over all degrees of freedom.
  template <class Row>
  void set_row(int k, const Row& full) {
    const Place& place = places_[static_cast<std::size_t>(k)];
    const Group& group = groups_[static_cast<std::size_t>(place.group)];
    is_own_[static_cast<std::size_t>(place.group)] = 1;
    Pack4* entries = entries_.data() + group.start;
    for (const int dof : group.dofs) (entries++)->set(place.lane, full(dof));
  }

  /// The entries of rows of the same groups, until others are set.
  void copy_entries(const SparseRows& other);

  void multiply(const double* x, double* out) const;        ///< J x
  double multiply_sizes(int k, const double* x) const;      ///< (|J| |x|)ₖ
  void add_transposed(const double* z, double* tau) const;  ///< tau += Jᵀ z

  /// Half of M⁻¹ Jᵀ. Needs factorize_articulated.
  void reduce(Workspace<double>& workspace);
  /// The same where groups have the entries that copy_entries() gave them, from what these were reduced to.
  void reduce_like(const SparseRows& other, Workspace<double>& workspace);
  /// out = J M⁻¹ Fᵀ, for rows F of the same groups; symmetric to the last bit where F is J. Needs reduce() of both.
  void calc_response(const SparseRows& F, Eigen::Ref<MatrixX<double>> out) const;

 private:
  struct Group {
    std::vector<int> links;  ///< from the largest number to the smallest
    std::vector<int> dofs;   ///< of these links, in their order
    int first = 0, count = 0;
    std::size_t start = 0;  ///< of its entries
  };
  /// Where the entries of a row are.
  struct Place {
    int group = 0, lane = 0;
  };
  /// A run of degrees of freedom that two groups share: where it begins in either, and how long it is.
  struct Shared {
    std::size_t first = 0, second = 0;
    int count = 0;
  };
  /// Two groups that share some.
  struct Pair {
    int first = 0, second = 0;
    std::size_t begin = 0, end = 0;  ///< of what they share
  };
  /// y_firstᵀ y_second of two groups, a pack for each row of the first.
  using Block = std::array<Pack4, Pack4::kLanes>;

  void add_links(int link, std::vector<int>& links) const;
  void append(std::vector<int> links, int count);
  void list_shared(int first, int second);
  void reduce(const Group& group, Workspace<double>& workspace);
  Block calc_block(const Pair& pair, const std::vector<Pack4>& y_first, const std::vector<Pack4>& y_second,
                   bool is_turned) const;

  const Model* model_;
  std::vector<Group> groups_;
  std::vector<Place> places_;  ///< by row
  std::vector<Shared> shared_;
  std::vector<Pair> pairs_;
  std::vector<Pack4> entries_, reduced_;  ///< group by group: of J, and of y
  std::vector<char> is_own_;              ///< by group: whether a row was set since entries were copied
};

}  // namespace thenar::internal
