// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/replace_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

namespace thenar {
namespace {

namespace fs = std::filesystem;

/// Writes the file in place; an empty text when that went well, otherwise the reason.
std::string write_in_place(const fs::path& path, std::string_view text) {
  std::FILE* file = std::fopen(path.string().c_str(), "wb");
  if (!file) return std::strerror(errno);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (std::fclose(file) != 0) return std::strerror(errno);
  return is_written ? std::string() : std::strerror(error);
}

}  // namespace

void replace_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const auto check = [&](const std::string& reason) {
    if (!reason.empty()) throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), reason));
  };
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) check("it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    check(write_in_place(path, text));
    return;
  }
  // Beside the file itself, not beside a link to it, which is to stay.
  const fs::path target = fs::exists(status) ? fs::canonical(path, error) : path;
  fs::path part = target;
  part += fmt::format(".part-{}", getpid());
  std::string reason = write_in_place(part, text);
  if (reason.empty()) {
    fs::rename(part, target, error);
    if (error) reason = error.message();
  }
  if (!reason.empty()) fs::remove(part, error);
  check(reason);
}

}  // namespace thenar
