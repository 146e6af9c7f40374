#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One build gives the same bits on every processor that can run it: hashes of all shipped scenes' traces.

    same_bits_test.py PROGRAM [--until SECONDS] [--under COMMAND] [--list]

Each scene runs as it is and with AVX-512 masked, so that the C library and everything under it choose other code where the
processor has it. With --under, the second run is started by a command instead, for instance an emulator of another
processor: --under "qemu-x86_64 -cpu Haswell". --list prints the hashes, to be compared with those of another machine or of
another version: words of files do not count, only the numbers of states, energies and contacts, and times and kinds of
events.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
MASK = "glibc.cpu.hwcaps=" + ",".join("-AVX512" + part for part in ("F", "VL", "BW", "DQ", "CD"))
TABLES = ("states.csv", "contacts.csv", "energy.csv")


def find_scenes():
    """Scenarios that can be run; those of ptl are bare problems."""
    return sorted(path for path in (TREE / "scenes").rglob("*.yaml") if path.parent.name != "ptl")


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def list_numbers(folder):
    """The numbers of the tables, as they are written, and times and kinds of events."""
    for name in TABLES:
        path = folder / name
        if not path.exists():
            yield "none"
            continue
        with open(path, newline="") as file:
            for row in csv.reader(file):
                yield from filter(is_number, row)
    if (folder / "events.jsonl").exists():
        for line in (folder / "events.jsonl").read_text().splitlines():
            event = json.loads(line)
            yield f"{event['t']!r} {event['kind']}"


def hash_trace(program, scene, until, under, environment):
    """The hash of the numbers that a run writes and of how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        command = shlex.split(under) + [program, "run", str(scene), "--out", folder, "--quiet"]
        if until is not None:
            command += ["--set", f"run.until={until}"]
        ended = subprocess.run(command, cwd=TREE, env=environment, capture_output=True, text=True)
        digest = hashlib.sha256(str(ended.returncode).encode())
        for number in list_numbers(pathlib.Path(folder)):
            digest.update(number.encode() + b"\n")
        if not (pathlib.Path(folder) / "states.csv").exists():
            return f"no trace, exit {ended.returncode}"
        return digest.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--until", type=float, help="end of every run, s; default: what the scene says")
    parser.add_argument("--under", default="", help="command that starts the second run")
    parser.add_argument("--list", action="store_true", help="print the hashes")
    options = parser.parse_args()
    masked = dict(os.environ) if options.under else dict(os.environ, GLIBC_TUNABLES=MASK)
    scenes = find_scenes()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        first = [pool.submit(hash_trace, options.program, scene, options.until, "", dict(os.environ)) for scene in scenes]
        second = [pool.submit(hash_trace, options.program, scene, options.until, options.under, masked) for scene in scenes]
        different = 0
        for scene, one, other in zip(scenes, first, second):
            name = scene.relative_to(TREE / "scenes")
            if one.result() != other.result():
                different += 1
                print(f"{name}: {one.result()}, but {other.result()} in the second run", file=sys.stderr)
            elif options.list:
                print(one.result(), name)
    traces = sum(not run.result().startswith("no trace") for run in first)
    print(f"{len(scenes)} scenes, {traces} with a trace, {different} differ", file=sys.stderr)
    return 1 if different or traces < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
