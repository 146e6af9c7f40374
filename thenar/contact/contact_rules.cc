// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace thenar {

std::optional<std::string> ContactRules::find_fault() const {
  if (const auto fault = law.find_fault()) return fmt::format("the law of all pairs: {}", *fault);
  if (auto fault = cone.find_fault()) return fault;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (const auto fault = pairs[k].law.find_fault()) return fmt::format("the law of pair rule {}: {}", k, *fault);
  }
  return std::nullopt;
}

LawTable::LawTable(const Model& model, const ContactRules& rules)
    : with_a_(static_cast<std::size_t>(model.body_count())), with_b_(with_a_.size()) {
  if (const auto fault = rules.find_fault()) throw std::invalid_argument(*fault);
  laws_.reserve(rules.pairs.size() + 1);
  laws_.push_back(rules.law);
  for (const PairRule& rule : rules.pairs) laws_.push_back(rule.law);
  for (std::size_t k = rules.pairs.size(); k > 0; --k) {
    for (const BodyIndex body : rules.pairs[k - 1].a) with_a_[static_cast<std::size_t>(body)].push_back(k);
    for (const BodyIndex body : rules.pairs[k - 1].b) with_b_[static_cast<std::size_t>(body)].push_back(k);
  }
}

const ContactLaw& LawTable::find_law(BodyIndex a, BodyIndex b) const {
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  return laws_[std::max(find_last_common(with_a_[i], with_b_[j]), find_last_common(with_b_[i], with_a_[j]))];
}

/// The greatest number in both, or 0: a merge of two falling sequences.
std::size_t LawTable::find_last_common(const Numbers& x, const Numbers& y) {
  auto i = x.begin(), j = y.begin();
  while (i != x.end() && j != y.end()) {
    if (*i == *j) return *i;
    ++(*i > *j ? i : j);
  }
  return 0;
}

}  // namespace thenar
