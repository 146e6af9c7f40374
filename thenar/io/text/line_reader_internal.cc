// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/line_reader_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace thenar::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 18;

}  // namespace

LineReader::LineReader(const fs::path& path, LastLine last) : file_name_(path.string()), last_(last), buffer_(kPiece) {
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
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      return take(length, begin_ + length + 1);
    }
    searched = end_ - begin_;
    if (read_more()) continue;
    if (end_ == begin_) return std::nullopt;
    if (last_ == LastLine::may_be_open) return take(end_ - begin_, end_);
    has_cut_end_ = true;
    return std::nullopt;
  }
}

/// The line of that length which begins at begin_; the next one begins at `end`.
std::string_view LineReader::take(std::size_t length, std::size_t end) {
  std::string_view line(buffer_.data() + begin_, length);
  begin_ = end;
  if (++line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
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
