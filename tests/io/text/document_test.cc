// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace thenar::document_test {
namespace {

Node parse(std::string_view text) { return parse_document(text, "f.yaml"); }

// Expects exactly this error at this place.
void expect_error(const std::string& text, int line, int column, const std::string& message) {
  SCOPED_TRACE(text.substr(0, 80));
  try {
    parse(text);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.mark().file, "f.yaml");
    EXPECT_EQ(error.mark().line, line);
    EXPECT_EQ(error.mark().column, column);
    EXPECT_EQ(error.message(), message);
  }
}

const char* const kSample = R"(thenar: 1
name: rotate a box          # comment
gravity: [0, 0, -9.81]
parameters: {mu: 0.6, m: 50 g}
hands:
  - name: hand
    model: "models/hand.yaml"
    q: {hand.wrist: 30 deg, 'hand.index': -1.5e-3}
objects:
  - name: box
    shape: {box: [0.1, 0.1, 0.08]}
    notes: |
      two lines, [unbalanced
      and "quotes
contacts: {friction: $mu, pairs: auto, force: 'max(0, sin(2*pi*t))'}
run: {until: 1.5, tolerance: 1.0e-8}
)";

TEST(Document, KeepsValuesOrderAndPlaces) {
  const Node root = parse(kSample);
  ASSERT_TRUE(root.is_mapping());
  EXPECT_EQ(root.keys(), (std::vector<std::string>{"thenar", "name", "gravity", "parameters", "hands", "objects",
                                                   "contacts", "run"}));
  const Node& gravity = *root.find("gravity");
  ASSERT_TRUE(gravity.is_sequence());
  ASSERT_EQ(gravity.items.size(), 3u);
  EXPECT_EQ(gravity.items[2].scalar, "-9.81");
  EXPECT_EQ(gravity.items[2].mark.line, 3);
  EXPECT_EQ(gravity.items[2].mark.column, 17);
  EXPECT_EQ(*gravity.mark.file, "f.yaml");
  EXPECT_EQ(root.members[3].mark.line, 4);
  EXPECT_EQ(root.members[3].mark.column, 1);
  const Node& hand = root.find("hands")->items[0];
  EXPECT_FALSE(hand.find("name")->quoted);
  EXPECT_TRUE(hand.find("model")->quoted);
  EXPECT_EQ(hand.find("q")->find("hand.wrist")->scalar, "30 deg");
  EXPECT_EQ(root.find("objects")->items[0].find("notes")->scalar, "two lines, [unbalanced\nand \"quotes\n");
  EXPECT_EQ(root.find("nothing"), nullptr);
}

TEST(Document, PointsIntoScalarsThatStandVerbatim) {
  const Node root = parse("a: 2 * t\nb: '2 * t'\nc: \"x\\ty\"\nd: two\n  lines\n");
  EXPECT_EQ(root.find("a")->mark_at(4).column, 8);
  EXPECT_EQ(root.find("b")->mark_at(4).column, 9);
  EXPECT_EQ(root.find("b")->mark_at(4).line, 2);
  EXPECT_EQ(root.find("c")->mark_at(2).column, 4);
  EXPECT_EQ(root.find("d")->mark_at(5).column, 4);
}

TEST(Document, AcceptsWindowsLineEndsAndByteOrderMark) {
  const Node root = parse(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: [1,\r\n  2]\r\n");
  EXPECT_EQ(root.find("a")->scalar, "1");
  EXPECT_EQ(root.find("a")->mark.column, 4);
  EXPECT_EQ(root.find("b")->items[1].mark.line, 3);
}

TEST(Document, AcceptsUtf8TextAndDocumentMarkers) {
  const Node root = parse("---\nname: \"größe µ 手 🖐\"\n...\n");
  EXPECT_EQ(root.find("name")->scalar, "größe µ 手 🖐");
}

TEST(Document, AcceptsBracketsAndQuotesInsideTexts) {
  const Node root = parse("a: [it's, \"]\", 'x]''', b#c] # ]\nb: {\"k\":\"}\", l: [\n# ] comment\n1]}\nc: x [ y\n");
  ASSERT_EQ(root.find("a")->items.size(), 4u);
  EXPECT_EQ(root.find("a")->items[2].scalar, "x]'");
  EXPECT_EQ(root.find("b")->find("k")->scalar, "}");
  EXPECT_EQ(root.find("c")->scalar, "x [ y");
}

TEST(Document, AxisNamesAndQuotedBooleansStayText) {
  const Node root = parse("a: y\nb: \"no\"\nc: true\nyes: 1\n");
  EXPECT_EQ(root.find("a")->scalar, "y");
  EXPECT_EQ(root.find("b")->scalar, "no");
  EXPECT_EQ(root.find("yes")->scalar, "1");
}

TEST(DocumentErrors, DuplicateKeys) {
  expect_error("a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key 'a'; it is already in line 1");
  expect_error("x: {a: 1, \"a\": 3}\n", 1, 11, "duplicate key 'a'; it is already in line 1");
}

TEST(DocumentErrors, AnchorsAliasesMergeKeysAndTags) {
  expect_error("a: &x 1\nb: *x\n", 1, 4, "anchor '&x' is not supported; write the value where it is needed");
  expect_error("b: [1, *x]\n", 1, 8,
               "aliases (*) are not supported; write the value where it is needed, or quote it if it is text");
  expect_error("a:\n  <<: {b: 1}\n", 2, 3,
               "merge keys (<<) are not supported; write the entries where they are needed");
  for (const std::string tag : {"!!int", "!foo", "!", "!<x>"}) {
    const std::string message = "tag '" + tag + "' is not supported; values are read by the key they stand under";
    expect_error("a: " + tag + " 3\n", 1, 4, message);
    expect_error("a: " + tag + " [3]\n", 1, 4, message);
    expect_error("a: " + tag + " {b: 3}\n", 1, 4, message);
    expect_error("a: " + tag + " '3'\n", 1, 4, message);
  }
}

TEST(DocumentErrors, DocumentsAndTopLevel) {
  expect_error("a: 1\n---\nb: 2\n", 2, 1, "a second document starts here; a file holds one");
  expect_error(" a: 1\nb: 2\n", 2, 1, "unexpected text: what came before is complete; is the indentation right?");
  expect_error("{a: 1} b\n", 1, 8, "unexpected text: what came before is complete; is the indentation right?");
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "null\n", "~"}) {
    expect_error(text, 1, 1, "the document is empty");
  }
  expect_error("\n[1, 2]\n", 2, 1, "expected a mapping (key: value) at the top level, found a list");
  expect_error("hello\n", 1, 1, "expected a mapping (key: value) at the top level, found 'hello'");
  expect_error("a:1\n", 1, 1,
               "expected a mapping (key: value) at the top level, found 'a:1'; a space is needed after ':'");
}

TEST(DocumentErrors, Keys) {
  expect_error("? [1]\n: 2\n", 1, 3, "a key must be a name, not a list or a mapping");
  expect_error("a: {{b: 1}: 2}\n", 1, 5, "a key must be a name, not a list or a mapping");
  expect_error("a: 1\n: 3\n", 2, 1, "a key is missing before ':'");
  expect_error("'': 3\n", 1, 1, "a key is empty");
}

TEST(DocumentErrors, MissingValues) {
  expect_error("a:\nnullable: 2\n", 1, 1, "no value given for 'a'");
  expect_error("a: null\n", 1, 4, "no value given for 'a'");
  expect_error("b: 1\na: ~\n", 2, 4, "no value given for 'a'");
  expect_error("x:\n  a: # nothing\n  b: 1\n", 2, 3, "no value given for 'a'");
  expect_error("a: {b, c: 1}\n", 1, 5, "no value given for 'b'");
  expect_error("{a:1}\n", 1, 2, "no value given for 'a:1'; a space is needed after ':'");
  expect_error("a: [1, , 2]\n", 1, 4, "no value given for item 2 of this list");
  expect_error("a: [1, null]\n", 1, 8, "no value given for item 2 of this list");
  expect_error("a:\n  - 1\n  -\n", 2, 3, "no value given for item 2 of this list");
}

TEST(DocumentErrors, OldBooleans) {
  for (const std::string word : {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"}) {
    expect_error(
        "a: 1\nb: [x, " + word + "]\n", 2, 8,
        "'" + word + "' is a boolean for some YAML readers; write true or false, or \"" + word + "\" if it is text");
  }
}

TEST(DocumentErrors, Characters) {
  expect_error("a: 1\n\tb: 2\n", 2, 1, "found a tab; use spaces");
  expect_error("a: \t1\n", 1, 4, "found a tab; use spaces");
  expect_error(std::string("a: \0b\n", 6), 1, 4, "found the control character 0x00");
  expect_error("a: x\x1b[0m\n", 1, 5, "found the control character 0x1B");
  expect_error("a: 1\rb: 2\n", 1, 5, "found the control character 0x0D");
  expect_error("a: x\x7f\n", 1, 5, "found the control character 0x7F");
  expect_error("a: \xC2\x85\n", 1, 4, "found the control character U+0085");
  expect_error("a: \"\\0\"\n", 1, 4, "the text contains a control character");
  // A lone continuation byte, a cut sequence, an overlong slash, a surrogate, beyond U+10FFFF, Latin-1.
  for (const std::string bad : {"\x80", "\xE2\x82", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFC"}) {
    const auto first = static_cast<unsigned char>(bad[0]);
    const char* const digits = "0123456789ABCDEF";
    const std::string hex = {digits[first / 16], digits[first % 16]};
    expect_error("b: 1\na: x" + bad + "y\n", 2, 5, "invalid UTF-8 (byte 0x" + hex + "); save the file as UTF-8");
  }
  expect_error(std::string("\xFF\xFE"
                           "a\0",
                           4),
               1, 1, "invalid UTF-8 (byte 0xFF); save the file as UTF-8");
}

TEST(DocumentErrors, BracketsAndQuotes) {
  expect_error("a: [1, 2\nb: 3\n", 1, 4, "this '[' is not closed");
  expect_error("a: [1, 2", 1, 4, "this '[' is not closed");
  expect_error("{a: 1", 1, 1, "this '{' is not closed");
  expect_error("a: [\n  [1, 2],\n  [3, 4\nb: {c: 1}\n", 3, 3, "this '[' is not closed");
  expect_error("a: [1, 2}\n", 1, 9, "found '}', but the bracket opened at line 1, column 4 is '['");
  expect_error("a: {b: 1]\n", 1, 9, "found ']', but the bracket opened at line 1, column 4 is '{'");
  expect_error("a: 1\n]\n", 2, 1, "found ']' without its opening bracket");
  expect_error("a: {b: 1}}\n", 1, 10, "found '}' without its opening bracket");
  expect_error("a: {b: 1 c: 2}\n", 1, 11, "expected ',' or '}' before this, in the '{' opened in line 1");
  expect_error("a: [\"x\" \"y\"]\n", 1, 9, "expected ',' or ']' before this, in the '[' opened in line 1");
  expect_error("a: 'x\nb: 2\n", 1, 4, "this quote is not closed");
  expect_error("a: \"x\\\"\n", 1, 4, "this quote is not closed");
  expect_error("a: [1, 'x]\n", 1, 8, "this quote is not closed");
}

TEST(DocumentErrors, OtherSlips) {
  expect_error("a: b: c\n", 1, 5,
               "unexpected ':' here; check the indentation and the line before, or quote a text that contains ': '");
  expect_error("a: @b\n", 1, 4, "a text starting with '@' must be quoted");
  expect_error("a: - 1\n", 1, 4, "a list written with '-' must begin on a line of its own");
  expect_error("a: 'x' y\n", 1, 8, "unexpected text; expected the next 'key: value'");
  expect_error("a: \"\\q\"\n", 1, 7, "not valid YAML: unknown escape character: q");
}

TEST(DocumentErrors, Limits) {
  expect_error("a: " + std::string(101, '[') + std::string(101, ']'), 1, 103, "nested more than 100 levels deep");
  std::string block;
  for (int i = 0; i < 101; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  expect_error(block + std::string(101, ' ') + "x: 1\n", 101, 101, "nested more than 100 levels deep");
  expect_error("a: " + std::string(200'000, '['), 1, 1004, "more than 1000 brackets are open");
  std::string many = "a:\n";
  for (int i = 0; i < 1'000'001; ++i) many += "- 1\n";
  expect_error(many, 1'000'000, 3, "the document has more than 1000000 entries");
  std::string commas = "a: [";
  for (int i = 0; i < 1'000'001; ++i) commas += "1,";
  expect_error(commas + "1]", 1, 2'000'006, "the document has more than 1000000 entries (counting each ',')");
  expect_error(std::string(17 * 1024 * 1024, ' '), 0, 0, "is larger than 16 MB");
}

TEST(Document, AcceptsAHundredLevels) {
  EXPECT_NO_THROW(parse("a: " + std::string(99, '[') + "1" + std::string(99, ']')));
}

TEST(Document, LargeMappingsTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(parse(text).members.size(), 100'000u);
}

class DocumentFile : public testing::Test {
 protected:
  // One folder per test and process, so that tests may run at the same time.
  DocumentFile() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::random_device random;
    folder_ = std::filesystem::temp_directory_path() /
              ("thenar_document_" + std::string(info->name()) + "_" + std::to_string(random()));
    std::filesystem::create_directories(folder_);
  }
  ~DocumentFile() override { std::filesystem::remove_all(folder_); }

  void expect_file_error(const std::filesystem::path& path, const std::string& message) {
    try {
      read_document(path);
      ADD_FAILURE() << "accepted " << path;
    } catch (const InputError& error) {
      EXPECT_EQ(error.mark().line, 0);
      EXPECT_EQ(error.what(), path.string() + ": error: " + message);
    }
  }

  std::filesystem::path folder_;
};

TEST_F(DocumentFile, ReadsAFile) {
  const auto path = folder_ / "a.yaml";
  std::ofstream(path) << kSample;
  const Node root = read_document(path);
  EXPECT_EQ(root.find("thenar")->scalar, "1");
  EXPECT_EQ(root.find("thenar")->mark.source().file, path.string());
}

TEST_F(DocumentFile, TellsWhyAFileCannotBeRead) {
  expect_file_error(folder_ / "missing.yaml", "no such file");
  expect_file_error(folder_ / "", "is a directory, expected a file");
  const auto large = folder_ / "large.yaml";
  std::ofstream(large) << std::string(16 * 1024 * 1024 + 1, ' ');
  expect_file_error(large, "is larger than 16 MB");
  expect_file_error("/dev/zero", "is larger than 16 MB");
}

// Bytes replaced, inserted, removed and copied, lines cut: every result is a tree or an InputError.
TEST(Document, RandomMutationsGiveATreeOrAnInputError) {
  std::mt19937 random(1);
  const std::string alphabet = "[]{}:,-?#&*!|>'\"%@`~ \n\t\r\\0a\xC3\xBC\xFF";
  const std::string sample = kSample;
  int accepted = 0;
  for (int run = 0; run < 5000; ++run) {
    std::string text = sample;
    const auto edits = 1 + random() % 6;
    for (unsigned edit = 0; edit < edits && !text.empty(); ++edit) {
      const std::size_t at = random() % text.size();
      const char letter = alphabet[random() % alphabet.size()];
      switch (random() % 5) {
        case 0:
          text[at] = letter;
          break;
        case 1:
          text.insert(at, 1 + random() % 3, letter);
          break;
        case 2:
          text.erase(at, 1 + random() % 20);
          break;
        case 3:
          text.insert(at, text.substr(random() % text.size(), 1 + random() % 30));
          break;
        default:
          if (random() % 4 == 0) text.resize(at);
          break;
      }
    }
    try {
      parse(text);
      ++accepted;
    } catch (const InputError& error) {
      EXPECT_GT(error.mark().line, 0) << error.what();
      EXPECT_GT(error.mark().column, 0) << error.what();
      EXPECT_LT(std::string(error.what()).size(), 400u);
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace thenar::document_test
