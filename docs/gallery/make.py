#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pictures of the gallery again, as its pages say.

    docs/gallery/make.py                       all pages
    docs/gallery/make.py 03_rolling.md         some of them

A page has its commands as lines that begin with four spaces and `thenar`; they are run in the folder of the project, in
their order. Scenes are photographed in chromium from the replay of their reports:

    <!-- picture 03_scene.jpg of out/chan_03 at 0 0.1 0.2, view front, zoom 1.4 -->

is a strip with a frame for each time (s). Views are those of the replay: space, front, side, top. Needs the program built
with tests (for playwright-core), node and chromium.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMAND = re.compile(r"^    thenar (.*?)(?:\s+#.*)?$", re.MULTILINE)
PICTURE = re.compile(r"<!-- picture (?P<file>\S+) of (?P<run>\S+) at (?P<times>[\d. ]+)"
                     r"(?:, view (?P<view>\w+))?(?:, zoom (?P<zoom>[\d.]+))? -->")
MOST_BYTES = 150_000  # of a picture


def run(arguments, **options):
    result = subprocess.run([str(argument) for argument in arguments], cwd=ROOT, capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{shlex.join(map(str, arguments))}\n{result.stdout}{result.stderr}")


def photograph(picture, build, chromium):
    """A strip of frames of a replay."""
    run(["node", HERE / "photograph.mjs", chromium, ROOT / picture["run"] / "report.html", HERE / picture["file"],
         picture["view"] or "space", picture["zoom"] or "1", *picture["times"].split()],
        env={**os.environ, "NODE_PATH": str(build / "studio" / "node_modules")}, timeout=300)


def make_page(page, program, build, chromium):
    text = page.read_text()
    for command in COMMAND.findall(text):
        print(f"{page.name}: thenar {command}", flush=True)
        run([program, *shlex.split(command)])
    for picture in PICTURE.finditer(text):
        print(f"{page.name}: {picture['file']}", flush=True)
        photograph(picture, build, chromium)
    for file in re.findall(r"!\[.*?\]\(([^)]+)\)", text):
        size = (HERE / file).stat().st_size
        if size > MOST_BYTES:
            sys.exit(f"{page.name}: {file} has {size} bytes, more than {MOST_BYTES}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="default all")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    pages = [HERE / pathlib.Path(page).name for page in arguments.pages] or sorted(HERE.glob("[0-9]*.md"))
    for page in pages:
        make_page(page, build / "thenar", build, arguments.chromium)


if __name__ == "__main__":
    main()
