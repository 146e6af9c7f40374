// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/units.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <string>

namespace thenar::units_test {
namespace {

constexpr double kPi = std::numbers::pi;

void expect_quantity(std::string_view text, double value, Dimension dimension) {
  const Quantity quantity = parse_quantity(text);
  EXPECT_EQ(quantity.value, value) << text;
  ASSERT_TRUE(quantity.dimension) << text;
  EXPECT_EQ(*quantity.dimension, dimension) << text << " is " << describe(*quantity.dimension);
}

void expect_error(std::string_view text, std::size_t offset, const std::string& part) {
  try {
    parse_quantity(text);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const UnitError& error) {
    EXPECT_EQ(error.offset(), offset) << text << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Quantity, WithoutUnitHasNoDimension) {
  for (const auto& [text, value] : {std::pair{"5", 5.0}, {" -1.5e-3 ", -1.5e-3}, {"+.5", 0.5}, {"-0", 0.0}}) {
    EXPECT_EQ(parse_quantity(text).value, value) << text;
    EXPECT_FALSE(parse_quantity(text).dimension) << text;
  }
}

TEST(Quantity, EveryUnitHasItsSizeAndDimension) {
  expect_quantity("2 m", 2, kLength);
  expect_quantity("2 km", 2000, kLength);
  expect_quantity("2 cm", 0.02, kLength);
  expect_quantity("12 mm", 0.012, kLength);
  expect_quantity("2 um", 2e-6, kLength);
  expect_quantity("2 kg", 2, kMass);
  expect_quantity("50 g", 0.05, kMass);
  expect_quantity("3 mg", 3e-6, kMass);
  expect_quantity("2 s", 2, kTime);
  expect_quantity("7 ms", 0.007, kTime);
  expect_quantity("2 us", 2e-6, kTime);
  expect_quantity("2 min", 120, kTime);
  expect_quantity("2 rad", 2, kAngle);
  expect_quantity("2 mrad", 0.002, kAngle);
  expect_quantity("2 N", 2, kForce);
  expect_quantity("2 mN", 0.002, kForce);
  expect_quantity("2 kN", 2000, kForce);
  expect_quantity("2 Nm", 2, kTorque);
  expect_quantity("2 mNm", 0.002, kTorque);
  expect_quantity("2 J", 2, kTorque);
  expect_quantity("2 W", 2, kPower);
  expect_quantity("2 Hz", 2, kFrequency);
  expect_quantity("1 kHz", 1000, kFrequency);
  expect_quantity("2 Pa", 2, kPressure);
  expect_quantity("2 kPa", 2000, kPressure);
  expect_quantity("2 MPa", 2e6, kPressure);
}

TEST(Quantity, RightAnglesAreExact) {
  expect_quantity("180 deg", kPi, kAngle);
  expect_quantity("90 deg", kPi / 2, kAngle);
  expect_quantity("-360 deg", -2 * kPi, kAngle);
  expect_quantity("30 deg", 30 * kPi / 180, kAngle);
}

TEST(Quantity, EveryMillimetreIsTheDoubleOfItsDecimalInMetres) {
  for (int i = 1; i < 1000; ++i) {
    const std::string digits = std::to_string(i);
    const std::string metres = "0." + std::string(3 - digits.size(), '0') + digits;
    expect_quantity(digits + " mm", parse_quantity(metres).value, kLength);
  }
}

TEST(Quantity, CombinesUnits) {
  expect_quantity("2 N m/rad", 2, kAngularStiffness);
  expect_quantity("2 N*m/rad", 2, kAngularStiffness);
  expect_quantity("2 N * m / rad", 2, kAngularStiffness);
  expect_quantity("0.3 kg m^2", 0.3, kInertia);
  expect_quantity("7.8 g/cm^3", 7800, kDensity);
  expect_quantity("-1.5e-3 m/s^2", -1.5e-3, kAcceleration);
  expect_quantity("1.5 m/s/s", 1.5, kAcceleration);
  expect_quantity("1.5 m s^-2", 1.5, kAcceleration);
  expect_quantity("12mm", 0.012, kLength);
  expect_quantity("5 N/mm", 5000, kLinearStiffness);
  expect_quantity("5 N s/m", 5, kLinearDamping);
  expect_quantity("5 mNm s/rad", 0.005, kAngularDamping);
  expect_quantity("180 deg/s", kPi, kAngularVelocity);
  expect_quantity("3 /s", 3, kFrequency);
  expect_quantity("3/s", 3, kFrequency);
  expect_quantity("3 m/m", 3, kNumber);
  EXPECT_DOUBLE_EQ(parse_quantity("1 N m/deg").value, 180 / kPi);
}

TEST(Quantity, ErrorsPointAtTheFault) {
  expect_error("", 0, "expected a number, found nothing");
  expect_error("mm", 0, "expected a number, found 'mm'");
  expect_error("nan", 0, "expected a number");
  expect_error(".inf", 0, "expected a number");
  expect_error("-", 0, "expected a number, found '-'");
  expect_error("12 mmm", 3, "unknown unit 'mmm' (did you mean 'mm'?); known: m, km,");
  expect_error("12 furlong", 3, "unknown unit 'furlong'; known:");
  expect_error("1e999 m", 0, "number '1e999' is out of range");
  expect_error("1e308 km", 0, "out of range in SI");
  expect_error("1e-320 um^9", 0, "out of range in SI");
  expect_error("5 m^", 4, "expected an exponent");
  expect_error("5 m^0", 4, "expected an exponent");
  expect_error("5 m^99", 4, "expected an exponent");
  expect_error("5 m^99999999999999", 4, "expected an exponent");
  expect_error("5 m^2.5", 4, "expected a whole exponent");
  expect_error("5 m^2^2", 4, "expected a whole exponent");
  expect_error("5 m/", 4, "expected a unit, found nothing");
  expect_error("5 m//s", 4, "expected a unit, found '/s'");
  expect_error("5 kg/m s", 7, "a product after '/' is ambiguous");
  expect_error("5 kg/m*s", 6, "a product after '/' is ambiguous");
  expect_error("5 deg + 3 deg", 6, "an expression takes plain SI numbers, without units");
  expect_error("5 6", 2, "expected a unit, found '6'");
  expect_error("5 °", 2, "expected a unit, found '°'");
  std::string many = "1";
  for (int i = 0; i < 1000; ++i) many += " km^9";
  EXPECT_THROW(parse_quantity(many), UnitError);
}

TEST(Quantity, RandomTextsNeverCrash) {
  const std::string pieces[] = {"1", "-", "m", "kg", "s", "/", "*", "^", "2", " ", "deg", ".", "e", "N", "\xff", "°"};
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random() % 2 ? "3 " : "";
    const auto length = random() % 12;
    for (unsigned k = 0; k < length; ++k) text += pieces[random() % std::size(pieces)];
    try {
      parse_quantity(text);
    } catch (const UnitError& error) {
      EXPECT_LE(error.offset(), text.size());
    }
    looks_like_quantity(text);
  }
}

TEST(Compatible, IgnoresTheRadianWhereALengthOrMassTakesPart) {
  EXPECT_TRUE(compatible(kTorque, kAngularStiffness));
  EXPECT_TRUE(compatible(kAngularStiffness, kTorque));
  EXPECT_TRUE(compatible(kLength, kLength));
  EXPECT_FALSE(compatible(kLength, kMass));
}

TEST(Compatible, TellsAnglesFromNumbersAndTurnsFromRadians) {
  EXPECT_FALSE(compatible(kAngle, kNumber));
  EXPECT_FALSE(compatible(kNumber, kAngle));
  EXPECT_TRUE(compatible(kAngle, kAngle));
  EXPECT_TRUE(compatible(kNumber, kNumber));
  EXPECT_FALSE(compatible(kFrequency, kAngularVelocity));
  EXPECT_FALSE(compatible(kAngularVelocity, kFrequency));
}

TEST(Describe, NamesTheDimensionAndItsUnit) {
  EXPECT_EQ(describe(kNumber), "a number without unit");
  EXPECT_EQ(describe(kLength), "a length (m)");
  EXPECT_EQ(describe(kAngularDamping), "an angular damping (N m s/rad)");
  EXPECT_EQ(describe({.length = 4, .mass = 1, .time = -1}), "a quantity in kg m^4 s^-1");
}

TEST(LooksLikeQuantity, TellsUnitsFromExpressions) {
  for (const char* text : {"5", "-5", "12 mm", "12mmm", "3/s", "3 / min", "5 deg + 3"}) {
    EXPECT_TRUE(looks_like_quantity(text)) << text;
  }
  for (const char* text : {"", "t", "$m", "2*pi", "2/pi", "2/5", "2/min(1,3)", "2 + 3", "-pi", "sin(2)", "(2)"}) {
    EXPECT_FALSE(looks_like_quantity(text)) << text;
  }
}

}  // namespace
}  // namespace thenar::units_test
