# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of this folder share: the program, node with its packages, and when to skip."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM, NODE, MODULES = (pathlib.Path(argument) for argument in sys.argv[1:4])
del sys.argv[1:4]
SKIP = 77


def need(path, what):
    """Leaves if something is not installed; on CI everything must be."""
    if path and pathlib.Path(path).exists():
        return
    print(f"{what} is missing", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") else SKIP)


def run_program(*arguments, code=0):
    result = subprocess.run([PROGRAM, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == code, (arguments, result.returncode, result.stderr)
    return result


def run_node(script, *arguments, timeout=120):
    """The JSON that a script of this folder prints."""
    result = subprocess.run([NODE, HERE / script, *map(str, arguments)], capture_output=True, text=True,
                            timeout=timeout, env={**os.environ, "NODE_PATH": str(MODULES)})
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)
