// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Writes MCAP, a container of timed messages on topics that Foxglove, PlotJuggler and Rerun open: schemas, channels,
/// messages in chunks with an index of each, a summary at the end, checksums of every part. No compression.
///
///     McapWriter file(stream, "thenar");
///     const auto schema = file.add_schema("thenar.State", text_of_json_schema);
///     const auto channel = file.add_channel("/states", schema);
///     file.write(channel, 0.25, "{\"t\": 0.25}");
///     file.finish();
///
/// All channels are added before the first message. Faults of the stream are for its owner to see.

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace thenar {

class McapWriter {
 public:
  /// The stream must outlive it. `library` says who writes.
  McapWriter(std::ostream& out, std::string_view library);

  /// A JSON schema of messages; its number.
  std::uint16_t add_schema(const std::string& name, const std::string& schema);
  /// A topic with messages in JSON; its number.
  std::uint16_t add_channel(const std::string& topic, std::uint16_t schema);

  /// Adds a message at time t ≥ 0 (s, told in whole nanoseconds).
  void write(std::uint16_t channel, double t, std::string_view json);
  /// Names and values about the file.
  void add_metadata(const std::string& name, const std::map<std::string, std::string>& values);

  /// The rest of the file. Nothing may be added after it.
  void finish();

  std::uint64_t message_count() const { return message_count_; }

 private:
  struct IndexEntry {
    std::uint64_t time = 0, offset = 0;
  };
  struct ChunkIndex {
    std::uint64_t first_time = 0, last_time = 0, start = 0, length = 0, size = 0, index_length = 0;
    std::map<std::uint16_t, std::uint64_t> index_offsets;
  };
  struct MetadataIndex {
    std::uint64_t offset = 0, length = 0;
    std::string name;
  };

  void put(std::string_view bytes);
  void finish_chunk();
  void put_summary_group(std::uint8_t opcode, const std::string& records, std::string& offsets);
  std::string chunk_index_records() const;
  std::string metadata_index_records() const;
  std::string statistics_record() const;

  std::ostream& out_;
  std::uint64_t position_ = 0;  ///< bytes written
  std::uint32_t crc_ = 0;       ///< of them
  std::string schemas_, channels_;
  std::uint16_t schema_count_ = 0, channel_count_ = 0;
  bool has_begun_ = false;  ///< channels are in the first chunk
  std::string chunk_;       ///< records of the chunk that is being filled
  std::uint64_t chunk_first_ = 0, chunk_last_ = 0;
  bool chunk_has_messages_ = false;
  std::map<std::uint16_t, std::vector<IndexEntry>> chunk_entries_;
  std::vector<ChunkIndex> chunks_;
  std::vector<MetadataIndex> metadata_;
  std::map<std::uint16_t, std::uint64_t> counts_;
  std::uint64_t message_count_ = 0, first_time_ = 0, last_time_ = 0;
};

/// CRC-32 as in zlib and MCAP: `crc` is that of what comes before, 0 at the start.
std::uint32_t calc_crc32(std::string_view bytes, std::uint32_t crc = 0);

}  // namespace thenar
