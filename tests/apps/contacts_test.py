# SPDX-License-Identifier: BSD-3-Clause
"""What touches at the start: `thenar check --contacts`, its table, its JSON, and starts that are refused; and what a run
writes about contacts.

usage: contacts_test.py PROGRAM
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "scenes/truth"
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
CONTACT_KEYS = ["name", "A", "B", "gap", "normal", "tangents", "point_A", "point_B", "shapes", "features", "patch"]
ROUNDING = 1e-14  # of coordinates of a metre

# A ball over a table, a ball in the table, a box in the wall.
OVERLAPS = """thenar: 1
name: overlaps
objects:
  - {name: high, shape: {sphere: 10 cm}, mass: 1, pose: {xyz: [0, 0, 10.5 cm]}}
  - {name: low, shape: {sphere: 10 cm}, mass: 1, pose: {xyz: [0, 1, 8 cm]}}
  - {name: box, shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1, pose: {xyz: [0.95, 0, 1]}}
  - {name: table, joint: fixed, shape: {plane: {}}}
  - {name: wall, joint: fixed, shape: {plane: {}}, pose: {xyz: [1, 0, 0], rpy: [0, -90 deg, 0]}}
run: {until: 1}
"""

# A finger of two links whose tip is folded back onto the palm; the knuckle is made of two hinges with an empty body
# between them.
FINGER = """thenar: 1
name: finger
hands:
  - name: hand
    bodies:
      - {name: palm, shape: {box: [10 cm, 4 cm, 2 cm]}, mass: 1}
      - name: cross
        parent: palm
        joint: {name: spread, type: revolute, axis: [0, 0, 1], frame: {xyz: [5 cm, 0, 0]}}
      - name: first
        parent: cross
        joint: {name: bend, type: revolute, axis: [0, 1, 0]}
        shape: {capsule: {radius: 8 mm, length: 4 cm}}
        shape_pose: {xyz: [2 cm, 0, 0], rpy: [0, 90 deg, 0]}
        mass: 50 g
      - name: tip
        parent: first
        joint: {name: curl, type: revolute, axis: [0, 1, 0], frame: {xyz: [4 cm, 0, 0]}}
        shape: {capsule: {radius: 8 mm, length: 3 cm}}
        shape_pose: {xyz: [1.5 cm, 0, 0], rpy: [0, 90 deg, 0]}
        mass: 30 g
    q: {bend: -90 deg, curl: -90 deg}
run: {until: 1}
"""


class Contacts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def run_program(self, *arguments, code=0):
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def check(self, *arguments, code=0):
        """The entries of the JSON list."""
        return json.loads(self.run_program("check", "--contacts", "--json", *arguments, code=code).stdout)

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return path

    def assert_vector(self, found, expected):
        self.assertEqual(len(found), 3)
        for x, y in zip(found, expected):
            self.assertAlmostEqual(x, y, delta=ROUNDING)

    # What is found

    def test_json_of_a_ball_in_a_bowl(self):
        entry, = self.check(TRUTH / "ball_in_bowl.yaml")
        self.assertEqual(list(entry), ["file", "ok", "kind", "name", "notes", "margin", "pairs", "near_pairs",
                                       "contacts", "overlaps"])
        self.assertTrue(entry["ok"])
        self.assertEqual((entry["pairs"], entry["near_pairs"], entry["overlaps"]), (1, 1, []))
        contact, = entry["contacts"]
        self.assertEqual(list(contact), CONTACT_KEYS)
        self.assertEqual((contact["name"], contact["A"], contact["B"]), ("ball/bowl", "ball", "bowl"))
        d = [0.5, 0, -math.sqrt(0.75)]
        self.assertAlmostEqual(contact["gap"], 0, delta=ROUNDING)
        self.assert_vector(contact["normal"], [-x for x in d])
        self.assert_vector(contact["point_A"], [0.1 * d[0], 0, 0.04 + 0.1 * d[2]])
        self.assert_vector(contact["point_B"], contact["point_A"])
        T, U = contact["tangents"]
        self.assert_vector(T, [math.sqrt(0.75), 0, 0.5])  # x, projected
        self.assert_vector(U, [0, 1, 0])
        self.assertEqual(contact["shapes"], ["sphere", "bowl"])
        self.assertEqual(contact["features"][1], "hollow")

    def test_points_of_a_patch_are_numbered(self):
        entry, = self.check(TRUTH / "box_on_table.yaml")
        self.assertEqual({c["name"] for c in entry["contacts"]}, {f"box/table#{k}" for k in range(4)})
        self.assertEqual({c["patch"] for c in entry["contacts"]}, {"polygon"})
        self.assertEqual(len({c["features"][0] for c in entry["contacts"]}), 4)

    def test_truth_scenes_start_without_overlap(self):
        entries = self.check(*sorted(TRUTH.glob("*.yaml")))
        self.assertGreater(sum(1 for entry in entries if entry["contacts"]), len(entries) / 2)  # some start in the air
        for entry in entries:
            with self.subTest(entry["file"]):
                self.assertTrue(entry["ok"])
                gaps = [c["gap"] for c in entry["contacts"]]
                self.assertEqual(gaps, sorted(gaps))
                for contact in entry["contacts"]:
                    step = [a - b - contact["gap"] * n for a, b, n in
                            zip(contact["point_A"], contact["point_B"], contact["normal"])]
                    self.assert_vector(step, [0, 0, 0])

    def test_table_for_people(self):
        text = self.run_program("check", "--contacts", TRUTH / "box_on_table.yaml").stdout
        lines = text.splitlines()
        self.assertIn("ok: scenario 'box on table'", lines[0])
        for column in ("contact", "gap (m)", "normal, from B into A", "features"):
            self.assertIn(column, lines[1])
        self.assertEqual([line.split()[0] for line in lines[2:6]], [f"box/table#{k}" for k in range(4)])
        self.assertEqual(lines[2].split()[1], "0")  # rounding is not shown to people
        self.assertIn("4 contact points within", lines[6])
        self.assertIn("1 pair of bodies may touch", lines[6])

    def test_neighbours_are_left_out(self):
        entry, = self.check(self.write("finger.yaml", FINGER), "--margin", "1")
        self.assertEqual(entry["pairs"], 1)  # palm and tip
        self.assertEqual({(c["A"], c["B"]) for c in entry["contacts"]}, {("hand.palm", "hand.tip")})
        # The tip lies 4 cm above the palm's middle plane, with a radius of 8 mm; the palm is 1 cm high.
        for contact in entry["contacts"]:
            self.assertAlmostEqual(contact["gap"], 0.022, delta=ROUNDING)

    def test_rules_of_the_scenario(self):
        path = self.write("finger.yaml", FINGER + "contacts: {pairs: [[hand.first, hand.tip]]}\n")
        entry, = self.check(path, code=2)
        self.assertEqual(entry["overlaps"][0]["A"], "hand.first")  # neighbours overlap; they were asked for
        path = self.write("finger.yaml", FINGER + 'contacts: {exclude: [["hand.*", "hand.*"]]}\n')
        entry, = self.check(path, "--margin", "1")
        self.assertEqual((entry["pairs"], entry["contacts"]), (0, []))

    # Margin

    def test_margin(self):
        scene = TRUTH / "two_balls.yaml"
        self.assertEqual(self.check(scene)[0]["margin"], 0.06)  # the scene's own
        entry, = self.check(scene, "--margin", "49 mm")
        self.assertEqual((entry["margin"], entry["contacts"]), (0.049, []))
        self.assertEqual(len(self.check(scene, "--margin", "0.051")[0]["contacts"]), 1)
        # Without either, a tenth of the diagonal of the box around the balls: corners (0.97, 1.97, 2.97) and
        # (1.08, 2.1, 3.03).
        entry, = self.check(scene, "--set", "contacts={}")
        self.assertAlmostEqual(entry["margin"], 0.1 * math.hypot(0.11, 0.13, 0.06), delta=ROUNDING)

    def test_bad_margin_is_bad_input(self):
        for value in ("-1", "5 kg", "abc", "nan", ""):
            with self.subTest(value):
                result = self.run_program("check", "--contacts", TRUTH / "two_balls.yaml", f"--margin={value}", code=2)
                self.assertIn("--margin", result.stderr)
        self.run_program("check", TRUTH / "two_balls.yaml", "--margin", "1", code=2)  # only with --contacts

    # Starts that are refused

    def test_overlaps_are_errors_that_name_pair_and_depth(self):
        path = self.write("overlaps.yaml", OVERLAPS)
        result = self.run_program("check", "--contacts", path, code=2)
        self.assertEqual(result.stderr, f"{path}: error: 'box' and 'wall' overlap by 0.05 m at the start\n"
                                        f"{path}: error: 'low' and 'table' overlap by 0.02 m at the start\n")
        self.assertNotIn("ok:", result.stdout)
        self.assertIn("high/table", result.stdout)
        self.run_program("check", path)  # the file itself is good

    def test_overlaps_in_json(self):
        entry, = self.check(self.write("overlaps.yaml", OVERLAPS), code=2)
        self.assertFalse(entry["ok"])
        self.assertEqual([(o["A"], o["B"]) for o in entry["overlaps"]], [("box", "wall"), ("low", "table")])
        self.assertAlmostEqual(entry["overlaps"][1]["depth"], 0.02, delta=ROUNDING)
        self.assertEqual(entry["error"]["message"], "'box' and 'wall' overlap by 0.05 m at the start")
        self.assertTrue(entry["contacts"])

    def test_a_crowd_out_of_proportion_is_told(self):
        balls = "".join(f"  - {{name: b{i}, shape: {{sphere: 1}}, mass: 1}}\n" for i in range(1500))
        path = self.write("crowd.yaml", "thenar: 1\nobjects:\n" + balls + "run: {until: 1}\n")
        result = self.run_program("check", "--contacts", path, code=2)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("pairs of shapes are near each other", result.stderr)

    def test_models_and_bad_files_stand_side_by_side(self):
        bad = ROOT / "tests/io/bad/contacts_pair_rigid.yaml"
        entries = self.check(ROOT / "models/chan_hand.yaml", bad, code=2)
        self.assertEqual([entry["ok"] for entry in entries], [True, False])
        self.assertEqual(entries[0]["kind"], "model")
        self.assertGreater(entries[0]["pairs"], 10)

    # Runs

    def test_run_writes_contacts(self):
        out = self.scratch / "out"
        result = self.run_program("run", TRUTH / "box_on_table.yaml", "--json", "--out", out)
        summary = json.loads(result.stdout)
        self.assertEqual(list(summary["files"]), ["states", "events", "energy", "contacts", "contact_frames", "scene",
                                                   "summary", "report"])
        with open(out / "states.csv", newline="") as file:
            times = [row["t"] for row in csv.DictReader(file)]
        with open(out / "contacts.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["t", "contact", "mode", "gap", "fN", "fT", "fU", "torsion", "vT", "vU", "uA1",
                                         "uA2", "uB1", "uB2", "psi", "margin"])
        self.assertLessEqual({row["t"] for row in rows}, set(times))
        self.assertEqual({row["contact"] for row in rows}, {f"box/table#{i}" for i in range(4)})
        self.assertLessEqual({row["mode"] for row in rows}, {"open", "stick", "roll", "slide", "spin"})
        verdicts = summary["verdicts"]
        self.assertEqual((verdicts[0]["from"], verdicts[-1]["to"]), (0, summary["t_end"]))
        for one, next_one in zip(verdicts, verdicts[1:]):
            self.assertEqual(one["to"], next_one["from"])
        page = xml.etree.ElementTree.fromstring((out / "report.html").read_text())
        self.assertEqual([row.find("div").text or row.find("div/i").tail for row in page.iter("div")
                          if row.get("class") == "row mode"], [f"box/table#{i}" for i in range(4)])

    def test_run_without_contacts_is_as_before(self):
        path = self.write("fall.yaml", OVERLAPS)
        self.run_program("run", path, "--quiet", "--out", self.scratch / "out")


if __name__ == "__main__":
    unittest.main()
