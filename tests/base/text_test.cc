// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thenar::text_test {
namespace {

TEST(ScanNumber, ReadsTheNumberAtTheStartOnly) {
  const auto number = scan_number("1.5e-3 m");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->value, 1.5e-3);
  EXPECT_EQ(number->length, 6u);
  EXPECT_EQ(scan_number(".5")->value, 0.5);
  EXPECT_EQ(scan_number("2.")->value, 2.0);
  EXPECT_EQ(scan_number("0x10")->length, 1u);
  EXPECT_EQ(scan_number("1e")->length, 1u);
}

TEST(ScanNumber, RefusesWhatIsNoUnsignedDecimal) {
  for (const char* text : {"", "-1", "+1", ".", ".e1", "nan", "inf", "e1", " 1"})
    EXPECT_FALSE(scan_number(text)) << text;
}

TEST(ScanNumber, TellsOverflow) {
  const auto number = scan_number("1e999");
  ASSERT_TRUE(number);
  EXPECT_FALSE(number->value);
  EXPECT_EQ(number->length, 5u);
}

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("mass", "mass", 2), 0u);
  EXPECT_EQ(edit_distance("masss", "mass", 2), 1u);
  EXPECT_EQ(edit_distance("lvel", "level", 2), 1u);
  EXPECT_EQ(edit_distance("msas", "mass", 2), 1u);
  EXPECT_EQ(edit_distance("moss", "mass", 2), 1u);
  EXPECT_EQ(edit_distance("", "ab", 2), 2u);
  EXPECT_EQ(edit_distance("mass", "gravity", 2), 3u);
}

TEST(EditDistance, TreatsVeryLongWordsAsFarApart) {
  const std::string a(100'000, 'a');
  EXPECT_EQ(edit_distance(a, a, 2), 0u);
  EXPECT_EQ(edit_distance(a, a + "b", 2), 3u);
}

TEST(ClosestMatch, FindsTheNearestAndPrefersTheFirst) {
  const std::vector<std::string> words{"mass", "density", "name", "mess"};
  EXPECT_EQ(closest_match("masss", words), "mass");
  EXPECT_EQ(closest_match("miss", words), "mass");
  EXPECT_EQ(closest_match("dens1ti", words), "density");
  EXPECT_EQ(closest_match("gravity", words), std::nullopt);
}

TEST(ClosestMatch, DoesNotMistakeShortWords) {
  const std::vector<std::string> words{"t", "pi"};
  EXPECT_EQ(closest_match("x", words), std::nullopt);
  EXPECT_EQ(closest_match("ab", words), std::nullopt);
  EXPECT_EQ(closest_match("pj", words), "pi");
}

TEST(Quote, ShortensAndHidesControlCharacters) {
  EXPECT_EQ(quote("12 mm"), "'12 mm'");
  EXPECT_EQ(quote("a\nb\x7f"), "'a?b?'");
  EXPECT_EQ(quote(std::string(1000, 'x')), "'" + std::string(60, 'x') + "...'");
  // The 60th byte would cut the two bytes of ü apart.
  EXPECT_EQ(quote(std::string(59, 'x') + "üüü"), "'" + std::string(59, 'x') + "...'");
  // Bytes that are no UTF-8 never reach a terminal: here, the start of a text in UTF-16.
  EXPECT_EQ(quote("\xff\xfet"), "'??t'");
  EXPECT_EQ(quote("ü\xc3"), "'ü?'");
}

TEST(ListWords, EndsLongLists) {
  EXPECT_EQ(list_words({}), "nothing");
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(list_words(words), "a, b, c");
  EXPECT_EQ(list_words(words, 2), "a, b, ... (1 more)");
}

TEST(IsWord, TakesLettersDigitsAndUnderscores) {
  EXPECT_TRUE(is_word("mu_2"));
  EXPECT_FALSE(is_word("2mu"));
  EXPECT_FALSE(is_word(""));
  EXPECT_FALSE(is_word("a-b"));
}

}  // namespace
}  // namespace thenar::text_test
