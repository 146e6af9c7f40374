# SPDX-License-Identifier: BSD-3-Clause
"""thenar map: a ball on a slope, whose border between rolling and sliding is known, and what can go wrong.

A ball rolls down a slope without sliding if tan(tilt) <= 7/2 mu.

usage: map_test.py PROGRAM
"""

import csv
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SVG = "{http://www.w3.org/2000/svg}"

BALL = """
thenar: 1
name: Ball on a slope
parameters: {mu: 0.3, tilt: 20 deg, lift: 0}
gravity: [9.81*sin($tilt), 0, -9.81*cos($tilt)]
objects:
  - {name: ball, shape: {sphere: 0.05}, mass: 0.2, pose: {xyz: [0, 0, 0.05 + $lift]}}
  - {name: slope, joint: fixed, shape: {plane: {}}}
contacts: {friction: $mu, cone: 8}
run: {until: 1}
"""
X = "mu=0.05:0.5:16"
Y = "tilt=1 deg:60 deg:12"


def read_rows(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


class Maps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)
        self.scene = self.scratch / "ball.yaml"
        self.scene.write_text(BALL)

    def run_map(self, *arguments, code=0, x=X, y=Y):
        result = subprocess.run([PROGRAM, "map", self.scene, "--x", x, "--y", y, *arguments], capture_output=True,
                                text=True, timeout=240, cwd=self.scratch)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def test_the_ball_rolls_where_it_should(self):
        report = json.loads(self.run_map("--json").stdout)
        folder = self.scratch / "out/ball-on-a-slope"
        self.assertEqual(sorted(os.listdir(folder)), ["map.csv", "map.png", "map.svg"])
        rows = read_rows(folder / "map.csv")
        self.assertEqual(list(rows[0]), ["x", "y", "verdict", "determinate", "modes"])
        self.assertEqual(len(rows), 16 * 12)
        self.assertEqual([float(row["x"]) for row in rows[:2]], [0.05, 0.05 + 0.45 * (1 / 15)])
        self.assertEqual(float(rows[-1]["y"]), math.radians(60))
        for row in rows:
            rolls = math.tan(float(row["y"])) <= 3.5 * float(row["x"])
            self.assertEqual((row["verdict"], row["modes"]), ("unique", "R" if rolls else "S"), row)
        # The border is found to parts of a cell.
        n = 20000
        share = sum(min(math.atan(3.5 * (0.05 + 0.45 * (i + 0.5) / n)), math.radians(60)) - math.radians(1)
                    for i in range(n)) / n / math.radians(59)
        shares = {region["modes"]: region["share"] for region in report["regions"]}
        self.assertAlmostEqual(shares["R"], share, delta=1e-3)
        self.assertAlmostEqual(shares["R"] + shares["S"], 1, delta=1e-12)
        self.assertEqual((report["points"], report["computed"], report["refused"]), (192, 192, 0))
        self.assertTrue(report["refined"])
        self.assertGreater(report["boundary_points"], 0)
        svg = ElementTree.parse(folder / "map.svg").getroot()
        texts = [text.text for text in svg.iter(SVG + "text")]
        for part in ("R", "S", "mu", "tilt (deg)", "Ball on a slope"):
            self.assertIn(part, texts)
        self.assertEqual((folder / "map.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_threads_do_not_matter(self):
        files = []
        for threads in ("1", "4"):
            self.run_map("-o", f"{threads}.csv", "-o", f"{threads}.svg", "--threads", threads)
            files.append([(self.scratch / f"{threads}.{kind}").read_bytes() for kind in ("csv", "svg")])
        self.assertEqual(files[0], files[1])

    def test_a_second_run_computes_no_point_again(self):
        options = ("-o", "a.csv", "-o", "a.svg", "--json")
        self.run_map(*options)
        whole = (self.scratch / "a.csv").read_text()
        self.assertEqual(json.loads(self.run_map(*options).stdout)["computed"], 0)
        (self.scratch / "a.csv").write_text(whole[:len(whole) // 2])
        self.assertLess(json.loads(self.run_map(*options).stdout)["computed"], 192)
        self.assertEqual((self.scratch / "a.csv").read_text(), whole)

    def test_interrupted_it_goes_on(self):
        arguments = [PROGRAM, "map", self.scene, "--x", "mu=0.05:0.5:200", "--y", "tilt=1 deg:60 deg:200",
                     "--out", self.scratch / "a.csv", "--out", self.scratch / "a.svg"]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(1000):
            time.sleep(0.02)
            if (self.scratch / "a.csv").exists() and (self.scratch / "a.csv").stat().st_size > 2000:
                break
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, out + error)
        self.assertIn("interrupted; the points so far are in", error)
        self.assertEqual((self.scratch / "a.csv").read_text()[-1], "\n")
        self.assertGreater(len(read_rows(self.scratch / "a.csv")), 20)
        self.assertFalse((self.scratch / "a.svg").exists())

    def test_a_file_of_another_map_is_kept(self):
        options = ("--out", "a.csv", "-o", "a.svg")
        self.run_map(*options)
        whole = (self.scratch / "a.csv").read_text()
        for change in (("--set", "objects.ball.mass=1"), ("--nodes", "5")):
            message = self.run_map(*options, *change, code=2).stderr
            self.assertIn("a.csv:2: error: this file is of another map", message)
            self.assertIn("--force", message)
        self.assertIn("a.csv:3: error", self.run_map(*options, code=2, x="mu=0.05:0.4:16").stderr)
        self.assertEqual((self.scratch / "a.csv").read_text(), whole)
        self.run_map(*options, "--force", x="mu=0.05:0.4:16")
        self.assertEqual(float(read_rows(self.scratch / "a.csv")[15]["x"]), 0.4)

    def test_points_without_an_instant_are_undecided(self):
        result = self.run_map("-o", "a.csv", "-o", "a.svg", y="lift=-5 mm:0:3")
        self.assertIn("note: ", result.stderr)
        self.assertIn("overlap", result.stderr)
        rows = read_rows(self.scratch / "a.csv")
        self.assertEqual({(row["verdict"], row["modes"]) for row in rows[:32]}, {("undecided", "")})
        self.assertEqual({row["verdict"] for row in rows[32:]}, {"unique"})

    def test_bad_input(self):
        for x, part in (("mu", "expects NAME=FROM:TO:COUNT"), ("mu=0:1", "expects NAME=FROM:TO:COUNT"),
                        ("mu=0:1:1", "COUNT is a whole number"), ("mu=1:0:5", "the first less than the second"),
                        ("nu=0:1:5", "there is no parameter 'nu' (did you mean 'mu'?)"),
                        ("mu=0:1 m:5", "which is a length (m)"), ("tilt=0:1:5", "is the same entry as --x"),
                        ("objects.bal.mass=1:2:5", "did you mean 'ball'?")):
            with self.subTest(x):
                message = self.run_map(code=2, x=x).stderr
                self.assertIn(part, message)
                self.assertEqual(message.count("\n"), 1, message)
        self.assertIn("friction", self.run_map(code=2, x="mu=-1:1:5").stderr)
        self.assertIn("--out", self.run_map("--out", "a.pdf", code=2).stderr)
        self.assertIn("--threads", self.run_map("--threads", "-1", code=2).stderr)
        self.assertFalse((self.scratch / "out").exists())

    def test_an_entry_that_refuses_a_value_later_is_told(self):
        message = self.run_map("--out", "a.csv", code=2, x="objects.ball.mass=1:2:3",
                               y="contacts.restitution=0.5:1.5:3").stderr
        self.assertIn("restitution", message)

    def test_help_has_an_example(self):
        result = subprocess.run([PROGRAM, "map", "--help"], capture_output=True, text=True, check=True)
        self.assertIn("thenar map scenes/yy/two_finger.yaml", result.stdout)


if __name__ == "__main__":
    unittest.main()
