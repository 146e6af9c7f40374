# SPDX-License-Identifier: BSD-3-Clause
"""Reads every #include of the tree and compares it with the arrows that thenar/CMakeLists.txt declares.

A module may include itself and what its DEPENDS reach; linking alone would miss header-only use. Third-party headers
are checked too: each is allowed only where docs/dependencies.md says it earns its place, and headers named
*_internal.h stay inside their library: a module, or the rooms that share one.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
MODULE = re.compile(r"thenar_(?:module|room)\(([\w/]+)(.*?)\)", re.S)
LIBRARY = re.compile(r"thenar_library\((\w+)(.*?)ROOMS((?:\s+[a-z_/]+)+)", re.S)

# Third-party header prefix -> places that may include it ("*": anywhere).
THIRD_PARTY = {
    "Eigen/": {"*"},
    "fmt/": {"*"},
    "yaml-cpp/": {"thenar/io"},
    "nlohmann/": {"thenar/io", "apps", "tests"},
    "librsvg/": {"thenar/io/plot/png.cc"},
    "CLI/": {"apps", "bench"},
    "coin/": {"thenar/linear_programs"},
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
        match = re.search(r"DEPENDS((?:\s+[\w/]+)+?)\s+(?:SOURCES|LINK)", body)
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


def read_visible():
    """Room -> the rooms whose internal headers it may include: those of its library and of the one that this SHARES."""
    text = (ROOT / "thenar/CMakeLists.txt").read_text()
    libraries = {name: (set(rooms.split()), re.search(r"SHARES (\w+)", options))
                 for name, options, rooms in LIBRARY.findall(text)}
    visible = {}
    for rooms, shares in libraries.values():
        for room in rooms:
            visible[room] = rooms | (libraries[shares.group(1)][0] if shares else set())
    return visible


def check_own(path, include, arrows, visible):
    """An #include "thenar/<module>/..." from `path`: None, or what is wrong with it."""
    if not (ROOT / include).is_file():
        return "no such file"
    if include == "thenar/thenar.h" and path.parts[0] != "thenar":
        return None  # the door: for programs, not for the library itself
    module = include.removeprefix("thenar/").rpartition("/")[0]
    inside = "/".join(path.parts[1:-1]) if path.parts[0] == "thenar" else None
    if module not in arrows:
        return f"module '{module}' is not declared in thenar/CMakeLists.txt"
    if inside and module not in arrows[inside]:
        return f"'{inside}' may not include '{module}' (allowed: {', '.join(sorted(arrows[inside]))})"
    is_visible = inside == module or module in visible.get(inside, ()) or path.parts[0] == "tests"
    if include.endswith("_internal.h") and not is_visible:
        return "an *_internal.h header belongs to its library"
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
    visible = read_visible()
    faults, count = [], 0
    for folder in ("thenar", "apps", "examples", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            relative = path.relative_to(ROOT)
            for include in INCLUDE.findall(path.read_text()):
                count += 1
                own = include.startswith("thenar/")
                fault = check_own(relative, include, arrows, visible) if own else check_other(relative, include)
                if fault:
                    faults.append(f"{relative}: #include {include}: {fault}")
    print(f"{count} includes read, {len(arrows)} modules")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
