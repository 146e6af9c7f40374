// SPDX-License-Identifier: BSD-3-Clause
//
// Names of contacts: numbers from the moment on at which there are several, kept for as long as a point lasts.

#include "thenar/instant/contact_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../support/builders.h"

namespace thenar::contact_names_test {
namespace {

using Names = std::vector<std::string>;

Model make_model() {
  ModelBuilder builder;
  for (const char* name : {"box", "table", "wall"}) {
    builder.add_body({.name = name, .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, kWorld,
                     {.name = name, .kind = JointKind::free});
  }
  return std::move(builder).finalize();
}

/// A point of the box on the table (2) or on the wall (3).
FoundContact make_point(std::uint64_t id, int other = 2) {
  FoundContact out;
  out.body_A = BodyIndex(1), out.body_B = BodyIndex(other);
  out.shape_A = 0, out.shape_B = other - 1;
  out.id = id;
  return out;
}

TEST(ContactNames, OnePointHasNoNumber) {
  const Model model = make_model();
  ContactNames names(model);
  EXPECT_EQ(names.update({make_point(7)}), Names{"box/table"});
  EXPECT_EQ(names.update({make_point(8)}), Names{"box/table"}) << "another point, but one at a time";
  EXPECT_EQ(names.update({make_point(8), make_point(8, 3)}), (Names{"box/table", "box/wall"}));
}

TEST(ContactNames, PointsKeepTheirNumbersWhateverTheirOrder) {
  const Model model = make_model();
  ContactNames names(model);
  names.update({make_point(10)});
  EXPECT_EQ(names.update({make_point(20), make_point(10)}), (Names{"box/table#1", "box/table#0"}))
      << "the one that was there is number 0";
  EXPECT_EQ(names.update({make_point(10), make_point(20)}), (Names{"box/table#0", "box/table#1"}));
  EXPECT_EQ(names.update({make_point(20)}), Names{"box/table#1"}) << "numbers stay, though it is alone";
  EXPECT_EQ(names.find(make_point(20)), "box/table#1");
}

TEST(ContactNames, ANewPointTakesTheLowestFreeNumber) {
  const Model model = make_model();
  ContactNames names(model);
  names.update({make_point(10), make_point(20), make_point(30)});
  names.update({make_point(30)});
  EXPECT_EQ(names.update({make_point(30), make_point(40), make_point(50), make_point(60)}),
            (Names{"box/table#2", "box/table#0", "box/table#1", "box/table#3"}));
}

TEST(ContactNames, PairsAreNumberedByThemselves) {
  const Model model = make_model();
  ContactNames names(model);
  EXPECT_EQ(names.update({make_point(10), make_point(20), make_point(10, 3)}),
            (Names{"box/table#0", "box/table#1", "box/wall"}));
  EXPECT_EQ(names.update({make_point(10, 3), make_point(20, 3)}), (Names{"box/wall#0", "box/wall#1"}));
}

TEST(ContactNames, GoOnAfterTheArchive) {
  const Model model = make_model();
  ContactNames names(model), read(model);
  names.update({make_point(10), make_point(20)});
  names.update({make_point(20)});
  std::vector<std::byte> bytes;
  {
    StateWriter writer(bytes);
    names.archive(writer);
  }
  StateReader reader(bytes.data(), bytes.size());
  read.archive(reader);
  EXPECT_EQ(reader.left(), 0u);
  const std::vector<FoundContact> next{make_point(30), make_point(20)};
  EXPECT_EQ(read.update(next), (Names{"box/table#0", "box/table#1"}));
}

}  // namespace
}  // namespace thenar::contact_names_test
