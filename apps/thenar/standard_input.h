// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iostream>
#include <sstream>
#include <string>

#include "thenar/io/text/text_file.h"

namespace thenar::app {

/// The text of a file; "-" is the standard input. Throws InputError for what cannot be read.
inline std::string read_file_or_stdin(const std::string& file) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 32;  // more than any dense problem and its proof take
  if (file != "-") return read_file(file, kMostBytes);
  std::ostringstream text;
  text << std::cin.rdbuf();
  return text.str();
}

}  // namespace thenar::app
