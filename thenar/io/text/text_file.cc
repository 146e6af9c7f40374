// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/text_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "thenar/base/diagnostic.h"

namespace thenar {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_read(const std::string& doing, const fs::path& path, const std::string& why) {
  throw std::runtime_error(fmt::format("cannot {} '{}': {}", doing, path.string(), why));
}

}  // namespace

LineFile::LineFile(const fs::path& folder, const std::string& name, Start start) : path_(folder / name) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_read("create the folder", folder, error.message());
  if (!fs::is_directory(folder, error)) fail_to_read("write into", folder, "it is not a folder");
  file_.reset(std::fopen(path_.string().c_str(), start == Start::append ? "ab" : "wb"));
  if (!file_) fail_to_read("write", path_, std::strerror(errno));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // A buffer of its own would cut lines where it is full.
  if (start == Start::append) size_ = fs::file_size(path_, error);
}

LineFile::LineFile(const fs::path& folder, const std::string& name, std::optional<std::uintmax_t> kept)
    : LineFile(folder, name, kept ? Start::append : Start::replace) {
  if (!kept || size_ == *kept) return;
  if (size_ < *kept) {
    fail_to_read("go on with", path_, fmt::format("it has {} bytes, but had {} at the checkpoint", size_, *kept));
  }
  std::error_code error;
  fs::resize_file(path_, *kept, error);
  if (error) fail_to_read("shorten", path_, error.message());
  size_ = *kept;
}

bool LineFile::write(std::string_view lines) {
  if (!error_.empty()) return false;
  if (lines.empty() || std::fwrite(lines.data(), 1, lines.size(), file_.get()) == lines.size()) {
    size_ += lines.size();
    return true;
  }
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
  if (!file) fail_to_read("write", path, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (std::fclose(file) != 0) fail_to_read("write", path, std::strerror(errno));
  if (!written) fail_to_read("write", path, std::strerror(error));
}

std::string read_file(const std::filesystem::path& path, std::size_t most) {
  const SourceMark mark{path.string(), 0, 0};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(mark, "no such file");
  if (std::filesystem::is_directory(status)) throw InputError(mark, "is a directory, expected a file");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(mark, fmt::format("cannot be read: {}", std::strerror(errno)));
  // In pieces, up to the limit.
  std::string text;
  std::array<char, 65536> piece;
  while (stream.read(piece.data(), piece.size()), stream.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) break;
  }
  if (stream.bad()) throw InputError(mark, fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

}  // namespace thenar
