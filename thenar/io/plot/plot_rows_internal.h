// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The rows that a plot draws: those of states.csv and, if asked for, beside them what contacts.csv tells of each
/// contact, as columns `fN.box/hand.index_3`.

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "thenar/io/trace/trace_rows_internal.h"

namespace thenar::internal {

/// Whether the pattern of columns is about contacts: its text before the first dot fits a column of contacts.csv and
/// none of states.csv.
bool is_about_contacts(const std::string& pattern);

/// The SI unit of a column of contacts.csv; empty for pure numbers, and for surface coordinates, whose unit is that of
/// their chart.
std::string unit_of_contacts(std::string_view quantity);

class PlotRows {
 public:
  /// Opens the files; with contacts, contacts.csv is read once for their names. Throws InputError.
  PlotRows(const TraceFiles& files, bool with_contacts);

  /// The columns of states.csv, the first of which is "t", and those of the contacts, which start with a "t" too.
  const std::vector<std::string>& state_columns() const { return rows_.states().columns(); }
  const std::vector<std::string>& contact_columns() const { return contact_columns_; }

  bool next();
  double t() const { return row_[0]; }
  /// The columns of states.csv, then those of the contacts. What a contact does not have now is not a number.
  std::span<const double> row() const { return row_; }
  bool has_cut_states() const { return rows_.states().has_cut_end(); }
  bool has_cut_contacts() const { return rows_.has_cut_end() && !has_cut_states(); }

 private:
  RowsWithContacts rows_;
  std::vector<std::string> contact_columns_;
  std::unordered_map<std::string, std::size_t> first_columns_;  // Of a contact, in row_.
  std::vector<double> row_;
};

}  // namespace thenar::internal
