// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/replace_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace thenar::replace_file_test {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_replace_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  long file_count() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
};

TEST_F(ReplaceFile, WritesANewFileAndReplacesAnOldOne) {
  const fs::path path = folder_ / "a.svg";
  replace_file(path, "one");
  EXPECT_EQ(read(path), "one");
  replace_file(path, "two");
  EXPECT_EQ(read(path), "two");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(ReplaceFile, ALinkStaysALink) {
  replace_file(folder_ / "a.svg", "one");
  fs::create_symlink("a.svg", folder_ / "link.svg");
  replace_file(folder_ / "link.svg", "two");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.svg"));
  EXPECT_EQ(read(folder_ / "a.svg"), "two");
}

TEST_F(ReplaceFile, ADeviceStaysADevice) {
  replace_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(replace_file("/dev/full", "text"), std::runtime_error);
}

TEST_F(ReplaceFile, SaysWhatFailedAndLeavesNothingBehind) {
  fs::create_directories(folder_ / "sub");
  for (const fs::path& path : {folder_ / "missing" / "a.svg", folder_ / "sub"}) {
    try {
      replace_file(path, "text");
      ADD_FAILURE() << path;
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("cannot write '" + path.string() + "': ")) << error.what();
    }
  }
  EXPECT_EQ(file_count(), 1);
}

}  // namespace
}  // namespace thenar::replace_file_test
