# SPDX-License-Identifier: BSD-3-Clause
"""Reads every #include of the tree and compares it with the arrows that thenar/CMakeLists.txt declares.

A module may include itself and what its DEPENDS reach; linking alone would miss header-only use. Third-party headers
are checked too: each is allowed only where docs/dependencies.md says it earns its place, and headers named
*_internal.h stay inside their module.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
MODULE = re.compile(r"thenar_module\((\w+)(.*?)\)", re.S)

# Third-party header prefix -> places that may include it ("*": anywhere).
THIRD_PARTY = {
    "Eigen/": {"*"},
    "fmt/": {"*"},
    "yaml-cpp/": {"thenar/io"},
    "nlohmann/": {"thenar/io", "apps", "tests"},
    "librsvg/": {"thenar/io/png.cc"},
    "CLI/": {"apps", "bench"},
    "coin/": {"thenar/complementarity"},
    "gtest/": {"tests"},
    "mujoco/": {"tests", "bench/peers"},
    "pinocchio/": {"bench/peers"},
    "boost/": {"bench/peers"},
    "bullet/": {"bench/peers"},
    "dart/": {"bench/peers"},
    "fcl/": {"bench/peers"},
    "ode/": {"bench/peers"},
    "siconos/": {"bench/peers"},
    "unsupported/Eigen/": {"bench/peers"},
}
# POSIX, the C library and the loader; the C++ standard library has no slash and no dot.
SYSTEM = {"fcntl.h", "unistd.h", "dlfcn.h", "sched.h", "time.h", "csignal", "malloc.h"}


def read_arrows():
    """Module -> all modules it may include, itself included."""
    text = (ROOT / "thenar/CMakeLists.txt").read_text()
    direct = {}
    for name, body in MODULE.findall(text):
        match = re.search(r"DEPENDS((?:\s+\w+)+?)\s+(?:SOURCES|LINK)", body)
        direct[name] = match.group(1).split() if match else []
    reached = {}

    def reach(name):
        if name not in reached:
            reached[name] = {name}
            for dependency in direct[name]:
                reached[name] |= reach(dependency)
        return reached[name]

    for name in direct:
        reach(name)
    return reached


def check_own(path, include, arrows):
    """An #include "thenar/<module>/..." from `path`: None, or what is wrong with it."""
    if not (ROOT / include).is_file():
        return "no such file"
    module = include.split("/")[1]
    here = path.parts
    inside = here[1] if here[0] == "thenar" else None
    if module not in arrows:
        return f"module '{module}' is not declared in thenar/CMakeLists.txt"
    if inside and module not in arrows[inside]:
        return f"'{inside}' may not include '{module}' (allowed: {', '.join(sorted(arrows[inside]))})"
    if include.endswith("_internal.h") and inside != module and here[0] != "tests":
        return "an *_internal.h header belongs to its module"
    return None


def check_other(path, include):
    place = str(path)
    for prefix, allowed in THIRD_PARTY.items():
        if include.startswith(prefix):
            ok = "*" in allowed or any(place.startswith(a) for a in allowed)
            return None if ok else f"only {', '.join(sorted(allowed))} may include {prefix}…"
    is_standard = "/" not in include and "." not in include
    is_sibling = (ROOT / path.parent / include).is_file() and path.parts[0] in ("tests", "bench", "apps", "examples")
    if is_standard or is_sibling or include in SYSTEM:
        return None
    return "unknown header: add it to docs/dependencies.md and to this test"


def main():
    arrows = read_arrows()
    assert "base" in arrows and arrows["dynamics"] >= {"base", "spatial", "model"}, arrows
    faults, count = [], 0
    for folder in ("thenar", "apps", "examples", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            relative = path.relative_to(ROOT)
            for include in INCLUDE.findall(path.read_text()):
                count += 1
                own = include.startswith("thenar/")
                fault = check_own(relative, include, arrows) if own else check_other(relative, include)
                if fault:
                    faults.append(f"{relative}: #include {include}: {fault}")
    print(f"{count} includes read, {len(arrows)} modules")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
