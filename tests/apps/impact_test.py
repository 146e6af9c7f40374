# SPDX-License-Identifier: BSD-3-Clause
"""`thenar impact` as a user meets it: laws side by side, JSON, pictures, exit codes."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "scenes/truth"
STRUCK = ROOT / "scenes/struck_point.yaml"


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def impact(scene, *overrides):
    sets = [word for override in overrides for word in ("--set", override)]
    done = run("impact", scene, "--json", *sets)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    answer["by"] = {(o["method"], o["law"]): o for o in answer["outcomes"]}
    return answer


class Impact(unittest.TestCase):
    def test_rod_rebounds_with_e_by_newtons_law(self):
        answer = impact(TRUTH / "rod_on_floor.yaml")
        outcome = answer["by"]["path", "newton"]
        self.assertAlmostEqual(outcome["velocities"]["rod/floor"][0], 0.5, places=12)
        self.assertEqual([m["mark"] for m in outcome["path"]],
                         ["begin", "slip_resumes", "compression_end", "end"])
        self.assertFalse(answer["sticking"]["stable"])

    def test_books_balance(self):
        for scene in (TRUTH / "rod_on_floor.yaml", TRUTH / "kane_pendulum.yaml", TRUTH / "newtons_cradle.yaml", STRUCK):
            answer = impact(scene)
            for outcome in answer["outcomes"]:
                energy = outcome["energy"]
                self.assertEqual(outcome["status"], "done")
                self.assertAlmostEqual(answer["energy_before"] + energy["change"], energy["after"], places=12)
                if outcome["method"] != "propagation":
                    total = energy["compression"] + energy["restitution"] + energy["friction"]
                    self.assertAlmostEqual(total, energy["change"], places=9, msg=(scene, outcome["law"]))

    def test_first_impact_of_a_run(self):
        scene = ROOT / "scenes/chan/07_collision_heavy.yaml"
        speeds = []
        for after in ("0", "0.15"):
            done = run("impact", scene, "--after", after, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            (contact,) = json.loads(done.stdout)["contacts"]
            self.assertEqual(contact["name"], "cube/hand.index_3")
            speeds.append(-contact["velocity"][0])
        self.assertGreater(speeds[0], speeds[1])  # two different collisions
        self.assertGreater(speeds[1], 0)
        done = run("impact", scene, "--after", "0.25")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing is struck from 0.25 s on until 0.3 s", done.stderr)
        done = run("impact", scene)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--after", done.stderr)

    def test_kanes_pendulum_gains_by_newton_and_can_be_capped(self):
        scene = TRUTH / "kane_pendulum.yaml"
        gain = impact(scene)["by"]["path", "newton"]["energy"]
        self.assertGreater(gain["gain"], 0)
        self.assertFalse(gain["capped"])
        capped = impact(scene, "contacts.impact={energy: cap}")["by"]["path", "newton"]["energy"]
        self.assertTrue(capped["capped"])
        self.assertAlmostEqual(capped["change"], 0, places=12)
        self.assertAlmostEqual(capped["gain"], gain["gain"], places=12)

    def test_cradle_has_two_outcomes(self):
        answer = impact(TRUTH / "newtons_cradle.yaml")
        together = answer["by"]["simultaneous", "poisson"]["v"]
        one_by_one = answer["by"]["sequential", "poisson"]["v"]
        self.assertAlmostEqual(together["first"]["vx"], -1 / 3, places=12)
        self.assertAlmostEqual(one_by_one["third"]["vx"], 1, places=12)
        self.assertGreater(answer["by"]["propagation", "poisson"]["momentum_defect"], 0.5)

    def test_a_struck_point_needs_no_shapes(self):
        answer = impact(STRUCK)
        self.assertEqual(len(answer["contacts"]), 1)
        impulse = answer["by"]["path", "stronge"]["impulses"]["plate/ball"]
        self.assertLessEqual(math.hypot(impulse[1], impulse[2]), 0.13 * impulse[0] * (1 + 1e-12))

    def test_text_names_laws_and_remarks(self):
        done = run("impact", TRUTH / "kane_pendulum.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("newton", "poisson", "stronge", "gains", "slip stops and goes on"):
            self.assertIn(word, done.stdout)

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, magic in (("path.svg", b"<?xml"), ("path.png", b"\x89PNG")):
                picture = pathlib.Path(folder) / name
                done = run("impact", STRUCK, "-o", picture)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(picture.read_bytes().startswith(magic) or b"<svg" in picture.read_bytes()[:200])
            bad = run("impact", STRUCK, "-o", pathlib.Path(folder) / "path.gif")
            self.assertEqual(bad.returncode, 2)
            self.assertIn(".svg or .png", bad.stderr)

    def test_nothing_struck_is_bad_input_that_says_what_to_do(self):
        for scene, words in (("two_balls", "nothing touches"), ("box_on_table", "thenar solve")):
            done = run("impact", TRUTH / f"{scene}.yaml")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)

    def test_other_verbs_refuse_a_strike(self):
        for verb in ("run", "solve"):
            done = run(verb, STRUCK)
            self.assertEqual(done.returncode, 2)
            self.assertIn("thenar impact", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
