// SPDX-License-Identifier: BSD-3-Clause
// Bundles the replay into one script and writes it as a C++ source, to be compiled into thenar_io.
//
//     NODE_PATH=<folder of npm ci>/node_modules node build.mjs OUTPUT.cc
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url); // Knows NODE_PATH, which import does not.
const esbuild = require("esbuild");
const here = dirname(fileURLToPath(import.meta.url)),
  output = process.argv[2];

const licence = readFileSync(join(dirname(require.resolve("three")), "../LICENSE"), "utf8").trim();
const result = await esbuild.build({
  entryPoints: [join(here, "src/replay.js")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  nodePaths: (process.env.NODE_PATH || "").split(delimiter).filter(Boolean),
  target: ["es2020"],
  charset: "utf8",
  loader: { ".css": "text" },
  legalComments: "none",
  logLevel: "warning",
  banner: { js: "/* With three.js:\n" + licence + "\n*/" },
});

// The page is XML, too: its scripts are in CDATA sections, which end at the first "]]>". In a program that can only be
// the end of an index and a comparison, where a space changes nothing.
const text = result.outputFiles[0].text.replaceAll("]]>", "]] >");
const mark = "thenar_replay";
for (const part of ["</script", "<!--", ")" + mark + '"']) {
  if (text.includes(part)) throw new Error("the bundle contains " + part);
}
const length = 15000,
  parts = [];
for (let at = 0; at < text.length; at += length) parts.push(`R"${mark}(${text.slice(at, at + length)})${mark}"sv`);
writeFileSync(
  output,
  `// Made by studio/build.mjs.
#include "thenar/io/report/replay_bundle_internal.h"

namespace thenar::internal {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kParts[] = {
${parts.join(",\n")}};

}  // namespace

const std::span<const std::string_view> kReplayParts = kParts;

}  // namespace thenar::internal
`,
);
console.log(`replay: ${text.length} characters`);
