# SPDX-License-Identifier: BSD-3-Clause
"""The published schemas accept every shipped file and refuse the bad ones that are wrong by structure.

YAML is read here as Thenar reads it: a plain scalar is a number if it looks like one (1e-3 too, which PyYAML takes for
text), true and false are booleans, everything else ("30 deg", $mu, 2*pi) is text.
"""

import json
import pathlib
import re
import sys
import unittest

try:
    import jsonschema
    import yaml
except ImportError as error:  # Debian: python3-jsonschema, python3-yaml
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs/schema"
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
MARK = "# The schema refuses it as well."


def plain_value(text):
    if NUMBER.fullmatch(text):
        value = float(text)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return {"true": True, "false": False}.get(text, text)


def to_value(node):
    """A Python value of a YAML node, without PyYAML's own ideas about types."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: to_value(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [to_value(item) for item in node.value]
    return node.value if node.style else plain_value(node.value)


def load(path):
    return to_value(yaml.compose(path.read_text(), Loader=yaml.BaseLoader))


def validator(name):
    path = SCHEMAS / f"{name}.schema.json"
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    others = {other.as_uri(): json.loads(other.read_text()) for other in SCHEMAS.glob("*.json")}
    resolver = jsonschema.RefResolver(path.as_uri(), schema, store=others)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def properties_without_description(schema, path=""):
    if isinstance(schema, list):
        for i, item in enumerate(schema):
            yield from properties_without_description(item, f"{path}/{i}")
    if isinstance(schema, dict):
        for name, value in schema.get("properties", {}).items():
            if isinstance(value, dict) and "description" not in value:
                yield f"{path}/{name}"
        for key, value in schema.items():
            yield from properties_without_description(value, f"{path}/{key}")


class Schemas(unittest.TestCase):
    def test_numbers_are_read_as_thenar_reads_them(self):
        document = "{a: 1e-3, b: 30 deg, c: $mu, d: '5', e: true, f: 1_000, g: -.5, h: 0o17}"
        expected = {"a": 0.001, "b": "30 deg", "c": "$mu", "d": "5", "e": True, "f": "1_000", "g": -0.5, "h": "0o17"}
        self.assertEqual(to_value(yaml.compose(document, Loader=yaml.BaseLoader)), expected)

    def test_every_property_is_described(self):
        for path in SCHEMAS.glob("*.json"):
            self.assertEqual(list(properties_without_description(json.loads(path.read_text()))), [], path.name)

    def test_shipped_files_are_accepted(self):
        for name, folder in (("scenario", "scenes"), ("model", "models"), ("glove", "gloves")):
            schema = validator(name)
            paths = [path for path in sorted((ROOT / folder).glob("**/*.yaml")) if path.parent.name != "ptl"]
            self.assertTrue(paths)
            for path in paths:
                with self.subTest(path.name):
                    self.assertEqual([error.message for error in schema.iter_errors(load(path))], [])

    def test_bare_quasistatic_problems_are_accepted(self):
        schema = validator("quasistatic")
        paths = sorted((ROOT / "scenes/ptl").glob("*.yaml"))
        self.assertEqual(len(paths), 4)
        for path in paths:
            self.assertEqual([error.message for error in schema.iter_errors(load(path))], [], path.name)
        self.assertFalse(schema.is_valid({"J_n": [], "J_t": [], "mu": []}))

    def test_contacts_are_accepted(self):
        schema = validator("scenario")
        for contacts in (
            "{}",
            "{friction: 0.6, fingertip: frictional_point, restitution: 0.3, cone: circular, pairs: auto, margin: 5 mm}",
            "{friction: {static: $mu, kinetic: 0.6}, fingertip: soft, torsion: 5 mm, cone: 8}",
            "{fingertip: frictionless, friction: 0, cone: 2*$k}",
            "{pairs: [auto, [a, b], {a: c, b: 'd.*', friction: 0, fingertip: soft, torsion: $t, restitution: 1}]}",
            "{pairs: [{a: a, b: b, mode: roll}, {a: a, b: b, mode: slide, slip: +}, {a: a, b: b, slip: [-1, $u]}]}",
        ):
            with self.subTest(contacts):
                text = "{thenar: 1, run: {until: 1}, contacts: " + contacts + "}"
                document = to_value(yaml.compose(text, Loader=yaml.BaseLoader))
                self.assertEqual([error.message for error in schema.iter_errors(document)], [])

    def test_files_wrong_by_structure_are_refused(self):
        schema = validator("scenario")
        count = 0
        for path in sorted((ROOT / "tests/io/bad").glob("*.yaml")):
            if MARK not in path.read_text(errors="replace"):
                continue
            with self.subTest(path.name):
                self.assertFalse(schema.is_valid(load(path)))
                count += 1
        self.assertGreater(count, 50)

    def test_files_wrong_by_content_only_are_not_blamed_on_structure(self):
        # So that the marks in tests/io/bad say all that the schema can see.
        schema = validator("scenario")
        for path in sorted((ROOT / "tests/io/bad").glob("*.yaml")):
            text = path.read_text(errors="replace")
            if MARK in text:
                continue
            try:
                document = load(path)
            except (yaml.YAMLError, AttributeError):
                continue  # not even YAML
            if not isinstance(document, dict):
                continue
            with self.subTest(path.name):
                self.assertTrue(schema.is_valid(document), "mark it: " + MARK)


if __name__ == "__main__":
    unittest.main()
