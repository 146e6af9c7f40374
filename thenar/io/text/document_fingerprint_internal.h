// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "thenar/io/text/document.h"

namespace thenar::internal {

/// FNV-1a over the entries of documents. Every text goes in with its length, every list and mapping with its size, so
/// that different documents are different rows of bytes.
class DocumentFingerprint {
 public:
  DocumentFingerprint() = default;
  /// Goes on from the value of another one.
  explicit DocumentFingerprint(std::uint64_t value) : value_(value) {}

  void add(const Node& node) {
    add_number(static_cast<std::uint64_t>(node.kind));
    add_number(static_cast<std::uint64_t>(node.quoted));
    add(node.scalar);
    add_number(node.items.size());
    for (const Node& item : node.items) add(item);
    add_number(node.members.size());
    for (const Node::Member& member : node.members) {
      add(member.name);
      add(member.value);
    }
  }
  void add(const std::string& text) {
    add_number(text.size());
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }

  std::uint64_t value() const { return value_; }

 private:
  void add_number(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }

  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace thenar::internal
