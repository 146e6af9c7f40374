# SPDX-License-Identifier: BSD-3-Clause
"""gloves/grasp.csv is what gloves/make_grasp.py makes."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    made = subprocess.run([sys.executable, "-B", ROOT / "gloves/make_grasp.py"], capture_output=True, text=True, check=True)
    shipped = (ROOT / "gloves/grasp.csv").read_text()
    if made.stdout != shipped:
        print("gloves/grasp.csv differs from the output of gloves/make_grasp.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
