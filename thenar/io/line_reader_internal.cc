// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/line_reader_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace thenar::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 18;

}  // namespace

LineReader::LineReader(const fs::path& path) : file_name_(path.string()), buffer_(kPiece) {
  const SourceMark mark{file_name_, 0, 0};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(mark, "no such file");
  if (fs::is_directory(status)) throw InputError(mark, "is a directory, expected a file");
  file_.reset(std::fopen(path.string().c_str(), "rb"));
  if (!file_) throw InputError(mark, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // The pieces are large already.
}

std::optional<std::string_view> LineReader::next() {
  std::size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(start + searched, '\n', end_ - begin_ - searched);
    if (found) {
      std::size_t length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      begin_ += length + 1;
      ++line_;
      if (length > 0 && start[length - 1] == '\r') --length;
      return std::string_view(start, length);
    }
    searched = end_ - begin_;
    if (!read_more()) {
      has_cut_end_ = end_ > begin_;
      return std::nullopt;
    }
  }
}

/// Adds a piece behind what is left. False at the end of the file.
bool LineReader::read_more() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ > kLongestLine) {
    throw InputError({file_name_, line_ + 1, 0},
                     fmt::format("the line is longer than {} MB: this is no file of a run", kLongestLine >> 20));
  }
  if (buffer_.size() < end_ + kPiece) buffer_.resize(std::max(end_ + kPiece, 2 * buffer_.size()));
  const std::size_t count = std::fread(buffer_.data() + end_, 1, kPiece, file_.get());
  if (count == 0 && std::ferror(file_.get())) {
    throw InputError({file_name_, 0, 0}, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  end_ += count;
  return count > 0;
}

}  // namespace thenar::internal
