# SPDX-License-Identifier: BSD-3-Clause
"""What others build on: installs the package, and builds and runs examples/ against it, in a folder of their own, with
other instructions than the package was built with.

usage: package_test.py BUILD_FOLDER CXX FLAGS
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, CXX, FLAGS = sys.argv[1:4]
del sys.argv[1:4]

FOREIGN = """cmake_minimum_required(VERSION 3.22)
project(foreign LANGUAGES CXX)
find_package(thenar 0.2 REQUIRED COMPONENTS core)
if(TARGET yaml-cpp OR TARGET PkgConfig::LIBRSVG)
  message(FATAL_ERROR "core needs no yaml-cpp and no librsvg")
endif()
add_executable(foreign foreign.cc)
target_link_libraries(foreign PRIVATE thenar::core)
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=280, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp())
        cls.prefix = cls.scratch / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def configure(self, source, *options):
        build = source / "build"
        run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}",
            f"-DCMAKE_CXX_FLAGS={FLAGS}", *options)
        return build

    def test_examples_run_against_the_installed_package(self):
        source = self.scratch / "my examples"
        shutil.copytree(self.prefix / "share/thenar/examples", source)
        build = self.configure(source)
        run("cmake", "--build", build, "-j", os.cpu_count())
        said = run("ctest", "--test-dir", build, "--output-on-failure")
        self.assertIn("100% tests passed, 0 tests failed out of 6", said)

    def test_the_core_needs_no_files_and_no_pictures(self):
        source = self.scratch / "foreign"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(FOREIGN)
        shutil.copy(ROOT / "examples/2_forward_dynamics.cc", source / "foreign.cc")
        build = self.configure(source)
        run("cmake", "--build", build)
        self.assertIn("by the formula", run(build / "foreign"))

    def test_unknown_components_are_refused(self):
        source = self.scratch / "unknown"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(FOREIGN.replace("core)", "studio)"))
        with self.assertRaisesRegex(AssertionError, "no component 'studio'"):
            self.configure(source)

    def test_headers_are_those_of_the_page(self):
        """docs/library.md names what is to be included; no internal header is installed, and no path of this machine."""
        listed = set(re.findall(r"^\| `(thenar/[\w/]+\.h)`", (ROOT / "docs/library.md").read_text(), re.M))
        declared = set(re.findall(r"thenar/[\w/]+\.h", (ROOT / "cmake/ThenarPackage.cmake").read_text()))
        self.assertEqual(listed, declared)
        installed = {str(path.relative_to(self.prefix / "include")) for path in (self.prefix / "include").rglob("*.h")}
        self.assertLessEqual(listed, installed)
        self.assertFalse([name for name in installed if "_internal" in name])
        solvers = ("thenar/complementarity/", "thenar/linear_programs/", "thenar/instant/instant_proof.h")
        self.assertFalse([name for name in installed if name.startswith(solvers)], "users read no solver")
        for path in (self.prefix / "lib/cmake/thenar").iterdir():
            self.assertNotIn(str(ROOT), path.read_text(), path.name)

    def test_the_program_finds_its_scenes(self):
        scene = self.prefix / "share/thenar/scenes/grasp_box.yaml"
        run(self.prefix / "bin/thenar", "check", scene)


if __name__ == "__main__":
    unittest.main()
