// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/event_writer.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <fstream>

namespace thenar::event_writer_test {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("thenar_events_" + name);
  fs::remove_all(folder);
  return folder;
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Event make_event(double t, EventKind kind, const std::string& where) {
  return {.t = t, .kind = kind, .place = {.name = where}};
}

TEST(EventWriter, WritesOneObjectPerLine) {
  EventWriter writer(fresh_folder("lines"));
  Event impact = make_event(0.1, EventKind::impact, "hand.wrist.1");
  impact.cause = EventCause::strikes;
  impact.side = StopSide::upper;
  impact.numbers = {{"before", -0.5, "rad/s"}, {"after", 0, "rad/s"}};
  Event stick = make_event(2, EventKind::stick, "a/b");
  stick.cause = EventCause::comes_to_rest;
  ASSERT_TRUE(writer.write(impact));
  ASSERT_TRUE(writer.write(stick));
  EXPECT_EQ(
      read_lines(writer.path()),
      (std::vector<std::string>{
          R"({"t":0.1,"kind":"impact","where":"hand.wrist.1","cause":"struck the upper stop at 0.5 rad/s, without )"
          R"(rebound","how":"strikes","numbers":{"before":-0.5,"after":0}})",
          R"({"t":2,"kind":"stick","where":"a/b","cause":"slip has come to rest","how":"comes_to_rest","numbers":{}})"}));
  EXPECT_EQ(writer.path().filename(), "events.jsonl");
}

TEST(EventWriter, TimesReadBackToTheSameBits) {
  EventWriter writer(fresh_folder("bits"));
  const std::vector<double> times{1.0 / 3, 5e-324, std::nextafter(0.1, 1.0), 1e22, 0x1.fffffffffffffp1023};
  for (const double t : times) ASSERT_TRUE(writer.write(make_event(t, EventKind::zeno, "")));
  const std::vector<std::string> lines = read_lines(writer.path());
  ASSERT_EQ(lines.size(), times.size());
  const std::string before = R"({"t":)";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_TRUE(lines[i].starts_with(before));
    double t = 0;
    const char* end = std::from_chars(&lines[i][before.size()], lines[i].data() + lines[i].size(), t).ptr;
    EXPECT_EQ(t, times[i]);
    EXPECT_EQ(*end, ',');
  }
}

TEST(EventWriter, TextsAreEscaped) {
  EventWriter writer(fresh_folder("escapes"));
  Event event = make_event(0, EventKind::model, "a \"b\" \\");
  event.cause = EventCause::to_rigid;
  event.numbers = {{"energy", 0, "J"}};
  event.note = "tab\t, line\nend, \xc3\xa4";
  ASSERT_TRUE(writer.write(event));
  EXPECT_EQ(read_lines(writer.path()),
            std::vector<std::string>{
                R"({"t":0,"kind":"switch","where":"a \"b\" \\","cause":"from compliant to rigid: tab\t, line\nend, )"
                "\xc3\xa4; puts in 0 J\",\"how\":\"to_rigid\",\"numbers\":{\"energy\":0}}"});
}

TEST(EventWriter, LinesAreThereAtOnce) {
  const fs::path folder = fresh_folder("early");
  EventWriter writer(folder);
  EXPECT_TRUE(read_lines(folder / "events.jsonl").empty());
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(writer.write(make_event(0, EventKind::slip, "a")));
    EXPECT_EQ(read_lines(folder / "events.jsonl").size(), i);  // While the writer is still open.
  }
}

TEST(EventWriter, FullDiskIsReportedAndStaysSo) {
  const fs::path folder = fresh_folder("full");
  fs::create_directories(folder);
  fs::create_symlink("/dev/full", folder / "events.jsonl");
  EventWriter writer(folder);
  EXPECT_FALSE(writer.write(make_event(0, EventKind::slip, "a")));
  EXPECT_NE(writer.error().find("No space left on device"), std::string::npos) << writer.error();
  EXPECT_NE(writer.error().find("events.jsonl"), std::string::npos) << writer.error();
  EXPECT_FALSE(writer.write(make_event(0, EventKind::slip, "a")));
}

TEST(EventWriter, FolderThatCannotBeMadeIsReported) {
  const fs::path folder = fresh_folder("blocked");
  std::ofstream(folder) << "a file where the folder should be";
  EXPECT_THROW(EventWriter(folder / "inner"), std::runtime_error);
}

}  // namespace
}  // namespace thenar::event_writer_test
