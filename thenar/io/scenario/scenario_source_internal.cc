// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/scenario_source_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "thenar/base/diagnostic.h"
#include "thenar/io/text/document_fingerprint_internal.h"

namespace thenar::internal {
namespace {

/// Whether an expression has `$name` in it.
bool uses(std::string_view text, std::string_view name) {
  const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t i = text.find('$'); i != std::string_view::npos; i = text.find('$', i + 1)) {
    const std::size_t end = i + 1 + name.size();
    if (text.substr(i + 1, name.size()) == name && (end >= text.size() || !is_of_word(text[end]))) return true;
  }
  return false;
}

/// Finds the entries of documents that use a parameter.
class UseFinder {
 public:
  explicit UseFinder(const ScenarioFiles& files) : files_(files) {}

  std::vector<std::string> find(const std::string& parameter) {
    out_.clear();
    walk(*files_.root, "", parameter);
    for (const auto& [hand, path] : files_.model_of_hand) walk_model(hand, *files_.models.at(path), parameter);
    return out_;
  }

 private:
  static std::string join(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }
  /// Items of lists are called by their names, as in overrides, or else by their numbers.
  static std::string name_item(const Node& item, std::size_t number) {
    const Node* name = item.is_mapping() ? item.find("name") : nullptr;
    return name && name->is_scalar() ? name->scalar : std::to_string(number);
  }

  void walk(const Node& node, const std::string& path, const std::string& parameter) {
    if (node.is_scalar() && uses(node.scalar, parameter)) out_.push_back(path);
    for (const Node::Member& member : node.members) walk(member.value, join(path, member.name), parameter);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      walk(node.items[i], join(path, name_item(node.items[i], i)), parameter);
    }
  }

  /// A model has parameters of its own; the hand says which of them follow those of the scenario.
  void walk_model(const std::string& hand, const Node& model, const std::string& parameter) {
    const Node* given = find_given_parameters(hand);
    if (!given) return;
    for (const Node::Member& own : given->members) {
      if (!own.value.is_scalar() || !uses(own.value.scalar, parameter)) continue;
      for (const Node::Member& member : model.members) walk(member.value, join("hands." + hand, member.name), own.name);
    }
  }
  const Node* find_given_parameters(const std::string& hand) const {
    const Node* hands = files_.root->find("hands");
    if (!hands) return nullptr;
    for (const Node& item : hands->items) {
      const Node* name = item.find("name");
      const Node* parameters = item.find("parameters");
      if (name && name->scalar == hand && parameters && parameters->is_mapping()) return parameters;
    }
    return nullptr;
  }

  const ScenarioFiles& files_;
  std::vector<std::string> out_;
};

class DocumentSource final : public ScenarioSource, public std::enable_shared_from_this<DocumentSource> {
 public:
  DocumentSource(ScenarioFiles files, std::vector<Parameter> parameters)
      : files_(std::move(files)), parameters_(std::move(parameters)) {}

  Scenario make(std::span<const NamedValue> values) const override {
    ScenarioFiles files = files_;
    files.read_by_controllers = 0;
    Scenario out = read_files(files, values);
    if (files.read_by_controllers != files_.read_by_controllers) {
      throw InputError({files_.name, 0, 0}, "a recording or mapping that it names has changed since it was read");
    }
    for (std::size_t i = 0; i < out.parameters.size(); ++i) out.parameters[i].drives = parameters_[i].drives;
    out.source = shared_from_this();
    return out;
  }

  std::uint64_t fingerprint() const override {
    DocumentFingerprint out(files_.read_by_controllers);
    out.add(*files_.root);
    for (const auto& [path, model] : files_.models) out.add(*model);
    return out.value();
  }

 private:
  ScenarioFiles files_;
  std::vector<Parameter> parameters_;  ///< and what they drive, which does not depend on their values
};

}  // namespace

Scenario read_with_source(ScenarioFiles files) {
  Scenario out = read_files(files);
  UseFinder finder(files);
  for (Parameter& parameter : out.parameters) parameter.drives = finder.find(parameter.name);
  out.source = std::make_shared<const DocumentSource>(std::move(files), out.parameters);
  return out;
}

}  // namespace thenar::internal
