# SPDX-License-Identifier: BSD-3-Clause
"""thenar plot and thenar size: pictures and tables of a real run, and of traces that are wrong.

usage: plot_test.py PROGRAM
"""

import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SVG = "{http://www.w3.org/2000/svg}"

EVENTS = "".join(json.dumps({"t": t, "kind": kind, "where": "hand.index_2", "cause": "<upper> & lower"}) + "\n"
                 for t, kind in ((0.1, "impact"), (0.1, "limit_on"), (0.4, "limit_off"), (0.7, "impact")))


class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.TemporaryDirectory()
        cls.demo = pathlib.Path(cls.base.name) / "demo"
        subprocess.run([PROGRAM, "run", ROOT / "tests/apps/waving_hand.yaml", "--quiet", "--out", cls.demo], check=True)
        (cls.demo / "events.jsonl").write_text(EVENTS)
        with open(cls.demo / "states.csv", newline="") as file:
            cls.rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    @classmethod
    def tearDownClass(cls):
        cls.base.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def run_program(self, *arguments, code=0, **options):
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def plot(self, *arguments, code=0):
        """The picture on stdout, parsed; or the messages of a plot that fails."""
        result = self.run_program("plot", *arguments, "-o", "-", code=code)
        if code != 0:
            self.assertEqual(result.stdout, "")
            return result.stderr
        self.assertEqual(result.stderr, "")
        return ElementTree.fromstring(result.stdout)

    def write_trace(self, text, name="states.csv"):
        (self.scratch / name).write_text(text)
        return self.scratch

    @staticmethod
    def texts(svg):
        return [element.text for element in svg.iter(SVG + "text")]

    @staticmethod
    def columns_drawn(svg):
        return [line.find(SVG + "title").text for line in svg.iter(SVG + "polyline")]

    # Pictures

    def test_a_line_per_column_and_a_panel_per_quantity(self):
        svg = self.plot(self.demo, "q.hand.*", "tau.hand.*", "v.*_2")
        header = list(self.rows[0])
        expected = [c for c in header if c.startswith("q.hand.")] + [c for c in header if c.startswith("tau.hand.")] + \
                   [c for c in header if c.startswith("v.") and c.endswith("_2")]
        self.assertEqual(self.columns_drawn(svg), expected)
        self.assertEqual(len([g for g in svg.iter(SVG + "g") if g.get("class") == "panel"]), 3)

    def test_the_hand_may_be_left_out(self):
        self.assertEqual(self.columns_drawn(self.plot(self.demo, "q.index_*")),
                         ["q.hand.index_1", "q.hand.index_2", "q.hand.index_3"])

    def test_points_are_those_of_the_trace(self):
        """The curve, scaled back by the ranges in its description, passes every row to a pixel of the plot."""
        column = "q.hand.index_2"
        svg = self.plot(self.demo, column)
        points = [tuple(map(float, point.split(","))) for point in svg.find(f".//{SVG}polyline").get("points").split()]
        times, values = [row["t"] for row in self.rows], [row[column] for row in self.rows]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        x_scale = (max(xs) - min(xs)) / (times[-1] - times[0])
        y_scale = (max(ys) - min(ys)) / (max(values) - min(values))
        index = 0
        for t, value in zip(times, values):
            x, y = min(xs) + (t - times[0]) * x_scale, max(ys) - (value - min(values)) * y_scale
            while index + 2 < len(points) and points[index + 1][0] < x:
                index += 1
            (x0, y0), (x1, y1) = points[index], points[index + 1]
            # 0.05 px from simplification, at a slope of the curve of at most 10, and two roundings of 0.005.
            self.assertAlmostEqual(y, y0 + (y1 - y0) * (x - x0) / (x1 - x0), delta=0.6)

    def test_units_and_degrees(self):
        self.assertIn("q (m)", self.texts(self.plot(self.demo, "q.box.x")))
        svg = self.plot(self.demo, "q.index_2", "v.index_2", "tau.index_2", "--degrees")
        self.assertIn("q (deg)", self.texts(svg))
        self.assertIn("v (deg/s)", self.texts(svg))
        values = [math.degrees(row["q.hand.index_2"]) for row in self.rows]
        words = svg.find(SVG + "desc").text.replace("−", "-").split("q in deg: hand.index_2 from ")[1].split()
        self.assertAlmostEqual(float(words[0]), min(values), delta=1e-3)
        self.assertAlmostEqual(float(words[2].rstrip(".")), max(values), delta=1e-3)

    def test_events_have_marks_with_tooltips(self):
        svg = self.plot(self.demo, "q.index_2")
        group = next(g for g in svg.iter(SVG + "g") if g.get("class") == "events")
        self.assertEqual([t.text for t in group.iter(SVG + "text")], ["impact", "limit_on", "limit_off"])
        titles = [t.text for t in group.iter(SVG + "title")]
        self.assertEqual(len(titles), 4)
        self.assertEqual(titles[0], "impact at t = 0.1 s, hand.index_2: <upper> & lower")
        svg = self.plot(self.demo, "q.index_2", "--no-events")
        self.assertFalse([g for g in svg.iter(SVG + "g") if g.get("class") == "events"])

    def test_window_title_and_size(self):
        svg = self.plot(self.demo, "q.index_2", "--from", "0.3", "--to", "0.6", "--title", "A <b> & c", "--size", "400x300")
        self.assertEqual((svg.get("width"), svg.get("height")), ("400", "300"))
        self.assertEqual(svg.find(SVG + "title").text, "A <b> & c")
        self.assertIn("A <b> & c", self.texts(svg))
        self.assertTrue(svg.find(SVG + "desc").text.startswith("Against time from 0.3 s to 0.6 s."))
        self.assertNotIn("limit_on", self.texts(svg))

    def test_a_jump_is_vertical(self):
        self.write_trace("t,v.a\n0,-1\n1,-1\n1,1\n2,1\n")
        points = self.plot(self.scratch, "v.a").find(f".//{SVG}polyline").get("points").split()
        xs = [point.split(",")[0] for point in points]
        self.assertEqual(len(points), 4)
        self.assertEqual(xs[1], xs[2])

    def test_constant_and_empty_columns(self):
        self.write_trace("t,q.a,q.b\n0,0,3\n1,0,3\n")
        self.assertEqual(len(self.columns_drawn(self.plot(self.scratch, "q.*"))), 2)
        self.write_trace("t,q.a,q.b\n")
        self.assertIn("no data", self.texts(self.plot(self.scratch, "q.*")))

    def test_many_sizes_are_well_formed(self):
        for size in ("200x300", "320x240", "2000x1000"):
            with self.subTest(size):
                self.plot(self.demo, "q.*_2", "--size", size)

    def test_default_file_stands_beside_the_trace(self):
        for trace in (self.scratch / "run", self.scratch / "run/states.csv"):
            with self.subTest(trace):
                shutil.rmtree(self.scratch / "run", ignore_errors=True)
                shutil.copytree(self.demo, self.scratch / "run")
                result = self.run_program("plot", trace, "q.*_2")
                self.assertEqual(result.stdout, f"{self.scratch}/run/plot.svg\n")
                ElementTree.parse(self.scratch / "run/plot.svg")
                self.assertEqual(sorted(os.listdir(self.scratch / "run")),
                                 sorted(os.listdir(self.demo) + ["plot.svg"]))

    def test_same_trace_same_bytes(self):
        pictures = {self.run_program("plot", self.demo, "q.*", "v.*", "-o", "-").stdout for _ in range(2)}
        self.assertEqual(len(pictures), 1)

    def test_killed_run_can_be_plotted(self):
        text = (self.demo / "states.csv").read_text()
        self.write_trace(text[:len(text) * 2 // 3])
        result = self.run_program("plot", self.scratch, "q.*_2", "-o", "-")
        self.assertEqual(result.stderr, f"{self.scratch}/states.csv: note: the last line is cut and was left out\n")
        self.assertEqual(len(self.columns_drawn(ElementTree.fromstring(result.stdout))), 5)

    # Faults

    def test_bad_traces_are_told_with_file_and_line(self):
        for text, place, part in (("", ":1", "empty"),
                                  ("a,b\n1,2\n", ":1", "first column must be 't'"),
                                  ("t,q.a\n0,1\n1,nan\n", ":3", "'q.a' expects a finite number, found 'nan'"),
                                  ("t,q.a\n0,1\n1,2,3\n", ":3", "3 values, expected 2"),
                                  ("t,q.a\n1,1\n0,1\n", ":3", "time goes back")):
            with self.subTest(part):
                self.write_trace(text)
                message = self.plot(self.scratch, "q.*", code=2)
                self.assertTrue(message.startswith(f"{self.scratch}/states.csv{place}: error: "), message)
                self.assertIn(part, message)
                self.assertEqual(message.count("\n"), 1)
                self.run_program("size", self.scratch, code=2)

    def test_nothing_is_written_when_the_trace_is_bad(self):
        self.write_trace("t,q.a\n0,1\n1,nan\n")
        (self.scratch / "plot.svg").write_text("old")
        self.run_program("plot", self.scratch, "q.*", code=2)
        self.assertEqual((self.scratch / "plot.svg").read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.scratch)), ["plot.svg", "states.csv"])

    def test_unknown_column_is_told_close_ones(self):
        message = self.plot(self.demo, "q.indx_2", code=2)
        self.assertIn("states.csv:1: error: no column is named 'q.indx_2'; did you mean 'q.index_2'?", message)
        self.assertIn("no column fits 'w.*'", self.plot(self.demo, "w.*", code=2))
        result = self.run_program("plot", self.demo, "q.index_2", "picture.svg", code=2)
        self.assertIn("-o", result.stderr)

    def test_bad_options(self):
        for options, part in ((["--size", "12"], "WIDTHxHEIGHT"), (["--size", "0x5"], "WIDTHxHEIGHT"),
                              (["--size", "100x20"], "too little"), (["--size", "60x400"], "too little"),
                              (["--from", "2"], "no rows"), (["--to", "0", "--from", "1"], "not after")):
            with self.subTest(options):
                self.assertIn(part, self.plot(self.demo, "q.index_2", *options, code=2))

    def test_bad_events_are_told_with_file_and_line(self):
        self.write_trace("t,q.a\n0,1\n1,2\n")
        (self.scratch / "events.jsonl").write_text('{"t": 1, "kind": "impact", "where": "a", "cause": ""}\n[]\n')
        self.assertIn("events.jsonl:2: error: ", self.plot(self.scratch, "q.*", code=2))

    def test_missing_files(self):
        self.assertIn("no such file or folder", self.plot(self.scratch / "missing", "q.*", code=2))
        self.assertIn("there is no states.csv in this folder", self.plot(self.scratch, "q.*", code=2))

    def test_output_that_cannot_be_written(self):
        result = self.run_program("plot", self.demo, "q.index_2", "-o", self.scratch / "missing/a.svg", code=1)
        self.assertIn("cannot write", result.stderr)
        result = self.run_program("plot", self.demo, "q.index_2", "-o", self.demo / "states.csv", code=2)
        self.assertIn("belongs to the trace", result.stderr)
        result = self.run_program("size", self.demo, "--out", self.demo / "states.csv", code=2)
        self.assertIn("belongs to the trace", result.stderr)

    # Sizing

    def size(self, *arguments):
        return json.loads(self.run_program("size", *arguments, "--json").stdout)

    def test_size_agrees_with_the_rows(self):
        report = self.size(self.demo)
        self.assertEqual([joint["name"] for joint in report["joints"]],
                         [name[4:] for name in self.rows[0] if name.startswith("tau.")])
        for joint in report["joints"]:
            effort = [row["tau." + joint["name"]] for row in self.rows]
            speed = [row["v." + joint["name"]] for row in self.rows]
            power = [f * v for f, v in zip(effort, speed)]
            steps = [b["t"] - a["t"] for a, b in zip(self.rows, self.rows[1:])]
            mean = lambda f: sum(h * (a + b) / 2 for h, a, b in zip(steps, f, f[1:])) / sum(steps)
            self.assertEqual(joint["driven"], any(effort))
            self.assertEqual(joint["effort"]["peak"], max(map(abs, effort)))
            self.assertEqual(joint["speed"]["peak"], max(map(abs, speed)))
            self.assertEqual(joint["power"]["peak"], max(max(power), 0))
            self.assertEqual(joint["power"]["braking"], max(-min(power), 0))
            self.assertAlmostEqual(joint["effort"]["rms"], math.sqrt(mean([f * f for f in effort])), delta=1e-12)
            self.assertAlmostEqual(joint["energy"]["delivered"] - joint["energy"]["absorbed"],
                                   mean(power) * report["duration"], delta=1e-12)
            self.assertEqual(joint["range"], [min(row["q." + joint["name"]] for row in self.rows),
                                              max(row["q." + joint["name"]] for row in self.rows)])
            self.assertEqual(joint["required"]["peak_effort"], 1.5 * joint["effort"]["peak"])

    def test_work_of_the_actuators_is_that_of_the_energy_balance(self):
        """All work in this run is done by actuators; rows every 5 ms leave an error of some 1e-3 in the integral."""
        summary = json.loads((self.demo / "summary.json").read_text())
        work = sum(joint["energy"]["delivered"] - joint["energy"]["absorbed"] for joint in self.size(self.demo)["joints"])
        self.assertAlmostEqual(work / summary["energy"]["work"], 1, delta=5e-3)

    def test_size_for_people(self):
        text = self.run_program("size", self.demo, "--safety", "2").stdout
        self.assertIn("turning joints", text)
        self.assertNotIn("does not say", text)
        for part in ("not driven", "hand.index_2", "required of the actuators, 2 times the run", "rms effort"):
            self.assertIn(part, text)
        for table in text.split("\n\n"):
            lines = table.splitlines()
            if lines and lines[0].startswith("  joint"):
                self.assertEqual(len({len(line) for line in lines if "not driven" not in line}), 1, table)

    def test_envelopes_have_a_panel_per_driven_joint(self):
        file = self.scratch / "envelope.svg"
        report = self.size(self.demo, "--out", file)
        svg = ElementTree.parse(file).getroot()
        panels = [g for g in svg.iter(SVG + "g") if g.get("class") == "panel"]
        self.assertEqual(len(panels), sum(joint["driven"] for joint in report["joints"]))
        self.assertEqual(len(list(svg.iter(SVG + "polygon"))), len(panels))

    def test_safety_below_one_is_refused(self):
        for factor in ("0.5", "nan", "-1"):
            self.assertIn("--safety", self.run_program("size", self.demo, f"--safety={factor}", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
