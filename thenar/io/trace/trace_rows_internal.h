// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "thenar/io/trace/contact_trace_reader.h"
#include "thenar/io/trace/trace_reader.h"

namespace thenar::internal {

/// Goes through the rows of states.csv and, beside each, its lines of contacts.csv. Where a velocity jumps there are
/// two rows of one time: a contact that returns belongs to the second, also under another number of points.
class RowsWithContacts {
 public:
  explicit RowsWithContacts(const TraceFiles& files);

  TraceReader& states() { return states_; }
  const TraceReader& states() const { return states_; }
  bool has_cut_end() const { return states_.has_cut_end() || (contacts_ && contacts_->has_cut_end()); }

  /// Goes to the next row; false at the end. Throws InputError.
  bool next();

  const std::vector<Contact>& contacts() const { return contacts_of_row_; }
  /// False in the second row of a jump when all lines seem to belong to the first: nothing is known of the contacts.
  bool knows_contacts() const { return !is_second_of_jump_ || !contacts_of_row_.empty(); }
  bool is_second_of_jump() const { return is_second_of_jump_; }

 private:
  struct PairState {
    long long row = 0;
    bool is_numbered = false;
  };

  bool is_new_in_row(const std::string& name);

  TraceReader states_;
  std::filesystem::path path_;
  std::optional<ContactTraceReader> contacts_;
  bool has_line_ = false, is_second_of_jump_ = false;
  long long row_ = 0;
  std::vector<Contact> contacts_of_row_;
  std::unordered_map<std::string, long long> last_rows_;
  std::unordered_map<std::string, PairState> pairs_;
};

}  // namespace thenar::internal
