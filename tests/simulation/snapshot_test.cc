// SPDX-License-Identifier: BSD-3-Clause
/// Snapshots as values and as files: what they hold, and that nothing but an intact one of the same scenario is taken.

#include "thenar/simulation/snapshot.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "thenar/base/diagnostic.h"
#include "thenar/base/version.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulation.h"

namespace thenar::snapshot_test {
namespace {

namespace fs = std::filesystem;

Scenario read(const std::string& scene, const std::vector<std::string>& overrides = {}) {
  return read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/" + scene, overrides);
}

/// A folder that goes with the test.
class SnapshotFile : public testing::Test {
 protected:
  SnapshotFile() : folder_(fs::temp_directory_path() / ("thenar_snapshot_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~SnapshotFile() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "here.snapshot"; }

  std::string read_bytes() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write_bytes(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  /// The message with which the file is refused; empty if it is not.
  std::string refusal() const {
    try {
      Snapshot::read(path());
    } catch (const InputError& error) {
      EXPECT_EQ(error.mark().file, path().string());
      return error.message();
    }
    return {};
  }

 private:
  fs::path folder_;
};

Snapshot save_after(Simulation& sim, double t) {
  EXPECT_TRUE(sim.advance_to(t).ok());
  return sim.save();
}

TEST(Snapshot, IsAValue) {
  Simulation sim(read("truth/bouncing_ball.yaml"));
  const Snapshot start = sim.save(), later = save_after(sim, 0.3);
  EXPECT_FALSE(start == later);
  EXPECT_NE(start.hash(), later.hash());
  EXPECT_EQ(later.time(), 0.3);
  Snapshot copy = later;
  EXPECT_TRUE(copy == later);
  EXPECT_EQ(copy.hash(), later.hash());
  sim.restore(start);
  EXPECT_TRUE(sim.save() == start);
  EXPECT_TRUE(Snapshot().empty());
}

TEST_F(SnapshotFile, ReadsBackToTheSameBits) {
  for (const char* scene : {"grasp_box.yaml", "truth/slow_two_fingers.yaml", "human_hand_swing.yaml"}) {
    SCOPED_TRACE(scene);
    const Scenario scenario = read(scene);
    Simulation sim(scenario);
    const Snapshot here = save_after(sim, 0.21);
    here.write(path());
    const Snapshot back = Snapshot::read(path());
    EXPECT_TRUE(back == here);
    EXPECT_EQ(back.time(), 0.21);
    Simulation other(scenario);
    other.restore(back);
    EXPECT_TRUE(save_after(other, 0.4) == save_after(sim, 0.4));
  }
}

TEST_F(SnapshotFile, CutAnywhereIsRefused) {
  Simulation sim(read("truth/bouncing_ball.yaml"));
  save_after(sim, 0.3).write(path());
  const std::string whole = read_bytes();
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 20) {
    write_bytes(whole.substr(0, length));
    EXPECT_FALSE(refusal().empty()) << length;
  }
  write_bytes(whole + "x");
  EXPECT_NE(refusal().find("cut off or damaged"), std::string::npos);
}

/// Whatever byte is changed: the file is refused, or what was changed does not count and it restores.
TEST_F(SnapshotFile, MutatedNeverCrashes) {
  const Scenario scenario = read("grasp_box.yaml");
  Simulation sim(scenario);
  const Snapshot here = save_after(sim, 0.5);
  here.write(path());
  const std::string whole = read_bytes();
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::size_t> place(0, whole.size() - 1), header(0, 87);
  std::uniform_int_distribution<int> bit(0, 7), count(1, 4);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = whole;
    for (int k = count(generator); k > 0; --k) {
      bytes[i % 4 == 0 ? header(generator) : place(generator)] ^= static_cast<char>(1 << bit(generator));
    }
    write_bytes(bytes);
    try {
      Simulation other(scenario);
      other.restore(Snapshot::read(path()));
      EXPECT_TRUE(bytes == whole || other.state() == sim.state()) << i;
    } catch (const InputError&) {
      ++refused;
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  // Changes that undo each other, and those of the time in the header, which nothing rests on, are no damage.
  EXPECT_GT(refused, 1800);
}

/// Bytes that pass as intact, of something that they are not: the reader's own checks have to hold.
TEST_F(SnapshotFile, OfWrongBytesWithARightChecksumDoesNotCrash) {
  const Scenario ball = read("truth/bouncing_ball.yaml"), cube = read("truth/sliding_cube.yaml");
  Simulation sim(ball), other(cube);
  save_after(other, 0.1).write(path());
  EXPECT_THROW(sim.restore(Snapshot::read(path())), std::invalid_argument);
  EXPECT_TRUE(sim.advance(0.1).ok());
}

TEST_F(SnapshotFile, OfAnotherVersionNamesIt) {
  Simulation sim(read("truth/bouncing_ball.yaml"));
  sim.save().write(path());
  std::string bytes = read_bytes();
  const std::size_t version = bytes.find(THENAR_VERSION);
  ASSERT_NE(version, std::string::npos);
  bytes[version] = '9';
  write_bytes(bytes);
  EXPECT_NE(refusal().find("is of Thenar 9"), std::string::npos) << refusal();
}

TEST_F(SnapshotFile, OfNothingOfOursIsRefused) {
  EXPECT_NE(refusal().find("cannot read"), std::string::npos);
  write_bytes(std::string(1000, 'a'));
  EXPECT_NE(refusal().find("no snapshot of Thenar"), std::string::npos);
}

TEST(Snapshot, OfAScenarioThatHasChangedIsRefused) {
  Simulation sim(read("grasp_box.yaml"));
  const Snapshot here = save_after(sim, 0.1);
  for (const char* change :
       {"parameters.mu=0.61", "parameters.kp=0.16 N m/rad", "objects.box.mass=0.11", "hands.hand.q.thumb_2=-11 deg",
        "run.tolerance=1e-7", "contacts.restitution=0.1", "gravity=[0, 0, -9.8]"}) {
    SCOPED_TRACE(change);
    Simulation other(read("grasp_box.yaml", {change}));
    EXPECT_THROW(other.restore(here), std::invalid_argument);
    EXPECT_EQ(other.time(), 0);
  }
  Simulation same(read("grasp_box.yaml"));
  EXPECT_NO_THROW(same.restore(here));
}

/// A law that remembers something and does not say what.
class Secretive final : public Controller {
 public:
  std::string_view kind() const override { return "secretive"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Secretive>(*this); }
  void add_efforts(const Model&, double, const double*, const double*, double* tau) override { tau[0] += ++count_; }

 private:
  int count_ = 0;
};

TEST_F(SnapshotFile, WithAControllerThatDoesNotSayWhatItRemembersIsRefusedByName) {
  Scenario scenario = read("carv/pendulum.yaml");
  scenario.controls.push_back({std::make_shared<Secretive>(), 100.0});
  Simulation sim(scenario);
  const Snapshot here = save_after(sim, 0.055);
  try {
    here.write(path());
    FAIL() << "written";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("'secretive' does not say what it remembers"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(path()));
  // In the memory of the program it goes on with the same bits all the same.
  const Snapshot end = save_after(sim, 0.1);
  const State there = sim.state();
  sim.restore(here);
  sim.advance_to(0.1);
  EXPECT_EQ(sim.state(), there);
  EXPECT_TRUE(sim.save() == end);
}

}  // namespace
}  // namespace thenar::snapshot_test
