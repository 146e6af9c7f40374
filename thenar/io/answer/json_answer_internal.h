// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Answers in JSON that the program printed earlier, read back with messages of our own.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "thenar/base/diagnostic.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/spatial/linear.h"

namespace thenar::internal {

inline Json to_json(const VectorX<double>& x) { return Json(std::vector<double>(x.begin(), x.end())); }
inline Json to_json(const std::vector<VectorX<double>>& list) {
  Json out = Json::array();
  for (const VectorX<double>& x : list) out.push_back(to_json(x));
  return out;
}
/// Row by row.
inline Json matrix_json(const MatrixX<double>& matrix) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) out.push_back(to_json(VectorX<double>(matrix.row(i))));
  return out;
}

/// Turns complaints of the JSON library into ours.
class JsonAnswer {
 public:
  /// `origin`: who prints such answers, "thenar lcp --json". `name` stands for the file.
  JsonAnswer(const std::string& text, const std::string& name, const std::string& origin)
      : name_(name), origin_(origin) {
    try {
      root_ = Json::parse(text);
    } catch (const Json::parse_error& error) {
      fail(fmt::format("expects the JSON of an answer, as '{}' prints it: {}", origin_, error.what()));
    }
    if (!root_.is_object() || !root_.contains("problem")) {
      fail(fmt::format("expects an object with 'problem', as '{}' prints it", origin_));
    }
  }

  const Json& root() const { return root_; }
  const std::string& name() const { return name_; }

  /// What read_it() returns; `what` names the place in messages.
  template <class Read>
  auto read(const std::string& what, const Read& read_it) const {
    try {
      return read_it();
    } catch (const Json::exception& error) {
      fail(fmt::format("'{}' is not as '{}' prints it: {}", what, origin_, error.what()));
    }
  }

  VectorX<double> vector(const Json& json, int n, const std::string& what) const {
    const auto list = read(what, [&] { return json.get<std::vector<double>>(); });
    if (static_cast<int>(list.size()) != n) {
      fail(fmt::format("'{}' has {} numbers, expected {}", what, list.size(), n));
    }
    return Eigen::Map<const VectorX<double>>(list.data(), n);
  }

  MatrixX<double> matrix(const Json& json, int rows, int columns, const std::string& what) const {
    const auto list = read(what, [&] { return json.get<std::vector<std::vector<double>>>(); });
    if (static_cast<int>(list.size()) != rows) {
      fail(fmt::format("'{}' has {} rows, expected {}", what, list.size(), rows));
    }
    MatrixX<double> out(rows, columns);
    for (int i = 0; i < rows; ++i) {
      const auto& row = list[static_cast<std::size_t>(i)];
      if (static_cast<int>(row.size()) != columns)
        fail(fmt::format("row {} of '{}' has not {} numbers", i, what, columns));
      for (int j = 0; j < columns; ++j) out(i, j) = row[static_cast<std::size_t>(j)];
    }
    return out;
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError({name_, 0, 0}, message); }

 private:
  std::string name_, origin_;
  Json root_;
};

}  // namespace thenar::internal
