// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_rows_internal.h"

#include <fmt/format.h>

#include "thenar/base/diagnostic.h"

namespace thenar::internal {

RowsWithContacts::RowsWithContacts(const TraceFiles& files) : states_(files.states), path_(files.contacts) {
  if (!files.contacts.empty()) contacts_.emplace(files.contacts, files.contact_frames);
  if (contacts_) has_line_ = contacts_->next();
}

bool RowsWithContacts::next() {
  const double before = row_ > 0 ? states_.t() : 0;
  if (!states_.next()) return false;
  contacts_of_row_.clear();
  is_second_of_jump_ = row_++ > 0 && states_.t() == before;
  for (; has_line_ && contacts_->t() <= states_.t(); has_line_ = contacts_->next()) {
    if (contacts_->t() < states_.t()) {
      if (row_ > 1 && contacts_->t() == before) continue;  // More lines than rows at that time.
      throw InputError({path_.string(), 0, 0},
                       fmt::format("there is a line at t = {}, but no such row in states.csv", contacts_->t()));
    }
    if (!is_new_in_row(contacts_->contact().name)) break;
    contacts_of_row_.push_back(contacts_->contact());
  }
  return true;
}

/// Whether no line of this row excludes the contact: two bodies touch in A/B or in A/B#0, A/B#1, …, not in both.
bool RowsWithContacts::is_new_in_row(const std::string& name) {
  const PairState pair{row_, point_of_contact(name).has_value()};
  PairState& before = pairs_[std::string(pair_of_contact(name))];
  long long& last = last_rows_[name];
  if (last == row_ || (before.row == row_ && before.is_numbered != pair.is_numbered)) return false;
  last = row_;
  before = pair;
  return true;
}

}  // namespace thenar::internal
