// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/export/mcap_writer.h"

#include <gtest/gtest.h>

#include <sstream>

namespace thenar::mcap_writer_test {
namespace {

/// Little-endian numbers of a file.
std::uint64_t number_at(const std::string& bytes, std::size_t at, int size) {
  std::uint64_t out = 0;
  for (int i = size - 1; i >= 0; --i)
    out = out << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return out;
}

struct Record {
  int opcode = 0;
  std::size_t start = 0;  ///< of the record
  std::string content;
};

/// The records between the two magics.
std::vector<Record> read_records(const std::string& bytes) {
  std::vector<Record> out;
  for (std::size_t at = 8; at + 8 < bytes.size();) {
    const auto length = static_cast<std::size_t>(number_at(bytes, at + 1, 8));
    out.push_back({static_cast<unsigned char>(bytes[at]), at, bytes.substr(at + 9, length)});
    at += 9 + length;
  }
  return out;
}

std::string write_file(int messages, std::size_t size) {
  std::ostringstream stream;
  McapWriter writer(stream, "test");
  const auto schema = writer.add_schema("a.A", "{\"type\":\"object\"}");
  const auto one = writer.add_channel("/one", schema), two = writer.add_channel("/two", schema);
  for (int i = 0; i < messages; ++i) writer.write(i % 2 == 0 ? one : two, 0.5 * i, std::string(size, 'x'));
  writer.add_metadata("about", {{"key", "value"}});
  writer.finish();
  return stream.str();
}

TEST(Crc32, IsThatOfZlib) {
  EXPECT_EQ(calc_crc32("123456789"), 0xcbf43926u);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(calc_crc32(""), 0u);
  EXPECT_EQ(calc_crc32("6789", calc_crc32("12345")), calc_crc32("123456789"));
}

TEST(McapWriter, HasTheRecordsInTheirOrder) {
  const std::string bytes = write_file(3, 10);
  const std::string magic = "\x89MCAP0\r\n";
  EXPECT_EQ(bytes.substr(0, 8), magic);
  EXPECT_EQ(bytes.substr(bytes.size() - 8), magic);
  std::vector<int> opcodes;
  for (const Record& record : read_records(bytes)) opcodes.push_back(record.opcode);
  // header; chunk and its two indices; metadata; end of data; schema, two channels, statistics, metadata index, chunk
  // index; five summary offsets; footer
  EXPECT_EQ(opcodes, (std::vector<int>{1, 6, 7, 7, 12, 15, 3, 4, 4, 11, 13, 8, 14, 14, 14, 14, 14, 2}));
}

TEST(McapWriter, ChecksumsAreOfWhatTheySay) {
  const std::string bytes = write_file(5, 100);
  const std::vector<Record> records = read_records(bytes);
  const Record *chunk = nullptr, *end = nullptr;
  for (const Record& record : records) {
    if (record.opcode == 6) chunk = &record;
    if (record.opcode == 15) end = &record;
  }
  // start, end, size, crc, compression "", size, records
  EXPECT_EQ(number_at(chunk->content, 24, 4), calc_crc32(chunk->content.substr(8 * 3 + 4 + 4 + 8)));
  EXPECT_EQ(number_at(end->content, 0, 4), calc_crc32(bytes.substr(0, end->start)));
  const Record& footer = records.back();
  const auto summary = static_cast<std::size_t>(number_at(footer.content, 0, 8));
  EXPECT_EQ(number_at(footer.content, 16, 4), calc_crc32(bytes.substr(summary, footer.start + 9 + 16 - summary)));
}

TEST(McapWriter, LongFilesHaveSeveralChunks) {
  const std::string bytes = write_file(50, 100000);
  std::size_t chunks = 0, indices = 0;
  for (const Record& record : read_records(bytes)) {
    chunks += record.opcode == 6;
    indices += record.opcode == 8;
  }
  EXPECT_EQ(chunks, 5u);  // eleven messages reach a megabyte
  EXPECT_EQ(indices, chunks);
}

TEST(McapWriter, AFileWithoutMessagesIsOneToo) {
  const std::vector<Record> records = read_records(write_file(0, 0));
  EXPECT_EQ(records.front().opcode, 1);
  EXPECT_EQ(records.back().opcode, 2);
}

}  // namespace
}  // namespace thenar::mcap_writer_test
