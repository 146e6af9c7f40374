# SPDX-License-Identifier: BSD-3-Clause
"""The command line: exit codes, JSON, overrides, files, interrupts.

usage: cli_test.py PROGRAM
"""

import collections
import csv
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
PENDULUM = ROOT / "scenes/carv/pendulum.yaml"
RUN_KEYS = ["name", "status", "reason", "t_end", "wall_s", "engine", "integrator", "steps", "implicit_steps",
            "rejected_steps", "evaluations", "events", "control_samples", "switches", "verdicts", "max_gap_violation",
            "flagged_steps", "worst_grade", "bridged_s", "energy",
            "sliding_joints", "files"]
FIXED_STEPS = "run={until: 10, step: 1 ms}"
LONG_RUN = "run={until: 9000, step: 1e-5}"

# A mass that drops 10 cm onto a stop at 0 and keeps half of its speed at every impact: the first is after
# sqrt(2 h/g) s, and all of them end after (1 + e)/(1 - e) times that.
BOUNCER = """thenar: 1
name: bouncer
gravity: [0, 0, -9.81]
hands:
  - name: cart
    bodies:
      - name: body
        joint: {name: slide, type: prismatic, limits: {lower: 0, restitution: 0.5}}
        mass: 1
        inertia: [1, 1, 1]
    q: {slide: 10 cm}
run: {until: 0.5}
"""

# What is said about joints, one of each kind.
FINGER = """thenar: 1
name: finger
bodies:
  - name: a
    joint:
      {name: mcp, type: universal, friction: [0, 2 mN m],
       limits: {lower: [-0.5*cos(bend), none], upper: [0.5, 1.5], restitution: [0.25, 0], with: {bend: mcp.1}}}
    mass: 1
    inertia: [1, 1, 1]
  - {name: b, parent: a, joint: {name: slide, type: prismatic, limits: {lower: -1 cm}}, mass: 1, inertia: [1, 1, 1]}
  - {name: c, parent: b, joint: {name: dip, type: revolute, locked: true}, mass: 1, inertia: [1, 1, 1]}
  - {name: d, parent: c, joint: {name: tip, type: revolute}, mass: 1, inertia: [1, 1, 1]}
couplings:
  - {name: tendon, joint: tip, equals: 0.7*x + y, with: {x: dip, y: mcp.1}}
"""


SLIDING_BOX = """\
thenar: 1
name: slide
objects:
  - {name: box, shape: {box: [0.2, 0.2, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.025]}, velocity: {linear: [0.6, 0.8, 0]}}
  - {name: floor, joint: fixed, shape: {plane: {}}}
contacts: {friction: 0.3}
run: {until: 1, sample: 0.1}
"""


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def run_program(self, *arguments, code=0, **options):
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def run_json(self, *arguments, code=0):
        return json.loads(self.run_program("run", *arguments, "--json", code=code).stdout)

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return path

    # Results

    def test_run_json_has_the_keys_of_the_contract(self):
        out = self.scratch / "out"
        summary = self.run_json(PENDULUM, "--out", out, "--set", FIXED_STEPS)
        self.assertEqual(list(summary), RUN_KEYS)
        self.assertEqual(summary["status"], "done")
        self.assertEqual(summary["reason"], "")
        self.assertEqual(summary["t_end"], 10)
        self.assertEqual(summary["engine"], "event")
        self.assertEqual(summary["integrator"], "rk8")
        self.assertEqual(summary["steps"], 10000)
        self.assertEqual((summary["implicit_steps"], summary["rejected_steps"]), (0, 0))
        self.assertGreaterEqual(summary["evaluations"], 8 * 10000)  # no method of order 8 has fewer stages
        self.assertEqual((summary["events"], summary["switches"], summary["verdicts"]), ({}, [], []))
        self.assertEqual(summary["max_gap_violation"], 0)
        self.assertEqual(list(summary["energy"]), ["start", "end", "work", "dissipated", "switched", "corrected"])
        for path in summary["files"].values():
            self.assertTrue(pathlib.Path(path).is_file(), path)
        self.assertEqual(json.loads((out / "summary.json").read_text()), summary)

    def test_run_lists_its_files(self):
        out = self.scratch / "out"
        files = self.run_json(self.write("bouncer.yaml", BOUNCER), "--out", out)["files"]
        self.assertEqual({kind: pathlib.Path(path).name for kind, path in files.items()},
                         {"states": "states.csv", "events": "events.jsonl", "energy": "energy.csv",
                          "scene": "scene.json", "summary": "summary.json", "report": "report.html"})
        self.assertEqual(sorted(path.name for path in out.iterdir()),
                         sorted(pathlib.Path(path).name for path in files.values()))

    def test_run_with_contacts_tells_modes_verdicts_and_events(self):
        out = self.scratch / "out"
        summary = self.run_json(self.write("slide.yaml", SLIDING_BOX), "--out", out)
        self.assertEqual(summary["status"], "done", summary["reason"])
        self.assertEqual(summary["events"], {"stick": 4})
        self.assertEqual(summary["verdicts"],
                         [{"from": 0, "to": 1, "verdict": "unique_motion", "determinate": False}])
        self.assertLess(summary["max_gap_violation"], 1e-9)
        with open(out / "contacts.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["t", "contact", "mode", "gap", "fN", "fT", "fU", "torsion", "vT", "vU", "uA1",
                                         "uA2", "uB1", "uB2", "psi", "margin"])
        self.assertEqual({row["contact"] for row in rows}, {f"box/floor#{k}" for k in range(4)})
        self.assertEqual({(row["mode"], float(row["margin"])) for row in rows if float(row["t"]) < 0.3}, {("slide", -1.0)})
        self.assertEqual({row["mode"] for row in rows if float(row["t"]) > 0.4}, {"stick"})

    def test_overlap_at_the_start_is_bad_input(self):
        out = self.scratch / "out"
        sunk = self.write("sunk.yaml", SLIDING_BOX.replace("0.025]", "0.02]"))
        error = self.run_program("run", sunk, "--out", out, code=2).stderr
        self.assertIn("'box' and 'floor' overlap by 0.005 m at the start", error)
        self.assertFalse(out.exists())

    def test_energy_has_a_line_per_row(self):
        out = self.scratch / "out"
        self.run_program("run", self.write("bouncer.yaml", BOUNCER), "--out", out)
        with open(out / "states.csv", newline="") as file:
            times = [row["t"] for row in csv.DictReader(file)]
        with open(out / "energy.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["t", "kinetic", "potential", "work", "dissipated", "layers", "switched",
                                          "corrected"])
        self.assertEqual([row["t"] for row in rows], times)
        self.assertAlmostEqual(float(rows[0]["potential"]), 9.81 * 0.1)
        self.assertGreater(max(float(row["kinetic"]) for row in rows), 0.9)

    def test_report_is_one_page_without_links(self):
        out = self.scratch / "out"
        summary = self.run_json(self.write("bouncer.yaml", BOUNCER), "--out", out)
        text = (out / "report.html").read_text()
        page = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(page.find("head/title").text, "bouncer")
        for element in page.iter():
            self.assertFalse({"src", "href"} & set(element.attrib), element.tag)
        self.assertNotIn("http", text.replace("http://www.w3.org/1999/xhtml", ""))  # the name of a namespace
        self.assertEqual(len(page.findall(".//tbody/tr")), sum(summary["events"].values()))
        numbers = json.loads(page.find(".//script[@id='data']").text)
        self.assertEqual((numbers["from"], numbers["to"]), (0, 0.5))
        self.assertEqual(len(numbers["panels"]), len(page.findall(".//div[@data-panel]")))

    def test_states_csv_has_rows_at_the_sample_times(self):
        out = self.scratch / "out"
        self.run_program("run", PENDULUM, "--out", out, "--set", "run.until=0.25", "--set", "run.sample=0.1")
        with open(out / "states.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["t", "q.pendulum.hinge", "v.pendulum.hinge", "tau.pendulum.hinge"])
        self.assertEqual([float(row["t"]) for row in rows], [0, 0.1, 0.2, 0.25])

    def test_events_are_listed_and_counted(self):
        out = self.scratch / "out"
        summary = self.run_json(self.write("bouncer.yaml", BOUNCER), "--out", out)
        self.assertEqual(summary["status"], "done", summary["reason"])
        events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
        self.assertEqual({tuple(event) for event in events}, {("t", "kind", "where", "cause", "how", "numbers")})
        self.assertEqual(summary["events"], dict(collections.Counter(event["kind"] for event in events)))
        self.assertEqual(events, sorted(events, key=lambda event: event["t"]))
        self.assertEqual({event["where"] for event in events}, {"cart.slide"})
        first, zeno = (next(event for event in events if event["kind"] == kind) for kind in ("impact", "zeno"))
        drop = math.sqrt(2 * 0.1 / 9.81)
        self.assertAlmostEqual(first["t"], drop, delta=1e-9)
        self.assertAlmostEqual(zeno["t"], 3 * drop, delta=1e-6)

    def test_a_jump_has_a_row_before_and_a_row_after(self):
        out = self.scratch / "out"
        self.run_program("run", self.write("bouncer.yaml", BOUNCER), "--out", out)
        with open(out / "states.csv", newline="") as file:
            rows = [tuple(float(x) for x in row.values()) for row in csv.DictReader(file)]
        times = [row[0] for row in rows]
        self.assertEqual(times, sorted(times))
        before, after = next((a, b) for a, b in zip(rows, rows[1:]) if a[0] == b[0])
        self.assertAlmostEqual(before[2], -math.sqrt(2 * 9.81 * 0.1), delta=1e-7)
        self.assertAlmostEqual(after[2], -0.5 * before[2], delta=1e-12)

    def test_run_without_events_leaves_an_empty_list(self):
        out = self.scratch / "out"
        result = self.run_program("run", PENDULUM, "--out", out)
        self.assertEqual((out / "events.jsonl").read_bytes(), b"")
        self.assertIn("\n  events by kind: none\n", result.stdout)

    def test_two_runs_are_the_same_bits(self):
        for name in ("a", "b"):
            self.run_program("run", ROOT / "scenes/demo.yaml", "--set", "run.until=1.3", "--quiet", "--out",
                             self.scratch / name)
        first, second = ((self.scratch / name / "states.csv").read_bytes() for name in ("a", "b"))
        self.assertEqual(first, second)

    def test_summary_for_people(self):
        result = self.run_program("run", PENDULUM, "--out", self.scratch / "out")
        for word in ("pendulum.hinge", "energy", "states.csv", "events.jsonl", "start", "max"):
            self.assertIn(word, result.stdout)
        self.assertEqual(result.stderr, "")  # no progress bar where there is no terminal

    def test_quiet_says_nothing(self):
        result = self.run_program("run", PENDULUM, "--quiet", "--out", self.scratch / "out")
        self.assertEqual(result.stdout + result.stderr, "")

    def test_default_folder_is_named_after_the_scenario(self):
        self.run_program("run", PENDULUM, "--quiet", cwd=self.scratch)
        self.assertTrue((self.scratch / "out/carv-pendulum/states.csv").is_file())

    # Overrides

    def test_set_changes_the_run(self):
        summary = self.run_json(PENDULUM, "--out", self.scratch / "out", "--set", "run.until=0.5", "--set",
                                "parameters.m=2 kg", "--set", "hands.pendulum.q.hinge=30 deg")
        self.assertEqual(summary["t_end"], 0.5)

    def test_bad_set_is_bad_input(self):
        for assignment, part in (("run.untill=1", "unknown key 'untill'"), ("run.until", "path=value"),
                                 ("hand.x=1", "no 'hand'"), ("run.until=abc", "abc")):
            with self.subTest(assignment):
                result = self.run_program("run", PENDULUM, "--out", self.scratch / "out", "--set", assignment, code=2)
                self.assertIn(part, result.stderr)
                self.assertIn("--set", result.stderr)
                self.assertFalse((self.scratch / "out").exists())

    # Failures

    def test_failed_run_keeps_a_readable_trace(self):
        scenario = self.write("stiff.yaml", """thenar: 1
name: stiff
hands:
  - name: cart
    bodies:
      - name: body
        joint: {name: slide, type: prismatic, spring: {stiffness: 1e9}}
        mass: 1
        inertia: [1, 1, 1]
    q: {slide: 1}
run: {until: 1, integrator: rk4, step: 1 ms, sample: 1 ms}
""")
        result = self.run_program("run", scenario, "--json", "--out", self.scratch / "out", code=1)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["status"], "failed")
        self.assertIn("joint 'cart.slide'", summary["reason"])
        self.assertIn(summary["reason"], result.stderr)
        text = (self.scratch / "out/states.csv").read_text()
        self.assertNotIn("nan", text)
        self.assertNotIn("inf", text)
        rows = list(csv.reader(text.splitlines()))
        self.assertGreater(len(rows), 2)
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def test_interrupt_keeps_what_is_there(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                out = self.scratch / number.name
                arguments = ["run", PENDULUM, "--json", "--out", out, "--set", LONG_RUN]
                process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           text=True)
                deadline = time.monotonic() + 30
                while time.monotonic() < deadline and not self.has_rows(out):
                    time.sleep(0.02)
                process.send_signal(number)
                stdout, stderr = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 1)
                summary = json.loads(stdout)
                self.assertEqual(summary["status"], "failed")
                self.assertIn("interrupted at t = ", summary["reason"])
                self.assertIn("interrupted", stderr)
                rows = list(csv.reader((out / "states.csv").read_text().splitlines()))
                self.assertAlmostEqual(float(rows[-1][0]), summary["t_end"])

    @staticmethod
    def has_rows(out):
        try:
            return (out / "states.csv").stat().st_size > 200
        except OSError:
            return False

    def test_killed_run_leaves_whole_rows(self):
        out = self.scratch / "out"
        process = subprocess.Popen([PROGRAM, "run", PENDULUM, "--quiet", "--out", out, "--set", LONG_RUN])
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.has_rows(out):
            time.sleep(0.02)
        process.kill()
        process.wait()
        text = (out / "states.csv").read_text()
        self.assertTrue(text.endswith("\n"))
        self.assertEqual({line.count(",") for line in text.splitlines()}, {3})

    def test_folder_that_cannot_be_made_fails_the_run(self):
        blocked = self.write("file", "")
        result = self.run_program("run", PENDULUM, "--out", blocked / "out", code=1)
        self.assertIn("cannot create the folder", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        result = self.run_program("run", PENDULUM, "--out", blocked, code=1)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_read_only_folder_fails_the_run(self):
        folder = self.scratch / "locked"
        folder.mkdir(mode=0o500)
        result = self.run_program("run", PENDULUM, "--out", folder, code=1)
        self.assertIn("Permission denied", result.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_disk_fails_the_run(self):
        out = self.scratch / "out"
        out.mkdir()
        (out / "states.csv").symlink_to("/dev/full")
        result = self.run_program("run", PENDULUM, "--out", out, code=1)
        self.assertIn("No space left on device", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_events_that_cannot_be_written_fail_the_run(self):
        out = self.scratch / "out"
        out.mkdir()
        (out / "events.jsonl").symlink_to("/dev/full")
        result = self.run_program("run", self.write("bouncer.yaml", BOUNCER), "--out", out, code=1)
        self.assertRegex(result.stderr, r"cannot write '.*events\.jsonl': No space left on device")
        self.assertEqual(len(result.stderr.splitlines()), 1)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_summary_that_cannot_be_written_fails_the_run(self):
        out = self.scratch / "out"
        out.mkdir()
        (out / "summary.json").symlink_to("/dev/full")
        result = self.run_program("run", PENDULUM, "--json", "--out", out, code=1)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["status"], "failed")
        self.assertIn("No space left on device", summary["reason"])
        self.assertEqual(list(summary["files"]), ["states", "events", "energy", "scene"])

    def test_report_that_cannot_be_written_fails_the_run(self):
        out = self.scratch / "out"
        (out / "report.html").mkdir(parents=True)
        result = self.run_program("run", PENDULUM, "--json", "--out", out, code=1)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["status"], "failed")
        self.assertRegex(summary["reason"], r"cannot write '.*report\.html': it is a folder")
        self.assertIn(summary["reason"], result.stderr)
        self.assertEqual(list(summary["files"]), ["states", "events", "energy", "scene", "summary"])
        self.assertEqual(json.loads((out / "summary.json").read_text()), summary)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_stdout_is_told(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "info", PENDULUM], stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    # Usage

    def test_usage_errors_are_bad_input(self):
        for arguments in ([], ["rnu", PENDULUM], ["run"], ["run", PENDULUM, "--frob"], ["check"], ["info"],
                          ["run", PENDULUM, "extra.yaml"]):
            with self.subTest(arguments):
                result = self.run_program(*arguments, code=2)
                self.assertNotEqual(result.stderr, "")
                self.assertEqual(result.stdout, "")
        self.assertIn("did you mean 'run'?", self.run_program("rnu", code=2).stderr)

    def test_set_takes_one_value_and_leaves_the_file(self):
        result = self.run_program("run", "--set", "run.until=0.1", PENDULUM, "--out", self.scratch / "out")
        self.assertIn("0.1 s simulated", result.stdout)

    def test_missing_file_is_bad_input(self):
        result = self.run_program("run", "nowhere.yaml", code=2, cwd=self.scratch)
        self.assertEqual(result.stderr, "nowhere.yaml: error: no such file\n")
        self.assertEqual(os.listdir(self.scratch), [])

    def test_help_has_an_example_for_every_verb(self):
        self.assertIn("thenar run scenes/demo.yaml", self.run_program("--help").stdout)
        for verb in ("run", "info", "check"):
            self.assertIn(f"Example:\n  thenar {verb}", self.run_program(verb, "--help").stdout)

    def test_version_names_build_and_libraries(self):
        text = self.run_program("--version").stdout
        for word in ("thenar ", "build: ", "compiler: ", "Eigen 3.", "yaml-cpp ", "CLI11 "):
            self.assertIn(word, text)

    # Other verbs

    def test_info_of_model_and_scenario(self):
        text = self.run_program("info", ROOT / "models/human_hand.yaml").stdout
        self.assertIn("22 degrees of freedom", text)
        self.assertIn("`-- human_hand.palm  [universal human_hand.wrist, 2 DoF]", text)
        info = json.loads(self.run_program("info", ROOT / "scenes/demo.yaml", "--json").stdout)
        self.assertEqual(info["dof"], 22)
        self.assertIn("peg", [joint["name"] for joint in info["joints"]])
        self.assertEqual({"name", "parent", "joint", "mass", "com", "inertia"}, set(info["bodies"][0]))

    def test_info_tells_limits_friction_locks_and_couplings(self):
        path = self.write("finger.yaml", FINGER)
        text = self.run_program("info", path).stdout
        for line in ("finger.mcp.0: from -0.5*cos(bend) to 0.5 rad, depending on finger.mcp.1, restitution 0.25",
                     "finger.mcp.1: 0.002 N m",
                     "finger.tendon: finger.tip = 0.7*x + y, depending on finger.mcp.1, finger.dip"):
            self.assertIn(f"\n  {line}\n", text)
        self.assertIn("\nlocked\n  finger.dip\n", text)
        info = json.loads(self.run_program("info", path, "--json").stdout)
        joints = {joint["name"]: joint for joint in info["joints"]}
        self.assertEqual(joints["finger.base"]["limits"], [])
        self.assertEqual(joints["finger.mcp"]["limits"], [["-0.5*cos(bend)", 0.5], [None, 1.5]])
        self.assertEqual(joints["finger.mcp"]["restitution"], [[0.25, 0.25], [0, 0]])
        self.assertEqual(joints["finger.mcp"]["friction"], [0, 0.002])
        self.assertEqual(joints["finger.slide"]["limits"], [[-0.01, None]])
        self.assertEqual(joints["finger.tip"]["limits"], [[None, None]])
        self.assertEqual([name for name, joint in joints.items() if joint["locked"]], ["finger.dip"])
        self.assertEqual(info["couplings"], [{"name": "finger.tendon", "joint": "finger.tip", "equals": "0.7*x + y",
                                              "of": ["finger.dip", "finger.mcp.1"]}])

    def test_check_accepts_all_shipped_files(self):
        files = sorted(ROOT.glob("scenes/**/*.yaml")) + sorted(ROOT.glob("models/**/*.yaml"))
        result = self.run_program("check", *files)
        self.assertEqual(len([line for line in result.stdout.splitlines() if ": ok: " in line]), len(files))
        self.assertEqual(result.stderr, "")

    def test_check_json_and_notes(self):
        spring = self.write("wrist.yaml", """thenar: 1
name: wrist
bodies:
  - name: palm
    joint: {name: wrist, type: universal, spring: {stiffness: [[2, -4], [0, 2]]}}
    mass: 1
    inertia: [1, 1, 1]
""")
        bad = self.write("bad.yaml", "thenar: 1\nname: bad\nbodies: 3\n")
        result = self.run_program("check", spring, bad, "--json", code=2)
        good, wrong = json.loads(result.stdout)
        self.assertTrue(good["ok"])
        self.assertIn("not conservative", good["notes"][0])
        self.assertFalse(wrong["ok"])
        self.assertEqual((wrong["error"]["line"], wrong["error"]["column"]), (3, 9))
        self.assertIn("note: the spring on wrist.wrist is not conservative", self.run_program("check", spring).stdout)

    def test_examples_of_the_documentation_are_valid(self):
        text = "".join((ROOT / "docs" / name).read_text() for name in ("formats.md", "motion.md"))
        blocks = re.findall(r"```yaml\n(thenar.*?)```", text, re.S)
        self.assertGreaterEqual(len(blocks), 5)
        for i, block in enumerate(blocks):
            self.run_program("check", self.write(f"example{i}.yaml", block))

    def test_readme_tells_the_truth(self):
        """The README's first scenario runs, and a slip in it gives the very message that the README shows."""
        readme = (ROOT / "README.md").read_text()
        text = readme.split("```yaml\n")[1].split("```")[0]
        path = self.write("pendulum.yaml", text)
        self.assertEqual(self.run_json(path, "--out", self.scratch / "out")["status"], "done")
        shown = next(line.strip() for line in readme.splitlines() if "error: unknown key 'densty'" in line)
        self.write("pendulum.yaml", text.replace("density", "densty"))
        said = self.run_program("check", "pendulum.yaml", code=2, cwd=self.scratch).stderr
        self.assertTrue(said.startswith(shown.rstrip("…")), f"{said!r} against {shown!r}")

    def test_model_is_not_run(self):
        result = self.run_program("run", ROOT / "models/human_hand.yaml", code=2)
        self.assertIn("this is a model, not a scenario", result.stderr)

    def test_locale_does_not_matter(self):
        environment = dict(os.environ, LC_ALL="de_DE.UTF-8")
        self.run_program("run", PENDULUM, "--quiet", "--out", self.scratch / "de", env=environment)
        self.run_program("run", PENDULUM, "--quiet", "--out", self.scratch / "c", env=dict(os.environ, LC_ALL="C"))
        self.assertEqual((self.scratch / "de/states.csv").read_bytes(), (self.scratch / "c/states.csv").read_bytes())


if __name__ == "__main__":
    unittest.main()
