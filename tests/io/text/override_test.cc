// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "thenar/io/text/document.h"

namespace thenar::override_test {
namespace {

Node sample() {
  return parse_document(R"(name: test
parameters: {mu: 0.6, m: 50 g}
objects:
  - {name: box, mass: 1}
  - {name: ball, mass: 2}
  - 3
q: {hand.wrist: 0.1, hand: {wrist: 0.2, thumb: 0.3}, a.b: {c.d: 1}}
twins: [{name: x, v: 1}, {name: x, v: 2}]
)",
                        "f.yaml");
}

void expect_error(const std::string& assignment, int column, const std::string& message) {
  SCOPED_TRACE(assignment);
  Node root = sample();
  try {
    apply_override(root, assignment);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.mark().file, "--set " + assignment);
    EXPECT_EQ(error.mark().line, 1);
    EXPECT_EQ(error.mark().column, column);
    EXPECT_EQ(error.message(), message);
  }
  EXPECT_EQ(root.members.size(), sample().members.size());
}

TEST(Override, ReplacesAValueOfAMapping) {
  Node root = sample();
  apply_override(root, "parameters.mu=0.9");
  const Node& value = *root.find("parameters")->find("mu");
  EXPECT_EQ(value.scalar, "0.9");
  EXPECT_EQ(*value.mark.file, "--set parameters.mu=0.9");
  EXPECT_EQ(value.mark.line, 1);
  EXPECT_EQ(value.mark.column, 15);
  EXPECT_EQ(root.find("parameters")->members[0].mark.source().file, "f.yaml");
}

TEST(Override, FindsParametersByTheirName) {
  Node root = sample();
  const std::size_t members = root.members.size();
  apply_override(root, "mu=0.3");
  EXPECT_EQ(root.find("parameters")->find("mu")->scalar, "0.3");
  EXPECT_EQ(*root.find("parameters")->find("mu")->mark.file, "--set mu=0.3");
  EXPECT_EQ(root.members.size(), members);
  apply_override(root, "nu=0.3");  // no parameter: an entry of the top level
  EXPECT_EQ(root.find("nu")->scalar, "0.3");
}

TEST(Override, SelectsListItemsByIndexOrName) {
  Node root = sample();
  apply_override(root, "objects[0].mass=5 g");
  apply_override(root, "objects.ball.mass=7");
  apply_override(root, "objects.2=4");
  const auto& items = root.find("objects")->items;
  EXPECT_EQ(items[0].find("mass")->scalar, "5 g");
  EXPECT_EQ(items[1].find("mass")->scalar, "7");
  EXPECT_EQ(items[2].scalar, "4");
  apply_override(root, "objects.[1]=[1, {a: b}]");
  EXPECT_EQ(root.find("objects")->items[1].items[1].find("a")->scalar, "b");
}

TEST(Override, TakesTheLongestKeyWithDots) {
  Node root = sample();
  apply_override(root, "q.hand.wrist=1");
  apply_override(root, "q.hand.thumb=2");
  apply_override(root, "q.a.b.c.d=3");
  const Node& q = *root.find("q");
  EXPECT_EQ(q.find("hand.wrist")->scalar, "1");
  EXPECT_EQ(q.find("hand")->find("wrist")->scalar, "0.2");
  EXPECT_EQ(q.find("hand")->find("thumb")->scalar, "2");
  EXPECT_EQ(q.find("a.b")->find("c.d")->scalar, "3");
}

TEST(Override, QuotesKeepDotsTogether) {
  Node root = sample();
  apply_override(root, "q.'hand.index'=4");
  apply_override(root, "q.\"hand\".wrist=5");
  apply_override(root, "'x=y'=6");
  EXPECT_EQ(root.find("q")->find("hand.index")->scalar, "4");
  EXPECT_EQ(root.find("q")->find("hand")->find("wrist")->scalar, "5");
  EXPECT_EQ(root.find("x=y")->scalar, "6");
}

TEST(Override, AddsAKeyToAnExistingMapping) {
  Node root = sample();
  apply_override(root, "objects.box.color='a = b'");
  const Node& box = root.find("objects")->items[0];
  EXPECT_EQ(box.find("color")->scalar, "a = b");
  EXPECT_TRUE(box.find("color")->quoted);
  EXPECT_EQ(box.members.back().mark.source().file, "--set objects.box.color='a = b'");
  EXPECT_EQ(box.members.back().mark.column, 13);
  apply_override(root, "run={until: 1.5}");
  apply_override(root, "run.until=2");
  EXPECT_EQ(root.find("run")->find("until")->scalar, "2");
}

TEST(OverrideErrors, Paths) {
  expect_error("paramters.mu=1", 1,
               "no 'paramters' in the document (did you mean 'parameters'?); there is: name, parameters, objects, q, "
               "twins");
  expect_error("q.foot.wrist=1", 3, "no 'foot' in 'q'; there is: hand.wrist, hand, a.b");
  expect_error("objects.bax.mass=1", 9,
               "'objects' is a list of 3 without an item named 'bax' (did you mean 'box'?); named items: box, ball");
  expect_error("objects[3]=1", 8, "'objects' has 3 items, so there is no index 3 (the first is 0)");
  expect_error("objects.9.mass=1", 9, "'objects' has 3 items, so there is no index 9 (the first is 0)");
  expect_error("name.x=1", 6, "'name' is the single value 'test' and has no entries");
  expect_error("parameters[0]=1", 11, "no '[0]' in 'parameters'; there is: mu, m");
  expect_error("twins.x.v=1", 7, "'twins' has several items named 'x'; use an index");
}

TEST(OverrideErrors, Syntax) {
  expect_error("", 1, "expected path=value, found no '='");
  expect_error("name", 5, "expected path=value, found no '='");
  expect_error("=1", 1, "expected a name in the path here");
  expect_error("a..b=1", 3, "expected a name in the path here");
  expect_error("a.=1", 3, "expected a name in the path here");
  expect_error("a['x']=1", 2, "expected an index such as [0] here");
  expect_error("a[0=1", 2, "expected an index such as [0] here");
  expect_error("a[99999999999]=1", 2, "expected an index such as [0] here");
  expect_error("'a=1", 1, "this quote is not closed");
  expect_error("''=1", 1, "expected a name between the quotes");
  expect_error("'a'b=1", 4, "expected '.', '[' or '=' here");
}

TEST(OverrideErrors, ValuesFollowTheRulesOfFiles) {
  expect_error("name=", 6, "no value given after '='");
  expect_error("name=~", 6, "no value given after '='");
  expect_error("name=# x", 6, "no value given after '='");
  expect_error("name=yes", 6,
               "'yes' is a boolean for some YAML readers; write true or false, or \"yes\" if it is text");
  expect_error("name=!!str x", 6, "tag '!!str' is not supported; values are read by the key they stand under");
  expect_error("name=[1, 2", 6, "this '[' is not closed");
  expect_error("name={a: 1, a: 2}", 13, "duplicate key 'a'; it is already in line 1");
  expect_error("name=a: 1", 6, "write a list as [a, b] and a mapping as {key: value} here");
  expect_error("name=- 1", 6, "write a list as [a, b] and a mapping as {key: value} here");
  expect_error("name=[1] 2", 10, "unexpected text: what came before is complete; is the indentation right?");
  expect_error("name=\xFF", 6, "invalid UTF-8 (byte 0xFF); save the file as UTF-8");
  expect_error("name=a\nb", 1, "holds more than one line");
}

TEST(OverrideErrors, RandomAssignmentsGiveATreeOrAnInputError) {
  const std::string pieces[] = {"objects", "q", "hand", ".", "[", "]", "0", "box",
                                "=",       "'", "\"",   "1", "{", "}", ",", " "};
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string assignment = random() % 2 ? "objects." : "";
    const auto length = random() % 10;
    for (unsigned k = 0; k < length; ++k) assignment += pieces[random() % std::size(pieces)];
    Node root = sample();
    try {
      apply_override(root, assignment);
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace thenar::override_test
