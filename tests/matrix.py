#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The whole suite under rounding noise: preset x compiler x seeds, with the number of failed tests.

Each preset is built once, with THENAR_NOISE, where ./run test builds it; then ctest runs once for each seed. Rows are written to
out/matrix.csv as they are computed, so an interrupted matrix keeps what it has; --resume goes on behind them.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import time
from pathlib import Path

# Presets with the number of seeds that a full matrix takes.
FULL = {"release": 20, "native": 3, "portable": 3, "reproducible": 3, "clang": 3, "clang-native": 3, "clang-portable": 3,
        "clang-reproducible": 3, "asan": 1}
QUICK = {"release": 1}
PAGE_TESTS = r"^replay\."  # draw what others have computed, in a browser: a fifth of the time of the suite
LOGS = Path("out/matrix")
COLUMNS = ["preset", "seed", "tests", "failed", "seconds", "names"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def build(preset, folder, jobs):
    log = LOGS / f"{preset}.log"
    with open(log, "w") as out:
        for command in (["cmake", "--preset", preset, "-DTHENAR_NOISE=ON", "-DTHENAR_TESTS=ON",
                         "-DTHENAR_BENCH=OFF", "-DTHENAR_TEST_MODULES="],
                        ["cmake", "--build", str(folder), "-j", str(jobs)]):
            if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode != 0:
                sys.exit(f"matrix: {preset} does not build, see {log}")


def run_suite(folder, seed, jobs):
    """Tests run, names of those that failed."""
    environment = dict(os.environ, THENAR_NOISE_SEED=str(seed))
    found = subprocess.run(["ctest", "--preset", folder.name, "-j", str(jobs), "-E", PAGE_TESTS],
                           env=environment, capture_output=True, text=True)
    log = LOGS / f"{folder.name}-{seed}.txt"
    log.write_text(found.stdout + found.stderr)
    total = re.search(r"out of (\d+)", found.stdout)
    if total is None:
        sys.exit(f"matrix: ctest did not come to its end in {folder}, see {log}")
    failed = re.findall(r"^\s*\d+ - (.+?) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|ILLEGAL|Child aborted|Not Run)",
                        found.stdout, re.M)
    return int(total.group(1)), failed


def read_rows(path):
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def print_table(rows):
    presets = {}
    for row in rows:
        presets.setdefault(row["preset"], []).append(row)
    print("| preset | seeds | tests | failed |\n|---|---|---|---|")
    for preset, its in presets.items():
        names = sorted({name for row in its for name in row["names"].split(";") if name})
        failed = sum(int(row["failed"]) for row in its)
        print(f"| {preset} | {len(its)} | {its[0]['tests']} | {failed}{': ' + ', '.join(names) if names else ''} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one seed of the preset release")
    parser.add_argument("--presets", help="some of: " + ", ".join(FULL))
    parser.add_argument("--seeds", type=int, help="how many seeds, for every preset")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--resume", action="store_true", help="keep the rows of out/matrix.csv")
    options = parser.parse_args()
    plan = dict(QUICK if options.quick else FULL)
    if options.presets:
        names = options.presets.split(",")
        unknown = [name for name in names if name not in FULL]
        if unknown:
            parser.error(f"unknown preset {', '.join(unknown)}; there are {', '.join(FULL)}")
        plan = {name: FULL[name] for name in names}
    path = Path("out/matrix.csv")
    LOGS.mkdir(parents=True, exist_ok=True)
    rows = read_rows(path) if options.resume else []
    done = {(row["preset"], int(row["seed"])) for row in rows}
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
        for preset, count in plan.items():
            first = options.first_seed
            seeds = [seed for seed in range(first, first + (options.seeds or count)) if (preset, seed) not in done]
            if not seeds:
                continue
            folder = Path("build") / preset
            say(f"Building {preset}")
            build(preset, folder, options.jobs)
            for seed in seeds:
                start = time.monotonic()
                tests, failed = run_suite(folder, seed, options.jobs)
                rows.append(dict(preset=preset, seed=seed, tests=tests, failed=len(failed),
                                 seconds=round(time.monotonic() - start), names=";".join(failed)))
                writer.writerow(rows[-1])
                file.flush()
                say(f"{preset}, seed {seed}: {tests} tests, {len(failed)} failed {' '.join(failed)}")
    print_table(rows)
    return 1 if any(int(row["failed"]) for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("matrix: interrupted; out/matrix.csv has what was computed")
