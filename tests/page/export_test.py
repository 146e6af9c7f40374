# SPDX-License-Identifier: BSD-3-Clause
"""thenar export: files, messages, exit codes; and MCAP as npm's @mcap/core reads it.

usage: export_test.py PROGRAM NODE MODULES
"""

import csv
import json
import math
import pathlib
import tempfile
import unittest

from page_tools import MODULES, NODE, ROOT, need, run_node, run_program

TRUTH = ROOT / "scenes/truth"


class ExportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.scratch = pathlib.Path(cls.temporary.name)
        cls.trace = cls.scratch / "rod"
        run_program("run", TRUTH / "rod_on_floor.yaml", "--quiet", "--out", cls.trace)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def read_csv(self, path):
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def test_writes_one_of_each_beside_the_trace(self):
        page = (self.trace / "report.html").read_bytes()
        result = run_program("export", self.trace)
        names = ["poses.csv", "trace.mcap", "report.html"]
        self.assertEqual(result.stdout.splitlines(), [str(self.trace / name) for name in names])
        self.assertEqual((self.trace / "report.html").read_bytes(), page)
        run_program("export", self.trace / "states.csv", "-o", self.scratch / "page.html")
        self.assertEqual((self.scratch / "page.html").read_bytes(), page)

    def test_poses_have_the_rows_of_the_trace(self):
        run_program("export", self.trace, "-o", self.scratch / "rows.csv")
        poses, states = self.read_csv(self.scratch / "rows.csv"), self.read_csv(self.trace / "states.csv")
        self.assertEqual([row["t"] for row in poses], [row["t"] for row in states])
        for pose, state in zip(poses, states):
            self.assertAlmostEqual(float(pose["rod.x"]), float(state["q.rod.x"]), delta=1e-15)
            # A planar body turns about z.
            yaw = 2 * math.atan2(float(pose["rod.qz"]), float(pose["rod.qw"]))
            self.assertAlmostEqual(math.sin(yaw - float(state["q.rod.yaw"])), 0, delta=1e-14)

    def test_poses_can_be_evenly_spaced(self):
        run_program("export", self.trace, "-o", self.scratch / "even.csv", "--every", "0.125")
        times = [float(row["t"]) for row in self.read_csv(self.scratch / "even.csv")]
        self.assertEqual(times, [k / 8 for k in range(9)])

    def test_mcap_has_everything_that_the_trace_has(self):
        run_program("export", self.trace, "-o", self.scratch / "trace.mcap")
        found = run_node("read_mcap.mjs", self.scratch / "trace.mcap")
        file, topics = found["indexed"], found["indexed"]["topics"]
        self.assertTrue(found["stream"]["done"])
        self.assertEqual(found["stream"]["counts"]["Message"], file["statistics"]["messageCount"])
        self.assertEqual(file["library"], "thenar")
        self.assertEqual(file["metadata"]["thenar"]["name"], "rod on floor")
        self.assertEqual(file["metadata"]["thenar"]["status"], "done")
        self.assertEqual({name: topic["schema"] for name, topic in topics.items()}, {
            "/states": "thenar.State", "/energy": "thenar.Energy", "/contacts": "thenar.Contacts",
            "/events": "foxglove.Log", "/tf": "foxglove.FrameTransforms", "/scene": "foxglove.SceneUpdate",
            "/forces": "foxglove.SceneUpdate"})
        for name, topic in topics.items():
            self.assertEqual((topic["encoding"], topic["schemaEncoding"]), ("json", "jsonschema"))
            self.assertEqual(topic["times"], sorted(topic["times"]))
            for message in topic["messages"]:
                self.assertLessEqual(set(message), set(topic["fields"]), name)
        self.check_states(topics)
        self.check_contacts(topics)
        events = [json.loads(line) for line in (self.trace / "events.jsonl").read_text().splitlines()]
        self.assertEqual([{key: message[key] for key in ("t", "kind", "where", "cause", "how", "numbers")}
                          for message in topics["/events"]["messages"]], events)

    def check_states(self, topics):
        states, energy = self.read_csv(self.trace / "states.csv"), self.read_csv(self.trace / "energy.csv")
        messages = topics["/states"]["messages"]
        self.assertEqual(len(messages), len(states))
        self.assertEqual(len(topics["/energy"]["messages"]), len(energy))
        for message, row, time in zip(messages, states, topics["/states"]["times"]):
            self.assertEqual(message["t"], float(row["t"]))
            self.assertEqual(time, round(float(row["t"]) * 1e9))
            for part in ("x", "y", "yaw"):
                self.assertEqual(message["q"][f"rod_{part}"], float(row[f"q.rod.{part}"]))
                self.assertEqual(message["v"][f"rod_{part}"], float(row[f"v.rod.{part}"]))
        for message, row in zip(topics["/energy"]["messages"], energy):
            self.assertEqual(message, {key: float(value) for key, value in row.items()})
        for message, row in zip(topics["/tf"]["messages"], states):
            rod = next(t for t in message["transforms"] if t["child_frame_id"] == "rod")
            self.assertEqual(rod["parent_frame_id"], "world")
            self.assertAlmostEqual(rod["translation"]["x"], float(row["q.rod.x"]), delta=1e-15)
        scene, = topics["/scene"]["messages"]
        self.assertEqual({entity["id"] for entity in scene["entities"]}, {"rod", "floor"})

    def check_contacts(self, topics):
        rows = self.read_csv(self.trace / "contacts.csv")
        found = [(message["t"], contact["name"], contact["mode"], contact["fN"])
                 for message in topics["/contacts"]["messages"] for contact in message["contacts"]]
        self.assertEqual(found, [(float(row["t"]), row["contact"], row["mode"], float(row["fN"])) for row in rows])
        for contacts, forces in zip(topics["/contacts"]["messages"], topics["/forces"]["messages"]):
            arrows = forces["entities"][0]["arrows"]
            pushing = [c for c in contacts["contacts"] if c["fN"] > 1e-3]
            self.assertLessEqual(len(pushing), len(arrows))
            for contact, arrow in zip(pushing, arrows):
                self.assertEqual(arrow["pose"]["position"], contact["point_A"])

    def test_all_shapes_are_drawn(self):
        (self.scratch / "shapes.yaml").write_text(SHAPES)
        run_program("run", self.scratch / "shapes.yaml", "--quiet", "--out", self.scratch / "shapes")
        run_program("export", self.scratch / "shapes", "-o", self.scratch / "shapes.mcap")
        scene, = run_node("read_mcap.mjs", self.scratch / "shapes.mcap")["indexed"]["topics"]["/scene"]["messages"]
        drawn = {entity["id"]: {key: len(entity[key]) for key in ("cubes", "spheres", "cylinders", "triangles")
                                if entity[key]} for entity in scene["entities"]}
        self.assertEqual(drawn, {
            "sphere": {"spheres": 1}, "ellipsoid": {"spheres": 1}, "capsule": {"cylinders": 1, "spheres": 2},
            "cone": {"cylinders": 1}, "box": {"cubes": 1}, "rounded": {"cubes": 3, "cylinders": 12, "spheres": 8},
            "torus": {"triangles": 1}, "ellipse": {"triangles": 1}, "rod": {"cylinders": 1}, "floor": {"cubes": 1},
            "bowl": {"triangles": 1}})

    def test_bad_input_is_told(self):
        for arguments, message in (
                ([self.scratch / "missing"], "no such file or folder"),
                ([self.scratch], "there is no states.csv in this folder"),
                ([self.trace, "-o", "a.txt"], "expects a file that ends in .csv, .mcap or .html, found 'a.txt'"),
                ([self.trace, "-o", self.trace / "states.csv"], "belongs to the trace"),
                ([self.trace, "-o", self.scratch / "a.mcap", "--every", "1"], "is for .csv files"),
                ([self.trace, "--every", "0"], "expects a time greater than 0 s"),
                ([self.trace, "-o", self.scratch / "a.csv", "--every", "1e-9"], "at most"),
                ([], "trace is required")):
            result = run_program("export", *arguments, code=2)
            self.assertIn(message, result.stderr)
        self.assertFalse((self.scratch / "a.csv").exists() or (self.scratch / "a.mcap").exists())

    def test_what_cannot_be_written_is_told(self):
        result = run_program("export", self.trace, "-o", self.scratch / "no/folder/a.mcap", code=1)
        self.assertRegex(result.stderr, r"cannot write '.*a\.mcap': No such file or directory")

    def test_older_folders_are_told_what_they_lack(self):
        old = self.scratch / "old"
        old.mkdir()
        (old / "states.csv").write_text("t,q.a\n0,1\n")
        result = run_program("export", old, "-o", old / "a.mcap", code=2)
        self.assertIn("there is no scene.json beside states.csv", result.stderr)
        run_program("export", old, "-o", old / "page.html")  # without a replay

    def test_help_has_examples(self):
        self.assertIn("thenar export out/demo -o demo.mcap", run_program("export", "--help").stdout)


SHAPES = """thenar: 1
name: shapes
objects:
  - {name: sphere, shape: {sphere: 0.1}, mass: 1}
  - {name: ellipsoid, shape: {ellipsoid: [0.1, 0.15, 0.05]}, mass: 1}
  - {name: capsule, shape: {capsule: {radius: 0.05, length: 0.2}}, mass: 1}
  - {name: cone, shape: {cone: {radius: 0.1, height: 0.2}}, mass: 1}
  - {name: box, shape: {box: [0.1, 0.2, 0.3]}, mass: 1}
  - {name: rounded, shape: {rounded_box: {sides: [0.2, 0.2, 0.3], radius: 0.04}}, mass: 1}
  - {name: torus, shape: {torus: {radius: 0.1, tube: 0.03}}, mass: 1}
  - {name: rod, shape: {rod: 0.3}, mass: 1, inertia: [1, 1, 1]}
  - {name: ellipse, shape: {ellipse: [0.1, 0.15]}, mass: 1}
  - {name: floor, joint: fixed, shape: {plane: {}}}
  - {name: bowl, joint: fixed, shape: {bowl: {radius: 0.2, depth: 0.12}}}
run: {until: 0.1, sample: 0.05}
"""

if __name__ == "__main__":
    need(NODE, "node")
    need(MODULES / "@mcap/core", "@mcap/core")
    unittest.main()
