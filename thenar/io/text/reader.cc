// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "thenar/base/text.h"

namespace thenar {
namespace {

std::string member_label(std::string_view key, std::string_view context) {
  return context.empty() ? quote(key) : fmt::format("{} of {}", quote(key), context);
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const auto close = closest_match(word, known);
  return close ? fmt::format("; did you mean '{}'?", *close) : std::string();
}

// "; did you mean 'a'? known: a, b", or only what is known.
std::string suggestion_and_known(std::string_view word, std::span<const std::string> known, std::string_view kind) {
  const std::string close = suggestion(word, known);
  return fmt::format("{} {}: {}", close.empty() ? ";" : close, kind, list_words(known, known.size()));
}

std::string place_of(const SourceMark& mark) {
  return mark.line > 0 ? fmt::format("{}:{}", mark.file, mark.line) : mark.file;
}

bool is_boolean_text(std::string_view text) {
  constexpr std::array<std::string_view, 6> kBooleans{"true", "false", "True", "False", "TRUE", "FALSE"};
  return std::find(kBooleans.begin(), kBooleans.end(), text) != kBooleans.end();
}

// The ways in which files write what is not a finite number.
bool is_non_finite_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string lower(text.substr(0, 16));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower == ".nan" || lower == "nan" || lower == ".inf" || lower == "inf" || lower == "infinity";
}

std::string known_parameters(std::string_view name, const Parameters& parameters) {
  std::vector<std::string> known;
  for (const Parameters::Entry& entry : parameters.entries()) known.push_back(fmt::format("${}", entry.name));
  if (known.empty()) return "; there are no parameters";
  return suggestion_and_known(fmt::format("${}", name), known, "known");
}

// The text of a scalar that is to become a number, after the checks that need no parsing. `expected` is words for it.
std::string_view numeric_text(const Field& field, const std::string& expected) {
  const Node& node = field.node();
  if (!node.is_scalar()) field.fail(fmt::format("expects {}, found {}", expected, describe(node)));
  const std::string_view text = trim(node.scalar);
  if (text.empty()) field.fail(fmt::format("expects {}, found an empty text", expected));
  if (is_boolean_text(text)) field.fail(fmt::format("expects {}, found the boolean {}", expected, quote(text)));
  if (is_non_finite_text(text))
    field.fail(fmt::format("expects {}, found {} which is not finite", expected, quote(text)));
  return text;
}

// Throws the error of a text inside the scalar of `field` at its exact place.
[[noreturn]] void fail_inside(const Field& field, const std::string& expected, const TextError& error,
                              const std::string& addition = {}) {
  const Node& node = field.node();
  throw InputError(node.mark_at(error.offset()), fmt::format("{} expects {}, found {}: {}{}", field.label(), expected,
                                                             quote(trim(node.scalar)), error.what(), addition));
}

Expression parse_expression(const Field& field, std::span<const std::string> variables, const std::string& expected,
                            const Parameters& parameters) {
  std::optional<std::string> unknown;
  const ParameterLookup lookup = [&](std::string_view name) -> std::optional<double> {
    if (const Parameters::Entry* entry = parameters.find(name)) return entry->quantity.value;
    unknown = std::string(name);
    return std::nullopt;
  };
  try {
    return Expression::parse(field.node().scalar, variables, lookup);
  } catch (const ExpressionError& error) {
    fail_inside(field, expected, error, unknown ? known_parameters(*unknown, parameters) : std::string());
  }
}

double evaluate_constant(const Field& field, const Expression& expression, const std::string& expected) {
  const double value = expression.evaluate({});
  if (std::isfinite(value)) return value;
  // The sign of a NaN differs between machines; leave it out.
  const std::string shown = std::isnan(value) ? "nan" : fmt::format("{}", value);
  field.fail(fmt::format("expects {}, found {} which gives {}", expected, quote(trim(field.node().scalar)), shown));
}

Quantity parse_unit_number(const Field& field, const std::string& expected, const std::string& hint = {}) {
  try {
    return parse_quantity(field.node().scalar);
  } catch (const UnitError& error) {
    fail_inside(field, expected, error, hint);
  }
}

// The parameter that the text consists of, "$name", or null.
const Parameters::Entry* find_lone_parameter(std::string_view text, const Parameters& parameters) {
  return text.starts_with('$') ? parameters.find(text.substr(1)) : nullptr;
}

// quantity(), where `expected` is what messages say is wanted.
Quantity read_quantity(const Field& field, const std::string& expected, const Parameters& parameters) {
  const std::string_view text = numeric_text(field, expected);
  if (looks_like_quantity(text)) return parse_unit_number(field, expected);
  if (const Parameters::Entry* entry = find_lone_parameter(text, parameters)) return entry->quantity;
  const Expression expression = parse_expression(field, {}, expected, parameters);
  return {evaluate_constant(field, expression, expected), std::nullopt};
}

void check_dimension(const Field& field, const Quantity& quantity, Dimension expected, const Parameters& parameters) {
  if (!quantity.dimension || compatible(*quantity.dimension, expected)) return;
  const std::string_view text = trim(field.node().scalar);
  const Parameters::Entry* entry = find_lone_parameter(text, parameters);
  field.fail(fmt::format("expects {}, found {} which is {}{}", describe(expected), quote(text),
                         describe(*quantity.dimension),
                         entry ? fmt::format(" (set at {})", place_of(entry->mark)) : std::string()));
}

// A number whose range is checked by the caller, who says in `range` what it must be: "greater than 0".
[[noreturn]] void fail_range(const Field& field, std::string_view range, double value) {
  const std::string_view text = trim(field.node().scalar);
  const std::string plain = fmt::format("{}", value);
  field.fail(fmt::format("must be {}, found {}{}", range, quote(text),
                         text == plain ? std::string() : fmt::format(" which is {}", plain)));
}

const std::vector<Node>& items_of(const Field& field, std::string_view expected) {
  if (!field.node().is_sequence()) {
    field.fail(fmt::format("expects {}, found {}", expected, describe(field.node())));
  }
  return field.node().items;
}

Field item_field(const Field& field, std::size_t index, std::string_view kind = "item") {
  return {field.node().items[index], fmt::format("{} {} of {}", kind, index + 1, field.label())};
}

void check_size(const Field& field, int expected, std::string_view unit) {
  const std::size_t found = field.node().items.size();
  if (expected == read::kAnySize || found == static_cast<std::size_t>(expected)) return;
  field.fail(fmt::format("expects {} {}{}, found {}", expected, unit, expected == 1 ? "" : "s", found));
}

}  // namespace

void Field::fail(std::string_view predicate) const {
  throw InputError(node_->mark, fmt::format("{} {}", label_, predicate));
}

void Parameters::add(std::string name, Quantity quantity, SourceMark mark) {
  if (!is_word(name)) {
    throw InputError(
        mark, fmt::format("{} is no name for a parameter; use letters, digits and _, and no digit first", quote(name)));
  }
  if (const Entry* entry = find(name)) {
    throw InputError(mark, fmt::format("parameter '{}' is already set at {}", name, place_of(entry->mark)));
  }
  entries_.push_back({std::move(name), quantity, std::move(mark)});
}

const Parameters::Entry* Parameters::find(std::string_view name) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [name](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

MapReader::MapReader(const Field& field) : node_(&field.node()), context_(field.label()) {
  if (!node_->is_mapping()) field.fail(fmt::format("expects a mapping (key: value), found {}", describe(*node_)));
}

Field MapReader::required(std::string_view key) {
  if (auto field = optional(key)) return *std::move(field);
  const std::vector<std::string> keys = node_->keys();
  fail(fmt::format("needs the key '{}'; it has: {}", key, list_words(keys)));
}

std::optional<Field> MapReader::optional(std::string_view key) {
  remember(key);
  const Node* value = node_->find(key);
  if (!value) return std::nullopt;
  return Field(*value, member_label(key, context_));
}

void MapReader::finish() const {
  for (const Node::Member& member : node_->members) {
    if (std::find(known_.begin(), known_.end(), member.name) != known_.end()) continue;
    throw InputError(member.mark, fmt::format("unknown key {} in {}{}", quote(member.name), context_,
                                              suggestion_and_known(member.name, known_, "known keys")));
  }
}

void MapReader::fail(std::string_view predicate) const {
  throw InputError(node_->mark, fmt::format("{} {}", context_, predicate));
}

void MapReader::remember(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
}

namespace read {

Quantity quantity(const Field& field, const Parameters& parameters) {
  return read_quantity(field, "a number", parameters);
}

double number(const Field& field, Dimension expected, const Parameters& parameters) {
  const Quantity found = read_quantity(field, describe(expected), parameters);
  check_dimension(field, found, expected, parameters);
  return found.value;
}

double positive(const Field& field, Dimension expected, const Parameters& parameters) {
  const double value = number(field, expected, parameters);
  if (!(value > 0)) fail_range(field, "greater than 0", value);
  return value;
}

double non_negative(const Field& field, Dimension expected, const Parameters& parameters) {
  const double value = number(field, expected, parameters);
  if (!(value >= 0)) fail_range(field, "0 or greater", value);
  return value;
}

double number_between(const Field& field, double low, double high, Dimension expected, const Parameters& parameters) {
  const double value = number(field, expected, parameters);
  if (!(low <= value && value <= high)) fail_range(field, fmt::format("between {} and {}", low, high), value);
  return value;
}

int integer(const Field& field, int low, int high, const Parameters& parameters) {
  const double value = number(field, kNumber, parameters);
  if (value != std::floor(value)) fail_range(field, "a whole number", value);
  if (value < low || value > high) fail_range(field, fmt::format("a whole number from {} to {}", low, high), value);
  return static_cast<int>(value);
}

Eigen::Vector3d vector3(const Field& field, Dimension expected, const Parameters& parameters) {
  return vector(field, 3, expected, parameters);
}

Eigen::VectorXd vector(const Field& field, int size, Dimension expected, const Parameters& parameters) {
  const auto& nodes =
      items_of(field, size == kAnySize ? "a list of numbers" : fmt::format("a list of {} numbers", size));
  check_size(field, size, "number");
  Eigen::VectorXd values(static_cast<Eigen::Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    values[static_cast<Eigen::Index>(i)] = number(item_field(field, i), expected, parameters);
  }
  return values;
}

Eigen::MatrixXd matrix(const Field& field, int rows, int columns, Dimension expected, const Parameters& parameters) {
  const auto& nodes = items_of(field, "a list of rows, each a list of numbers");
  check_size(field, rows, "row");
  Eigen::MatrixXd values;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Eigen::VectorXd row = vector(item_field(field, i, "row"), columns, expected, parameters);
    if (i == 0) {
      columns = static_cast<int>(row.size());  // Later rows must have as many as the first.
      values.resize(static_cast<Eigen::Index>(nodes.size()), columns);
    }
    values.row(static_cast<Eigen::Index>(i)) = row.transpose();
  }
  return values;
}

bool boolean(const Field& field) {
  const Node& node = field.node();
  if (node.is_scalar() && !node.quoted && node.scalar == "true") return true;
  if (node.is_scalar() && !node.quoted && node.scalar == "false") return false;
  field.fail(fmt::format("expects true or false, found {}{}", node.quoted ? "the text " : "", describe(node)));
}

std::string text(const Field& field) {
  if (!field.node().is_scalar()) field.fail(fmt::format("expects a text, found {}", describe(field.node())));
  return field.node().scalar;
}

std::string identifier(const Field& field) {
  if (!field.node().is_scalar()) field.fail(fmt::format("expects a name, found {}", describe(field.node())));
  const std::string& name = field.node().scalar;
  const bool starts = !name.empty() && (is_letter(name[0]) || name[0] == '_');
  const bool good =
      starts && std::all_of(name.begin(), name.end(), [](char c) { return is_word_character(c) || c == '-'; });
  if (good) return name;
  field.fail(
      fmt::format("expects a name of letters, digits, _ and -, starting with a letter or _, found {}", quote(name)));
}

std::size_t choice_index(const Field& field, std::span<const std::string> allowed) {
  const Node& node = field.node();
  const auto found = node.is_scalar() ? std::find(allowed.begin(), allowed.end(), node.scalar) : allowed.end();
  if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
  field.fail(fmt::format("expects one of: {}; found {}{}", list_words(allowed, allowed.size()), describe(node),
                         node.is_scalar() ? suggestion(node.scalar, allowed) : std::string()));
}

std::string choice(const Field& field, std::initializer_list<std::string> allowed) {
  const std::span<const std::string> names(allowed.begin(), allowed.size());
  return names[choice_index(field, names)];
}

Expression time_function(const Field& field, std::span<const std::string> variables, Dimension expected,
                         const Parameters& parameters) {
  const std::string wanted = describe(expected) + " or an expression";
  const std::string_view text = numeric_text(field, wanted);
  std::optional<Quantity> found;
  if (const Parameters::Entry* entry = find_lone_parameter(text, parameters)) {
    found = entry->quantity;
  } else if (looks_like_quantity(text)) {
    found = parse_unit_number(field, wanted, "; an expression has no units, and its products are written with *");
  }
  if (found) {
    check_dimension(field, *found, expected, parameters);
    return Expression(found->value);
  }
  Expression expression = parse_expression(field, variables, wanted, parameters);
  if (expression.is_constant()) evaluate_constant(field, expression, wanted);
  return expression;
}

std::vector<Field> items(const Field& field) {
  const auto& nodes = items_of(field, "a list");
  std::vector<Field> fields;
  fields.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) fields.push_back(item_field(field, i));
  return fields;
}

std::vector<NamedField> entries(const Field& field) {
  if (!field.node().is_mapping()) {
    field.fail(fmt::format("expects a mapping (key: value), found {}", describe(field.node())));
  }
  std::vector<NamedField> fields;
  for (const Node::Member& member : field.node().members) {
    fields.push_back({member.name, member.mark, Field(member.value, member_label(member.name, field.label()))});
  }
  return fields;
}

Parameters parameters(const Field& field,
                      const std::function<std::optional<double>(const std::string& name)>& value_of) {
  Parameters result;
  for (const NamedField& entry : entries(field)) {
    Quantity written = quantity(entry.value, result);
    if (const auto value = value_of ? value_of(entry.name) : std::nullopt) written.value = *value;
    result.add(entry.name, written, entry.mark);
  }
  return result;
}

}  // namespace read
}  // namespace thenar
