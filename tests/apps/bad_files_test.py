# SPDX-License-Identifier: BSD-3-Clause
"""Every bad file gets one message with its place, exit code 2, and leaves nothing behind.

usage: bad_files_test.py PROGRAM

The files are tests/io/bad/*.yaml. Their first line says what is expected, "# expect: LINE:COLUMN: part of the message",
or "# expect: FILE:LINE:COLUMN: ..." when the fault is in a model that the scenario uses. Files that are too large, too
deep or not text at all are made here.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BAD = ROOT / "tests/io/bad"
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
EXPECT = re.compile(r"# expect: (?:(?P<file>\S+\.yaml):)?(?P<line>\d+):(?P<column>\d+): (?P<message>.*)")

SCENARIO = """thenar: 1
hands:
  - name: arm
    bodies: [{name: link, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}]
run: {until: 1}
"""


def deep_flow():
    return ("thenar: 1\nname: " + "[" * 100000 + "]" * 100000 + "\n").encode()


def deep_block():
    return ("thenar: 1\n" + "".join(" " * i + "a:\n" for i in range(1500))).encode()


# name -> (bytes, LINE:COLUMN or None for a message about the whole file, part of the message)
GENERATED = {
    "empty_file": (b"", "1:1", "the document is empty"),
    "deep_flow": (deep_flow(), None, "brackets are open"),
    "deep_block": (deep_block(), None, "levels"),
    "unclosed_brackets": (b"thenar: 1\nname: " + b"[" * 1000000 + b"\n", None, ""),
    "huge_file": (b"thenar: 1\nname: x\n" + b"# filler\n" * 2000000, None, "16 MB"),
    "not_utf8": (b"thenar: 1\nname: caf\xe9\n", "2:10", "UTF-8"),
    "overlong_utf8": (b"thenar: 1\nname: \xc0\xaf\n", "2:7", "UTF-8"),
    "nul_byte": (b"thenar: 1\nname: a\x00b\n", "2:8", "control character"),
    "binary": (bytes(range(256)) * 40, None, ""),
    "utf16": (SCENARIO.encode("utf-16"), None, ""),
    "many_entries": (b"thenar: 1\nname: [" + b"0," * 1500000 + b"0]\n", None, ""),
    "long_expression": (SCENARIO.replace("mass: 1", "mass: " + "1+" * 3000 + "1").encode(), None, "4096"),
    "deep_expression": (SCENARIO.replace("mass: 1", "mass: " + "(" * 500 + "1" + ")" * 500).encode(), None, "nest"),
}


class BadFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def run_program(self, path, cwd):
        """The one line that the program says about a bad file."""
        out = self.scratch / "out"
        result = subprocess.run([PROGRAM, "run", path, "--out", out], cwd=cwd, capture_output=True, timeout=60)
        stderr = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, 2, stderr)
        self.assertEqual(result.stdout, b"")
        self.assertFalse(out.exists(), "something was written")
        lines = stderr.splitlines()
        self.assertEqual(len(lines), 1, stderr)
        self.assertLess(len(lines[0]), 2000)
        return lines[0]

    def test_files(self):
        paths = sorted(BAD.glob("*.yaml"))
        self.assertGreaterEqual(len(paths), 100)
        for path in paths:
            if path.stat().st_size == 0:
                continue  # among the generated ones
            with self.subTest(path.name):
                first = path.read_text().split("\n", 1)[0]
                expect = EXPECT.fullmatch(first)
                self.assertTrue(expect, f"the first line does not say what is expected: {first}")
                message = self.run_program(path.name, BAD)
                start = f"{expect['file'] or path.name}:{expect['line']}:{expect['column']}: error: "
                self.assertTrue(message.startswith(start), f"\nexpected {start}\nfound    {message}")
                self.assertIn(expect["message"], message)

    def test_generated(self):
        for name, (content, place, part) in GENERATED.items():
            with self.subTest(name):
                (self.scratch / f"{name}.yaml").write_bytes(content)
                message = self.run_program(f"{name}.yaml", self.scratch)
                start = f"{name}.yaml:{place}: error: " if place else f"{name}.yaml:"
                self.assertTrue(message.startswith(start), message)
                self.assertIn("error: ", message)
                self.assertIn(part, message)

    def test_paths(self):
        for path, part in (("nowhere.yaml", "no such file"), (".", ""), ("/dev/null", "")):
            with self.subTest(path):
                message = self.run_program(path, self.scratch)
                self.assertTrue(message.startswith(path), message)
                self.assertIn(part, message)

    def test_check_names_every_bad_file(self):
        files = ["mass_negative.yaml", "cycle.yaml", "models/arm.yaml"]
        result = subprocess.run([PROGRAM, "check", *files], cwd=BAD, capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)
        self.assertIn("models/arm.yaml: ok", result.stdout)


if __name__ == "__main__":
    unittest.main()
