# SPDX-License-Identifier: BSD-3-Clause
"""The human hand against the anthropometry that models/human_hand.yaml names.

usage: human_hand_test.py PROGRAM

The program says what it simulates: masses by `info`, centre of mass and moments of inertia by the energy with which a
run starts, m g·r for a unit gravity and ½ I for a unit rate of the wrist. The geometry is read from the file itself,
with an evaluator for its parameters; both must give the same hand. Where the folder of data is beside the repository,
the numbers in the file are derived once more from their sources.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

try:
    import yaml
except ImportError as error:  # Debian: python3-yaml
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
MODEL = ROOT / "models/human_hand.yaml"
LIMITS_SCENE = ROOT / "scenes/carv/hand_limits.yaml"
DATA = ROOT.parent / "shared/data"

FINGERS = ["index", "middle", "ring", "little"]
SEGMENTS = [f"{f}_{s}" for f in FINGERS for s in ("proximal", "middle", "distal")] + \
           ["trapezium", "thumb_metacarpal", "thumb_proximal", "thumb_distal"]
JOINTS = ["wrist"] + [f"{f}_{j}" for f in FINGERS for j in ("mcp", "pip", "dip")] + \
         ["thumb_cmc1", "thumb_cmc2", "thumb_mcp", "thumb_ip"]

# Rows "Hand 2" (wrist joint centre to tip of the middle finger) of de Leva's tables: fraction of the body's mass;
# centre of mass and radii of gyration about z (sagittal), y (transverse) and x (longitudinal), in hand lengths.
DE_LEVA = {"male": (0.0061, 0.3624, (0.288, 0.235, 0.184)), "female": (0.0056, 0.3427, (0.244, 0.208, 0.154))}

# Buchholz, Armstrong and Goldstein (1992): proximal, middle and distal segments in hand lengths.
BUCHHOLZ = {"index": (0.245, 0.143, 0.097), "middle": (0.266, 0.170, 0.108), "ring": (0.244, 0.165, 0.107),
            "little": (0.204, 0.117, 0.093)}

# Carv Table 5-IV: stiffness, rest, lower, upper. The first angle of the wrist is positive towards the little finger.
PI = math.pi
HINGE = ([[1]], [0], [0], [PI / 2])
TABLE_5_IV = {
    "wrist": ([[2, -4], [0, 2]], [PI / 32, 0], [-PI / 10, 0], [PI / 4, PI / 2]),
    "index_mcp": ([[2, 0], [0, 5]], [0, 0], [-PI / 10, 0], [PI / 10, PI / 2]),
    **{f"{f}_mcp": ([[2, 0], [0, 1]], [0, 0], [-PI / 10, 0], [PI / 10, PI / 2]) for f in FINGERS[1:]},
    **{f"{f}_{j}": HINGE for f in FINGERS for j in ("pip", "dip")},
    "thumb_cmc1": ([[1]], [PI / 4], [0], [PI / 2]),
    "thumb_cmc2": ([[2]], [PI / 3], [0], [PI / 2]),
    "thumb_mcp": ([[1]], [PI / 6], [PI / 4], [PI / 2]),
    "thumb_ip": HINGE,
}

UNITS = {"m": 1, "kg": 1, "rad": 1, "deg": PI / 180, "kg/m^3": 1, "N m s/rad": 1}
FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "cos", "pi")} | {"cbrt": lambda x: x ** (1 / 3)}


def evaluate(text, parameters, **variables):
    """A number, a number with a unit, or an expression, as in docs/formats.md; only what the model uses of it."""
    quantity = re.fullmatch(r"([-+]?\d[-+\d.e]*) ?([a-zA-Z].*)?", text.strip())
    if quantity:
        return float(quantity[1]) * UNITS[quantity[2] or "m"]
    code = re.sub(r"\$(\w+)", r"parameters['\1']", text)
    return eval(code, {"__builtins__": {}}, {**FUNCTIONS, **variables, "parameters": parameters})


class Hand:
    """The model as written, with values for its parameters in place of its own."""

    def __init__(self, **overrides):
        document = yaml.load(MODEL.read_text(), Loader=yaml.BaseLoader)
        self.parameters = {}
        for name, text in document["parameters"].items():
            self.parameters[name] = overrides[name] if name in overrides else evaluate(text, self.parameters)
        unknown = set(overrides) - set(self.parameters)
        assert not unknown, unknown
        self.bodies = {body["name"]: body for body in document["bodies"]}
        self.joints = {body["joint"]["name"]: body["joint"] for body in document["bodies"]}

    def __getitem__(self, name):
        return self.parameters[name]

    def numbers(self, texts, **variables):
        return [evaluate(text, self.parameters, **variables) for text in texts]

    def joint_place(self, joint):
        """Position of a joint on the body before it, and how far it is turned about z there."""
        frame = self.joints[joint].get("frame", {})
        return self.numbers(frame.get("xyz", "000")), self.numbers(frame.get("rpy", "000"))[2]

    def length(self, segment):
        """From the joint of a segment to the next one, or to the end of its capsule."""
        for body in self.bodies.values():
            if body.get("parent") == segment:
                return math.hypot(*self.joint_place(body["joint"]["name"])[0])
        radius, length, middle = self.capsule(segment)
        return middle + length / 2 + radius

    def capsule(self, segment):
        body = self.bodies[segment]
        sizes = body["shape"]["capsule"]
        return self.numbers([sizes["radius"], sizes["length"], body["shape_pose"]["xyz"][0]])


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def turn_about_z(angle, p):
    c, s = math.cos(angle), math.sin(angle)
    return [c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]]


def assemble(hand, info, thumb_cmc2):
    """Mass, centre of mass and diagonal of the inertia about the wrist of the straight hand. Joints at zero do not turn
    anything, and the thumb stays parallel to the palm: all bodies are turned about z only."""
    links = {body["name"].split(".")[1]: body for body in info["bodies"]}
    placed = {"palm": ([0, 0, 0], 0)}
    for name, body in hand.bodies.items():
        if name == "palm":
            continue
        origin, angle = placed[body["parent"]]
        offset, turn = hand.joint_place(body["joint"]["name"])
        turn -= thumb_cmc2 if name == "thumb_metacarpal" else 0
        placed[name] = (add(origin, turn_about_z(angle, offset)), angle + turn)
    mass, moment, inertia = 0, [0, 0, 0], [0, 0, 0]
    for name, (origin, angle) in placed.items():
        m, (ixx, iyy, izz, *_) = links[name]["mass"], links[name]["inertia"]
        r = add(origin, turn_about_z(angle, links[name]["com"]))
        c2, s2 = math.cos(angle) ** 2, math.sin(angle) ** 2
        own = [c2 * ixx + s2 * iyy, s2 * ixx + c2 * iyy, izz]
        mass += m
        moment = add(moment, [m * x for x in r])
        squares = [r[1] ** 2 + r[2] ** 2, r[0] ** 2 + r[2] ** 2, r[0] ** 2 + r[1] ** 2]
        inertia = add(inertia, [i + m * s for i, s in zip(own, squares)])
    return mass, [x / mass for x in moment], inertia


class Program:
    """What the program says about the hand with some values for its parameters."""

    def __init__(self, folder, **overrides):
        self.path = pathlib.Path(folder) / "hand.yaml"
        self.overrides = {"damping": 0, "slack": 1e6} | overrides

    def call(self, verb, gravity=(0, 0, 0), q="", v=""):
        values = ", ".join(f"{name}: {value!r}" for name, value in self.overrides.items())
        self.path.write_text(f"thenar: 1\ngravity: {list(gravity)}\nhands:\n  - name: hand\n    model: {MODEL}\n"
                             f"    parameters: {{{values}}}\n    q: {{thumb_cmc2: pi/4{q}}}\n    v: {{{v}}}\n"
                             "run: {until: 1e-3, sample: 1e-3}\n")
        out = ["--out", self.path.parent / "out"] if verb == "run" else []
        result = subprocess.run([PROGRAM, verb, self.path, "--json", *out], capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def info(self):
        return self.call("info")

    def start_energy(self, **how):
        return self.call("run", **how)["energy"]["start"]

    def measure(self):
        """The same as assemble(), from energies."""
        mass = self.info()["mass"]
        com = [self.start_energy(gravity=g) / mass for g in ((-1, 0, 0), (0, -1, 0), (0, 0, -1))]
        # At 90 degrees of flexion the first axis of the wrist runs along the hand.
        spins = {"x": (", wrist: [0, pi/2]", "wrist: [1, 0]"), "y": ("", "wrist: [0, 1]"), "z": ("", "wrist: [1, 0]")}
        inertia = [2 * self.start_energy(q=q, v=v) for q, v in spins.values()]
        return mass, com, inertia


def gyration_radii(mass, com, inertia):
    """About axes through the centre of mass: z, y, x as in de Leva's tables."""
    x, y, z = com
    about_com = [inertia[2] - mass * (x * x + y * y), inertia[1] - mass * (x * x + z * z),
                 inertia[0] - mass * (y * y + z * z)]
    return [math.sqrt(i / mass) for i in about_com]


class HumanHand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def program(self, **overrides):
        return Program(self.folder, **overrides)

    def assert_near(self, found, expected, tolerance, what=None):
        self.assertEqual(len(found), len(expected), what)
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, delta=tolerance, msg=what)

    # Structure

    def test_it_has_22_degrees_of_freedom(self):
        info = json.loads(subprocess.run([PROGRAM, "info", MODEL, "--json"], capture_output=True, text=True,
                                         check=True).stdout)
        self.assertEqual(info["dof"], 22)
        moving = {joint["name"]: joint["dof"] for joint in info["joints"] if joint["dof"] > 0}
        self.assertEqual(moving, {f"human_hand.{name}": 2 if name == "wrist" or name in
                                  [f"{f}_mcp" for f in FINGERS] else 1 for name in JOINTS})
        self.assertEqual({body["name"] for body in info["bodies"]},
                         {f"human_hand.{name}" for name in ["base", "palm"] + SEGMENTS})

    # Mass and size

    def test_it_weighs_the_fraction_of_the_body(self):
        for female, (fraction, _, _) in enumerate(DE_LEVA.values()):
            for body_mass, hand_length in ((45, 0.16), (70, 0.19), (110, 0.21)):
                info = self.program(female=female, body_mass=body_mass, hand_length=hand_length).info()
                expected = fraction * body_mass
                self.assertAlmostEqual(info["mass"], expected, delta=1e-12 * expected)
                self.assertTrue(all(body["mass"] > 0 for body in info["bodies"][1:]))

    def test_masses_are_the_stated_shares(self):
        hand = Hand()
        shares = [hand[f"{name}_m"] / hand["digit_mass"] for name in SEGMENTS]
        self.assertAlmostEqual(sum(shares), 1, delta=1e-14)
        for body in self.program().info()["bodies"][1:]:
            name = body["name"].split(".")[1]
            expected = hand["palm_mass"] if name == "palm" else hand[f"{name}_m"]
            self.assertAlmostEqual(body["mass"], expected, delta=1e-15)

    def test_the_middle_finger_ends_at_the_hand_length(self):
        for overrides in ({}, {"hand_length": 0.165, "body_mass": 50.0, "female": 1.0}):
            hand = Hand(**overrides)
            reach = hand.joint_place("middle_mcp")[0][0] + sum(hand.length(f"middle_{s}")
                                                               for s in ("proximal", "middle", "distal"))
            self.assertAlmostEqual(reach, hand["hand_length"], delta=1e-15)

    def test_lengths_are_proportional_to_the_hand_length(self):
        small, large = Hand(hand_length=0.16), Hand(hand_length=0.20)
        for name in SEGMENTS:
            self.assertAlmostEqual(large.length(name), small.length(name) * 0.20 / 0.16, delta=1e-15, msg=name)
            if name != "trapezium":
                self.assertAlmostEqual(small.length(name), small[f"{name}_l"], delta=1e-15, msg=name)
        for joint in ["thumb_cmc1", "thumb_cmc2"] + [f"{f}_mcp" for f in FINGERS]:
            self.assert_near(large.joint_place(joint)[0], [x * 0.20 / 0.16 for x in small.joint_place(joint)[0]], 1e-15)

    def test_shapes_have_the_volume_of_their_mass(self):
        hand = Hand()
        for name in SEGMENTS:
            if name == "trapezium":
                volume = 4 / 3 * PI * evaluate(hand.bodies[name]["shape"]["sphere"], hand.parameters) ** 3
            else:
                radius, length, _ = hand.capsule(name)
                self.assertGreater(length, 0)
                volume = PI * radius ** 2 * (length + 4 / 3 * radius)
            self.assertAlmostEqual(volume * hand["density"], hand[f"{name}_m"], delta=1e-15, msg=name)
        box = hand.numbers(hand.bodies["palm"]["shape"]["box"])
        self.assertAlmostEqual(math.prod(box) * hand["density"], hand["palm_mass"], delta=1e-15)

    def test_one_segment_can_be_measured_and_set(self):
        hand, info = Hand(index_proximal_l=0.05), self.program(index_proximal_l=0.05).info()
        self.assertEqual(hand.length("index_proximal"), 0.05)
        self.assertAlmostEqual(info["bodies"][2]["com"][0], 0.025, delta=1e-15)

    # The hand as a whole

    def test_the_program_simulates_the_hand_of_the_file(self):
        program, hand = self.program(), Hand()
        mass, com, inertia = program.measure()
        expected_mass, expected_com, expected_inertia = assemble(hand, program.info(), PI / 4)
        self.assertAlmostEqual(mass, expected_mass, delta=1e-15)
        # Rounding of sums of 17 terms, the largest of them 0.2 m and 4e-3 kg m².
        self.assert_near(com, expected_com, 17 * 0.2 * sys.float_info.epsilon)
        self.assert_near(inertia, expected_inertia, 17 * 4e-3 * sys.float_info.epsilon)

    def test_the_straight_hand_agrees_with_the_tables_as_the_file_says(self):
        # Relative differences of the radii of gyration about z, y and x, rounded as in the header of the model.
        stated = {"male": (-0.03, 0.04, -0.18), "female": (0.12, 0.15, -0.03)}
        sizes = {"male": (0.19, 70), "female": (0.172, 60)}
        for female, (sex, (_, com_fraction, radii)) in enumerate(DE_LEVA.items()):
            hand_length, body_mass = sizes[sex]
            mass, com, inertia = self.program(female=female, hand_length=hand_length, body_mass=body_mass).measure()
            # The masses were shared out for segments that end square; rounding the tips (18 % of the digits) moves
            # their mass back by a third of their radius.
            self.assertAlmostEqual(com[0] / hand_length, com_fraction - 0.001, delta=2e-4)
            found = [k / hand_length / table - 1 for k, table in zip(gyration_radii(mass, com, inertia), radii)]
            self.assert_near(found, stated[sex], 0.0051, sex)

    def test_fingers_are_near_the_regressions_of_buchholz(self):
        hand = Hand(hand_length=1.0)
        for finger, lengths in BUCHHOLZ.items():
            found = [hand.length(f"{finger}_{s}") for s in ("proximal", "middle", "distal")]
            self.assert_near(found, lengths, 0.032, finger)

    # Limits and springs

    def limits(self, hand, joint, **variables):
        limits = hand.joints[joint]["limits"]
        lower, upper = (limits["lower"], limits["upper"]) if isinstance(limits, dict) else ([limits[0]], [limits[1]])
        return hand.numbers(lower, **variables), hand.numbers(upper, **variables)

    def test_the_flat_hand_is_within_its_limits(self):
        for joint in JOINTS:
            lower, upper = self.limits(Hand(), joint, flexion=0)
            self.assertTrue(all(a <= 0 < b for a, b in zip(lower, upper)), joint)

    def test_knuckles_narrow_with_flexion_and_never_close(self):
        hand = Hand()
        for finger in FINGERS:
            self.assertEqual(hand.joints[f"{finger}_mcp"]["limits"]["with"], {"flexion": f"{finger}_mcp.1"})
            ranges = [self.limits(hand, f"{finger}_mcp", flexion=k * PI / 20) for k in range(11)]
            widths = [upper[0] - lower[0] for lower, upper in ranges]
            self.assertEqual(widths, sorted(widths, reverse=True))
            self.assertAlmostEqual(widths[0], 2 * PI / 10, delta=1e-15)
            self.assertAlmostEqual(widths[-1], 0.1 * widths[0], delta=1e-15)

    def test_the_limits_scene_has_table_5_iv(self):
        scene = yaml.load(LIMITS_SCENE.read_text(), Loader=yaml.BaseLoader)["hands"][0]
        hand = Hand(**{name: evaluate(text, {}) for name, text in scene["parameters"].items()})
        self.assertEqual(set(hand.joints), set(TABLE_5_IV))
        info = json.loads(subprocess.run([PROGRAM, "info", LIMITS_SCENE, "--json"], capture_output=True, text=True,
                                         check=True).stdout)
        read = {joint["name"]: joint["limits"] for joint in info["joints"]}
        for joint, (stiffness, rest, lower, upper) in TABLE_5_IV.items():
            sign = [-1, 1] if joint == "wrist" else [1] * len(rest)
            if joint == "wrist":  # turning the first angle around swaps its limits
                lower, upper = [-upper[0], lower[1]], [-lower[0], upper[1]]
            found_lower, found_upper = self.limits(hand, joint, flexion=0.3)
            self.assert_near(found_lower, lower, 1e-15, joint)
            self.assert_near(found_upper, upper, 1e-15, joint)
            # Bounds that depend on the flexion are text.
            numbers_read = [(i, pair) for i, pair in enumerate(read[f"hand.{joint}"]) if not isinstance(pair[0], str)]
            for i, pair in numbers_read:
                self.assert_near(pair, [lower[i], upper[i]], 1e-15, joint)
            self.assertGreater(len(numbers_read), 0)
            spring = hand.joints[joint]["spring"]
            written = spring.get("rest", ["0"] * len(rest))
            self.assert_near(hand.numbers([written] if isinstance(written, str) else written),
                             [s * r for s, r in zip(sign, rest)], 1e-15, joint)
            for i, row in enumerate(self.stiffness_matrix(hand, spring["stiffness"])):
                self.assert_near(row, [sign[i] * sign[j] * k for j, k in enumerate(stiffness[i])], 0, joint)

    @staticmethod
    def stiffness_matrix(hand, written):
        if isinstance(written, str):
            return [hand.numbers([written])]
        if isinstance(written[0], str):
            return [[k if i == j else 0 for j in range(len(written))] for i, k in enumerate(hand.numbers(written))]
        return [hand.numbers(row) for row in written]

    # Sources

    def open_data(self, path):
        if not (DATA / path).is_file():
            print(f"\nnot compared with its source: there is no {path} in {DATA}", file=sys.stderr)
            self.skipTest("no data")
        return DATA / path

    def test_table_values_are_de_levas(self):
        for sex, (mass, com, radii) in DE_LEVA.items():
            path = self.open_data(f"human_segments/BSP{sex}_ZdeLeva.txt")
            rows = dict(line.split("\t", 1) for line in path.read_text().splitlines())
            self.assertEqual(rows["Hand 2"].split("\t"), ["WJC-DAC3"] + [str(x) for x in (mass, com, *radii)])

    def test_fractions_are_those_of_myohand(self):
        source = MyoHand(self.open_data("hands/myohand_mjcf/assets/myohand_body.xml"))
        hand = Hand(hand_length=1.0)
        self.assertAlmostEqual(source.hand_length, 0.17957, delta=5e-6)
        rounding = 0.5e-4
        for finger in FINGERS:
            self.assertAlmostEqual(hand[f"{finger}_mcp_x"], source.knuckle_x(finger), delta=rounding, msg=finger)
        for name in SEGMENTS:
            if name != "trapezium":
                self.assertAlmostEqual(hand.length(name), source.length(name), delta=rounding, msg=name)
            # Shares were rounded such that their sum is 1: by less than a unit of the last digit.
            self.assertAlmostEqual(hand[f"{name}_m"] / hand["digit_mass"], source.share(name), delta=2 * rounding)
        self.assert_near(hand.joint_place("thumb_cmc1")[0], source.thumb_root, rounding)
        self.assert_near(hand.joint_place("thumb_cmc2")[0], source.thumb_offset, rounding)
        self.assertAlmostEqual(hand["wrist_extension"], source.wrist_extension, delta=1e-6)

    def test_centres_of_mass_in_the_sharing_are_those_of_the_segments(self):
        # What the file writes as 0.2169 and 0.5753, for segments that end square.
        hand = Hand(hand_length=1.0)
        self.assertAlmostEqual(hand["palm_l"] / 2, 0.2169, delta=1e-4)
        moment = hand["trapezium_m"] * hand.joint_place("thumb_cmc1")[0][0]
        thumb_start = hand.joint_place("thumb_cmc1")[0][0] + hand.joint_place("thumb_cmc2")[0][0]
        digits = [(hand[f"{f}_mcp_x"], 0, [f"{f}_{s}" for s in ("proximal", "middle", "distal")]) for f in FINGERS]
        digits.append((thumb_start, math.radians(75 - 45), [s for s in SEGMENTS if s.startswith("thumb")]))
        for x, angle, segments in digits:
            for name in segments:
                step = hand[f"{name}_l"] * math.cos(angle)
                moment += hand[f"{name}_m"] * (x + step / 2)
                x += step
        self.assertAlmostEqual(moment / hand["digit_mass"], 0.5753, delta=1e-4)


class MyoHand:
    """Lengths of MyoHand in hand lengths. Its axes, -y to the finger tips, x to the thumb, z out of the back of the
    hand, are turned such that x runs from the wrist to the middle knuckle."""

    BODIES = {f"{f}_{s}": f"{name}{i}" for i, f in enumerate(FINGERS, 2)
              for s, name in (("proximal", "proxph"), ("middle", "midph"), ("distal", "distph"))} | \
             {"trapezium": "trapezium", "thumb_metacarpal": "firstmc", "thumb_proximal": "proximal_thumb",
              "thumb_distal": "distal_thumb"}

    def __init__(self, path):
        root = xml.parse(path).getroot()
        self.bodies = {body.get("name"): body for body in root.iter("body")}
        self.parents = {child.get("name"): body.get("name") for body in root.iter("body")
                        for child in body.findall("body")}
        knuckle = self.position("proxph3")
        chain = ["middle_proximal", "middle_middle", "middle_distal"]
        self.hand_length = math.hypot(*knuckle) + sum(self.metres(name) for name in chain)
        x = [value / math.hypot(*knuckle) for value in knuckle]
        across = add([0, 1, 0], [-x[1] * value for value in x])
        y = [value / math.hypot(*across) for value in across]
        z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        self.axes = (x, y, z)
        self.thumb_root = self.in_hand(self.position("trapezium"))
        self.thumb_offset = self.in_hand(add(self.position("firstmc"), [-p for p in self.position("trapezium")]))
        flexion = next(joint for joint in self.bodies["lunate"].findall("joint") if joint.get("name") == "flexion")
        self.wrist_extension = -numbers(flexion.get("range"))[0]

    def position(self, name):
        """From the axes of the wrist, in axes as of models/human_hand.yaml."""
        p = [0, 0, 0]
        while name != "lunate":
            body = self.bodies[name]
            assert body.get("euler") is None and body.get("quat") is None, f"{name} is turned"
            p = add(p, numbers(body.get("pos")))
            name = self.parents[name]
        return [-p[1], p[0], p[2]]

    def in_hand(self, p):
        return [sum(a * b for a, b in zip(axis, p)) / self.hand_length for axis in self.axes]

    def skin(self, name):
        """The capsule that stands for the skin."""
        if name == "trapezium":
            name = "thumb_metacarpal"
        return next(geom for geom in self.bodies[self.BODIES[name]].findall("geom")
                    if geom.get("class") == "skin" and geom.get("type") is None)

    def metres(self, name):
        """Length of a segment: to the next joint, or to the farthest point of the skin."""
        children = self.bodies[self.BODIES[name]].findall("body")
        if children:
            return math.hypot(*numbers(children[0].get("pos")))
        geom = self.skin(name)
        radius, *half = numbers(geom.get("size"))
        if geom.get("fromto"):
            ends = numbers(geom.get("fromto"))
            return max(math.hypot(*ends[:3]), math.hypot(*ends[3:])) + radius
        # The axis of the capsule is the third column of Rx(a) Ry(b) Rz(c), MuJoCo's euler angles.
        a, b, _ = numbers(geom.get("euler"))
        axis = [math.sin(b), -math.sin(a) * math.cos(b), math.cos(a) * math.cos(b)]
        ends = [add(numbers(geom.get("pos")), [s * half[0] * x for x in axis]) for s in (-1, 1)]
        return max(math.hypot(*end) for end in ends) + radius

    def length(self, name):
        return self.metres(name) / self.hand_length

    def knuckle_x(self, finger):
        return self.in_hand(self.position(self.BODIES[f"{finger}_proximal"]))[0]

    def share(self, name):
        """Of the volume of all digits."""
        volumes = {s: numbers(self.skin(s).get("size"))[0] ** 2 * self.metres(s) for s in SEGMENTS}
        return volumes[name] / sum(volumes.values())


def numbers(text):
    return [float(word) for word in text.split()]


if __name__ == "__main__":
    unittest.main()
