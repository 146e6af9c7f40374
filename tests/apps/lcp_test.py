# SPDX-License-Identifier: BSD-3-Clause
"""`thenar lcp` and `thenar verify` as a user meets them: answers, JSON, exit codes, tampered proofs.

usage: lcp_test.py PROGRAM
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SEGMENT = "2\n1 1\n1 1\n-1 -1\n"
POINT = "2\n2 1\n1 2\n-5 -6  # CPS 1.3\n"
EMPTY = "2\n0 0\n0 0\n-1 1\n"
THREE = "2\n1 2\n2 1\n-1 -1\n"
MIXED = "1 2\n2 1 0\n1 3 1\n0 1 2\n1 -4 -1\n"
# Feasible, yet without a solution: w₂ = 0 needs z₁ = 1, but then w₁ = 1 and z₁ w₁ ≠ 0.
REFUTED = "2\n0 1\n-1 0\n1 1\n"


def call(*arguments, text=None):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False)


def answer(text, *options):
    result = call("lcp", "-", "--json", *options, text=text)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def residual(text_answer):
    problem, z = text_answer["problem"], text_answer["z"]
    w = [sum(m * x for m, x in zip(row, z)) + q for row, q in zip(problem["M"], problem["q"])]
    free = problem["free"]
    worst = max([abs(x) for x in w[:free]] + [abs(min(a, b)) for a, b in zip(z[free:], w[free:])], default=0)
    return worst / (1 + max(map(abs, problem["q"])))


class Lcp(unittest.TestCase):
    def test_one_solution(self):
        found = answer(POINT)
        self.assertEqual(found["status"], "solved")
        self.assertLess(max(abs(a - b) for a, b in zip(found["z"], [4 / 3, 7 / 3])), 1e-14)
        self.assertLess(residual(found), 1e-15)
        self.assertNotIn("solutions", found)
        self.assertNotIn("p_matrix", found)

    def test_all_solutions(self):
        self.assertEqual(answer(POINT, "--all")["count"], "unique")
        three = answer(THREE, "--all")
        self.assertEqual(three["count"], "several")
        expected = [[1 / 3, 1 / 3], [1, 0], [0, 1]]
        for z in expected:
            self.assertTrue(any(max(abs(a - b) for a, b in zip(z, s)) < 1e-12 for s in three["solutions"]), z)
        self.assertEqual(len(three["solutions"]), 3)
        segment = answer(SEGMENT, "--all")
        self.assertEqual(sorted(segment["solutions"]), [[0, 1], [1, 0]])
        self.assertEqual(len(segment["cells"]), 1)

    def test_mixed(self):
        found = answer(MIXED, "--all")
        self.assertEqual(found["problem"]["free"], 1)
        self.assertEqual(found["count"], "unique")
        self.assertLess(residual(found), 1e-15)

    def test_infeasible(self):
        found = answer(EMPTY)
        self.assertEqual(found["status"], "infeasible")
        self.assertEqual(found["certificate"]["kind"], "farkas")
        self.assertNotIn("z", found)
        self.assertIn("There is no solution", call("lcp", "-", text=EMPTY).stdout)

    def test_p_matrix(self):
        self.assertTrue(answer(POINT, "--p")["p_matrix"])
        found = answer(THREE, "--p")
        self.assertFalse(found["p_matrix"])
        x, M = found["p_certificate"]["x"], found["problem"]["M"]
        self.assertTrue(all(a * sum(m * b for m, b in zip(row, x)) <= 0 for a, row in zip(x, M)))

    def test_text(self):
        text = call("lcp", "-", "--all", "--p", text=SEGMENT).stdout
        for part in ["Solved", "infinitely many solutions, in one cell", "2 vertices", "not a P-matrix"]:
            self.assertIn(part, text)

    def test_limit(self):
        n = 12
        rows = "\n".join(" ".join("-1" if i == j else "0" for j in range(n)) for i in range(n))
        result = call("lcp", "-", "--all", "--json", "--nodes", "50", text=f"{n}\n{rows}\n{' 1' * n}\n")
        self.assertEqual(result.returncode, 0)
        found = json.loads(result.stdout)
        self.assertEqual(found["count"], "undecided")
        self.assertEqual(found["reason"], "more nodes than the limit")

    def test_bad_input(self):
        cases = {
            "": "1: error: the text ends where the number of rows was expected",
            "2\n1 2\n": "error: the text ends where an entry of M was expected",
            "2\n1 2 3 x\n1 1\n": "2: error: found 'x', expected an entry of M",
            "1\n1\n1\n1\n": "4: error: unexpected '1' after the end of the problem",
            "1\nnan\n1\n": "2: error: found nan",
            "-1\n": "1: error: found -1 rows",
            "99999999\n": "error: found 99999999 rows",
        }
        for text, message in cases.items():
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(text)
                file.flush()
                result = call("lcp", file.name)
            self.assertEqual(result.returncode, 2, text)
            self.assertEqual(result.stdout, "")
            self.assertIn(message, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)
            if text:
                self.assertIn(file.name, result.stderr)
        for arguments in [["no-such-file"], ["-", "--nodes", "0"]]:
            self.assertEqual(call("lcp", *arguments, text=POINT).returncode, 2)
        self.assertEqual(call("lcp", "-", "--p", text=MIXED).returncode, 2)


class Verify(unittest.TestCase):
    def check(self, content):
        result = call("verify", "-", text=content if isinstance(content, str) else json.dumps(content))
        return result

    def test_every_answer_holds(self):
        for text, options in itertools.product([SEGMENT, POINT, EMPTY, THREE, REFUTED], [[], ["--all"], ["--all", "--p"]]):
            found = answer(text, *options)
            result = self.check(found)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertTrue(all(line.startswith("holds") for line in result.stdout.splitlines()), result.stdout)
        self.assertEqual(self.check(answer(MIXED, "--all")).returncode, 0)

    def expect_refuted(self, found, what):
        result = self.check(found)
        self.assertEqual(result.returncode, 1, what)
        self.assertIn("refuted", result.stdout, what)

    def test_tampered_answers_are_refuted(self):
        found = answer(POINT, "--all", "--p")
        found["z"][0] += 1e-4
        self.expect_refuted(found, "z moved")
        found = answer(THREE, "--all")
        found["solutions"][1][0] += 1e-4
        self.expect_refuted(found, "a solution moved")
        found = answer(THREE, "--all")
        found["count"] = "unique"
        self.expect_refuted(found, "another count")
        found = answer(THREE, "--all")
        del found["cells"][1]
        self.expect_refuted(found, "a cell left out")
        found = answer(THREE, "--p")
        found["p_matrix"] = True
        self.expect_refuted(found, "P claimed")
        found = answer(POINT, "--p")
        found["p_matrix"], found["p_certificate"] = False, {"kind": "reversed", "x": [1, 1]}
        self.expect_refuted(found, "P denied")
        found = answer(EMPTY)
        found["certificate"]["y"] = [0, 1]
        self.expect_refuted(found, "another y")
        found = answer(EMPTY)
        del found["certificate"]["y"]
        self.assertEqual(self.check(found).returncode, 2)
        found = answer(POINT)
        found["status"] = "infeasible"
        self.expect_refuted(found, "infeasible claimed")
        found = answer(THREE, "--all")
        found["certificate"] = {"kind": "pd"}
        self.expect_refuted(found, "definite claimed")
        found = answer(POINT, "--all")
        found["problem"]["q"][0] -= 1
        self.expect_refuted(found, "another problem")

    def test_zeroed_vectors_are_refuted(self):
        zeroed = 0
        for text in [SEGMENT, THREE, REFUTED]:
            found = answer(text, "--all")
            for k, node in enumerate(found["certificate"].get("nodes", [])):
                if "infeasible" not in node:
                    continue
                changed = json.loads(json.dumps(found))
                changed["certificate"]["nodes"][k]["infeasible"] = [0] * len(node["infeasible"])
                self.expect_refuted(changed, f"node {k} of {text}")
                zeroed += 1
        self.assertGreater(zeroed, 0)

    def test_bad_input(self):
        for text in ["", "{}", "[1]", '{"problem": 3}', '{"problem": {"M": [[1]], "q": [1, 2]}, "status": "solved"}',
                     '{"problem": {"M": [[1]], "q": [1]}, "status": "solved", "z": ["a"], "certificate": {"kind": "solution"}}']:
            result = self.check(text)
            self.assertEqual(result.returncode, 2, text)
            self.assertEqual(result.stdout, "")
            self.assertIn("error:", result.stderr)


if __name__ == "__main__":
    unittest.main()
