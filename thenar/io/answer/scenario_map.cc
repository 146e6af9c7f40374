// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/scenario_map.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <stdexcept>
#include <utility>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/scenario/quasistatic_reader.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/text/units.h"

namespace thenar {
namespace {

/// What stands behind the number of a quantity.
std::string unit_in(std::string_view text) {
  text = trim(text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto number = scan_number(text);
  return std::string(trim(text.substr(number ? number->length : 0)));
}

/// Splits "P=a:b:n" and reads its numbers.
class AxisParser {
 public:
  AxisParser(std::string_view text, const std::string& option) : text_(text), option_(option) {}

  WrittenAxis parse() {
    // A path may have an = within quotes; numbers and units have none.
    const std::size_t equals = text_.rfind('=');
    if (equals == std::string_view::npos) fail("");
    const std::string_view name = trim(text_.substr(0, equals));
    const std::vector<std::string_view> parts = split(text_.substr(equals + 1));
    if (name.empty() || parts.size() != 3) fail("");
    const Quantity from = parse_end(parts[0]), to = parse_end(parts[1]);
    WrittenAxis out{{std::string(name), from.value, to.value, parse_count(parts[2])}, {}, 1, {}};
    set_unit(from, parts[0], to, parts[1], out);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError({option_, 0, 0},
                     fmt::format("expects NAME=FROM:TO:COUNT, such as mu=0.1:0.9:200 or angle='0 deg:90 deg:50', found "
                                 "{}{}{}",
                                 quote(text_), reason.empty() ? "" : ": ", reason));
  }

  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
      const std::size_t colon = text.find(':');
      parts.push_back(trim(text.substr(0, colon)));
      if (colon == std::string_view::npos) return parts;
      text.remove_prefix(colon + 1);
    }
  }

  Quantity parse_end(std::string_view text) const {
    try {
      return parse_quantity(text);
    } catch (const UnitError& error) {
      fail(fmt::format("{}: {}", quote(text), error.what()));
    }
  }

  int parse_count(std::string_view text) const {
    int count = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool is_whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
    if (!is_whole || count < 2 || count > kMostMapCount) {
      fail(fmt::format("COUNT is a whole number from 2 to {}, found {}", kMostMapCount, quote(text)));
    }
    return count;
  }

  /// The unit that is written, of the end that has one. The other may be a plain 0.
  void set_unit(const Quantity& from, std::string_view from_text, const Quantity& to, std::string_view to_text,
                WrittenAxis& out) const {
    if (!from.dimension && !to.dimension) return;
    const bool is_same = from.dimension && to.dimension && compatible(*from.dimension, *to.dimension);
    const bool is_zero = (!from.dimension && from.value == 0) || (!to.dimension && to.value == 0);
    if (!is_same && !is_zero) fail("FROM and TO have different units");
    out.unit = unit_in(from.dimension ? from_text : to_text);
    out.unit_size = parse_quantity("1 " + out.unit).value;
    out.dimension = from.dimension ? from.dimension : to.dimension;
  }

  std::string_view text_;
  const std::string& option_;
};

/// Where an axis takes effect: a parameter of that name, or the name as a path.
std::string find_path(const Node& root, const MapAxis& axis, const char* option) {
  if (is_parameter(root, axis.name)) return "parameters." + axis.name;
  if (!is_word(axis.name) || root.find(axis.name)) return axis.name;
  const Node* parameters = root.find("parameters");
  const bool has_parameters = parameters && parameters->is_mapping();
  // A word that is neither: --set would add it, which can only be a slip.
  const std::vector<std::string> names = has_parameters ? parameters->keys() : std::vector<std::string>();
  const auto close = closest_match(axis.name, names);
  throw InputError(
      {option, 0, 0},
      fmt::format("there is no parameter {}{}; parameters: {}. Other entries are given by their path, as of "
                  "--set",
                  quote(axis.name), close ? fmt::format(" (did you mean {}?)", quote(*close)) : "", list_words(names)));
}

/// The unit that the parameter is written with in the file, if it is the SI's: numbers without a unit are shown in it.
void borrow_unit(const Node& root, WrittenAxis& axis) {
  const Node* parameters = root.find("parameters");
  const Node* entry = parameters && parameters->is_mapping() ? parameters->find(axis.axis.name) : nullptr;
  if (!axis.unit.empty() || !entry || !entry->is_scalar() || !looks_like_quantity(entry->scalar)) return;
  const std::string unit = unit_in(entry->scalar);
  if (!unit.empty() && parse_quantity("1 " + unit).value == 1) axis.unit = unit;
}

/// The unit of the SI in the words of units.h: "kg m^2 s^-2".
std::string si_unit(Dimension dimension) {
  std::string out;
  const std::pair<const char*, int> factors[] = {
      {"kg", dimension.mass}, {"m", dimension.length}, {"s", dimension.time}, {"rad", dimension.angle}};
  for (const auto& [name, exponent] : factors) {
    if (exponent != 0) out += fmt::format("{}{}^{}", out.empty() ? "" : " ", name, exponent);
  }
  return out;
}

MapEntry find_entry(const Node& root, const WrittenAxis& axis, const char* option) {
  return {find_path(root, axis.axis, option), axis.dimension ? si_unit(*axis.dimension) : std::string()};
}

}  // namespace

WrittenAxis parse_map_axis(std::string_view text, const std::string& option) {
  return AxisParser(text, option).parse();
}

MapPhysics instant_physics(InstantOptions options) {
  const std::string settings =
      fmt::format("search of {} nodes and {} cells", options.search.most_nodes, options.search.most_cells);
  return {settings, [](ScenarioDocument& document) { return document.build().name; },
          [options = std::move(options)](ScenarioDocument& document) {
            return solve_map_point(document.build(), options);
          }};
}

MapPhysics quasistatic_physics(QuasistaticOptions options) {
  const auto read = [](ScenarioDocument& document) {
    if (is_quasistatic_document(document.root())) return read_quasistatic(document.root(), "quasistatic");
    return make_quasistatic(document.build(), document.root().mark.source().file);
  };
  const std::string settings = fmt::format("quasistatic, search of {} nodes", options.most_nodes);
  return {settings, [read](ScenarioDocument& document) { return read(document).name; },
          [read, options = std::move(options)](ScenarioDocument& document) {
            return solve_map_point(read(document).problem, options);
          }};
}

std::string MapEntry::assign(double value) const {
  std::string out = path + "=";
  append_number(value, out);
  return unit.empty() ? out : out + " " + unit;
}

void RefusedPoints::add(PlotPoint place, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (count_++ == 0 || std::pair(place.y, place.x) < std::pair(place_.y, place_.x)) {
    place_ = place;
    reason_ = reason;
  }
}

ScenarioMap::ScenarioMap(ScenarioDocument document, WrittenAxis x, WrittenAxis y, MapPhysics physics)
    : document_(std::move(document)), x_(std::move(x)), y_(std::move(y)), physics_(std::move(physics)) {
  x_entry_ = find_entry(document_.root(), x_, "--x");
  y_entry_ = find_entry(document_.root(), y_, "--y");
  if (x_entry_.path == y_entry_.path) {
    throw InputError({"--y", 0, 0}, fmt::format("is the same entry as --x, {}; give another one", quote(y_.axis.name)));
  }
  try {
    validate(x_.axis, y_.axis);
  } catch (const std::invalid_argument& error) {
    throw InputError({"--x, --y", 0, 0}, error.what());
  }
  borrow_unit(document_.root(), x_);
  borrow_unit(document_.root(), y_);
  // What the file says about the two entries does not matter.
  document_.set(x_entry_.assign(x_.axis.from));
  document_.set(y_entry_.assign(y_.axis.from));
  name_ = physics_.find_name(document_);
  fingerprint_ = document_.fingerprint();
}

std::vector<std::string> ScenarioMap::identity() const {
  return {fmt::format("scenario {}, entries {:016x}, {}", name_, fingerprint_, physics_.settings)};
}

MapFunctionMaker ScenarioMap::make_functions() const {
  return [document = document_, x_entry = x_entry_, y_entry = y_entry_, solve = physics_.solve,
          refused = refused_]() -> MapFunction {
    // Every function has a document of its own, in which each point replaces the same two entries.
    return [own = std::make_shared<ScenarioDocument>(document), x_entry, y_entry, solve, refused](double x, double y) {
      own->set(x_entry.assign(x));
      own->set(y_entry.assign(y));
      try {
        return solve(*own);
      } catch (const InputError&) {
        throw;
      } catch (const std::runtime_error& error) {
        refused->add({x, y}, error.what());
        return MapPoint{};
      }
    };
  };
}

}  // namespace thenar
