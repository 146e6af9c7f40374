// SPDX-License-Identifier: BSD-3-Clause
//
// Contacts as rows of a constraint problem: what is a fault, and who refuses them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/complementarity/exact_solver.h"

namespace thenar::cone_problem_test {
namespace {

ConstraintProblem rows_of(std::initializer_list<RowKind> kinds) {
  ConstraintProblem problem(static_cast<int>(kinds.size()));
  int i = 0;
  for (const RowKind kind : kinds) problem.row(i++).kind = kind;
  return problem;
}

constexpr RowKind kNormal = RowKind::normal, kTangent = RowKind::tangent, kFree = RowKind::bilateral,
                  kSliding = RowKind::sliding;

TEST(ConeProblem, ContactsAreANormalRowAndOneToThreeTangentRows) {
  const ConstraintProblem problem = rows_of({kFree, kNormal, kTangent, kNormal, kTangent, kTangent, kTangent, kFree});
  EXPECT_FALSE(problem.find_fault().has_value());
  EXPECT_TRUE(problem.has_contacts());
  EXPECT_EQ(problem.tangent_count(1), 1);
  EXPECT_EQ(problem.tangent_count(3), 3);
  EXPECT_EQ(problem.tangent_count(0), 0);
  EXPECT_FALSE(rows_of({kFree}).has_contacts());
  EXPECT_STREQ(to_string(kNormal), "normal");
  EXPECT_STREQ(to_string(kTangent), "tangent");
}

TEST(ConeProblem, ContactsThatSlideHaveSlidingRows) {
  ConstraintProblem problem = rows_of({kNormal, kSliding, kSliding, kNormal, kTangent, kNormal, kSliding});
  problem.row(1).limit = -0.5;
  problem.row(2).limit = 3;
  EXPECT_FALSE(problem.find_fault().has_value());
  EXPECT_TRUE(problem.has_contacts());
  EXPECT_EQ(problem.tangent_count(0), 2);
  EXPECT_EQ(problem.tangent_count(3), 1);
  EXPECT_TRUE(problem.is_sliding_contact(0));
  EXPECT_FALSE(problem.is_sliding_contact(1));
  EXPECT_FALSE(problem.is_sliding_contact(3));
  EXPECT_TRUE(problem.is_sliding_contact(5));
  EXPECT_STREQ(to_string(kSliding), "sliding");
  EXPECT_EQ(force_bounds(problem.row(1)).lower, -std::numeric_limits<double>::infinity());
}

TEST(ConeProblem, SaysWhatIsWrongWithASlidingContact) {
  EXPECT_EQ(rows_of({kFree, kSliding}).find_fault(), "row 1: a sliding row without a normal row before it");
  EXPECT_EQ(rows_of({kNormal, kSliding, kTangent}).find_fault(),
            "row 2: a tangent row after a sliding one, a contact has either");
  EXPECT_EQ(rows_of({kNormal, kTangent, kSliding}).find_fault(),
            "row 2: a sliding row after a tangent one, a contact has either");
  EXPECT_EQ(rows_of({kNormal, kSliding, kSliding, kSliding, kSliding}).find_fault(),
            "row 0: a normal row with 4 tangent rows, must have 1 to 3");
  ConstraintProblem problem = rows_of({kNormal, kSliding});
  for (const double ratio : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    problem.row(1).limit = ratio;
    EXPECT_EQ(problem.find_fault(),
              fmt::format("row 1: ratio of friction to normal force is {}, must be finite", ratio));
  }
  problem.row(1).limit = -1;
  problem.row(0).faces = 4;
  EXPECT_EQ(problem.find_fault(), "row 0: 4 faces of a contact that slides, must be 0");
}

TEST(ConeProblem, SaysWhatIsWrongWithAContact) {
  EXPECT_EQ(rows_of({kTangent}).find_fault(), "row 0: a tangent row without a normal row before it");
  EXPECT_EQ(rows_of({kFree, kTangent}).find_fault(), "row 1: a tangent row without a normal row before it");
  EXPECT_EQ(rows_of({kNormal}).find_fault(), "row 0: a normal row with 0 tangent rows, must have 1 to 3");
  EXPECT_EQ(rows_of({kNormal, kFree}).find_fault(), "row 0: a normal row with 0 tangent rows, must have 1 to 3");
  EXPECT_EQ(rows_of({kNormal, kTangent, kTangent, kTangent, kTangent}).find_fault(),
            "row 0: a normal row with 4 tangent rows, must have 1 to 3");

  ConstraintProblem problem = rows_of({kNormal, kTangent, kTangent});
  for (const double mu : {-0.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
    problem.row(2).limit = mu;
    EXPECT_EQ(problem.find_fault(), fmt::format("row 2: friction coefficient is {}, must be finite and 0 or more", mu));
  }
  problem.row(2).limit = 0.5;
  for (const int faces : {-1, 1}) {
    problem.row(0).faces = faces;
    EXPECT_EQ(problem.find_fault(),
              fmt::format("row 0: a cone with {} faces, must be 0 (smooth), 2 (box) or 3 or more", faces));
  }
  problem.row(0).faces = kBoxFaces;
  EXPECT_FALSE(problem.find_fault().has_value()) << "a box may have friction in one direction alone";
  problem.row(0).faces = 4;
  EXPECT_EQ(problem.find_fault(), "row 0: a cone with faces and friction in one of two directions");
  problem.row(1).limit = 0.5;
  EXPECT_FALSE(problem.find_fault().has_value());
  problem.row(1).faces = 4;
  EXPECT_EQ(problem.find_fault(), "row 1: 4 faces, only normal rows have them");
}

TEST(ConeProblem, TheExactSolverRefusesContacts) {
  ExactSolver solver(4);
  for (const RowKind friction : {kTangent, kSliding}) {
    try {
      solver.solve(rows_of({kNormal, friction}));
      ADD_FAILURE() << "no exception";
    } catch (const std::invalid_argument& e) {
      EXPECT_STREQ(e.what(), "constraint problem: contacts with friction need ConeSolver");
    }
  }
}

}  // namespace
}  // namespace thenar::cone_problem_test
