// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Which bodies may touch each other and what their contacts are made of, as the user says it. What follows from the
/// model itself (neighbours, bodies that cannot move on each other) is added by pair_filter.h.

#include <optional>
#include <string>
#include <vector>

#include "thenar/contact/contact_law.h"
#include "thenar/model/model.h"

namespace thenar {

/// Every body of `a` with every body of `b`.
struct BodyGroups {
  std::vector<BodyIndex> a, b;
};

/// The same, and what their contacts are made of.
struct PairRule {
  std::vector<BodyIndex> a{}, b{};
  ContactLaw law{};
};

struct ContactRules {
  ContactLaw law{};               ///< of all pairs that `pairs` does not name
  FrictionCone cone{};            ///< of all contacts
  bool all_pairs = true;          ///< `auto`: all but neighbours; else only `pairs`
  std::vector<PairRule> pairs{};  ///< neighbours too, if they are named here; a later rule wins over an earlier one
  std::vector<BodyGroups> excluded{};  ///< taken away in the end
  std::optional<double> margin{};      ///< m, contacts are looked for within this distance

  /// What is wrong with the laws and the cone, or nothing.
  std::optional<std::string> find_fault() const;
};

/// The law of any two bodies, in whatever order they are given.
///
/// Every body knows the rules that name it on either side; two bodies have the law of the last rule that names them on
/// opposite sides. Memory grows with the names in the rules, not with the pairs, of which patterns make very many; a
/// question costs as many steps as its bodies have rules. No question uses the heap.
class LawTable {
 public:
  /// Throws std::invalid_argument if the rules have a fault.
  LawTable(const Model& model, const ContactRules& rules);

  const ContactLaw& find_law(BodyIndex a, BodyIndex b) const;

 private:
  using Numbers = std::vector<std::size_t>;  ///< of rules, the last first

  static std::size_t find_last_common(const Numbers& x, const Numbers& y);

  std::vector<ContactLaw> laws_;          ///< 0 of all pairs, k of the k-th rule, counted from 1
  std::vector<Numbers> with_a_, with_b_;  ///< by body: the rules that name it in `a`, in `b`
};

}  // namespace thenar
