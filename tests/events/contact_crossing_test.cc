// SPDX-License-Identifier: BSD-3-Clause
//
// Crossings of contacts: their words, and their bytes in snapshots.

#include "thenar/events/contact_crossing.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "thenar/spatial/state_archive.h"

namespace thenar::contact_crossing_test {
namespace {

TEST(ContactCrossing, WordsOfKindsDiffer) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(ContactCrossingKind::verdict); ++i) {
    words.insert(to_string(static_cast<ContactCrossingKind>(i)));
  }
  EXPECT_EQ(words.size(), 7u);
}

TEST(ContactCrossing, ASnapshotHoldsAllOfIt) {
  ContactCrossing before{0.25, ContactCrossingKind::slip, 3, "A/B#2", {1, -2, 0.5}}, after;
  std::vector<std::byte> bytes;
  {
    StateWriter writer(bytes);
    writer(before);
  }
  StateReader reader(bytes.data(), bytes.size());
  reader(after);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(after.theta, before.theta);
  EXPECT_EQ(after.kind, before.kind);
  EXPECT_EQ(after.held, before.held);
  EXPECT_EQ(after.name, before.name);
  EXPECT_EQ(after.slip, before.slip);
}

}  // namespace
}  // namespace thenar::contact_crossing_test
