# SPDX-License-Identifier: BSD-3-Clause
"""`thenar solve` and `thenar verify` as a user meets them: verdicts, exit codes, proofs that fail when they are changed."""

import copy
import json
import pathlib
import subprocess
import sys
import unittest

PROGRAM = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "scenes/truth"


def run(*arguments, text=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


def solve(scene, *overrides):
    sets = [word for override in overrides for word in ("--set", override)]
    done = run("solve", scene, "--json", *sets)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def verify(answer):
    return run("verify", "-", text=json.dumps(answer)).returncode


class Solve(unittest.TestCase):
    def test_box_on_table_rests_in_one_way_with_many_forces(self):
        for cone in ("circular", "box", "4", "6"):
            answer = solve(TRUTH / "box_on_table.yaml", f"contacts.cone={cone}")
            self.assertEqual(answer["verdict"], "unique_motion_indeterminate_forces", cone)
            self.assertEqual(answer["cone"], cone)
            self.assertFalse(answer["determinate"])
            self.assertEqual(len(answer["solutions"]), 1)
            normal = sum(force[0] for force in answer["solutions"][0]["forces"].values())
            self.assertAlmostEqual(normal, 2 * 9.81, places=9)
            self.assertEqual(verify(answer), 0)

    def test_painleve_rod_has_no_answer_or_two(self):
        rod = TRUTH / "painleve_rod.yaml"
        self.assertEqual(solve(rod)["verdict"], "unique")
        none = solve(rod, "parameters.mu=1.4")
        self.assertEqual((none["verdict"], none["solutions"]), ("none", []))
        self.assertEqual(verify(none), 0)
        two = solve(rod, "parameters.mu=1.6", "parameters.spin=6")
        self.assertEqual(two["verdict"], "several")
        self.assertEqual(sorted(s["modes"]["rod/ground"] for s in two["solutions"]), ["break", "slide"])
        self.assertEqual(verify(two), 0)

    def test_two_fingers_are_symmetric_and_determinate(self):
        answer = solve(ROOT / "scenes/yy/two_finger.yaml", "parameters.tau1=4", "parameters.tau2=4")
        self.assertEqual(answer["verdict"], "unique")
        self.assertTrue(answer["determinate"])
        (left, right) = answer["solutions"][0]["forces"].values()
        self.assertAlmostEqual(left[0], right[0], places=9)
        self.assertAlmostEqual(left[1], -right[1], places=9)
        self.assertEqual(verify(answer), 0)

    def test_text_tells_the_verdict(self):
        done = run("solve", TRUTH / "painleve_rod.yaml", "--set", "parameters.mu=1.4")
        self.assertEqual(done.returncode, 0)
        self.assertIn("There is no answer", done.stdout)

    def test_bad_input(self):
        self.assertEqual(run("solve", "no_such_file.yaml").returncode, 2)
        self.assertEqual(run("solve", TRUTH / "box_on_table.yaml", "--nodes", "0").returncode, 2)
        done = run("solve", TRUTH / "box_on_table.yaml", "--set", "objects[0].velocity={linear: [0, 0, -1]}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("impact", done.stderr)


class Verify(unittest.TestCase):
    def setUp(self):
        self.answer = solve(TRUTH / "painleve_rod.yaml")
        self.grasp = solve(TRUTH / "box_on_table.yaml", "contacts.cone=4")

    def assert_refuted(self, change):
        for answer in (self.answer, self.grasp):
            changed = copy.deepcopy(answer)
            change(changed)
            self.assertEqual(verify(answer), 0)
            self.assertEqual(verify(changed), 1)

    def test_changed_answers_fail(self):
        def set_verdict(answer):
            answer["verdict"] = "several"

        def change_force(answer):
            next(iter(answer["solutions"][0]["forces"].values()))[0] += 1e-3

        def change_cell(answer):
            answer["cells"][0]["z"][0] += 1e-3

        def change_acceleration(answer):
            values = next(iter(answer["solutions"][0]["accelerations"].values()))
            values[next(iter(values))] += 1e-3

        def change_problem(answer):
            answer["problem"]["b"][0] += 1e-3

        for change in (set_verdict, change_force, change_cell, change_acceleration, change_problem):
            with self.subTest(change.__name__):
                self.assert_refuted(change)

    def test_changed_certificates_fail(self):
        nodes = self.grasp["certificate"]["nodes"]
        for index in range(0, len(nodes), max(1, len(nodes) // 40)):
            changed = copy.deepcopy(self.grasp)
            node = changed["certificate"]["nodes"][index]
            for kind in ("empty", "covered"):
                if kind in node:
                    node[kind] = [0.0] * len(node[kind])
            if "children" in node:
                node["children"].pop()
            if "cell" in node:
                continue
            self.assertEqual(verify(changed), 1, index)

    def test_other_texts_are_bad_input(self):
        self.assertEqual(run("verify", "-", text="{}").returncode, 2)
        broken = copy.deepcopy(self.answer)
        del broken["problem"]["A"]
        self.assertEqual(verify(broken), 2)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
