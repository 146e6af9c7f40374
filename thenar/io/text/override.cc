// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "thenar/base/text.h"
#include "thenar/io/text/document.h"
#include "thenar/io/text/document_internal.h"
#include "thenar/io/text/yaml_text_internal.h"

namespace thenar {
namespace {

constexpr std::size_t kLongestOverrideName = 120;

using SharedName = std::shared_ptr<const std::string>;

// A part of a path: a word (which can also be an index, if it is a number), a 'quoted key', or an [index].
struct Component {
  enum class Form { word, quoted, index };
  Form form;
  std::string name;
  std::optional<std::size_t> index;
  int column = 0;  // Within the assignment.
};

std::optional<std::size_t> parse_index(std::string_view digits) {
  constexpr std::size_t kMostDigits = 9;
  const bool good =
      !digits.empty() && digits.size() <= kMostDigits && std::all_of(digits.begin(), digits.end(), is_digit);
  if (!good) return std::nullopt;
  return static_cast<std::size_t>(std::stoul(std::string(digits)));
}

// Splits "path=value" at the first '=' outside quotes and the path into its components.
class PathParser {
 public:
  PathParser(std::string_view assignment, const SharedName& file) : text_(assignment), file_(file) {}

  std::vector<Component> parse() {
    std::vector<Component> components;
    while (true) {
      components.push_back(parse_component());
      if (peek() == '=') return components;
      if (peek() == '.') {
        ++position_;
      } else if (peek() != '[') {
        fail(at_end() ? "expected path=value, found no '='" : "expected '.', '[' or '=' here");
      }
    }
  }

  // Offset of the value; valid after parse().
  std::size_t value_offset() const { return position_ + 1; }

 private:
  Component parse_component() {
    const int column = static_cast<int>(position_) + 1;
    if (peek() == '[') return parse_bracket(column);
    if (peek() == '\'' || peek() == '"') return parse_quoted(column);
    const std::size_t start = position_;
    while (!at_end() && std::string_view(".[='\"").find(peek()) == std::string_view::npos) ++position_;
    const std::string_view name = text_.substr(start, position_ - start);
    if (name.empty()) fail(at_end() ? "expected path=value, found no '='" : "expected a name in the path here");
    return {Component::Form::word, std::string(name), parse_index(name), column};
  }

  Component parse_bracket(int column) {
    const std::size_t end = text_.find(']', position_);
    const std::string_view digits =
        end == std::string_view::npos ? std::string_view() : text_.substr(position_ + 1, end - position_ - 1);
    const auto index = parse_index(digits);
    if (!index) fail("expected an index such as [0] here");
    position_ = end + 1;
    return {Component::Form::index, fmt::format("[{}]", *index), index, column};
  }

  Component parse_quoted(int column) {
    const std::size_t end = text_.find(peek(), position_ + 1);
    if (end == std::string_view::npos) fail("this quote is not closed");
    const std::string_view name = text_.substr(position_ + 1, end - position_ - 1);
    if (name.empty()) fail("expected a name between the quotes");
    position_ = end + 1;
    return {Component::Form::quoted, std::string(name), std::nullopt, column};
  }

  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({*file_, 1, static_cast<int>(position_) + 1}, message);
  }

  std::string_view text_;
  const SharedName& file_;
  std::size_t position_ = 0;
};

// Names by which the items of a list can be selected.
std::vector<std::string> item_names(const Node& sequence) {
  std::vector<std::string> names;
  for (const Node& item : sequence.items) {
    const Node* name = item.is_mapping() ? item.find("name") : nullptr;
    if (name && name->is_scalar()) names.push_back(name->scalar);
  }
  return names;
}

// Walks from the root along the components.
class PathWalker {
 public:
  PathWalker(Node& root, const std::vector<Component>& components, const SharedName& file)
      : node_(&root), components_(components), file_(file) {}

  // The node to assign to: an existing one, or a new member of an existing mapping.
  Node& find_target() {
    while (next_ < components_.size()) {
      if (node_->is_mapping()) {
        step_into_mapping();
      } else if (node_->is_sequence()) {
        step_into_sequence();
      } else {
        fail(fmt::format("{} is the single value {} and has no entries", path_so_far(), quote(node_->scalar)));
      }
    }
    return *node_;
  }

 private:
  void step_into_mapping() {
    // The longest run of words that, joined by dots, is a key.
    std::string joined = current().name;
    Node* found = node_->find(joined);
    std::size_t taken = 1;
    for (std::size_t end = next_ + 1; end < components_.size() && is_word(next_) && is_word(end); ++end) {
      joined += "." + components_[end].name;
      if (Node* longer = node_->find(joined)) {
        found = longer;
        taken = end + 1 - next_;
      }
    }
    const bool may_create = next_ + 1 == components_.size() && current().form != Component::Form::index;
    if (!found && !may_create) fail_no_key();
    if (!found) {
      node_->members.push_back({current().name, {file_, 1, current().column}, {}});
      found = &node_->members.back().value;
    }
    node_ = found;
    next_ += taken;
  }

  void step_into_sequence() {
    const std::size_t size = node_->items.size();
    if (current().index) {
      if (*current().index >= size) {
        fail(fmt::format("{} has {} item{}, so there is no index {} (the first is 0)", path_so_far(), size,
                         size == 1 ? "" : "s", *current().index));
      }
      node_ = &node_->items[*current().index];
    } else {
      node_ = &find_named_item();
    }
    ++next_;
  }

  Node& find_named_item() {
    Node* found = nullptr;
    for (Node& item : node_->items) {
      const Node* name = item.is_mapping() ? item.find("name") : nullptr;
      if (!name || !name->is_scalar() || name->scalar != current().name) continue;
      if (found) fail(fmt::format("{} has several items named {}; use an index", path_so_far(), quote(current().name)));
      found = &item;
    }
    if (found) return *found;
    const std::vector<std::string> names = item_names(*node_);
    fail(fmt::format("{} is a list of {} without an item named {}{}; named items: {}", path_so_far(),
                     node_->items.size(), quote(current().name), suggestion(names), list_words(names)));
  }

  [[noreturn]] void fail_no_key() const {
    const std::vector<std::string> keys = node_->keys();
    fail(fmt::format("no {} in {}{}; there is: {}", quote(current().name), path_so_far(), suggestion(keys),
                     list_words(keys)));
  }

  std::string suggestion(const std::vector<std::string>& known) const {
    const auto close = closest_match(current().name, known);
    return close ? fmt::format(" (did you mean {}?)", quote(*close)) : std::string();
  }

  bool is_word(std::size_t i) const { return components_[i].form == Component::Form::word; }
  const Component& current() const { return components_[next_]; }

  std::string path_so_far() const {
    if (next_ == 0) return "the document";
    std::string path;
    for (std::size_t i = 0; i < next_; ++i) path += (i == 0 ? "" : ".") + components_[i].name;
    return quote(path);
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError({*file_, 1, current().column}, message); }

  Node* node_;
  const std::vector<Component>& components_;
  const SharedName& file_;
  std::size_t next_ = 0;
};

Node parse_override_value(std::string_view text, const SharedName& file, int shift) {
  std::optional<Node> node = internal::parse_yaml_value(text, file, shift);
  if (!node) throw InputError({*file, 1, shift + 1}, "no value given after '='");
  // "a: 1" and "- 1" are values in block style, which is hardly what was meant.
  const char first = trim(text)[0];
  const bool flow = node->is_scalar() || first == '[' || first == '{';
  if (!flow) throw InputError(node->mark, "write a list as [a, b] and a mapping as {key: value} here");
  return std::move(*node);
}

}  // namespace

bool is_parameter(const Node& root, std::string_view name) {
  const Node* const parameters = root.find("parameters");
  return parameters != nullptr && parameters->is_mapping() && parameters->find(name) != nullptr;
}

void apply_override(Node& root, std::string_view assignment) {
  const auto file =
      std::make_shared<const std::string>(fmt::format("--set {}", shorten(assignment, kLongestOverrideName)));
  if (assignment.find('\n') != std::string_view::npos) throw InputError({*file, 1, 1}, "holds more than one line");
  internal::check_characters(assignment, *file);
  PathParser parser(assignment, file);
  std::vector<Component> components = parser.parse();
  if (components.size() == 1 && is_parameter(root, components.front().name)) {
    components.insert(components.begin(),
                      {Component::Form::word, "parameters", std::nullopt, components.front().column});
  }
  const std::size_t offset = parser.value_offset();
  Node value = parse_override_value(assignment.substr(offset), file, static_cast<int>(offset));
  PathWalker(root, components, file).find_target() = std::move(value);
}

}  // namespace thenar
