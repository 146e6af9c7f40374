// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_reader.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../scenario_texts.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/text/line_reader_internal.h"
#include "thenar/io/trace/trace_units.h"
#include "thenar/io/trace/trace_writer.h"
#include "thenar/simulation/simulate.h"

namespace thenar::trace_reader_test {
namespace {

namespace fs = std::filesystem;

class TraceFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_") + test->test_suite_name() + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  /// Reads a states.csv of this text to its end; gives the message without the folder, or the rows.
  std::string read(const std::string& text) const {
    try {
      TraceReader reader(write("states.csv", text));
      std::string out;
      while (reader.next()) out += fmt::format("[{}]", fmt::join(reader.row(), " "));
      return out + (reader.has_cut_end() ? " cut" : "");
    } catch (const InputError& error) {
      return fmt::format("{}: {}", error.mark().line, error.message());
    }
  }

  fs::path folder_;
};

using TraceReaderTest = TraceFolder;
using TraceEventsTest = TraceFolder;
using FindTraceTest = TraceFolder;
using LineReaderTest = TraceFolder;

TEST_F(TraceReaderTest, ReadsRows) {
  EXPECT_EQ(read("t,q.a,v.a\n0,1,-2.5\n0.1,1e-3,4e300\n"), "[0 1 -2.5][0.1 0.001 4e+300]");
  EXPECT_EQ(read("t,q.a\r\n0,1\r\n"), "[0 1]");
  EXPECT_EQ(read("t,q.a\n"), "");
}

TEST_F(TraceReaderTest, ReadsWhatTheWriterWroteBitForBit) {
  const Scenario s = test::parse(
      "hands: [{name: h, bodies: [{name: a, joint: {name: j, type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0],"
      " inertia: [1, 1, 1]}]}]\ncontrol: [{torque: {h.j: sin(t)/3}}]\n");
  const Trace trace = record(s);
  TraceWriter writer(s, folder_);
  for (const Sample& sample : trace.samples) ASSERT_TRUE(writer.write(sample));
  ASSERT_TRUE(writer.finish());
  TraceReader reader(writer.path());
  EXPECT_EQ(reader.columns(), trace_columns(s));
  for (const Sample& sample : trace.samples) {
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.t(), sample.state.t);
    EXPECT_EQ(reader.row()[1], sample.state.q(0));
    EXPECT_EQ(reader.row()[2], sample.state.v(0));
    EXPECT_EQ(reader.row()[3], sample.tau(0));
  }
  EXPECT_FALSE(reader.next());
}

TEST_F(TraceReaderTest, TwoRowsMayHaveOneTime) { EXPECT_EQ(read("t,v.a\n0,-1\n0,1\n"), "[0 -1][0 1]"); }

TEST_F(TraceReaderTest, LeavesOutALastLineThatWasCut) {
  EXPECT_EQ(read("t,q.a\n0,1\n0.1,"), "[0 1] cut");
  EXPECT_EQ(read("t,q.a\n0,1\n0.1,2"), "[0 1] cut");  // The 2 may have been 2.5.
  EXPECT_EQ(read("t,q.a\n0,1\n0.1,nan"), "[0 1] cut");
}

TEST_F(TraceReaderTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read(""), "1: the file is empty, expected the header of a trace");
  EXPECT_EQ(read("t,q"), "1: the header is cut: there is no whole line");
  EXPECT_EQ(read("thenar: 1\nname: demo\n"), "1: not a trace: the first column must be 't', found 'thenar: 1'");
  EXPECT_EQ(read("\n"), "1: not a trace: the first column must be 't', found ''");
  EXPECT_EQ(read("t,q.a,\n"), "1: not a trace: a column has no name");
  EXPECT_EQ(read("t,q.a,q.a\n"), "1: two columns are named 'q.a'");
  EXPECT_EQ(read("t,q.a\n0,1\n0.1\n"), "3: the row has 1 value, expected 2, one per column");
  EXPECT_EQ(read("t,q.a\n0,1,2\n"), "2: the row has 3 values, expected 2, one per column");
  EXPECT_EQ(read("t,q.a\n0,nan\n"), "2: column 'q.a' expects a finite number, found 'nan'");
  EXPECT_EQ(read("t,q.a\n0,-inf\n"), "2: column 'q.a' expects a finite number, found '-inf'");
  EXPECT_EQ(read("t,q.a\n0,1e999\n"), "2: column 'q.a' expects a finite number, found '1e999'");
  EXPECT_EQ(read("t,q.a\n0,\n"), "2: column 'q.a' expects a finite number, found ''");
  EXPECT_EQ(read("t,q.a,q.b\n0,1 m,2\n"), "2: column 'q.a' expects a finite number, found '1 m'");
  EXPECT_EQ(read("t,q.a\n0,1\n\n0.1,1\n"), "3: the row has 1 value, expected 2, one per column");
  EXPECT_EQ(read("t,q.a\n0,1\n0.2,1\n0.1,1\n"), "4: time goes back: t = 0.1 after 0.2");
  EXPECT_THROW(TraceReader(folder_ / "missing.csv"), InputError);
  EXPECT_THROW(TraceReader{folder_}, InputError);
}

TEST_F(LineReaderTest, LinesMayBeLongerThanAPieceOfTheFile) {
  const std::string longest(1'000'000, 'x');
  internal::LineReader lines(write("long.txt", "a\n" + longest + "\n\nb\n"));
  EXPECT_EQ(lines.next(), "a");
  EXPECT_EQ(lines.next(), longest);
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "b");
  EXPECT_EQ(lines.mark().line, 4);
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_FALSE(lines.has_cut_end());
}

TEST_F(LineReaderTest, AFileWithoutLineEndsIsRefusedBeforeItFillsTheMemory) {
  internal::LineReader lines(write("zeros.bin", "a\n" + std::string((17u << 20), '\0')));
  EXPECT_EQ(lines.next(), "a");
  try {
    lines.next();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.mark().line, 2);
    EXPECT_EQ(error.message(), "the line is longer than 16 MB: this is no file of a run");
  }
}

const std::vector<std::string> kColumns{"t",       "q.hand.wrist.0", "q.hand.wrist.1", "q.hand.pip",
                                        "q.box.x", "v.hand.pip",     "tau.hand.pip"};

std::string find(const std::string& pattern) {
  try {
    std::vector<std::string> names;
    for (const std::size_t i : find_columns(pattern, kColumns, "states.csv")) names.push_back(kColumns[i]);
    return fmt::format("{}", fmt::join(names, " "));
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(FindColumns, MatchesNamesAndPatterns) {
  EXPECT_EQ(find("q.hand.pip"), "q.hand.pip");
  EXPECT_EQ(find("q.hand.*"), "q.hand.wrist.0 q.hand.wrist.1 q.hand.pip");
  EXPECT_EQ(find("*pip"), "q.hand.pip v.hand.pip tau.hand.pip");
  EXPECT_EQ(find("q.*.?"), "q.hand.wrist.0 q.hand.wrist.1 q.box.x");
}

TEST(FindColumns, TheTimeIsNoColumn) {
  EXPECT_EQ(find("*"), "q.hand.wrist.0 q.hand.wrist.1 q.hand.pip q.box.x v.hand.pip tau.hand.pip");
  EXPECT_TRUE(find("t").starts_with("states.csv:1: error: no column is named 't'"));
}

TEST(FindColumns, TheHandMayBeLeftOut) {
  EXPECT_EQ(find("q.wrist.*"), "q.hand.wrist.0 q.hand.wrist.1");
  EXPECT_EQ(find("q.wrist.1"), "q.hand.wrist.1");
  EXPECT_EQ(find("*.pip"), "q.hand.pip v.hand.pip tau.hand.pip");
  EXPECT_EQ(find("v.pip"), "v.hand.pip");
}

TEST(FindColumns, AWholeNameComesBeforeAShortenedOne) {
  const std::vector<std::string> columns{"t", "q.a.b", "q.h.a.b"};
  EXPECT_EQ(find_columns("q.a.b", columns, ""), std::vector<std::size_t>{1});
}

TEST(FindColumns, SuggestsCloseNames) {
  EXPECT_EQ(find("q.hand.pop"),
            "states.csv:1: error: no column is named 'q.hand.pop'; did you mean 'q.hand.pip'? columns: q.hand.wrist.0, "
            "q.hand.wrist.1, q.hand.pip, q.box.x");
  EXPECT_NE(find("q.wrst.*").find("no column fits 'q.wrst.*'; did you mean 'q.wrist.*'?"), std::string::npos);
  EXPECT_NE(find("q.wrist").find("did you mean 'q.wrist.*'?"), std::string::npos);
  EXPECT_NE(find("plot.svg").find("the file to write is named by -o"), std::string::npos);
  EXPECT_NE(find("w.*").find("columns: q.hand.wrist.0, q.hand.wrist.1, q.hand.pip, q.box.x, v.hand.pip"),
            std::string::npos);
}

TEST_F(FindTraceTest, FindsTheFilesOfAFolder) {
  EXPECT_THROW(find_trace(folder_), InputError);
  EXPECT_THROW(find_trace(folder_ / "missing"), InputError);
  const fs::path states = write("states.csv", "t\n");
  EXPECT_EQ(find_trace(folder_).states, states);
  EXPECT_TRUE(find_trace(folder_).events.empty());
  const fs::path events = write("events.jsonl", ""), summary = write("summary.json", "{}");
  for (const fs::path& trace : {folder_, states}) {
    EXPECT_EQ(find_trace(trace).events, events);
    EXPECT_EQ(find_trace(trace).summary, summary);
  }
  // A file of another name may be of another run.
  EXPECT_TRUE(find_trace(write("other.csv", "t\n")).events.empty());
}

TEST_F(FindTraceTest, EnergyAndContactsAreFoundBesideTheStates) {
  write("states.csv", "t\n");
  EXPECT_TRUE(find_trace(folder_).energy.empty() && find_trace(folder_).contacts.empty());
  const fs::path energy = write("energy.csv", ""), contacts = write("contacts.csv", "");
  const TraceFiles files = find_trace(folder_);
  EXPECT_EQ(files.energy, energy);
  EXPECT_EQ(files.contacts, contacts);
  EXPECT_THROW(check_output(files, contacts, "-o"), InputError);
}

TEST_F(FindTraceTest, AnOutputIsNoFileOfTheTrace) {
  const fs::path states = write("states.csv", "t\n");
  const TraceFiles files = find_trace(folder_);
  EXPECT_NO_THROW(check_output(files, folder_ / "plot.svg", "--output"));
  EXPECT_THROW(check_output(files, folder_ / "." / "states.csv", "--output"), InputError);
  EXPECT_THROW(check_output({states, write("events.jsonl", ""), {}, {}, {}, {}, {}}, folder_ / "events.jsonl", "-o"),
               InputError);
}

TEST_F(TraceEventsTest, ReadsEventsInTheirOrder) {
  const fs::path path = write("events.jsonl",
                              "{\"t\":0.25,\"kind\":\"impact\",\"where\":\"h.j\",\"cause\":\"upper stop\"}\n"
                              "{\"t\":1,\"kind\":\"new_kind\",\"where\":\"\",\"cause\":\"\",\"more\":[1]}\n");
  std::vector<TraceEvent> events;
  EXPECT_TRUE(read_events(path, [&](const TraceEvent& event) { events.push_back(event); }));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].t, 0.25);
  EXPECT_EQ(events[0].kind + events[0].where + events[0].cause, "impacth.jupper stop");
  EXPECT_EQ(events[1].kind, "new_kind");
}

TEST_F(TraceEventsTest, TellsACutLineFromABadOne) {
  const auto ignore = [](const TraceEvent&) {};
  EXPECT_FALSE(read_events(write("cut.jsonl", "{\"t\":0.2"), ignore));
  for (const char* bad :
       {"[1]", "{\"t\":0.2", "{\"t\":null,\"kind\":\"a\",\"where\":\"\",\"cause\":\"\"}",
        "{\"t\":1,\"kind\":2,\"where\":\"\",\"cause\":\"\"}", "{\"t\":1,\"kind\":\"a\",\"where\":\"\"}", "\xFF", ""}) {
    try {
      read_events(write("bad.jsonl", std::string(bad) + "\n"), ignore);
      ADD_FAILURE() << bad;
    } catch (const InputError& error) {
      EXPECT_EQ(error.mark().line, 1) << bad;
    }
  }
}

/// The unit that each column of a scenario must have, from its joints.
std::vector<std::string> true_units(const Scenario& s) {
  const std::vector<MotionKind> kinds = find_motion_kinds(trace_columns(s), find_sliding_joints(s));
  const std::vector<std::string> columns = trace_columns(s);
  std::vector<std::string> units;
  for (std::size_t i = 0; i < columns.size(); ++i)
    units.push_back(unit_of(split_column(columns[i]).quantity, kinds[i]));
  return units;
}

Scenario every_joint() {
  return test::parse(R"(hands:
  - name: h
    base_joint: planar
    bodies:
      - {name: mount, mass: 1, inertia: [1, 1, 1]}
      - {name: palm, parent: mount, joint: {name: wrist, type: universal}, mass: 1, inertia: [1, 1, 1]}
      - {name: tip, parent: palm, joint: {name: ball, type: spherical}, mass: 1, inertia: [1, 1, 1]}
      - {name: end, parent: tip, joint: {name: slide, type: prismatic}, mass: 1, inertia: [1, 1, 1]}
      - {name: last, parent: end, joint: {name: x, type: revolute}, mass: 1, inertia: [1, 1, 1]}
objects:
  - {name: box, shape: {box: [0.1, 0.2, 0.3]}, mass: 1}
)");
}

TEST(TraceUnits, OfEveryJoint) {
  EXPECT_EQ(fmt::format("{}", fmt::join(true_units(every_joint()), ",")),
            ",m,m,rad,rad,rad,,,,,m,rad,m,m,m,,,,,"                      // q: base, wrist, ball, slide, x, box
            "m/s,m/s,rad/s,rad/s,rad/s,rad/s,rad/s,rad/s,m/s,rad/s,"     // v
            "rad/s,rad/s,rad/s,m/s,m/s,m/s,N m,N m,N m,N m,N m,N,N m");  // v of the box; tau without the base
}

TEST(TraceUnits, OnlyJointsOfOneNumberNeedASummary) {
  const std::vector<std::string> columns = trace_columns(every_joint());
  const std::vector<MotionKind> kinds = find_motion_kinds(columns, std::nullopt),
                                truth = find_motion_kinds(columns, find_sliding_joints(every_joint()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_open = columns[i].ends_with(".h.slide") || columns[i].ends_with(".h.x");
    EXPECT_EQ(kinds[i], is_open ? MotionKind::not_known : truth[i]) << columns[i];
  }
  EXPECT_EQ(unit_of("v", MotionKind::not_known), "rad/s | m/s");
}

TEST(TraceUnits, OtherColumnsHaveNone) {
  const std::vector<std::string> columns{"t", "q", "gap.contact_1"};
  for (const MotionKind kind : find_motion_kinds(columns, std::nullopt)) EXPECT_EQ(kind, MotionKind::no_coordinate);
}

TEST_F(FindTraceTest, SummaryNamesTheSlidingJoints) {
  const auto read = [&](const std::string& text) { return read_sliding_joints(write("summary.json", text)); };
  EXPECT_EQ(read(R"({"name":"a","sliding_joints":["h.slide"]})"), std::vector<std::string>{"h.slide"});
  EXPECT_EQ(read(R"({"sliding_joints":[]})"), std::vector<std::string>{});
  EXPECT_EQ(read(R"({"name":"a"})"), std::nullopt);
  EXPECT_EQ(read(R"({"name":"a)"), std::nullopt);
  EXPECT_EQ(read_sliding_joints(folder_ / "missing.json"), std::nullopt);
}

}  // namespace
}  // namespace thenar::trace_reader_test
