// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The state of objects as bytes, and back. A class names what its future depends on once, for both ways:
///
///     template <class Archive>
///     void archive(Archive& a) { a(time_, positions_, memory_); }
///
///     StateWriter writer(bytes);  object.archive(writer);
///     StateReader reader(bytes);  same_kind_of_object.archive(reader);
///
/// Numbers, enumerations, texts, vectors, optionals, pairs, maps and Eigen's matrices know how; other types have a
/// member archive() or a function archive_state(a, object) beside them. Fields are written one by one, so that equal
/// states have equal bytes. The bytes are those of this machine and of one version of the classes: files carry a header
/// that says so (snapshot.h).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "thenar/base/typed_index.h"
#include "thenar/spatial/linear.h"

namespace thenar {

/// Bytes that are no state of such an object.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
concept PlainState = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class StateWriter {
 public:
  static constexpr bool kReads = false;

  /// Replaces what is in `out`, whose storage it uses again; `out` must outlive it, and has its size when the writer
  /// goes.
  explicit StateWriter(std::vector<std::byte>& out) : out_(out), at_(out.data()), end_(at_ + out.size()) {}
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  ~StateWriter() { out_.resize(used()); }

  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  // Inlined even in large functions, where a field of known size is one move: a third of the time of save().
  [[gnu::always_inline]] void bytes(const void* from, std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - at_)) grow(count);
    if (count > 0) std::memcpy(at_, from, count);  // of nothing there may be no address
    at_ += count;
  }
  /// How many entries follow.
  std::size_t size(std::size_t count, std::size_t /*least_bytes*/ = 1) {
    bytes(&count, sizeof count);
    return count;
  }

 private:
  template <class T>
  void put(T& value);

  std::size_t used() const { return static_cast<std::size_t>(at_ - out_.data()); }
  void grow(std::size_t count) {
    const std::size_t place = used();
    out_.resize(std::max({place + count, 2 * place, std::size_t{4096}}));
    at_ = out_.data() + place;
    end_ = out_.data() + out_.size();
  }

  std::vector<std::byte>& out_;
  std::byte *at_, *end_;
};

class StateReader {
 public:
  static constexpr bool kReads = true;

  /// The bytes must outlive it.
  StateReader(const std::byte* from, std::size_t count) : from_(from), left_(count) {}

  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  [[gnu::always_inline]] void bytes(void* to, std::size_t count) {
    if (count > left_) throw StateError("it ends too early");
    if (count > 0) std::memcpy(to, from_, count);
    from_ += count;
    left_ -= count;
  }
  /// How many entries follow, each of so many bytes at least.
  std::size_t size(std::size_t /*count*/, std::size_t least_bytes = 1) {
    std::size_t count = 0;
    bytes(&count, sizeof count);
    if (count > left_ / least_bytes) throw StateError("it holds a list that is longer than the file");
    return count;
  }
  std::size_t left() const { return left_; }

 private:
  template <class T>
  void put(T& value);

  const std::byte* from_;
  std::size_t left_;
};

// --- Types that are no classes of ours ------------------------------------------------------------------------------

template <class Archive>
void archive_state(Archive& a, std::string& value) {
  value.resize(a.size(value.size()));
  a.bytes(value.data(), value.size());
}

template <class Archive, class T>
void archive_state(Archive& a, std::vector<T>& values) {
  values.resize(a.size(values.size(), PlainState<T> ? sizeof(T) : 1));
  if constexpr (PlainState<T>) {
    a.bytes(values.data(), values.size() * sizeof(T));
  } else {
    for (T& value : values) a(value);
  }
}

template <class Archive>
void archive_state(Archive& a, std::vector<bool>& values) {
  values.resize(a.size(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    char value = values[i] ? 1 : 0;
    a(value);
    values[i] = value != 0;
  }
}

template <class Archive, class T, std::size_t N>
void archive_state(Archive& a, std::array<T, N>& values) {
  if constexpr (PlainState<T>) {
    a.bytes(values.data(), N * sizeof(T));
  } else {
    for (T& value : values) a(value);
  }
}

template <class Archive, class T>
void archive_state(Archive& a, std::optional<T>& value) {
  char is_there = value.has_value() ? 1 : 0;
  a(is_there);
  if constexpr (Archive::kReads) {
    if (is_there == 0) value.reset();
    if (is_there != 0 && !value) value.emplace();
  }
  if (value) a(*value);
}

template <class Archive, class A, class B>
void archive_state(Archive& a, std::pair<A, B>& value) {
  a(value.first, value.second);
}

template <class Archive, class Key, class T>
void archive_state(Archive& a, std::map<Key, T>& values) {
  const std::size_t count = a.size(values.size());
  if constexpr (Archive::kReads) {
    values.clear();
    for (std::size_t i = 0; i < count; ++i) {
      Key key{};
      a(key);
      a(values[key]);
    }
  } else {
    for (auto& [key, value] : values) {
      Key copy = key;
      a(copy, value);
    }
  }
}

template <class Archive, class T, int R, int C, int O, int MR, int MC>
void archive_state(Archive& a, Eigen::Matrix<T, R, C, O, MR, MC>& value) {
  if constexpr (R == Eigen::Dynamic || C == Eigen::Dynamic) {
    const auto rows = static_cast<Eigen::Index>(a.size(static_cast<std::size_t>(value.rows()), 0 + 1));
    const auto cols = static_cast<Eigen::Index>(a.size(static_cast<std::size_t>(value.cols()), 0 + 1));
    if constexpr (Archive::kReads) {
      if (rows > 0 && static_cast<std::size_t>(cols) > a.left() / sizeof(T) / static_cast<std::size_t>(rows)) {
        throw StateError("it holds a matrix that is larger than the file");
      }
      if ((R != Eigen::Dynamic && rows != R) || (C != Eigen::Dynamic && cols != C)) {
        throw StateError("it holds a matrix of another shape");
      }
      value.resize(rows, cols);
    }
  }
  a.bytes(value.data(), static_cast<std::size_t>(value.size()) * sizeof(T));
}

template <class Archive, class Tag>
void archive_state(Archive& a, TypedIndex<Tag>& value) {
  int number = value.value();
  a(number);
  if (number < 0) throw StateError("it holds a negative index");
  value = TypedIndex<Tag>(number);
}

template <class Archive, class T>
void archive_state(Archive& a, Vec3<T>& value) {
  a(value.x, value.y, value.z);
}

namespace internal {

template <class Archive, class T>
concept HasArchiveMember = requires(Archive& a, T& value) {
  value.archive(a);
};

template <class Archive, class T>
void archive_value(Archive& a, T& value) {
  if constexpr (PlainState<T>) {
    a.bytes(&value, sizeof value);
  } else if constexpr (HasArchiveMember<Archive, T>) {
    value.archive(a);
  } else {
    archive_state(a, value);
  }
}

}  // namespace internal

template <class T>
void StateWriter::put(T& value) {
  internal::archive_value(*this, value);
}

template <class T>
void StateReader::put(T& value) {
  internal::archive_value(*this, value);
}

/// Instantiates a member template archive() of a class for both ways.
#define THENAR_INSTANTIATE_ARCHIVE(CLASS)                  \
  template void CLASS::archive<StateWriter>(StateWriter&); \
  template void CLASS::archive<StateReader>(StateReader&)

}  // namespace thenar
