// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/problem_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <sstream>

#include "random_problems.h"
#include "thenar/base/diagnostic.h"
#include "thenar/complementarity/exact_solver.h"

namespace thenar::problem_text_test {
namespace {

std::string text_of(const ConstraintProblem& problem) {
  std::ostringstream out;
  write_problem(out, problem);
  return out.str();
}

ConstraintProblem problem_of(const std::string& text) {
  std::istringstream in(text);
  return read_problem(in, "p.txt");
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void expect_equal(const ConstraintProblem& a, const ConstraintProblem& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(same_bits(a.accuracy, b.accuracy));
  for (int i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.row(i).kind, b.row(i).kind);
    EXPECT_EQ(a.row(i).id, b.row(i).id);
    EXPECT_EQ(a.row(i).faces, b.row(i).faces);
    EXPECT_TRUE(same_bits(a.row(i).limit, b.row(i).limit));
    EXPECT_TRUE(same_bits(a.row(i).b_error, b.row(i).b_error));
    EXPECT_TRUE(same_bits(a.b()[i], b.b()[i])) << a.b()[i] << " " << b.b()[i];
    for (int j = 0; j < a.size(); ++j) EXPECT_TRUE(same_bits(a.A()(i, j), b.A()(i, j)));
  }
}

TEST(ProblemText, IsReadable) {
  ConstraintProblem problem(2);
  problem.A() << 2, 0.5, 0.5, 1;
  problem.b() << -9.81, 0.25;
  problem.row(0) = {.kind = RowKind::unilateral, .id = 7};
  problem.row(1) = {.kind = RowKind::boxed, .limit = 0.5, .id = 8, .b_error = 1e-12};
  EXPECT_EQ(text_of(problem),
            "thenar constraint problem 1\n"
            "accuracy 1e-13\n"
            "rows 2\n"
            "unilateral id 7 b -9.81\n"
            "boxed limit 0.5 b_error 1e-12 id 8 b 0.25\n"
            "A\n"
            "2 0.5\n"
            "0.5 1\n");
}

TEST(ProblemText, ReadsBackBitEqual) {
  test::RandomProblems random(31);
  for (int trial = 0; trial < 100; ++trial) {
    ConstraintProblem problem = random.reals(random.whole(1, 20), 5);
    problem.accuracy = std::abs(random.real()) * 1e-3;
    problem.row(0).id = ~std::uint64_t{0};
    problem.row(0).b_error = std::abs(random.real());
    expect_equal(problem_of(text_of(problem)), problem);
  }
  ConstraintProblem extreme(2);
  extreme.A() << std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), -0.0, 1.0 / 3;
  extreme.b() << -test::kInfinity, std::numeric_limits<double>::epsilon();
  extreme.row(0) = {.kind = RowKind::boxed, .limit = test::kInfinity};
  expect_equal(problem_of(text_of(extreme)), extreme);
  expect_equal(problem_of(text_of(ConstraintProblem())), ConstraintProblem());
  extreme.b()[0] = std::nan("");
  EXPECT_TRUE(std::isnan(problem_of(text_of(extreme)).b()[0]));
}

TEST(ProblemText, ADumpedProblemHasTheSameAnswer) {
  test::RandomProblems random(32);
  ExactSolver solver(20);
  const ConstraintProblem problem = random.reals(20, 12);
  const ConstraintSolution before = solver.solve(problem);
  EXPECT_EQ(solver.solve(problem_of(text_of(problem))).z, before.z);
}

TEST(ProblemText, TakesCommentsAndSpaces) {
  const ConstraintProblem problem = problem_of(
      "# from a run\n\n  thenar  constraint problem 1 # version\naccuracy 0\nrows 1\r\n\tunilateral b 2 id 3\nA\n\n 4 "
      "#x\n");
  EXPECT_EQ(problem.size(), 1);
  EXPECT_EQ(problem.accuracy, 0);
  EXPECT_EQ(problem.b()[0], 2);
  EXPECT_EQ(problem.row(0).id, 3u);
  EXPECT_EQ(problem.A()(0, 0), 4);
}

void expect_error(const std::string& text, const std::string& message) {
  try {
    problem_of(text);
    ADD_FAILURE() << "no error for:\n" << text;
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(), message);
  }
}

TEST(ProblemText, SaysWhereTheTextIsWrong) {
  const std::string head = "thenar constraint problem 1\naccuracy 1e-13\nrows 1\n";
  expect_error("", "p.txt:1: error: the text ends where 'thenar constraint problem 1' was expected");
  expect_error("thenar constraint problem 2\n", "p.txt:1: error: found '2', expected '1'");
  expect_error("thenar constraint problem 1\naccuracy x\n", "p.txt:2: error: found 'x', expected a number");
  expect_error("thenar constraint problem 1\naccuracy 0\nrows -1\n", "p.txt:3: error: -1 rows, expected 0 to 10000");
  expect_error("thenar constraint problem 1\naccuracy 0\nrows 20000\n",
               "p.txt:3: error: 20000 rows, expected 0 to 10000");
  expect_error(head + "cone b 1\n",
               "p.txt:4: error: found 'cone', expected bilateral, unilateral, boxed, normal, tangent or sliding");
  expect_error(head + "boxed mu 1\n", "p.txt:4: error: found 'mu', expected id, b, limit, b_error or faces");
  expect_error(head + "boxed b\n", "p.txt:4: error: the line ends where a number was expected");
  expect_error(head + "boxed id -4\n", "p.txt:4: error: found '-4', expected a whole number");
  expect_error(head + "boxed id 1 b 0\nB\n", "p.txt:5: error: found 'B', expected 'A'");
  expect_error(head + "boxed id 1 b 0\nA\n1 2\n", "p.txt:6: error: unexpected '2' at the end of the line");
  expect_error(head + "boxed id 1 b 0\nA\n1e\n", "p.txt:6: error: found '1e', expected a number");
  expect_error(head + "boxed id 1 b 0\nA\n", "p.txt:6: error: the text ends where a row of A was expected");
  expect_error(head + "normal faces x\n", "p.txt:4: error: found 'x', expected a whole number");
  expect_error(head + "tangent limit 1\nA\n1\n", "p.txt:6: error: row 0: a tangent row without a normal row before it");
  expect_error(head + "boxed limit -1\nA\n1\n", "p.txt:6: error: row 0: limit is -1, must be 0 or more");
}

TEST(ProblemText, ContactsThatSlideAndBoxConesReadBackBitEqual) {
  ConstraintProblem problem(5);
  problem.A().setIdentity();
  problem.row(0) = {.kind = RowKind::normal, .id = 1};
  problem.row(1) = {.kind = RowKind::sliding, .limit = -1.0 / 3, .id = 2};
  problem.row(2) = {.kind = RowKind::sliding, .id = 3};
  problem.row(3) = {.kind = RowKind::normal, .id = 4, .faces = kBoxFaces};
  problem.row(4) = {.kind = RowKind::tangent, .limit = 0.5, .id = 5};
  EXPECT_NE(text_of(problem).find("normal id 1 b 0\n"
                                  "sliding limit -0.3333333333333333 id 2 b 0\n"
                                  "sliding id 3 b 0\n"
                                  "normal faces 2 id 4 b 0\n"),
            std::string::npos)
      << text_of(problem);
  expect_equal(problem_of(text_of(problem)), problem);
}

TEST(ProblemText, ContactsAreReadableAndReadBackBitEqual) {
  ConstraintProblem problem(5);
  problem.A().setIdentity();
  problem.A()(0, 1) = 1.0 / 3;
  problem.row(0) = {.kind = RowKind::normal, .id = 1, .b_error = 1e-9, .faces = 8};
  problem.row(1) = {.kind = RowKind::tangent, .limit = 0.1, .id = 2};
  problem.row(2) = {.kind = RowKind::tangent, .limit = 0.7, .id = 3};
  problem.row(3) = {.kind = RowKind::tangent, .limit = 5e-3, .id = 4};
  problem.row(4) = {.kind = RowKind::unilateral, .id = 5};
  EXPECT_NE(text_of(problem).find("normal b_error 1e-09 faces 8 id 1 b 0\n"
                                  "tangent limit 0.1 id 2 b 0\n"),
            std::string::npos)
      << text_of(problem);
  expect_equal(problem_of(text_of(problem)), problem);
}

ConstraintProblem friction_problem_of(const std::string& text) {
  std::istringstream in(text);
  return read_friction_problem(in, "f.txt");
}

TEST(ProblemText, ReadsFrictionProblemsInPlainNumbers) {
  const ConstraintProblem problem =
      friction_problem_of("2 2  # planar\n1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 16\n-1 2 -3 4 0.5\n0.25\n");
  ASSERT_EQ(problem.size(), 4);
  EXPECT_EQ(problem.A()(1, 2), 7);
  EXPECT_EQ(problem.b()[2], -3);
  EXPECT_EQ(problem.row(2).kind, RowKind::normal);
  EXPECT_EQ(problem.row(3).kind, RowKind::tangent);
  EXPECT_EQ(problem.row(1).limit, 0.5);
  EXPECT_EQ(problem.row(3).limit, 0.25);
  EXPECT_EQ(friction_problem_of("3 0\n").size(), 0);
  const auto message_of = [](const std::string& text) {
    try {
      friction_problem_of(text);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message_of("4 1\n"), "f.txt:1: error: found dimension 4, expected 2 or 3");
  EXPECT_EQ(message_of("3 -1\n"), "f.txt:1: error: found -1 contacts, expected 0 to 3333");
  EXPECT_EQ(message_of("2 1\n1 0 0 1\n0 0\n"),
            "f.txt:4: error: the text ends where a friction coefficient was expected");
  EXPECT_EQ(message_of("2 1\n1 0 0 1\n0 0\n-1\n"),
            "f.txt:4: error: row 1: friction coefficient is -1, must be finite and 0 or more");
  EXPECT_EQ(message_of("2 1\n1 0 0 1\n0 0\n1 1\n"), "f.txt:4: error: unexpected '1' at the end of the line");
}

}  // namespace
}  // namespace thenar::problem_text_test
