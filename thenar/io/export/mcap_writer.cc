// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/export/mcap_writer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace thenar {
namespace {

constexpr std::string_view kMagic = "\x89MCAP0\r\n";
constexpr std::size_t kChunkSize = std::size_t{1} << 20;

enum Opcode : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kStatistics = 0x0b,
  kMetadata = 0x0c,
  kMetadataIndex = 0x0d,
  kSummaryOffset = 0x0e,
  kDataEnd = 0x0f
};

/// The fields of a record, little-endian whatever the machine is.
class Fields {
 public:
  template <class Number>
  Fields& number(Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  Fields& text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  Fields& raw(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  Fields& texts(const std::map<std::string, std::string>& values) {
    Fields inside;
    for (const auto& [key, value] : values) inside.text(key).text(value);
    return text(inside.bytes_);
  }
  Fields& counts(const std::map<std::uint16_t, std::uint64_t>& values) {
    Fields inside;
    for (const auto& [key, value] : values) inside.number(key).number(value);
    return text(inside.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string make_record(Opcode opcode, const Fields& fields) {
  return Fields().number<std::uint8_t>(opcode).number<std::uint64_t>(fields.bytes().size()).raw(fields.bytes()).bytes();
}

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
    out[i] = c;
  }
  return out;
}

std::uint64_t to_nanoseconds(double t) { return t > 0 ? static_cast<std::uint64_t>(std::llround(t * 1e9)) : 0; }

}  // namespace

std::uint32_t calc_crc32(std::string_view bytes, std::uint32_t crc) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_crc_table();
  crc = ~crc;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ crc >> 8;
  return ~crc;
}

McapWriter::McapWriter(std::ostream& out, std::string_view library) : out_(out) {
  put(kMagic);
  put(make_record(kHeader, Fields().text("").text(library)));
}

void McapWriter::put(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  position_ += bytes.size();
  crc_ = calc_crc32(bytes, crc_);
}

std::uint16_t McapWriter::add_schema(const std::string& name, const std::string& schema) {
  ++schema_count_;  // 0 means no schema.
  schemas_ += make_record(kSchema, Fields().number(schema_count_).text(name).text("jsonschema").text(schema));
  return schema_count_;
}

std::uint16_t McapWriter::add_channel(const std::string& topic, std::uint16_t schema) {
  const std::uint16_t channel = channel_count_++;
  channels_ += make_record(kChannel, Fields().number(channel).number(schema).text(topic).text("json").texts({}));
  return channel;
}

void McapWriter::write(std::uint16_t channel, double t, std::string_view json) {
  if (!has_begun_) chunk_ = schemas_ + channels_;
  has_begun_ = true;
  const std::uint64_t time = to_nanoseconds(t);
  const auto number = static_cast<std::uint32_t>(counts_[channel]++);
  chunk_entries_[channel].push_back({time, chunk_.size()});
  chunk_ += make_record(kMessage, Fields().number(channel).number(number).number(time).number(time).raw(json));
  chunk_first_ = chunk_has_messages_ ? std::min(chunk_first_, time) : time;
  chunk_last_ = chunk_has_messages_ ? std::max(chunk_last_, time) : time;
  chunk_has_messages_ = true;
  first_time_ = message_count_ > 0 ? std::min(first_time_, time) : time;
  last_time_ = message_count_ > 0 ? std::max(last_time_, time) : time;
  ++message_count_;
  if (chunk_.size() >= kChunkSize) finish_chunk();
}

void McapWriter::add_metadata(const std::string& name, const std::map<std::string, std::string>& values) {
  finish_chunk();
  const std::string record = make_record(kMetadata, Fields().text(name).texts(values));
  metadata_.push_back({position_, record.size(), name});
  put(record);
}

/// The chunk, and after it where its messages are, channel by channel.
void McapWriter::finish_chunk() {
  if (chunk_.empty()) return;
  ChunkIndex index{chunk_first_, chunk_last_, position_, 0, chunk_.size(), 0, {}};
  put(make_record(kChunk, Fields()
                              .number(chunk_first_)
                              .number(chunk_last_)
                              .number<std::uint64_t>(chunk_.size())
                              .number(calc_crc32(chunk_))
                              .text("")
                              .number<std::uint64_t>(chunk_.size())
                              .raw(chunk_)));
  index.length = position_ - index.start;
  const std::uint64_t indices = position_;
  for (auto& [channel, entries] : chunk_entries_) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const IndexEntry& a, const IndexEntry& b) { return a.time < b.time; });
    Fields inside;
    for (const IndexEntry& entry : entries) inside.number(entry.time).number(entry.offset);
    index.index_offsets[channel] = position_;
    put(make_record(kMessageIndex, Fields().number(channel).text(inside.bytes())));
  }
  index.index_length = position_ - indices;
  chunks_.push_back(std::move(index));
  chunk_.clear();
  chunk_entries_.clear();
  chunk_has_messages_ = false;
}

std::string McapWriter::chunk_index_records() const {
  std::string out;
  for (const ChunkIndex& chunk : chunks_) {
    out += make_record(kChunkIndex, Fields()
                                        .number(chunk.first_time)
                                        .number(chunk.last_time)
                                        .number(chunk.start)
                                        .number(chunk.length)
                                        .counts(chunk.index_offsets)
                                        .number(chunk.index_length)
                                        .text("")
                                        .number(chunk.size)
                                        .number(chunk.size));
  }
  return out;
}

std::string McapWriter::metadata_index_records() const {
  std::string out;
  for (const MetadataIndex& index : metadata_) {
    out += make_record(kMetadataIndex, Fields().number(index.offset).number(index.length).text(index.name));
  }
  return out;
}

std::string McapWriter::statistics_record() const {
  return make_record(kStatistics, Fields()
                                      .number(message_count_)
                                      .number(schema_count_)
                                      .number<std::uint32_t>(channel_count_)
                                      .number<std::uint32_t>(0)
                                      .number(static_cast<std::uint32_t>(metadata_.size()))
                                      .number(static_cast<std::uint32_t>(chunks_.size()))
                                      .number(first_time_)
                                      .number(last_time_)
                                      .counts(counts_));
}

/// Writes records of one kind and notes where they are.
void McapWriter::put_summary_group(std::uint8_t opcode, const std::string& records, std::string& offsets) {
  if (records.empty()) return;
  const std::uint64_t start = position_;
  put(records);
  offsets += make_record(kSummaryOffset, Fields().number(opcode).number(start).number<std::uint64_t>(records.size()));
}

void McapWriter::finish() {
  if (!has_begun_) chunk_ = schemas_ + channels_;
  finish_chunk();
  put(make_record(kDataEnd, Fields().number(crc_)));
  // The summary has a checksum of its own, which reaches into the footer.
  const std::uint64_t summary_start = position_;
  crc_ = 0;
  std::string offsets;
  put_summary_group(kSchema, schemas_, offsets);
  put_summary_group(kChannel, channels_, offsets);
  put_summary_group(kStatistics, statistics_record(), offsets);
  put_summary_group(kMetadataIndex, metadata_index_records(), offsets);
  put_summary_group(kChunkIndex, chunk_index_records(), offsets);
  const std::uint64_t offsets_start = position_;
  put(offsets);
  constexpr std::uint64_t kFooterSize = 8 + 8 + 4;
  put(Fields().number<std::uint8_t>(kFooter).number(kFooterSize).number(summary_start).number(offsets_start).bytes());
  put(Fields().number(crc_).bytes());
  put(kMagic);
}

}  // namespace thenar
