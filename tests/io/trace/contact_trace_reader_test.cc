// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/contact_trace_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "../scenario_texts.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/trace/trace_writer.h"

namespace thenar::contact_trace_reader_test {
namespace {

namespace fs = std::filesystem;

class ContactTraceReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_contact_trace_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Reads lines below the header to their end; gives what was read, or the message.
  std::string read(const std::string& lines) const { return read_file(fmt::format("{}\n{}", kContactHeader, lines)); }

  std::string read_file(const std::string& text) const {
    std::ofstream(folder_ / "contacts.csv", std::ios::binary) << text;
    try {
      ContactTraceReader reader(folder_ / "contacts.csv");
      std::string out;
      while (reader.next()) {
        out += fmt::format("[{} {} {}]", reader.t(), reader.contact().name, to_string(reader.contact().mode));
      }
      return out + (reader.has_cut_end() ? " cut" : "");
    } catch (const InputError& error) {
      return fmt::format("{}: {}", error.mark().line, error.message());
    }
  }

  fs::path folder_;
};

TEST_F(ContactTraceReaderTest, ReadsWhatWasWrittenToTheSameBits) {
  const Scenario s = test::parse("objects: [{name: a, shape: {sphere: 1}, mass: 1}]\ncontacts: {}\n");
  Contact contact{.name = "a,\"b\"/c#1",
                  .mode = ContactMode::spin,
                  .gap = 1e-300,
                  .force_on_A = {1.0 / 3, -0.1, 5e-324, 7},
                  .slip = {std::nextafter(1.0, 2.0), -0.0},
                  .u_A = {1e22, 3},
                  .u_B = {-4, 5},
                  .psi = 6.5,
                  .margin = -1};
  {
    TraceWriter writer(s, folder_);
    Sample sample;
    sample.state = s.initial;
    sample.state.t = 0.1;
    sample.tau.setZero(s.model.velocity_count());
    sample.contacts = {contact, contact};
    ASSERT_TRUE(writer.write(sample) && writer.finish());
  }
  ContactTraceReader reader(folder_ / "contacts.csv");
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(reader.next());
    const Contact& read = reader.contact();
    EXPECT_EQ(reader.t(), 0.1);
    EXPECT_EQ(read.name, contact.name);
    EXPECT_EQ(read.mode, contact.mode);
    EXPECT_EQ(read.gap, contact.gap);
    EXPECT_EQ(read.force_on_A, contact.force_on_A);
    EXPECT_EQ(read.slip, contact.slip);
    EXPECT_TRUE(std::signbit(read.slip[1]));
    EXPECT_EQ(read.u_A, contact.u_A);
    EXPECT_EQ(read.u_B, contact.u_B);
    EXPECT_EQ(read.psi, contact.psi);
    EXPECT_EQ(read.margin, contact.margin);
  }
  EXPECT_FALSE(reader.next());
}

TEST_F(ContactTraceReaderTest, FramesStandBesideTheirContacts) {
  const std::string contact = ",a/b,roll,0,1,0,0,0,0,0,0,0,0,0,0,0.5\n";
  const auto read_with = [&](const std::string& frames) -> std::string {
    std::ofstream(folder_ / "contacts.csv", std::ios::binary) << kContactHeader << "\n0" << contact << "1" << contact;
    std::ofstream(folder_ / "contact_frames.csv", std::ios::binary) << kContactFrameHeader << "\n" << frames;
    try {
      ContactTraceReader reader(folder_ / "contacts.csv", folder_ / "contact_frames.csv");
      std::string out;
      while (reader.next()) {
        const Contact& c = reader.contact();
        out += fmt::format("[{} {} {} {} {}]", reader.t(), c.friction, c.point_A.y, c.N.z, c.T.x);
      }
      return out;
    } catch (const InputError& error) {
      return fmt::format("{}: {}", error.mark().line, error.message());
    }
  };
  const std::string first = "0,a/b,0.25,1,2,3,0,0,1,1,0,0\n";
  EXPECT_EQ(read_with(first + "1,a/b,0.5,4,5,6,0,0,-1,-1,0,0\n"), "[0 0.25 2 1 1][1 0.5 5 -1 -1]");
  // A run that was killed may have left fewer of them, or half a line.
  EXPECT_EQ(read_with(first), "[0 0.25 2 1 1][1 0 0 0 0]");
  EXPECT_EQ(read_with(first + "1,a/b,0.5,4,5"), "[0 0.25 2 1 1][1 0 0 0 0]");
  EXPECT_EQ(read_with(first + "1,a/c,0.5,4,5,6,0,0,-1,-1,0,0\n"),
            "3: expected the line of 'a/b' at t = 1, as in contacts.csv, found 'a/c' at t = 1");
  EXPECT_EQ(read_with("0,a/b,0.25,1,2,3,0,0,x,1,0,0\n"), "2: column 'nz' expects a finite number, found 'x'");
  EXPECT_EQ(read_with("0,a/b\n"), "2: expected 12 values, found 2");
}

TEST_F(ContactTraceReaderTest, ALineThatWasCutIsLeftOut) {
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("0,a/b,roll,0,1,0,0,0,0,0,0,0,0,0,0,0.5\n0.1,a/b,roll,0,1,0"), "[0 a/b roll] cut");
}

TEST_F(ContactTraceReaderTest, FaultsNameLineAndColumn) {
  EXPECT_EQ(read("0,a/b,roll,0,1\n"), "2: expected 16 values, found 5");
  EXPECT_EQ(read("0,a/b,rolls,0,1,0,0,0,0,0,0,0,0,0,0,0\n"),
            "2: column 'mode' expects one of open, stick, roll, slide, spin; found 'rolls'");
  EXPECT_EQ(read("0,a/b,roll,0,nan,0,0,0,0,0,0,0,0,0,0,0\n"), "2: column 'fN' expects a finite number, found 'nan'");
  EXPECT_EQ(read("1,a/b,roll,0,1,0,0,0,0,0,0,0,0,0,0,0\n0,a/b,roll,0,1,0,0,0,0,0,0,0,0,0,0,0\n"),
            "3: time goes back: t = 0 after 1");
  EXPECT_EQ(read_file(""), "1: there is no whole line, expected the header of contacts.csv");
  EXPECT_NE(read_file("t,q.a\n").find("1: expected the header 't,contact,mode,"), std::string::npos);
}

}  // namespace
}  // namespace thenar::contact_trace_reader_test
