// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace thenar {

/// A place in an input: a file, or the argument of a command-line option. Lines and columns count from 1;
/// 0 means "not known".
struct SourceMark {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Bad input. what() reads "file:line:column: error: message" (the parts that are known); the message names
/// the element, the value found and what was expected. The program ends with exit code 2.
class InputError : public std::runtime_error {
 public:
  InputError(const SourceMark& mark, const std::string& message);

  const SourceMark& mark() const { return mark_; }
  const std::string& message() const { return message_; }

 private:
  SourceMark mark_;
  std::string message_;
};

}  // namespace thenar
