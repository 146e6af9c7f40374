// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/problem_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <ostream>
#include <string_view>

#include "thenar/base/text.h"
#include "thenar/complementarity/word_reader_internal.h"

namespace thenar {
namespace {

using internal::WordReader;
using internal::write_number;

constexpr std::array kKinds{RowKind::bilateral, RowKind::unilateral, RowKind::boxed,
                            RowKind::normal,    RowKind::tangent,    RowKind::sliding};

RowKind read_kind(WordReader& reader) {
  const std::string_view word = reader.word("the kind of a row");
  for (const RowKind kind : kKinds) {
    if (word == to_string(kind)) return kind;
  }
  reader.fail(fmt::format("found {}, expected bilateral, unilateral, boxed, normal, tangent or sliding", quote(word)));
}

/// "kind name value name value …".
void read_row(WordReader& reader, ConstraintRow& row, double& b) {
  reader.next_line("a row");
  row.kind = read_kind(reader);
  while (!reader.at_end()) {
    const std::string_view name = reader.word("a name");
    if (name == "id") {
      row.id = reader.number<std::uint64_t>("a whole number");
    } else if (name == "b") {
      b = reader.number<double>("a number");
    } else if (name == "limit") {
      row.limit = reader.number<double>("a number");
    } else if (name == "b_error") {
      row.b_error = reader.number<double>("a number");
    } else if (name == "faces") {
      row.faces = reader.number<int>("a whole number");
    } else {
      reader.fail(fmt::format("found {}, expected id, b, limit, b_error or faces", quote(name)));
    }
  }
}

}  // namespace

void write_problem(std::ostream& out, const ConstraintProblem& problem) {
  out << "thenar constraint problem 1\naccuracy " << write_number(problem.accuracy) << "\nrows " << problem.size()
      << '\n';
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    out << to_string(row.kind);
    if (row.limit != 0) out << " limit " << write_number(row.limit);
    if (row.b_error != 0) out << " b_error " << write_number(row.b_error);
    if (row.faces != 0) out << " faces " << fmt::to_string(row.faces);
    out << " id " << fmt::to_string(row.id) << " b " << write_number(problem.b()[i]) << '\n';
  }
  out << "A\n";
  for (int i = 0; i < problem.size(); ++i) {
    for (int j = 0; j < problem.size(); ++j) out << (j > 0 ? " " : "") << write_number(problem.A()(i, j));
    out << '\n';
  }
}

ConstraintProblem read_problem(std::istream& in, const std::string& name) {
  WordReader reader(in, name);
  reader.next_line("'thenar constraint problem 1'");
  for (const char* word : {"thenar", "constraint", "problem", "1"}) reader.keyword(word);
  reader.end_line();
  reader.next_line("accuracy");
  reader.keyword("accuracy");
  const double accuracy = reader.number<double>("a number");
  reader.end_line();
  reader.next_line("rows");
  reader.keyword("rows");
  const int n = reader.number<int>("a whole number");
  if (n < 0 || n > internal::kMostRows) reader.fail(fmt::format("{} rows, expected 0 to {}", n, internal::kMostRows));
  reader.end_line();

  ConstraintProblem problem(n);
  problem.accuracy = accuracy;
  for (int i = 0; i < n; ++i) read_row(reader, problem.row(i), problem.b()[i]);
  reader.next_line("A");
  reader.keyword("A");
  reader.end_line();
  for (int i = 0; i < n; ++i) {
    reader.next_line("a row of A");
    for (int j = 0; j < n; ++j) problem.A()(i, j) = reader.number<double>("a number");
    reader.end_line();
  }
  if (const auto fault = problem.find_fault()) reader.fail(*fault);
  return problem;
}

ConstraintProblem read_friction_problem(std::istream& in, const std::string& name) {
  WordReader reader(in, name);
  reader.next_line("the dimension and the number of contacts");
  const int dimension = reader.number<int>("the dimension");
  if (dimension != 2 && dimension != 3) reader.fail(fmt::format("found dimension {}, expected 2 or 3", dimension));
  const int contacts = reader.number<int>("the number of contacts");
  if (contacts < 0 || contacts > internal::kMostRows / dimension) {
    reader.fail(fmt::format("found {} contacts, expected 0 to {}", contacts, internal::kMostRows / dimension));
  }
  reader.end_line();
  const int n = dimension * contacts;
  ConstraintProblem problem(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) problem.A()(i, j) = reader.flowing_number("an entry of A");
  }
  for (int i = 0; i < n; ++i) problem.b()[i] = reader.flowing_number("an entry of b");
  for (int c = 0; c < contacts; ++c) {
    const double mu = reader.flowing_number("a friction coefficient");
    for (int i = c * dimension; i < (c + 1) * dimension; ++i) {
      const bool is_normal = i == c * dimension;
      problem.row(i) = {.kind = is_normal ? RowKind::normal : RowKind::tangent,
                        .limit = is_normal ? 0 : mu,
                        .id = static_cast<std::uint64_t>(i)};
    }
  }
  reader.end_text();
  if (const auto fault = problem.find_fault()) reader.fail(*fault);
  return problem;
}

}  // namespace thenar
