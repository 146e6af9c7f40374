// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A strict subset of YAML read into a tree that remembers where every entry stands. It knows nothing of models or
/// scenarios; reader.h turns its nodes into typed values.
///
/// Accepted: one document whose top level is a mapping; block and flow style; plain, quoted and block scalars;
/// comments. Scalars stay text: "1", "true" and "30 deg" mean nothing yet.
///
/// Rejected, each with its line and column, because YAML readers disagree about it or because it is usually a slip:
/// duplicate keys, anchors, aliases, merge keys (<<), tags, several documents, keys that are no scalars, empty values
/// (null, ~), the YAML 1.1 booleans yes, no, on and off when written plain (in any case; y and n are names of axes and
/// stay text), tabs, control characters and invalid UTF-8.
///
/// Limits: 16 MB, 100 levels, a million nodes. Lines and columns count from 1, columns in bytes.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thenar/base/diagnostic.h"

namespace thenar {

/// A SourceMark whose file name is shared by all nodes of a document.
struct DocumentMark {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;

  SourceMark source() const { return {file ? *file : std::string(), line, column}; }
  operator SourceMark() const { return source(); }  // NOLINT: conversion is its purpose.
};

/// One entry of a document. Which members are in use depends on `kind`.
struct Node {
  enum class Kind { scalar, sequence, mapping };
  struct Member;

  Kind kind = Kind::scalar;
  bool quoted = false;  ///< Scalar written in quotes or as a block (| or >), so never a boolean or number by accident.
  bool verbatim = false;  ///< Scalar on one line without escapes: its n-th byte stands n columns after its first.
  DocumentMark mark;      ///< Start of the node; of a quoted scalar, the quote.
  std::string scalar;
  std::vector<Node> items;      ///< Of a sequence.
  std::vector<Member> members;  ///< Of a mapping, in the order of the file.

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }

  /// The value of `key` in a mapping, or null.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);

  /// Names of the keys of a mapping.
  std::vector<std::string> keys() const;

  /// Place of byte `offset` of the scalar, or of the node when the text was not written verbatim.
  SourceMark mark_at(std::size_t offset) const;
};

/// A key with its value.
struct Node::Member {
  std::string name;
  DocumentMark mark;  ///< Of the key.
  Node value;
};

/// "the list", "the mapping" or the quoted text of a scalar, for messages that say what was found.
std::string describe(const Node& node);

/// Reads a file. Throws InputError.
Node read_document(const std::filesystem::path& path);

/// Reads a text; `file_name` is what marks and messages call it. Throws InputError.
Node parse_document(std::string_view text, std::string file_name);

/// Replaces or adds one entry, as by `--set path=value`. A single word that names a parameter of the document stands
/// for that: mu=0.3 is parameters.mu=0.3.
///
/// The path is a row of components separated by dots: a key of a mapping; in a list the index, written 0 or [0], or
/// the `name` of one of its mappings: "objects.box.mass", "objects[0].mass". A key that contains dots may be quoted,
/// q.'hand.wrist', and needs no quotes when it already exists: of several keys that fit, the longest is taken.
/// The last component may be a new key (quoted if it contains dots) of an existing mapping; everything before it must
/// exist, and lists do not grow.
///
/// The value is a YAML scalar, [list] or {mapping}, under the same rules as a file. Its marks, and those of errors,
/// have the file "--set path=value", line 1, and columns counted within "path=value". Throws InputError and leaves
/// `root` as it was.
void apply_override(Node& root, std::string_view assignment);

/// Whether the document has a parameter of that name.
bool is_parameter(const Node& root, std::string_view name);

}  // namespace thenar
