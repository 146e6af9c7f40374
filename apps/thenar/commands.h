// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The verbs of the program. Results go to stdout, messages to stderr; the return value is the exit code.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thenar::app {

inline constexpr int kDone = 0;
inline constexpr int kRunFailed = 1;
inline constexpr int kBadInput = 2;

struct RunCommand {
  std::string scenario;
  std::string out;                         ///< folder; empty means out/<name>
  std::vector<std::string> overrides;      ///< name=value
  std::string resume;                      ///< folder of a run to go on with; empty means a new run
  std::optional<std::string> checkpoints;  ///< wall time between them; nothing means none but at Ctrl-C
  bool json = false;
  bool quiet = false;
};
int run(const RunCommand& command);

struct InfoCommand {
  std::string file;
  std::vector<std::string> overrides;
  bool json = false;
};
int info(const InfoCommand& command);

struct CheckCommand {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
  bool contacts = false;              ///< also list what touches at the start
  std::optional<std::string> margin;  ///< a length: how far apart such pairs may be
  bool json = false;
};
int check(const CheckCommand& command);

struct PlotCommand {
  std::string trace;                 ///< folder of a run, or a states.csv
  std::vector<std::string> columns;  ///< names or patterns
  std::string output;                ///< empty means plot.svg beside the trace, - the standard output
  std::string size;                  ///< WIDTHxHEIGHT; empty means the default
  std::string title;
  std::optional<double> from, to;  ///< s
  bool degrees = false;
  bool no_events = false;
};
int plot(const PlotCommand& command);

struct SizeCommand {
  std::string trace;  ///< folder of a run, or a states.csv
  std::string plot;   ///< file for the picture; empty means none
  double safety = 1.5;
  bool json = false;
};
int size(const SizeCommand& command);

struct ExportCommand {
  std::string trace;                 ///< folder of a run, or its states.csv
  std::vector<std::string> outputs;  ///< files; empty means one of each format beside the trace
  std::optional<double> every;       ///< s between rows of a table; nothing means those of the trace
};
int export_trace(const ExportCommand& command);

struct LcpCommand {
  std::string file;  ///< - for standard input
  bool all = false;  ///< every solution
  bool p = false;    ///< also tell whether M is a P-matrix
  bool json = false;
  long long nodes = 50'000;  ///< limit of the search
};
int lcp(const LcpCommand& command);

struct QuasistaticCommand {
  std::string file;                    ///< bare problem or scenario; - for standard input; empty with `random`
  std::string random;                  ///< CONTACTS,LARGEST_MU,EFFORT_JOINTS,SEED
  std::string problem;                 ///< file for the bare problem; empty means none
  std::string method = "both";         ///< pairs, search, both
  std::vector<std::string> overrides;  ///< name=value
  bool all = false;                    ///< every mode-distinct solution
  bool any_decrease = false;           ///< Bennett and Mangasarian's step
  bool original = false;               ///< PTL's algorithm without its modified restart
  bool json = false;
  double seconds = 60;     ///< limit of all the work
  std::uint64_t seed = 1;  ///< of random restarts
};
int quasistatic(const QuasistaticCommand& command);

struct SolveCommand {
  std::string file;     ///< scenario, or a constraint problem by itself; - for standard input
  std::string problem;  ///< file for the constraint problem; empty means none
  std::vector<std::string> overrides;
  bool json = false;
  long long nodes = 20'000;  ///< limit of the search
  double at = 0;             ///< s, of the scenario's run
  std::string from;          ///< folder of a run with checkpoints; empty means out/<name>
};
int solve(const SolveCommand& command);

struct MapCommand {
  std::string scenario;
  std::string x, y;                    ///< P=a:b:n
  std::string engine = "instant";      ///< or quasistatic
  std::vector<std::string> outputs;    ///< .csv, .svg, .png; what is not named goes to out/<name>/
  std::string old_csv;                 ///< the .csv, by the option of version 0.1
  std::vector<std::string> overrides;  ///< name=value
  int threads = 0;                     ///< 0: all cores
  long long nodes = 20'000;            ///< limit of the search at a point
  bool force = false;                  ///< replace a CSV of another map
  bool json = false;
};
int map(const MapCommand& command);

struct ImpactCommand {
  std::string scenario;
  std::string plot;                    ///< .svg or .png; empty means none
  std::vector<std::string> overrides;  ///< name=value
  std::optional<double> after;         ///< s: the first impact of the run from there on, not that of its start
  bool json = false;
};
int impact(const ImpactCommand& command);

struct VerifyCommand {
  std::string file;  ///< answer in JSON, - for standard input
};
int verify(const VerifyCommand& command);

/// Version, build and libraries, several lines.
std::string version_text();

}  // namespace thenar::app
