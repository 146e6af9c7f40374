# SPDX-License-Identifier: BSD-3-Clause
"""A run that is killed or interrupted goes on from its last checkpoint, in a new process, and leaves the files of a run that
was not: byte by byte.

usage: checkpoint_test.py PROGRAM
"""

import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SCENES = ROOT / "scenes"
FILES = ("states.csv", "energy.csv", "events.jsonl", "scene.json", "contacts.csv", "contact_frames.csv")


def run(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}\n{done.stderr}"
    return done


class Checkpoints(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)

    def begin(self, scene, out, *options, every="1ms"):
        return subprocess.Popen([PROGRAM, "run", SCENES / scene, "--out", out, "--quiet", "--checkpoint-every", every,
                                 *options], stderr=subprocess.PIPE, text=True)

    def read(self, folder):
        return {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}

    def summary(self, folder):
        out = json.loads((folder / "summary.json").read_text())
        return {key: value for key, value in out.items() if key not in ("wall_s", "files")}

    def wait_for_checkpoints(self, out, process, count):
        while process.poll() is None and len(list((out / "checkpoints").glob("*.json"))) < count:
            time.sleep(0.001)

    def stop_and_go_on(self, scene, options, stop):
        """The files of a whole run, and of one that is stopped some times on its way."""
        whole, cut = self.scratch / "whole", self.scratch / "cut"
        run("run", SCENES / scene, "--out", whole, "--quiet", *options)
        generator, stops = random.Random(scene), 0
        process = self.begin(scene, cut, *options)
        for _ in range(4):
            self.wait_for_checkpoints(cut, process, generator.randint(1, 8))
            if process.poll() is not None:
                break
            stops += 1
            process.send_signal(stop)
            process.communicate(timeout=60)
            process = subprocess.Popen([PROGRAM, "run", "--resume", cut, "--quiet", "--checkpoint-every", "1ms"],
                                       stderr=subprocess.PIPE, text=True)
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(self.read(cut), self.read(whole))
        self.assertEqual(self.summary(cut), self.summary(whole))
        self.assertTrue((cut / "report.html").exists())
        return stops

    def test_a_killed_run_goes_on(self):
        scenes = {"demo.yaml": (), "grasp_box.yaml": (), "legged.yaml": (), "syk/translate.yaml": ("--set", "run.until=0.5"),
                  "truth/slow_two_fingers.yaml": (), "chan/02_regrasp_5_to_3.yaml": (),
                  "human_hand_swing.yaml": ("--set", "run.until=0.5"),
                  "glove_grasp.yaml": ("--set", "run.until=0.5"), "carv/hand_limits.yaml": ()}
        stops = 0
        for scene, options in scenes.items():
            with self.subTest(scene):
                stops += self.stop_and_go_on(scene, options, signal.SIGKILL)
            shutil.rmtree(self.scratch / "cut")
            shutil.rmtree(self.scratch / "whole")
        self.assertGreater(stops, 9)  # or nothing was shown

    def test_an_interrupted_run_loses_nothing(self):
        self.assertGreater(self.stop_and_go_on("demo.yaml", (), signal.SIGINT), 0)

    def test_ctrl_c_leaves_a_checkpoint_and_says_how_to_go_on(self):
        out = self.scratch / "out"
        process = self.begin("grasp_box.yaml", out, "--set", "run.until=600", every="60min")
        while process.poll() is None and not ((out / "events.jsonl").exists() and (out / "events.jsonl").stat().st_size):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn(f"'thenar run --resume {out}' goes on from there", said)
        self.assertEqual(len(list((out / "checkpoints").glob("*.json"))), 1)

    def make_run_with_checkpoints(self):
        scene, out = self.scratch / "ball.yaml", self.scratch / "out"
        shutil.copy(SCENES / "truth/bouncing_ball.yaml", scene)
        run("run", scene, "--out", out, "--quiet", "--checkpoint-every", "1us")
        self.assertGreater(len(list((out / "checkpoints").glob("*.json"))), 3)
        return scene, out

    def test_a_changed_scenario_is_refused_and_nothing_is_touched(self):
        scene, out = self.make_run_with_checkpoints()
        before = self.read(out)
        scene.write_text(scene.read_text().replace("friction: $mu", "friction: 0.123"))
        said = run("run", "--resume", out, code=2).stderr
        self.assertIn("is of another scenario", said)
        self.assertIn("Run it anew", said)
        self.assertEqual(self.read(out), before)

    def test_a_damaged_checkpoint_is_passed_over(self):
        scene, out = self.make_run_with_checkpoints()
        before = self.read(out)
        last = sorted((out / "checkpoints").glob("*.snapshot"))[-1]
        last.write_bytes(last.read_bytes()[:-1])
        said = run("run", "--resume", out, "--quiet").stderr
        self.assertIn("cut off or damaged", said)
        self.assertEqual(self.read(out), before)

    def test_files_that_have_shrunk_are_refused(self):
        scene, out = self.make_run_with_checkpoints()
        (out / "states.csv").write_text("t\n")
        self.assertIn("at the checkpoint", run("run", "--resume", out, code=1).stderr)

    def test_a_new_run_forgets_old_checkpoints(self):
        scene, out = self.make_run_with_checkpoints()
        run("run", scene, "--out", out, "--quiet")
        self.assertFalse((out / "checkpoints").exists())
        self.assertIn("there is no checkpoint", run("run", "--resume", out, code=2).stderr)

    def test_few_checkpoints_stay_of_a_long_run(self):
        out = self.scratch / "out"
        run("run", SCENES / "demo.yaml", "--out", out, "--quiet", "--checkpoint-every", "1us", "--set", "run.until=1")
        times = [json.loads(path.read_text())["t"] for path in sorted((out / "checkpoints").glob("*.json"))]
        self.assertLessEqual(len(times), 64)
        self.assertGreaterEqual(len(times), 32)
        self.assertEqual(times, sorted(times))

    def test_solve_starts_from_the_nearest_checkpoint(self):
        scene, out = SCENES / "grasp_box.yaml", self.scratch / "out"
        run("run", scene, "--out", out, "--quiet", "--checkpoint-every", "10ms")
        self.assertGreater(len(list((out / "checkpoints").glob("*.json"))), 2)
        for at in (0.2, 0.437, 0.9):
            near = run("solve", scene, "--at", at, "--from", out, "--json").stdout
            far = run("solve", scene, "--at", at, "--from", self.scratch / "nothing", "--json").stdout
            self.assertEqual(near, far)

    def test_what_makes_no_sense_is_refused(self):
        for options in (("--checkpoint-every", "soon"), ("--checkpoint-every", "-1s"), ("--checkpoint-every", "3 m")):
            said = run("run", SCENES / "demo.yaml", *options, code=2).stderr
            self.assertIn("--checkpoint-every: error: expects a time such as 60s", said)
        self.assertIn("expects a scenario file", run("run", code=2).stderr)
        self.assertIn("there is no checkpoint", run("run", "--resume", self.scratch, code=2).stderr)
        self.assertIn("does not go with --resume", run("run", "--resume", self.scratch, "--set", "mu=1", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
