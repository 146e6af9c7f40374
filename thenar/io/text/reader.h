// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// From the nodes of a document to typed values, so that readers of models and scenarios are short and strict:
///
///     MapReader box(field);                       // A mapping, or an error.
///     const std::string name = read::identifier(box.required("name"));
///     box.set_context("object '" + name + "'");   // Named so in messages from here on.
///     const double mass = read::positive(box.required("mass"), kMass, parameters);
///     if (const auto pose = box.optional("pose")) read_pose(*pose);
///     box.finish();                               // Any key not asked for above is an error.
///
/// Every error is an InputError at the place of the value, with its key, what was found and what was expected:
/// "'mass' of object 'box' expects a mass (kg), found '12 mm' which is a length (m)".
///
/// A number is written as 0.05, with a unit (50 g), as a parameter ($m) or as a constant expression (2*$m + 0.01, see
/// expression.h). Without a unit it is in SI. A lone $m brings the dimension of its parameter along; an expression
/// has none, its parts are taken in SI and the result is assumed to be what is wanted. Numbers are always finite.

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thenar/base/diagnostic.h"
#include "thenar/base/expression.h"
#include "thenar/io/text/document.h"
#include "thenar/io/text/units.h"

namespace thenar {

/// A node together with what messages call it. Refers to the node, which must outlive it.
class Field {
 public:
  /// `label` is what the field is called in a sentence: "'mass' of object 'box'", "the scenario".
  Field(const Node& node, std::string label) : node_(&node), label_(std::move(label)) {}

  const Node& node() const { return *node_; }
  const std::string& label() const { return label_; }

  /// Throws InputError at this node; the message is the label followed by `predicate` ("expects ...").
  [[noreturn]] void fail(std::string_view predicate) const;

 private:
  const Node* node_;
  std::string label_;
};

/// Named values of a scenario, written `$name` where they are used.
class Parameters {
 public:
  struct Entry {
    std::string name;
    Quantity quantity;
    SourceMark mark;
  };

  /// Adds a parameter. Throws InputError if the name is taken or is not a word (letters, digits, _; no digit first).
  void add(std::string name, Quantity quantity, SourceMark mark);

  /// The parameter of that name (without $), or null.
  const Entry* find(std::string_view name) const;

  /// In the order they were added.
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// Reads the keys of a mapping and remembers which were asked for. Refers to the node, which must outlive it.
class MapReader {
 public:
  /// Throws InputError unless the field is a mapping. Its label is the context: what messages call the mapping.
  explicit MapReader(const Field& field);

  /// Calls the mapping by another name in messages from now on: "object 'box'".
  void set_context(std::string context) { context_ = std::move(context); }
  const std::string& context() const { return context_; }
  const Node& node() const { return *node_; }

  /// The value of the key. Throws InputError if it is missing.
  Field required(std::string_view key);

  /// The value of the key, if it is there.
  std::optional<Field> optional(std::string_view key);

  /// Throws InputError at the first key that was never asked for.
  void finish() const;

  /// Throws InputError at the start of the mapping; the message is the context followed by `predicate`.
  [[noreturn]] void fail(std::string_view predicate) const;

 private:
  void remember(std::string_view key);

  const Node* node_;
  std::string context_;
  std::vector<std::string> known_;
};

/// One key of a mapping whose keys are free names.
struct NamedField {
  std::string name;
  SourceMark mark;  ///< Of the key.
  Field value;
};

namespace read {

/// Any number of items of a list.
inline constexpr int kAnySize = -1;

/// A number with the dimension it was written with, if any. Finite.
Quantity quantity(const Field& field, const Parameters& parameters);

/// A number of the expected dimension, in SI.
double number(const Field& field, Dimension expected, const Parameters& parameters);
/// The same, and greater than zero.
double positive(const Field& field, Dimension expected, const Parameters& parameters);
/// The same, and not less than zero.
double non_negative(const Field& field, Dimension expected, const Parameters& parameters);
/// The same, and within [low, high] (SI).
double number_between(const Field& field, double low, double high, Dimension expected, const Parameters& parameters);
/// A whole number without unit within [low, high].
int integer(const Field& field, int low, int high, const Parameters& parameters);

/// A list of numbers that all have the expected dimension.
Eigen::Vector3d vector3(const Field& field, Dimension expected, const Parameters& parameters);
/// The same with `size` numbers, or any number of them for kAnySize.
Eigen::VectorXd vector(const Field& field, int size, Dimension expected, const Parameters& parameters);
/// A list of `rows` lists of `columns` numbers. Either may be kAnySize; all rows have the same length.
Eigen::MatrixXd matrix(const Field& field, int rows, int columns, Dimension expected, const Parameters& parameters);

/// true or false, unquoted.
bool boolean(const Field& field);
/// Any scalar as text.
std::string text(const Field& field);
/// A name: letters, digits, _ and -, starting with a letter or _.
std::string identifier(const Field& field);
/// Position of the text among the allowed ones.
std::size_t choice_index(const Field& field, std::span<const std::string> allowed);
/// One of the allowed texts.
std::string choice(const Field& field, std::initializer_list<std::string> allowed);
/// The value that belongs to the text: choice<Law>(field, {{"newton", Law::newton}, {"poisson", Law::poisson}}).
template <class Value>
Value choice(const Field& field, std::initializer_list<std::pair<std::string, Value>> allowed);

/// A function of the variables: a number (with a unit, checked) or an expression, taken in SI.
Expression time_function(const Field& field, std::span<const std::string> variables, Dimension expected,
                         const Parameters& parameters);

/// The items of a list, labelled "item 2 of ...". Throws InputError unless it is a list.
std::vector<Field> items(const Field& field);
/// The entries of a mapping with free keys. Throws InputError unless it is a mapping.
std::vector<NamedField> entries(const Field& field);

/// A mapping from names to quantities. Each may use those before it. `value_of` may give a name another value than the
/// written one, SI.
Parameters parameters(const Field& field,
                      const std::function<std::optional<double>(const std::string& name)>& value_of = {});

template <class Value>
Value choice(const Field& field, std::initializer_list<std::pair<std::string, Value>> allowed) {
  std::vector<std::string> names;
  for (const auto& [name, value] : allowed) names.push_back(name);
  return (allowed.begin() + choice_index(field, names))->second;
}

}  // namespace read
}  // namespace thenar
