// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Checks of YAML text that need no parser, or that the YAML parser gets wrong: it looks ahead without bound at open
/// brackets (16 MB of "[" cost it gigabytes), takes an unclosed bracket for a key, and the end of the file for a
/// closing quote.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace thenar::internal {

/// Rejects (InputError) invalid UTF-8, control characters and tabs. Returns the text with "\n" as line ends and no byte
/// order mark, so that lines and columns counted in it are those of the file.
std::string check_characters(std::string_view text, const std::string& file);

/// Rejects (InputError) text with so many brackets, commas or quotes that parsing it would need excessive memory. The
/// bounds are far above what a document within `max_nodes` and 100 levels can have, whatever its comments say.
void check_amount(std::string_view text, std::size_t max_nodes, const std::string& file);

/// What is wrong with the brackets and quotes of a flow collection.
struct FlowFault {
  enum class Kind { unclosed_bracket, wrong_bracket, unclosed_quote, too_deep };
  Kind kind;
  std::size_t offset;   ///< Where, in bytes from the start of the collection.
  std::size_t opening;  ///< Of wrong_bracket: the bracket that should have been closed.
};

/// Checks the flow collection ("[...]" or "{...}") with which `text` starts, up to its last bracket.
std::optional<FlowFault> find_flow_fault(std::string_view text, std::size_t max_depth);

/// Offset just after the quote that closes the one with which `text` starts, if there is one. In single quotes ''
/// stands for a quote, in double quotes a backslash protects the next character.
std::optional<std::size_t> find_end_of_quoted(std::string_view text);

/// Escapes in double quotes can produce characters that the file itself may not contain.
bool has_control_character(std::string_view text);

/// yes, no, on, off in the three cases in which YAML 1.1 takes them for booleans.
bool is_old_boolean(std::string_view text);

}  // namespace thenar::internal
