# SPDX-License-Identifier: BSD-3-Clause
"""`thenar quasistatic` and `thenar verify` as a user meets them, against all modes tried one by one in exact arithmetic.

usage: quasistatic_test.py PROGRAM
"""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = ROOT / "scenes/truth/slowly_pushed_block.yaml"
TRIPOD = ROOT / "scenes/truth/slow_tripod.yaml"
SETS = [ROOT / f"scenes/ptl/set{k}.yaml" for k in (1, 2, 3, 4)]


def call(*arguments, text=None):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False)


def answer(*arguments, text=None):
    result = call("quasistatic", *arguments, "--json", text=text)
    assert result.returncode in (0, 1), result.stderr
    return json.loads(result.stdout)


def verify(found):
    text = found if isinstance(found, str) else json.dumps(found)
    return call("verify", "-", text=text)


def is_feasible(equal, at_least):
    """Whether some x has row · x + known = 0 for (row, known) of `equal`, and > 0 or ≥ 0 for (row, known, strict) of
    `at_least`. Exact: equations are eliminated one by one, then unknowns after Fourier and Motzkin."""
    equal, at_least = list(equal), list(at_least)
    size = len((equal + at_least)[0][0]) if equal or at_least else 0
    for k in range(size):
        pivot = next((e for e in equal if e[0][k] != 0), None)
        if pivot:
            equal.remove(pivot)

            def reduce(row, known, k=k, pivot=pivot):
                factor = row[k] / pivot[0][k]
                return [a - factor * b for a, b in zip(row, pivot[0])], known - factor * pivot[1]

            equal = [reduce(*e) for e in equal]
            at_least = [(*reduce(row, known), strict) for row, known, strict in at_least]
            continue
        up = [e for e in at_least if e[0][k] > 0]
        down = [e for e in at_least if e[0][k] < 0]
        rest = {(tuple(e[0]), e[1], e[2]) for e in at_least if e[0][k] == 0}
        for (r1, k1, s1), (r2, k2, s2) in itertools.product(up, down):
            a, b = -r2[k], r1[k]
            rest.add((tuple(a * x + b * y for x, y in zip(r1, r2)), a * k1 + b * k2, s1 or s2))
        at_least = [(list(row), known, strict) for row, known, strict in rest]
    return all(known == 0 for _, known in equal) and all(
        known > 0 if strict else known >= 0 for _, known, strict in at_least)


class Problem:
    """Small whole numbers: contacts on the sides of a square, often parallel, in line or the same."""

    def __init__(self, seed, contacts):
        rng = random.Random(seed)
        self.n, self.joints = contacts, contacts + rng.randint(0, 1)
        self.W_n, self.W_t = [[], [], []], [[], [], []]
        for _ in range(contacts):
            n = rng.choice([(1, 0), (0, 1), (-1, 0), (0, -1)])
            t, shift = (-n[1], n[0]), rng.randint(-1, 1)
            r = (-n[0] + shift * t[0], -n[1] + shift * t[1])
            for W, d in ((self.W_n, n), (self.W_t, t)):
                for row, entry in zip(W, (d[0], d[1], r[0] * d[1] - r[1] * d[0])):
                    row.append(entry)
        pick = lambda: rng.choice([0, 0, 1, -1])
        self.J_n = [[pick() for _ in range(self.joints)] for _ in range(contacts)]
        self.J_t = [[pick() for _ in range(self.joints)] for _ in range(contacts)]
        self.alpha = [j + 1 for j in range(self.joints) if rng.random() < 0.8]
        self.theta_dot = [rng.choice([0, 0, 1, -1]) for _ in range(self.joints)]
        self.tau = [rng.randint(-1, 1) for _ in range(self.joints)]
        self.g_man = [rng.randint(-1, 1) for _ in range(self.joints)]
        self.g_obj = [rng.randint(-1, 1), rng.randint(-1, 1), pick()]
        self.mu = [rng.choice([0, 0.5, 1]) for _ in range(contacts)]

    def text(self):
        keys = ("W_n", "W_t", "J_n", "J_t", "alpha", "theta_dot", "tau", "g_obj", "g_man", "mu")
        return "\n".join(f"{key}: {json.dumps(getattr(self, key))}" for key in keys) + "\n"

    def brute_force(self):
        efforts = [j for j in range(self.joints) if j + 1 not in self.alpha]
        rows = []
        for W, J in ((self.W_n, self.J_n), (self.W_t, self.J_t)):
            for i in range(self.n):
                row = [Fraction(W[k][i]) for k in range(3)] + [Fraction(-J[i][j]) for j in efforts]
                rows.append((row, Fraction(-sum(J[i][j - 1] * self.theta_dot[j - 1] for j in self.alpha))))
        load = [Fraction(x) for x in self.g_obj] + [Fraction(self.tau[j] - self.g_man[j]) for j in efforts]
        found = set()
        for modes in itertools.product(("break", "slide+", "slide-", "roll"), repeat=self.n):
            if self.can_move(modes, rows) and self.can_balance(modes, rows, load):
                found.add(modes)
        return found

    def can_move(self, modes, rows):
        equal, at_least = [], []
        for i, mode in enumerate(modes):
            (normal, known), (tangent, slip) = rows[i], rows[self.n + i]
            if mode == "break":
                at_least.append((normal, known, True))
                continue
            equal.append((normal, known))
            if mode == "roll":
                equal.append((tangent, slip))
            else:
                sign = 1 if mode == "slide+" else -1
                at_least.append(([sign * x for x in tangent], sign * slip, True))
        return is_feasible(equal, at_least)

    def can_balance(self, modes, rows, load):
        edges = []
        for i, mode in enumerate(modes):
            signs = {"break": (), "slide+": (-1,), "slide-": (1,), "roll": (1, -1)}[mode]
            mu = Fraction(self.mu[i])
            edges += [[a + s * mu * b for a, b in zip(rows[i][0], rows[self.n + i][0])] for s in signs]
        if not edges:
            return all(x == 0 for x in load)
        equal = [([edge[k] for edge in edges], load[k]) for k in range(len(load))]
        unit = [[Fraction(int(a == b)) for b in range(len(edges))] for a in range(len(edges))]
        return is_feasible(equal, [(row, Fraction(0), False) for row in unit])


class Quasistatic(unittest.TestCase):
    def test_all_modes_are_those_of_exact_arithmetic(self):
        verdicts = set()
        for seed in range(40):
            problem = Problem(seed, 1 + seed % 3)
            with self.subTest(seed=seed):
                found = answer("-", "--all", text=problem.text())
                exact = problem.brute_force()
                self.assertEqual({tuple(s["modes"]) for s in found["solutions"]}, exact, problem.text())
                self.assertEqual(len(found["solutions"]), len(exact))
                self.assertTrue(found["complete"])
                self.assertEqual(verify(found).returncode, 0)
                verdicts.add(found["verdict"])
        self.assertEqual(verdicts, {"none", "unique", "several"})

    def test_data_sets(self):
        for path, verdict, count in zip(SETS, ("several", "unique", "unique", "none"), (3, 1, 1, 0)):
            found = answer(path, "--all")
            self.assertEqual((found["verdict"], len(found["solutions"])), (verdict, count))
            self.assertLessEqual(found["pairs_tried"] if count else 0, 2)
            check = verify(found)
            self.assertEqual(check.returncode, 0, check.stdout)
            self.assertIn("holds", check.stdout)

    def test_two_solutions_are_enough_without_all(self):
        found = answer(SETS[0])
        self.assertEqual(found["verdict"], "several")
        self.assertEqual(verify(found).returncode, 0)

    def test_tampered_answers_are_refuted(self):
        whole = answer(SETS[3])
        self.assertEqual(whole["verdict"], "none")

        def spoiled(change):
            other = json.loads(json.dumps(whole))
            change(other)
            return verify(other).returncode

        nodes = whole["certificate"]["nodes"]
        ends = [k for k, node in enumerate(nodes) if "no_motion" in node or "no_forces" in node]
        self.assertGreater(len(ends), 4)
        for k in ends:
            key = "no_motion" if "no_motion" in nodes[k] else "no_forces"
            place = max(range(len(nodes[k][key])), key=lambda p: abs(nodes[k][key][p][1]))

            def negate(other, k=k, key=key, place=place):
                other["certificate"]["nodes"][k][key][place][1] *= -1

            self.assertEqual(spoiled(negate), 1, k)
            self.assertEqual(spoiled(lambda other, k=k: other["certificate"]["nodes"].__setitem__(k, {"open": True})), 1)
        self.assertEqual(spoiled(lambda other: other.update(verdict="unique")), 1)
        self.assertEqual(spoiled(lambda other: other["certificate"].pop("nodes")), 1)
        self.assertEqual(spoiled(lambda other: other["problem"]["mu"].__setitem__(1, 0.4)), 1)
        self.assertEqual(spoiled(lambda other: other["problem"].pop("mu")), 2)

    def test_text_random_and_written_problems(self):
        text = call("quasistatic", SETS[1])
        self.assertEqual(text.returncode, 0)
        self.assertIn("ptl set 2: unique", text.stdout)
        self.assertIn("slide+", text.stdout)
        self.assertIn("it jams", call("quasistatic", SETS[3]).stdout)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "problem.yaml"
            first = answer("--random", "12,1.0,4,5", "--problem", file)
            again = answer(file)
            for key in ("verdict", "solutions", "pairs_tried", "certificate"):
                self.assertEqual(first[key], again[key], key)
        self.assertEqual(len(answer("--random", "5,3")["problem"]["mu"]), 5)
        self.assertEqual(answer("--random", "5,0.8,3")["problem"]["n_theta"], 10)

    def test_ends_in_time_and_says_so(self):
        found = answer("--random", "40,1.0,20,3", "--seconds", "1e-9")
        self.assertEqual(found["verdict"], "undecided")
        self.assertIn("time", found["reason"])

    def test_methods(self):
        self.assertEqual(answer(SETS[0], "--method", "search")["pairs_tried"], 0)
        pairs = answer(SETS[1], "--method", "pairs")
        self.assertEqual((pairs["verdict"], len(pairs["solutions"])), ("undecided", 1))
        for options in (["--any-decrease"], ["--original"], ["--seed", "7"]):
            self.assertEqual(answer(SETS[2], *options)["verdict"], "unique")

    def test_scenario_slides_or_tips_at_the_textbook_height(self):
        limit = 0.2 / (2 * 0.4)  # width / (2 mu)
        for share, modes in ((0.97, {"slide-"}), (1.03, {"roll", "break"})):
            found = answer(BLOCK, "--all", "--set", f"parameters.h={share * limit}")
            self.assertEqual(found["verdict"], "unique")
            solution, names = found["solutions"][0], found["names"]
            floor = [mode for name, mode in zip(names["contacts"], solution["modes"]) if "floor" in name]
            self.assertEqual(set(floor), modes)
            push = solution["c_n"][names["contacts"].index("block/finger.tip")]
            self.assertAlmostEqual(push, 9.81 * min(0.4, 0.1 / (share * limit)), places=9)
            self.assertEqual(verify(found).returncode, 0)

    def test_scenarios_in_space_have_polygons_of_friction(self):
        for sides in (4, 8):
            found = answer(TRIPOD, "--all", "--set", f"contacts.cone={sides}")
            self.assertTrue(found["complete"], found)
            self.assertEqual(found["problem"]["sides"], sides)
            self.assertEqual(verify(found).returncode, 0)
            solution = found["solutions"][0]
            weight = sum(c for c, name in zip(solution["c_n"], found["names"]["contacts"]) if "table" in name)
            self.assertAlmostEqual(weight, 0.3 * 9.81, places=9)
            solution["c_u"][0] += 0.1
            self.assertEqual(verify(found).returncode, 1)
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(folder) / "tripod.yaml"
            self.assertEqual(call("quasistatic", TRIPOD, "--problem", written).returncode, 0)
            self.assertEqual(answer(written, "--all")["solutions"], answer(TRIPOD, "--all")["solutions"])
        self.assertIn("plane", call("quasistatic", TRIPOD, "--method", "pairs").stderr)
        boxed = call("quasistatic", TRIPOD, "--set", "contacts.cone=box")
        self.assertEqual((boxed.returncode, "polygon" in boxed.stderr), (2, True))

    def test_runs_that_jam_end_with_their_proof(self):
        with tempfile.TemporaryDirectory() as folder:
            result = call("run", ROOT / "scenes/truth/slow_drawer.yaml", "--out", folder, "--json")
            self.assertEqual(result.returncode, 1)
            summary = json.loads(result.stdout)
            self.assertEqual((summary["engine"], summary["status"]), ("quasistatic", "failed"))
            self.assertAlmostEqual(summary["t_end"], 7.5, places=5)
            self.assertEqual(summary["verdicts"][-1]["verdict"], "none")
            proof = pathlib.Path(summary["files"]["quasistatic"]).read_text()
            self.assertEqual(verify(proof).returncode, 0)
            tampered = json.loads(proof)
            tampered["problem"]["mu"] = [0.1] * len(tampered["problem"]["mu"])
            self.assertEqual(verify(tampered).returncode, 1)
            self.assertTrue((pathlib.Path(folder) / "report.html").exists())

    def test_what_has_no_slow_run_is_told_with_its_line(self):
        for scene, overrides, word in (
            ("five_finger_carry", (), "target"),
            ("truth/slow_peg", ("run.integrator=rk4",), "integrator"),
            ("truth/slow_peg", ("control.0.pd_gravity.targets=[[0, {finger.slide: 1 cm}]]",), "target"),
        ):
            overrides = ("run.engine=quasistatic", *overrides)
            with tempfile.TemporaryDirectory() as folder:
                result = call("run", ROOT / f"scenes/{scene}.yaml", "--out", folder,
                              *(part for text in overrides for part in ("--set", text)))
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(word, result.stderr)
            self.assertIn("error", result.stderr)

    def test_map_has_the_jamming_region(self):
        with tempfile.TemporaryDirectory() as folder:
            csv = pathlib.Path(folder) / "map.csv"
            result = call("map", SETS[1], "--engine", "quasistatic", "--x", "mu2=0.4:1:4", "--y", "mu3=0.3:0.9:4", "--set",
                          "parameters.mu1=0.7", "--out", csv, "--out", pathlib.Path(folder) / "map.svg")
            self.assertEqual(result.returncode, 0, result.stderr)
            rows = [line.split(",") for line in csv.read_text().splitlines() if line[0].isdigit()]
        self.assertEqual(len(rows), 16)
        verdicts = set()
        for x, y, verdict, _, modes in rows:
            found = answer(SETS[1], "--all", "--set", "parameters.mu1=0.7", "--set", f"parameters.mu2={x}", "--set",
                           f"parameters.mu3={y}")
            self.assertEqual(found["verdict"], verdict)
            letters = {"".join({"roll": "R", "break": "B"}.get(m, "S") for m in s["modes"]) for s in found["solutions"]}
            self.assertEqual(modes, "|".join(sorted(letters)))
            verdicts.add(verdict)
        self.assertEqual(verdicts, {"none", "unique"})

    def test_without_contacts(self):
        bare = "{W_n: [[], [], []], W_t: [[], [], []], J_n: [], J_t: [], mu: [], g_obj: [%s]}"
        free = answer("-", "--all", text=bare % "0, 0, 0")
        self.assertEqual((free["verdict"], free["solutions"][0]["velocity_unique"]), ("several", False))
        pulled = answer("-", "--all", text=bare % "0, -1, 0")
        self.assertEqual(pulled["verdict"], "none")
        for found in (free, pulled):
            self.assertEqual(verify(found).returncode, 0)

    def test_bad_input(self):
        good = Problem(1, 2)
        for change, word in (
            (("mu: ", "mu: [-0.1, 0.2] #"), "mu"),
            (("alpha: ", "alpha: [99] #"), "alpha"),
            (("g_obj: ", "g_obj: [1, 2] #"), "g_obj"),
            (("J_t: ", "J_t: [[1]] #"), "J_t"),
            (("W_t: ", "V_t: "), "V_t"),
        ):
            result = call("quasistatic", "-", text=good.text().replace(*change))
            self.assertEqual(result.returncode, 2, change)
            self.assertIn(word, result.stderr)
            self.assertRegex(result.stderr, r"standard input:\d+:\d+: error")
        for arguments in (["--random", "x,1"], ["--random", "0,1"], ["--random", "3,1,99,1"], [], ["--seconds", "0", SETS[0]]):
            self.assertEqual(call("quasistatic", *arguments).returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main()
