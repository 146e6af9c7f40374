// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace thenar {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& doing, const fs::path& path, const std::string& why) {
  throw std::runtime_error(fmt::format("cannot {} '{}': {}", doing, path.string(), why));
}

}  // namespace

LineFile::LineFile(const fs::path& folder, const std::string& name) : path_(folder / name) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail("create the folder", folder, error.message());
  if (!fs::is_directory(folder, error)) fail("write into", folder, "it is not a folder");
  file_.reset(std::fopen(path_.string().c_str(), "wb"));
  if (!file_) fail("write", path_, std::strerror(errno));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // A buffer of its own would cut lines where it is full.
}

bool LineFile::write(std::string_view lines) {
  if (!error_.empty()) return false;
  if (lines.empty() || std::fwrite(lines.data(), 1, lines.size(), file_.get()) == lines.size()) return true;
  error_ = fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno));
  return false;
}

void append_number(double value, std::string& text) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

void write_file(const fs::path& path, const std::string& text) {
  std::FILE* file = std::fopen(path.string().c_str(), "wb");
  if (!file) fail("write", path, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (std::fclose(file) != 0) fail("write", path, std::strerror(errno));
  if (!written) fail("write", path, std::strerror(error));
}

}  // namespace thenar
