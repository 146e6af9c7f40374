// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/snapshot.h"
#include "thenar/base/version.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <system_error>

#include "thenar/base/diagnostic.h"
#include "thenar/simulation/scenario_fingerprint_internal.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {
namespace {

constexpr char kMagic[16] = "thenar snapshot";
/// Counts the changes of what snapshots hold.
constexpr std::uint32_t kFormat = 1;
/// Snapshots of the largest scenes have some megabytes.
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;

struct Header {
  char magic[16] = {};
  std::uint32_t format = kFormat;
  std::uint32_t flags = 0;  ///< of the machine: 1 if its numbers begin with the lowest byte
  std::uint64_t scenario = 0;
  double time = 0;
  std::uint64_t size = 0, checksum = 0;
  char version[24] = {};
};
static_assert(sizeof(Header) == 16 + 8 + 8 + 8 + 16 + 24);

std::uint32_t find_flags() {
  const std::uint16_t one = 1;
  unsigned char first = 0;
  std::memcpy(&first, &one, 1);
  return first;
}

Header make_header(std::uint64_t scenario, double time, const std::vector<std::byte>& bytes) {
  Header out;
  std::memcpy(out.magic, kMagic, sizeof kMagic);
  out.flags = find_flags();
  out.scenario = scenario;
  out.time = time;
  out.size = bytes.size();
  out.checksum = internal::hash_bytes(bytes.data(), bytes.size());
  fmt::format_to_n(out.version, sizeof out.version - 1, "{}", THENAR_VERSION);
  return out;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError({path.string(), 0, 0}, why);
}

}  // namespace

std::uint64_t Snapshot::hash() const { return internal::hash_bytes(bytes_.data(), bytes_.size(), scenario_); }

void Snapshot::write(const std::filesystem::path& path) const {
  if (!silent_law_.empty()) {
    throw std::runtime_error(
        fmt::format("the controller '{}' does not say what it remembers: a snapshot with it cannot be written. Let its "
                    "memory() return its numbers, or nothing at all if it has none",
                    silent_law_));
  }
  const std::filesystem::path part = path.string() + ".part";
  const Header header = make_header(scenario_, time_, bytes_);
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (file && !error) return;
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  throw std::runtime_error(fmt::format("cannot write '{}'{}", path.string(), error ? ": " + error.message() : ""));
}

Snapshot Snapshot::read(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) refuse(path, "cannot read this snapshot");
  Header header;
  if (size < sizeof header || !file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) {
    refuse(path, "this is no snapshot of Thenar");
  }
  header.version[sizeof header.version - 1] = 0;
  if (header.format != kFormat || std::string(header.version) != THENAR_VERSION || header.flags != find_flags()) {
    refuse(path, fmt::format("this snapshot is of Thenar {} (format {}), this is {} (format {}): run the scenario anew",
                             header.version, header.format, THENAR_VERSION, kFormat));
  }
  if (header.size != size - sizeof header || header.size > kLargestFile) {
    refuse(path, fmt::format("this snapshot is cut off or damaged: it says that it has {} bytes and has {}",
                             header.size, size - sizeof header));
  }
  Snapshot out;
  out.scenario_ = header.scenario;
  out.time_ = header.time;
  out.bytes_.resize(header.size);
  file.read(reinterpret_cast<char*>(out.bytes_.data()), static_cast<std::streamsize>(header.size));
  const Header expected = make_header(header.scenario, header.time, out.bytes_);
  if (!file || expected.checksum != header.checksum)
    refuse(path, "this snapshot is damaged: its checksum does not fit");
  return out;
}

}  // namespace thenar
