# SPDX-License-Identifier: BSD-3-Clause
"""The report in a browser: nothing fails, nothing is loaded, the replay shows the trace and shares the plots' clock.

usage: replay_test.py PROGRAM NODE MODULES SCENE…

SCENEs are some of SCENES below, or `shapes`, a scene of its own with all shapes.
Pictures of the pages stay in build/<preset>/studio/pictures.
"""

import csv
import math
import pathlib
import shutil
import sys
import tempfile
import unittest

from page_tools import MODULES, NODE, ROOT, need, run_node, run_program

CHROMIUM = shutil.which("chromium")
PICTURES = MODULES.parent / "pictures"
# Scene, and what its story says.
SCENES = {
    "truth/rolling_disc": "The disc rolls on the floor throughout.",
    "truth/sliding_ball": "The ball slides on the floor until",
    "truth/rocking_box": "The box strikes the floor",
    "truth/ball_in_bowl": "rolls until the end",
    "three_finger_ball": "one.distal",
    "validation/cube_toss": "The cube strikes the table",
    "demo": "turned by 90° about y, and rests on the stand.",
}
CHOSEN = sys.argv[1:]
del sys.argv[1:]


class ReplayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        PICTURES.mkdir(exist_ok=True)
        reports = []
        for scene in (scene for scene in CHOSEN if scene in SCENES):
            out = cls.folder / pathlib.Path(scene).name
            run_program("run", ROOT / f"scenes/{scene}.yaml", "--quiet", "--out", out)
            reports.append(out / "report.html")
        if "shapes" in CHOSEN:
            (cls.folder / "shapes.yaml").write_text(ALL_SHAPES)
            run_program("run", cls.folder / "shapes.yaml", "--quiet", "--out", cls.folder / "shapes")
            reports.append(cls.folder / "shapes" / "report.html")
        cls.seen = run_node("look_at_page.mjs", CHROMIUM, cls.folder / "profile", PICTURES, *reports, timeout=250)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_nothing_fails_and_nothing_is_loaded(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                self.assertEqual(seen["errors"], [])
                self.assertEqual(seen["requests"], [(self.folder / name / "report.html").as_uri()])

    def test_something_is_drawn(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                self.assertGreater(seen["ink"], 0.002)

    def test_story_is_told(self):
        for scene, words in SCENES.items():
            if scene in CHOSEN:
                self.assertIn(words, self.seen[pathlib.Path(scene).name]["story"])

    def test_bodies_are_where_the_trace_has_them(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                rows = self.read_rows(name)
                for state, row in ((seen["states"][0], rows[0]), (seen["states"][2], rows[-1])):
                    for body, pose in state["poses"].items():
                        if f"q.{body}.qw" not in row:
                            continue
                        expected = [float(row[f"q.{body}.{part}"]) for part in ("x", "y", "z", "qw", "qx", "qy", "qz")]
                        sign = math.copysign(1, sum(a * b for a, b in zip(pose[3:], expected[3:])))
                        # Numbers of the page are 32-bit floats.
                        for found, wanted in zip(pose, expected[:3] + [sign * q for q in expected[3:]]):
                            self.assertAlmostEqual(found, wanted, delta=1e-6 * max(1, abs(wanted)))

    def read_rows(self, name):
        with open(self.folder / name / "states.csv", newline="") as file:
            return list(csv.DictReader(file))

    @unittest.skipUnless("truth/rolling_disc" in CHOSEN, "another scene")
    def test_a_contact_that_lasts_is_drawn_throughout(self):
        self.assertEqual([state["contacts"] for state in self.seen["rolling_disc"]["states"]], [["disc/floor"]] * 3)

    @unittest.skipUnless("validation/cube_toss" in CHOSEN, "another scene")
    def test_contacts_are_drawn_while_they_are_there(self):
        first, _, last = self.seen["cube_toss"]["states"]
        self.assertEqual(first["contacts"], [])
        self.assertGreater(len(last["contacts"]), 2)

    def test_time_line_seeks_the_replay(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                length = seen["states"][2]["t"] - seen["states"][0]["t"]
                # A click hits a pixel of some thousand.
                self.assertAlmostEqual(seen["clicked"]["t"], seen["wanted"], delta=2e-3 * length)
                self.assertAlmostEqual(seen["clicked"]["slider"], 0.25, delta=2e-3)

    def test_slider_moves_the_cursor_of_the_plots(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                middle = (seen["states"][2]["t"] + seen["states"][0]["t"]) / 2
                self.assertAlmostEqual(seen["scrubbed"]["t"], middle, delta=1e-9)
                self.assertEqual(seen["scrubbed"]["kept"], seen["scrubbed"]["t"])
                self.assertTrue(seen["scrubbed"]["told"].startswith("t = "))

    def test_it_plays_to_the_end_and_pauses(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                self.assertTrue(seen["playing"] and seen["space"] and seen["paused"])
                self.assertEqual(seen["played"]["t"], seen["states"][2]["t"])
                self.assertEqual(seen["played"]["kept"], seen["played"]["t"])

    def test_the_camera_turns(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                self.assertTrue(seen["turned"], name)

    def test_a_narrow_window_has_room_for_it(self):
        for name, seen in self.seen.items():
            with self.subTest(name):
                self.assertLessEqual(seen["overflow"], 0)

    @unittest.skipUnless("shapes" in CHOSEN, "another scene")
    def test_every_shape_is_drawn(self):
        self.assertEqual(len(self.seen["shapes"]["bodies"]), 13)


# All shapes side by side, in free fall or fixed.
ALL_SHAPES = """thenar: 1
name: shapes
gravity: [0, 0, -0.5]
objects:
  - {name: sphere, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0]}}
  - {name: ellipsoid, shape: {ellipsoid: [0.1, 0.15, 0.05]}, mass: 1, pose: {xyz: [0.4, 0, 0]}}
  - {name: capsule, shape: {capsule: {radius: 0.05, length: 0.2}}, mass: 1, pose: {xyz: [0.8, 0, 0]}}
  - {name: cylinder, shape: {cylinder: {radius: 0.1, length: 0.2}}, mass: 1, pose: {xyz: [1.2, 0, 0]}}
  - {name: cone, shape: {cone: {radius: 0.1, height: 0.2}}, mass: 1, pose: {xyz: [1.6, 0, 0]}}
  - {name: box, shape: {box: [0.1, 0.2, 0.3]}, mass: 1, pose: {xyz: [0, 0.5, 0]}}
  - {name: rounded, shape: {rounded_box: {sides: [0.2, 0.2, 0.3], radius: 0.04}}, mass: 1, pose: {xyz: [0.4, 0.5, 0]}}
  - {name: torus, shape: {torus: {radius: 0.1, tube: 0.03}}, mass: 1, pose: {xyz: [0.8, 0.5, 0], rpy: [1, 0, 0]}}
  - {name: rod, shape: {rod: 0.3}, mass: 1, inertia: [1, 1, 1], pose: {xyz: [1.2, 0.5, 0], rpy: [0.5, 0, 0]}}
  - {name: ellipse, shape: {ellipse: [0.1, 0.15]}, mass: 1, pose: {xyz: [1.6, 0.5, 0], rpy: [1, 0, 0]}}
  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {xyz: [0, 0, -0.4]}}
  - {name: bowl, joint: fixed, shape: {bowl: {radius: 0.2, depth: 0.12}}, pose: {xyz: [2.2, 0.2, -0.39]}}
run: {until: 0.5, sample: 0.02}
"""

if __name__ == "__main__":
    need(CHROMIUM, "chromium")
    need(NODE, "node")
    need(MODULES / "playwright-core", "playwright-core")
    unittest.main()
