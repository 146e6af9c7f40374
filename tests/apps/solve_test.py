# SPDX-License-Identifier: BSD-3-Clause
"""`thenar solve` and `thenar verify` as a user meets them: verdicts, exit codes, proofs that fail when they are changed."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "scenes/truth"


WALLS = """
thenar: 1
name: block between walls
gravity: [0, -9.81, 0]
objects:
  - {name: block, joint: planar, shape: {box: [10 cm, 10 cm, 10 cm]}, mass: 1 kg}
  - {name: left, joint: fixed, shape: {plane: {}}, pose: {xyz: [-5 cm, 0, 0], rpy: [0, 90 deg, 0]}}
  - {name: right, joint: fixed, shape: {plane: {}}, pose: {xyz: [5 cm, 0, 0], rpy: [0, -90 deg, 0]}}
contacts: {friction: {static: 0.5, kinetic: 0.3}}
run: {until: 1}
"""


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
            self.assertEqual(answer["verdict"], "unique_motion", cone)
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

    def test_answers_at_a_time_of_the_run(self):
        # A box that rests goes on to rest.
        start = solve(TRUTH / "box_on_table.yaml")
        later = json.loads(run("solve", TRUTH / "box_on_table.yaml", "--json", "--at", "0.5").stdout)
        self.assertEqual(later["verdict"], start["verdict"])
        self.assertEqual(verify(later), 0)
        self.assertEqual(run("solve", TRUTH / "box_on_table.yaml", "--at", "-1").returncode, 2)

    def test_free_bodies_have_one_answer(self):
        answer = solve(TRUTH / "two_balls.yaml")
        self.assertEqual((answer["verdict"], answer["contacts"]), ("unique", []))
        self.assertEqual(verify(answer), 0)

    def test_margins_and_patches(self):
        answer = solve(TRUTH / "box_on_table.yaml", "contacts.cone=4")
        (solution,) = answer["solutions"]
        (patch,) = answer["patches"]
        self.assertEqual(patch["contacts"], answer["contacts"])
        told = solution["patches"][patch["name"]]
        self.assertEqual((patch["name"], told["mode"]), ("box/table", "stick"))
        self.assertAlmostEqual(told["force"][0], 2 * 9.81, places=9)
        self.assertAlmostEqual(told["slip"], 1, places=7)
        for margins in solution["margins"].values():
            self.assertEqual((margins["from"], margins["to"]), ("roll", "stick"))
            self.assertEqual(margins["slip"], told["slip"])
            self.assertLess(margins["normal"][0], margins["normal"][1])
        rod = solve(TRUTH / "painleve_rod.yaml")["solutions"][0]["margins"]["rod/ground"]
        self.assertEqual((rod["from"], rod["to"]), ("slide", "slide"))
        self.assertAlmostEqual(rod["speed"], 1, delta=1e-14)  # rows of the contact are rounded, at 1 m/s
        self.assertLess(rod["rate"], 0)
        self.assertNotIn("slip", rod)

    def test_static_friction_holds_and_gives_way(self):
        scene = TRUTH / "capsule_on_box.yaml"
        friction = "contacts.friction={static: 0.5, kinetic: 0.2}"
        held = solve(scene, friction, "gravity=[3, 0, -9.81]")
        self.assertEqual(held["rule"], "stick_first")
        self.assertEqual(held["stick_first"]["held"], held["contacts"])
        self.assertEqual(verify(held), 0)
        released = solve(scene, friction, "gravity=[6, 0, -9.81]", "contacts.cone=4")
        self.assertEqual(released["stick_first"]["held"], [])
        self.assertEqual(released["stick_first"]["released"], released["contacts"])
        self.assertEqual(verify(released), 0)
        self.assertNotIn("rule", solve(scene))

    def test_problem_can_be_solved_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "box.txt"
            scene = ("solve", TRUTH / "box_on_table.yaml", "--set", "contacts.cone=4", "--json")
            answer = json.loads(run(*scene, "--problem", file).stdout)
            alone = json.loads(run("solve", file, "--json").stdout)
            self.assertEqual(alone["name"], "box")
            # The text reads back bit-equal, and the same bits have the same answer.
            for key in ("verdict", "cells", "certificate", "complete", "problem"):
                self.assertEqual(alone[key], answer[key], key)
            self.assertEqual(verify(alone), 0)
            # So does the problem inside of an answer.
            from_answer = run("solve", "-", "--json", text=json.dumps(answer))
            self.assertEqual(json.loads(from_answer.stdout)["cells"], answer["cells"])
            text = run("solve", file)
            self.assertEqual(text.returncode, 0)
            self.assertIn("verdict unique_motion", text.stdout)
            # A problem by itself has no entries to set.
            done = run("solve", file, "--set", "contacts.cone=4")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--set", done.stderr)
            file.write_text("thenar constraint problem 1\naccuracy 0\nrows 1\ncone b 1\n")
            done = run("solve", file)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
            self.assertIn(":4: error: found 'cone'", done.stderr)
            file.write_text("thenar constraint problem 1\naccuracy 0\nrows 0\nA\n")
            self.assertEqual(run("solve", file).returncode, 2)
            self.assertEqual(run(*scene, "--problem", pathlib.Path(folder) / "no/such/folder").returncode, 1)

    def test_text_tells_the_verdict(self):
        done = run("solve", TRUTH / "painleve_rod.yaml", "--set", "parameters.mu=1.4")
        self.assertEqual(done.returncode, 0)
        self.assertIn("There is no answer", done.stdout)

    def test_text_tells_what_comes_next(self):
        done = run("solve", TRUTH / "painleve_rod.yaml", "--set", "parameters.mu=1.6", "--set", "parameters.spin=6")
        self.assertIn("Answer 1 of 2", done.stdout)
        self.assertIn("slide -> break", done.stdout)
        self.assertIn("stops in about", done.stdout)
        done = run("solve", TRUTH / "box_on_table.yaml")
        self.assertIn("box/table (4 points)  stick", done.stdout)
        self.assertIn("100 % of its friction left", done.stdout)

    def test_bad_input(self):
        self.assertEqual(run("solve", "no_such_file.yaml").returncode, 2)
        self.assertEqual(run("solve", "-", text="name: no problem").returncode, 2)
        self.assertEqual(run("solve", TRUTH / "box_on_table.yaml", "--nodes", "0").returncode, 2)
        done = run("solve", TRUTH / "box_on_table.yaml", "--set", "objects[0].velocity={linear: [0, 0, -1]}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("impact", done.stderr)


class SolveAt(unittest.TestCase):
    def test_contacts_are_those_that_the_run_has(self):
        """Compliant contacts are pressed into each other: the run knows that, a state alone does not."""
        scene = TRUTH / "box_on_table.yaml"
        answer = json.loads(run("solve", scene, "--json", "--at", "0.2", "--set", "contacts.law=compliant").stdout)
        self.assertEqual(answer["verdict"], "unique")

    def test_time_zero_is_the_start(self):
        scene = ROOT / "scenes/yy/two_finger.yaml"
        self.assertEqual(run("solve", scene, "--json", "--at", "0").stdout, run("solve", scene, "--json").stdout)


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

        def change_mode(answer):
            modes = answer["solutions"][0]["modes"]
            modes[next(iter(modes))] = "break"

        def drop_solution(answer):
            answer["solutions"].pop()

        for change in (
            set_verdict,
            change_force,
            change_cell,
            change_acceleration,
            change_problem,
            change_mode,
            drop_solution,
        ):
            with self.subTest(change.__name__):
                self.assert_refuted(change)

    def test_changed_rules_fail(self):
        # Between walls a block hangs or falls; by the rule of static friction it hangs.
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "walls.yaml"
            file.write_text(WALLS)
            answer = solve(file)
        self.assertEqual(answer["verdict"], "unique_motion")
        self.assertEqual(answer["stick_first"]["problem_verdict"], "several")
        self.assertEqual(verify(answer), 0)
        for change in (
            lambda a: a.update(verdict="unique"),
            lambda a: a.update(verdict="several"),
            lambda a: a["stick_first"].update(proved=False),
            lambda a: a["stick_first"].update(problem_verdict="undecided"),
            lambda a: a["stick_first"].update(held_rows=[]),
            lambda a: a["solutions"].append(a["solutions"][0]),
        ):
            changed = copy.deepcopy(answer)
            change(changed)
            self.assertEqual(verify(changed), 1)
        changed = copy.deepcopy(answer)
        changed["stick_first"]["held_rows"] = [1000]
        self.assertEqual(verify(changed), 2)

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
