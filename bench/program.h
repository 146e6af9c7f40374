// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What all benchmark programs share: options, and one line when something goes wrong.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace thenar::bench {

struct CommonOptions {
  std::filesystem::path peers = "build/release/peers";
  std::string csv;
  int rounds = 9;

  void add_to(CLI::App& app) {
    app.add_option("--peers", peers, "Folder of the compiled peers")->capture_default_str();
    app.add_option("--csv", csv, "Write all figures to this file");
    app.add_option("--rounds", rounds, "Turns of each contender; figures are medians")->capture_default_str();
  }
};

/// Parses the command line, then calls run().
template <class Run>
int run_program(CLI::App& app, int argc, char** argv, const Run& run) {
  CLI11_PARSE(app, argc, argv);
  try {
    run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
  return 0;
}

}  // namespace thenar::bench
