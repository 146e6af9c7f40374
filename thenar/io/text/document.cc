// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "thenar/base/text.h"
#include "thenar/io/text/document_internal.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/text/yaml_text_internal.h"

namespace thenar {
namespace {

using internal::FlowFault;

constexpr std::size_t kMaxBytes = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxNodes = 1'000'000;

using SharedName = std::shared_ptr<const std::string>;

// A text with line starts, to look at what stands at a mark of the YAML parser.
class Source {
 public:
  // Columns of the first line are shifted by `shift`, for a text that is the end of a longer one.
  Source(std::string text, SharedName file, int shift) : text_(std::move(text)), file_(std::move(file)), shift_(shift) {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  const std::string& text() const { return text_; }

  DocumentMark mark(const YAML::Mark& yaml) const {
    if (yaml.is_null()) return {file_, 0, 0};
    return {file_, yaml.line + 1, yaml.column + 1 + (yaml.line == 0 ? shift_ : 0)};
  }

  DocumentMark mark_of_offset(std::size_t offset) const {
    const auto next_line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    const auto line = static_cast<int>(next_line - line_starts_.begin());
    const auto column = static_cast<int>(offset - *(next_line - 1)) + 1;
    return {file_, line, column + (line == 1 ? shift_ : 0)};
  }

  std::size_t offset_of(const YAML::Mark& yaml) const {
    if (yaml.line < 0 || static_cast<std::size_t>(yaml.line) >= line_starts_.size()) return text_.size();
    const std::size_t line_start = line_starts_[static_cast<std::size_t>(yaml.line)];
    return std::min(line_start + static_cast<std::size_t>(yaml.column), text_.size());
  }

  // The text from the mark on.
  std::string_view rest_at(const YAML::Mark& yaml) const { return std::string_view(text_).substr(offset_of(yaml)); }

  char character_at(const YAML::Mark& yaml) const {
    const std::string_view rest = rest_at(yaml);
    return rest.empty() ? '\0' : rest[0];
  }

 private:
  std::string text_;
  SharedName file_;
  int shift_;
  std::vector<std::size_t> line_starts_{0};
};

// The frequent messages of the YAML parser in the words of someone who edits a file.
std::string explain(const std::string& message, char found) {
  if (message == YAML::ErrorMsg::MAP_VALUE) {
    return "unexpected ':' here; check the indentation and the line before, or quote a text that contains ': '";
  }
  if (message == YAML::ErrorMsg::UNKNOWN_TOKEN) return fmt::format("a text starting with '{}' must be quoted", found);
  if (message == YAML::ErrorMsg::FLOW_END) return fmt::format("found '{}' without its opening bracket", found);
  if (message == YAML::ErrorMsg::BLOCK_ENTRY) return "a list written with '-' must begin on a line of its own";
  if (message == YAML::ErrorMsg::END_OF_MAP) return "unexpected text; expected the next 'key: value'";
  if (message == YAML::ErrorMsg::END_OF_SEQ) return "unexpected text; expected the next '- item'";
  return "not valid YAML: " + message;
}

// Builds the tree and throws InputError on everything the subset leaves out.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Source& source) : source_(source) {}

  bool has_root() const { return root_.has_value(); }
  Node take_root() { return std::move(*root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    fail(mark, source_.rest_at(mark).starts_with("---")
                   ? "a second document starts here; a file holds one"
                   : "unexpected text: what came before is complete; is the indentation right?");
  }
  void OnDocumentEnd() override {}

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    fail(mark, fmt::format("anchor {} is not supported; write the value where it is needed", quote("&" + name)));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail_alias(mark); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    reject_tag(mark, "?");
    if (open_.empty()) return;  // No root: the caller says what is missing.
    Open& parent = open_.back();
    if (parent.node.is_mapping() && !parent.key) fail(mark, "a key is missing before ':'");
    fail_no_value(parent, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    reject_tag(mark, tag);
    const bool plain = tag == "?";
    if (!plain) require_closing_quote(mark);
    if (internal::has_control_character(value)) fail(mark, "the text contains a control character");
    if (wants_key()) return start_member(mark, value, plain);
    if (plain && internal::is_old_boolean(value)) {
      fail(mark, fmt::format("'{0}' is a boolean for some YAML readers; write true or false, or \"{0}\" if it is text",
                             value));
    }
    Node node = make_node(Node::Kind::scalar, mark);
    node.quoted = !plain;
    node.verbatim = is_verbatim(mark, value);
    node.scalar = value;
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::sequence, mark, tag);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(Node::Kind::mapping, mark, tag);
  }
  void OnMapEnd() override { close(); }

  // Rewrites an error of the YAML parser.
  [[noreturn]] void fail_yaml(const YAML::Exception& error) const {
    const bool in_sequence = error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
    const bool in_mapping = error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW;
    if (error.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) fail_alias(error.mark);
    if (in_sequence || in_mapping) fail_flow(in_sequence ? '[' : '{', error.mark);
    fail(error.mark, explain(error.msg, source_.character_at(error.mark)));
  }

 private:
  // A collection that is still being read.
  struct Open {
    Node node;
    YAML::Mark mark;
    bool flow;                                         // Written in brackets, or inside of something that is.
    std::optional<Node::Member> key;                   // Of a mapping: the key whose value comes next.
    std::unordered_map<std::string, int> key_lines{};  // Of a mapping: where each key was first seen.
  };

  bool wants_key() const { return !open_.empty() && open_.back().node.is_mapping() && !open_.back().key; }

  Node make_node(Node::Kind kind, const YAML::Mark& mark) {
    if (++nodes_ > kMaxNodes) fail(mark, fmt::format("the document has more than {} entries", kMaxNodes));
    Node node;
    node.kind = kind;
    node.mark = source_.mark(mark);
    return node;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    reject_tag(mark, tag);
    const bool bracket = source_.character_at(mark) == '[' || source_.character_at(mark) == '{';
    const bool inside_flow = !open_.empty() && open_.back().flow;
    // The outermost brackets are checked with all that is in them, before the parser can misread them.
    if (bracket && !inside_flow) check_flow(mark);
    if (wants_key()) fail(mark, "a key must be a name, not a list or a mapping");
    if (open_.size() >= kMaxDepth) fail(mark, fmt::format("nested more than {} levels deep", kMaxDepth));
    open_.push_back({make_node(kind, mark), mark, bracket || inside_flow, std::nullopt});
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void start_member(const YAML::Mark& mark, const std::string& name, bool plain) {
    Open& parent = open_.back();
    if (plain && name == "<<") fail(mark, "merge keys (<<) are not supported; write the entries where they are needed");
    if (name.empty()) fail(mark, "a key is empty");
    const DocumentMark place = source_.mark(mark);
    const auto [first, is_new] = parent.key_lines.emplace(name, place.line);
    if (!is_new) fail(mark, fmt::format("duplicate key {}; it is already in line {}", quote(name), first->second));
    parent.key = Node::Member{name, place, {}};
  }

  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.is_sequence()) {
      parent.node.items.push_back(std::move(node));
    } else {
      parent.key->value = std::move(node);
      parent.node.members.push_back(std::move(*parent.key));
      parent.key.reset();
    }
  }

  // True when `value` stands in the source as it is, after the quote if there is one.
  bool is_verbatim(const YAML::Mark& mark, const std::string& value) const {
    std::string_view rest = source_.rest_at(mark);
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    return rest.starts_with(value) && value.find('\n') == std::string::npos;
  }

  // The YAML parser takes the end of the file for a closing quote.
  void require_closing_quote(const YAML::Mark& mark) const {
    const std::string_view rest = source_.rest_at(mark);
    const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
    if (quoted && !internal::find_end_of_quoted(rest)) fail(mark, "this quote is not closed");
  }

  // The tag is "?" for plain and "!" for quoted scalars; a lone "!" in the file can only be told by looking there.
  void reject_tag(const YAML::Mark& mark, const std::string& tag) const {
    const bool automatic = tag == "?" || tag == "!";
    if (automatic && source_.character_at(mark) != '!') return;
    const std::string_view rest = source_.rest_at(mark);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \n,]}"));
    fail(mark, fmt::format("tag {} is not supported; values are read by the key they stand under", quote(word)));
  }

  [[noreturn]] void fail_no_value(const Open& parent, const YAML::Mark& mark) const {
    // A missing value has no place of its own: the mark is that of whatever comes next.
    const std::string_view rest = source_.rest_at(mark);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \n,]}"));
    const bool written = word == "~" || word == "null" || word == "Null" || word == "NULL";
    if (parent.node.is_sequence()) {
      throw InputError(written ? source_.mark(mark) : parent.node.mark,
                       fmt::format("no value given for item {} of this list", parent.node.items.size() + 1));
    }
    const bool glued = parent.key->name.find(':') != std::string::npos;
    throw InputError(
        written ? source_.mark(mark) : parent.key->mark,
        fmt::format("no value given for {}{}", quote(parent.key->name), glued ? "; a space is needed after ':'" : ""));
  }

  void check_flow(const YAML::Mark& mark) const {
    const std::size_t start = source_.offset_of(mark);
    const auto fault = internal::find_flow_fault(source_.rest_at(mark), kMaxDepth - std::min(open_.size(), kMaxDepth));
    if (!fault) return;
    const DocumentMark place = source_.mark_of_offset(start + fault->offset);
    const DocumentMark opening = source_.mark_of_offset(start + fault->opening);
    const char found = source_.text()[start + fault->offset];
    switch (fault->kind) {
      case FlowFault::Kind::unclosed_bracket:
        throw InputError(place, fmt::format("this '{}' is not closed", found));
      case FlowFault::Kind::wrong_bracket:
        throw InputError(place, fmt::format("found '{}', but the bracket opened at line {}, column {} is '{}'", found,
                                            opening.line, opening.column, found == ']' ? '{' : '['));
      case FlowFault::Kind::unclosed_quote:
        throw InputError(place, "this quote is not closed");
      case FlowFault::Kind::too_deep:
        throw InputError(place, fmt::format("nested more than {} levels deep", kMaxDepth));
    }
  }

  // The brackets match (check_flow), so what is wrong stands between them, before the place where the parser gave up.
  [[noreturn]] void fail_flow(char bracket, const YAML::Mark& mark) const {
    std::string where;
    for (const Open& open : open_) {
      if (source_.character_at(open.mark) == bracket) where = fmt::format(" opened in line {}", open.node.mark.line);
    }
    fail(mark,
         fmt::format("expected ',' or '{}' before this, in the '{}'{}", bracket == '[' ? ']' : '}', bracket, where));
  }

  [[noreturn]] void fail_alias(const YAML::Mark& mark) const {
    fail(mark, "aliases (*) are not supported; write the value where it is needed, or quote it if it is text");
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw InputError(source_.mark(mark), message);
  }

  const Source& source_;
  std::vector<Open> open_;
  std::optional<Node> root_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

}  // namespace

std::optional<Node> internal::parse_yaml_value(std::string_view text, const SharedName& file, int shift) {
  check_amount(text, kMaxNodes, *file);
  const Source source(std::string(text), file, shift);
  TreeBuilder builder(source);
  std::istringstream stream(source.text());
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
      // The builder rejects a second document.
    }
  } catch (const YAML::Exception& error) {
    builder.fail_yaml(error);
  }
  if (!builder.has_root()) return std::nullopt;
  return builder.take_root();
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(), [key](const Member& m) { return m.name == key; });
  return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::vector<std::string> Node::keys() const {
  std::vector<std::string> names;
  names.reserve(members.size());
  for (const Member& member : members) names.push_back(member.name);
  return names;
}

SourceMark Node::mark_at(std::size_t offset) const {
  SourceMark place = mark;
  if (verbatim) place.column += static_cast<int>(offset) + (quoted ? 1 : 0);
  return place;
}

std::string describe(const Node& node) {
  if (node.is_scalar()) return quote(node.scalar);
  return node.is_sequence() ? "a list" : "a mapping";
}

Node parse_document(std::string_view text, std::string file_name) {
  const auto file = std::make_shared<const std::string>(std::move(file_name));
  if (text.size() > kMaxBytes) throw InputError({*file, 0, 0}, "is larger than 16 MB");
  std::optional<Node> root = internal::parse_yaml_value(internal::check_characters(text, *file), file, 0);
  if (!root) throw InputError({*file, 1, 1}, "the document is empty");
  if (root->is_mapping()) return std::move(*root);
  const bool glued = root->is_scalar() && root->scalar.find(':') != std::string::npos;
  throw InputError(root->mark, fmt::format("expected a mapping (key: value) at the top level, found {}{}",
                                           describe(*root), glued ? "; a space is needed after ':'" : ""));
}

Node read_document(const std::filesystem::path& path) {
  return parse_document(read_file(path, kMaxBytes), path.string());
}

}  // namespace thenar
