// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace thenar::reader_test {
namespace {

constexpr double kPi = std::numbers::pi;
const std::vector<std::string> kVariables{"t", "level"};

Parameters sample_parameters() {
  Parameters parameters;
  parameters.add("mu", {0.6, std::nullopt}, {"p.yaml", 2, 3});
  parameters.add("m", {0.05, kMass}, {"p.yaml", 3, 3});
  parameters.add("reach", {0.2, kLength}, {"p.yaml", 4, 3});
  return parameters;
}

// The value of key `x` of a one-entry document "x: text", handed to `use`.
template <class Use>
auto with_field(const std::string& text, Use use) {
  const Node root = parse_document("x: " + text + "\n", "f.yaml");
  return use(Field(*root.find("x"), "'x'"));
}

double number_of(const std::string& text, Dimension expected = kNumber) {
  const Parameters parameters = sample_parameters();
  return with_field(text, [&](const Field& field) { return read::number(field, expected, parameters); });
}

using Use = std::function<void(const Field&, const Parameters&)>;

// Expects exactly this error, in line 1 of "x: text".
void expect_error(const std::string& text, const Use& use, int column, const std::string& message) {
  SCOPED_TRACE(text);
  const Parameters parameters = sample_parameters();
  try {
    with_field(text, [&](const Field& field) { use(field, parameters); });
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.mark().file, "f.yaml");
    EXPECT_EQ(error.mark().line, 1);
    EXPECT_EQ(error.mark().column, column);
    EXPECT_EQ(error.message(), message);
  }
}

Use number_use(Dimension expected) {
  return [expected](const Field& field, const Parameters& parameters) { read::number(field, expected, parameters); };
}

TEST(ReadNumber, TakesPlainNumbersUnitsParametersAndExpressions) {
  EXPECT_EQ(number_of("0.05", kMass), 0.05);
  EXPECT_EQ(number_of("-1.5e-3", kLength), -1.5e-3);
  EXPECT_EQ(number_of("50 g", kMass), 0.05);
  EXPECT_EQ(number_of("\"50 g\"", kMass), 0.05);
  EXPECT_EQ(number_of("180 deg", kAngle), kPi);
  EXPECT_EQ(number_of("2 N m", kAngularStiffness), 2);
  EXPECT_EQ(number_of("$m", kMass), 0.05);
  EXPECT_EQ(number_of("$mu"), 0.6);
  EXPECT_EQ(number_of("$mu", kLength), 0.6);
  EXPECT_EQ(number_of("2*$m + 0.1", kMass), 0.2);
  EXPECT_EQ(number_of("-pi/2", kAngle), -kPi / 2);
  EXPECT_EQ(number_of("1/4"), 0.25);
  EXPECT_EQ(number_of("max(1, 2)"), 2);
  EXPECT_EQ(number_of("3 /s", kFrequency), 3);
}

TEST(ReadNumber, RefusesOtherDimensions) {
  expect_error("12 mm", number_use(kMass), 4, "'x' expects a mass (kg), found '12 mm' which is a length (m)");
  expect_error("30 deg", number_use(kNumber), 4,
               "'x' expects a number without unit, found '30 deg' which is an angle (rad)");
  expect_error("2 Hz", number_use(kAngularVelocity), 4,
               "'x' expects an angular velocity (rad/s), found '2 Hz' which is a frequency (Hz)");
  expect_error("$reach", number_use(kMass), 4,
               "'x' expects a mass (kg), found '$reach' which is a length (m) (set at p.yaml:4)");
}

TEST(ReadNumber, RefusesWhatIsNotFinite) {
  for (const std::string text : {".nan", ".NaN", ".inf", "-.inf", "+.INF", "nan", "inf", "-Infinity"}) {
    expect_error(text, number_use(kLength), 4, "'x' expects a length (m), found '" + text + "' which is not finite");
  }
  expect_error("1e999", number_use(kLength), 4,
               "'x' expects a length (m), found '1e999': number '1e999' is out of range");
  expect_error("2*1e999", number_use(kLength), 6,
               "'x' expects a length (m), found '2*1e999': number '1e999' is out of range");
  expect_error("0/0", number_use(kLength), 4, "'x' expects a length (m), found '0/0' which gives nan");
  expect_error("1/0", number_use(kLength), 4, "'x' expects a length (m), found '1/0' which gives inf");
  expect_error("log(0)", number_use(kLength), 4, "'x' expects a length (m), found 'log(0)' which gives -inf");
}

TEST(ReadNumber, RefusesOtherKindsOfValues) {
  expect_error("true", number_use(kMass), 4, "'x' expects a mass (kg), found the boolean 'true'");
  expect_error("''", number_use(kMass), 4, "'x' expects a mass (kg), found an empty text");
  expect_error("'  '", number_use(kMass), 4, "'x' expects a mass (kg), found an empty text");
  expect_error("[1]", number_use(kMass), 4, "'x' expects a mass (kg), found a list");
  expect_error("{a: 1}", number_use(kMass), 4, "'x' expects a mass (kg), found a mapping");
}

TEST(ReadNumber, PointsIntoTheText) {
  expect_error("12 mmm", number_use(kLength), 7,
               "'x' expects a length (m), found '12 mmm': unknown unit 'mmm' (did you mean 'mm'?); known: m, km, cm, "
               "mm, um, kg, g, mg, s, ms, us, min, rad, mrad, deg, N, mN, kN, Nm, mNm, J, W, Hz, kHz, Pa, kPa, MPa");
  expect_error("heavy", number_use(kMass), 4,
               "'x' expects a mass (kg), found 'heavy': unknown name 'heavy' in expression; known: pi, e, and "
               "parameters written $name");
  expect_error("2 * (3", number_use(kMass), 10, "'x' expects a mass (kg), found '2 * (3': expected ')', found the end");
  expect_error("'2 * (3'", number_use(kMass), 11,
               "'x' expects a mass (kg), found '2 * (3': expected ')', found the end");
  expect_error("1 + $nu", number_use(kMass), 8,
               "'x' expects a mass (kg), found '1 + $nu': unknown parameter '$nu'; did you mean '$mu'? known: $mu, "
               "$m, $reach");
  expect_error("$friction", number_use(kMass), 4,
               "'x' expects a mass (kg), found '$friction': unknown parameter '$friction'; known: $mu, $m, $reach");
}

TEST(ReadNumber, SaysWhenThereAreNoParameters) {
  try {
    with_field("$mu", [](const Field& field) { return read::number(field, kNumber, {}); });
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(),
              "'x' expects a number without unit, found '$mu': unknown parameter '$mu'; there are no parameters");
  }
}

TEST(ReadNumber, ChecksRanges) {
  const Use positive = [](const Field& f, const Parameters& p) { read::positive(f, kMass, p); };
  const Use non_negative = [](const Field& f, const Parameters& p) { read::non_negative(f, kMass, p); };
  const Use between = [](const Field& f, const Parameters& p) { read::number_between(f, 0, 1, kNumber, p); };
  const Use integer = [](const Field& f, const Parameters& p) { read::integer(f, 1, 9, p); };
  expect_error("0", positive, 4, "'x' must be greater than 0, found '0'");
  expect_error("-5 g", positive, 4, "'x' must be greater than 0, found '-5 g' which is -0.005");
  expect_error("-1", non_negative, 4, "'x' must be 0 or greater, found '-1'");
  expect_error("1.5", between, 4, "'x' must be between 0 and 1, found '1.5'");
  expect_error("1.5", integer, 4, "'x' must be a whole number, found '1.5'");
  expect_error("10", integer, 4, "'x' must be a whole number from 1 to 9, found '10'");
  expect_error("1e300", integer, 4, "'x' must be a whole number from 1 to 9, found '1e300' which is 1e+300");
  const Parameters none;
  with_field("5 g", [&](const Field& field) { EXPECT_EQ(read::positive(field, kMass, none), 0.005); });
  with_field("0", [&](const Field& field) { EXPECT_EQ(read::non_negative(field, kMass, none), 0); });
  with_field("1", [&](const Field& field) { EXPECT_EQ(read::number_between(field, 0, 1, kNumber, none), 1); });
  with_field("7", [&](const Field& field) { EXPECT_EQ(read::integer(field, 1, 9, none), 7); });
}

TEST(ReadVector, ChecksSizesAndItems) {
  const Parameters parameters = sample_parameters();
  with_field("[1, 20 mm, $reach]", [&](const Field& field) {
    EXPECT_EQ(read::vector3(field, kLength, parameters), Eigen::Vector3d(1, 0.02, 0.2));
    EXPECT_EQ(read::vector(field, 3, kLength, parameters), Eigen::Vector3d(1, 0.02, 0.2));
    EXPECT_EQ(read::vector(field, read::kAnySize, kLength, parameters).size(), 3);
  });
  const Use vector3 = [](const Field& f, const Parameters& p) { read::vector3(f, kLength, p); };
  expect_error("[1, 2]", vector3, 4, "'x' expects 3 numbers, found 2");
  expect_error("5", vector3, 4, "'x' expects a list of 3 numbers, found '5'");
  expect_error("[1, 2 kg, 3]", vector3, 8, "item 2 of 'x' expects a length (m), found '2 kg' which is a mass (kg)");
  expect_error("[1, [2], 3]", vector3, 8, "item 2 of 'x' expects a length (m), found a list");
  const Use one = [](const Field& f, const Parameters& p) { read::vector(f, 1, kLength, p); };
  expect_error("[]", one, 4, "'x' expects 1 number, found 0");
}

TEST(ReadMatrix, ChecksRowsAndColumns) {
  const Parameters none;
  with_field("[[1, 2, 3], [4, 5, 6]]", [&](const Field& field) {
    const Eigen::MatrixXd found = read::matrix(field, 2, 3, kNumber, none);
    EXPECT_EQ(found, (Eigen::MatrixXd(2, 3) << 1, 2, 3, 4, 5, 6).finished());
    EXPECT_EQ(read::matrix(field, read::kAnySize, read::kAnySize, kNumber, none), found);
  });
  const Use square = [](const Field& f, const Parameters& p) { read::matrix(f, 2, 2, kNumber, p); };
  const Use any = [](const Field& f, const Parameters& p) {
    read::matrix(f, read::kAnySize, read::kAnySize, kNumber, p);
  };
  expect_error("[[1, 2]]", square, 4, "'x' expects 2 rows, found 1");
  expect_error("[[1, 2], [3]]", square, 13, "row 2 of 'x' expects 2 numbers, found 1");
  expect_error("[[1, 2], [3]]", any, 13, "row 2 of 'x' expects 2 numbers, found 1");
  expect_error("[1, 2]", square, 5, "row 1 of 'x' expects a list of 2 numbers, found '1'");
  expect_error("7", square, 4, "'x' expects a list of rows, each a list of numbers, found '7'");
  expect_error("[[1, 2], [3, a]]", square, 17,
               "item 2 of row 2 of 'x' expects a number without unit, found 'a': unknown name 'a' in expression; "
               "known: pi, e, and parameters written $name");
}

TEST(ReadBoolean, TakesOnlyTrueAndFalse) {
  EXPECT_TRUE(with_field("true", read::boolean));
  EXPECT_FALSE(with_field("false", read::boolean));
  const Use boolean = [](const Field& f, const Parameters&) { read::boolean(f); };
  expect_error("True", boolean, 4, "'x' expects true or false, found 'True'");
  expect_error("1", boolean, 4, "'x' expects true or false, found '1'");
  expect_error("'true'", boolean, 4, "'x' expects true or false, found the text 'true'");
  expect_error("[true]", boolean, 4, "'x' expects true or false, found a list");
}

TEST(ReadText, TakesAnyScalar) {
  EXPECT_EQ(with_field("rotate a box", read::text), "rotate a box");
  EXPECT_EQ(with_field("''", read::text), "");
  expect_error(
      "[a]", [](const Field& f, const Parameters&) { read::text(f); }, 4, "'x' expects a text, found a list");
}

TEST(ReadIdentifier, TakesNames) {
  for (const std::string name : {"box", "left-hand", "_a1", "B"}) EXPECT_EQ(with_field(name, read::identifier), name);
  const Use identifier = [](const Field& f, const Parameters&) { read::identifier(f); };
  for (const std::string name : {"2box", "hand.wrist", "a b", "-a", "größe", "a/b"}) {
    expect_error(name, identifier, 4,
                 "'x' expects a name of letters, digits, _ and -, starting with a letter or _, found '" + name + "'");
  }
  expect_error("{a: 1}", identifier, 4, "'x' expects a name, found a mapping");
}

TEST(ReadChoice, TakesOneOfTheTexts) {
  enum class Law { newton, poisson };
  EXPECT_EQ(with_field("modified",
                       [](const Field& f) {
                         return read::choice(f, {"standard", "modified"});
                       }),
            "modified");
  const auto law = [](const Field& f) {
    return read::choice<Law>(f, {{"newton", Law::newton}, {"poisson", Law::poisson}});
  };
  EXPECT_EQ(with_field("poisson", law), Law::poisson);
  const Use choice = [](const Field& f, const Parameters&) { read::choice(f, {"standard", "modified"}); };
  expect_error("standrad", choice, 4,
               "'x' expects one of: standard, modified; found 'standrad'; did you mean 'standard'?");
  expect_error("other", choice, 4, "'x' expects one of: standard, modified; found 'other'");
  expect_error("[standard]", choice, 4, "'x' expects one of: standard, modified; found a list");
}

TEST(ReadTimeFunction, TakesNumbersWithUnitsAndExpressions) {
  const Parameters parameters = sample_parameters();
  const auto value = [&](const std::string& text, Dimension expected) {
    const double values[] = {2, 10};
    return with_field(text, [&](const Field& field) {
      return read::time_function(field, kVariables, expected, parameters).evaluate(values);
    });
  };
  EXPECT_EQ(value("5", kForce), 5);
  EXPECT_EQ(value("5 mN", kForce), 0.005);
  EXPECT_EQ(value("$reach", kLength), 0.2);
  EXPECT_EQ(value("$mu*t + level", kForce), 0.6 * 2 + 10);
  EXPECT_EQ(value("'t < 1 ? 3 : 4'", kForce), 4);
  EXPECT_EQ(value("-t", kForce), -2);
  EXPECT_EQ(value("1/t", kForce), 0.5);
}

TEST(ReadTimeFunction, PointsIntoTheText) {
  const Use force = [](const Field& f, const Parameters& p) { read::time_function(f, kVariables, kForce, p); };
  expect_error("3 + lvel", force, 8,
               "'x' expects a force (N) or an expression, found '3 + lvel': unknown name 'lvel' in expression; did you "
               "mean 'level'? known: t, level, pi, e, and parameters written $name");
  expect_error("'3 + * t'", force, 9,
               "'x' expects a force (N) or an expression, found '3 + * t': expected a number, a name or '(', found "
               "'*'");
  expect_error("5 mm", force, 4, "'x' expects a force (N), found '5 mm' which is a length (m)");
  expect_error("$reach", force, 4, "'x' expects a force (N), found '$reach' which is a length (m) (set at p.yaml:4)");
  expect_error("1/0", force, 4, "'x' expects a force (N) or an expression, found '1/0' which gives inf");
  const Parameters none;
  try {
    with_field("2 t", [&](const Field& f) { return read::time_function(f, kVariables, kForce, none); });
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find("its products are written with *"), std::string::npos) << error.what();
  }
}

TEST(MapReader, ReadsKeysAndRejectsTheRest) {
  const Node root = parse_document("name: box\nmass: 2\nmasss: 3\n", "f.yaml");
  MapReader map(Field(root, "the scenario"));
  EXPECT_EQ(read::text(map.required("name")), "box");
  EXPECT_FALSE(map.optional("pose"));
  ASSERT_TRUE(map.optional("mass"));
  EXPECT_EQ(map.optional("mass")->label(), "'mass' of the scenario");
  map.set_context("object 'box'");
  EXPECT_EQ(map.required("mass").label(), "'mass' of object 'box'");
  try {
    map.finish();
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "f.yaml:3:1: error: unknown key 'masss' in object 'box'; did you mean 'mass'? known keys: name, pose, "
                 "mass");
  }
  EXPECT_TRUE(map.optional("masss"));
  EXPECT_NO_THROW(map.finish());
}

TEST(MapReader, TellsUnknownKeysWithoutNeighbours) {
  const Node root = parse_document("x:\n  gravity: 1\n", "f.yaml");
  MapReader map(Field(*root.find("x"), "object 'box'"));
  map.optional("mass");
  try {
    map.finish();
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f.yaml:2:3: error: unknown key 'gravity' in object 'box'; known keys: mass");
  }
}

TEST(MapReader, TellsMissingKeys) {
  const Node root = parse_document("x:\n  nmae: box\n", "f.yaml");
  MapReader map(Field(*root.find("x"), "object 1"));
  try {
    map.required("name");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f.yaml:2:3: error: object 1 needs the key 'name'; it has: nmae");
  }
}

TEST(MapReader, NeedsAMapping) {
  expect_error(
      "[1]", [](const Field& field, const Parameters&) { MapReader map(field); }, 4,
      "'x' expects a mapping (key: value), found a list");
}

TEST(MapReader, LabelsAppearInErrorsOfValues) {
  const Node root = parse_document("mass: 12 mm\n", "f.yaml");
  MapReader map(Field(root, "object 'box'"));
  try {
    read::positive(map.required("mass"), kMass, {});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "f.yaml:1:7: error: 'mass' of object 'box' expects a mass (kg), found '12 mm' which is a length (m)");
  }
}

TEST(ReadItems, LabelsItemsAndEntries) {
  with_field("[a, b]", [](const Field& field) {
    const std::vector<Field> items = read::items(field);
    ASSERT_EQ(items.size(), 2u);
    EXPECT_EQ(items[1].label(), "item 2 of 'x'");
    EXPECT_EQ(items[1].node().scalar, "b");
  });
  with_field("{hand.wrist: 1, b: 2}", [](const Field& field) {
    const std::vector<NamedField> entries = read::entries(field);
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].name, "hand.wrist");
    EXPECT_EQ(entries[0].mark.column, 5);
    EXPECT_EQ(entries[1].value.label(), "'b' of 'x'");
  });
  expect_error(
      "5", [](const Field& f, const Parameters&) { read::items(f); }, 4, "'x' expects a list, found '5'");
  expect_error(
      "5", [](const Field& f, const Parameters&) { read::entries(f); }, 4,
      "'x' expects a mapping (key: value), found '5'");
}

TEST(ReadParameters, MayUseEarlierOnes) {
  with_field("{mu: 0.6, m: 50 g, twice: 2*$m, same: $m}", [](const Field& field) {
    const Parameters parameters = read::parameters(field);
    ASSERT_EQ(parameters.entries().size(), 4u);
    EXPECT_EQ(parameters.find("mu")->quantity.value, 0.6);
    EXPECT_FALSE(parameters.find("mu")->quantity.dimension);
    EXPECT_EQ(parameters.find("m")->quantity.dimension, kMass);
    EXPECT_EQ(parameters.find("twice")->quantity.value, 0.1);
    EXPECT_EQ(parameters.find("same")->quantity.dimension, kMass);
    EXPECT_EQ(parameters.find("m")->mark.column, 14);
    EXPECT_EQ(parameters.find("nothing"), nullptr);
  });
}

TEST(ReadParameters, RefusesBadNamesAndLaterOnes) {
  const Use parameters = [](const Field& f, const Parameters&) { read::parameters(f); };
  expect_error("{a-b: 1}", parameters, 5,
               "'a-b' is no name for a parameter; use letters, digits and _, and no digit first");
  expect_error("{a: $b, b: 1}", parameters, 8,
               "'a' of 'x' expects a number, found '$b': unknown parameter '$b'; there are no parameters");
  Parameters twice = sample_parameters();
  EXPECT_THROW(twice.add("mu", {}, {}), InputError);
}

TEST(ReadNumber, MarksOfOverridesPointIntoTheArgument) {
  Node root = parse_document("mass: 1\n", "f.yaml");
  apply_override(root, "mass=2 * (3");
  try {
    read::number(Field(*root.find("mass"), "'mass'"), kMass, {});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--set mass=2 * (3:1:12: error: 'mass' expects a mass (kg), found '2 * (3': expected ')', found the "
                 "end");
  }
}

}  // namespace
}  // namespace thenar::reader_test
