// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "commands.h"
#include "progress_bar.h"
#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/contact/contact_tolerances.h"
#include "thenar/io/answer/contact_report.h"
#include "thenar/io/answer/quasistatic_answer.h"
#include "thenar/io/report/report_page.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/text/units.h"
#include "thenar/io/trace/checkpoint.h"
#include "thenar/io/trace/event_writer.h"
#include "thenar/io/trace/run_summary.h"
#include "thenar/io/trace/trace_writer.h"
#include "thenar/simulation/simulation.h"
#include "thenar/trace/quasistatic_end.h"

namespace thenar::app {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

/// Asks the run to end; a second signal ends the program at once.
extern "C" void on_signal(int number) {
  interrupted.store(true, std::memory_order_relaxed);
  std::signal(number, SIG_DFL);
}

/// A run with its files, and what it goes on from.
struct RunTask {
  std::string file;  ///< of the scenario
  std::vector<std::string> overrides;
  std::filesystem::path folder;
  std::optional<Checkpoint> from;
  double every = std::numeric_limits<double>::infinity();  ///< s of computing between checkpoints
};

/// A simulation whose samples and events go to files, with checkpoints of both.
class RecordedRun {
 public:
  RecordedRun(const RunTask& task, const Scenario& scenario, bool show_progress)
      : task_(task),
        scenario_(scenario),
        simulation_(start(task, scenario)),
        trace_(scenario, task.folder, kept()),
        events_(task.folder, kept()),
        bar_(show_progress) {
    if (task.from) {
      written_ = task.from->rows;
      last_row_ = task.from->last_row;
      wall_s_ = task.from->wall_s;
    } else {
      remove_checkpoints(task.folder);
    }
    record();
  }

  RunReport go_on() {
    AdvanceReport end;
    do {
      end = simulation_.advance_to(scenario_.run.until, {.wall_s = task_.every});
      if (end.end == AdvanceEnd::budget || end.end == AdvanceEnd::interrupted) keep();
    } while (end.end == AdvanceEnd::budget);
    simulation_.record_last();
    return finish();
  }

  RunFiles list_files() const {
    RunFiles out{{"states", trace_.path().string()},
                 {"events", events_.path().string()},
                 {"energy", trace_.energy_path().string()}};
    if (const auto contacts = trace_.contacts_path()) out.emplace_back("contacts", contacts->string());
    if (const auto frames = trace_.contact_frames_path()) out.emplace_back("contact_frames", frames->string());
    out.emplace_back("scene", trace_.scene_path().string());
    return out;
  }

 private:
  FileSizes kept() const { return task_.from ? task_.from->sizes : FileSizes(); }

  /// Files are opened after that: they stay as they are where a run cannot go on.
  static Simulation start(const RunTask& task, const Scenario& scenario) {
    Simulation out(std::shared_ptr<const Scenario>(std::shared_ptr<void>(), &scenario));
    if (!task.from) return out;
    try {
      out.restore(task.from->snapshot);
    } catch (const std::invalid_argument& error) {
      throw InputError({task.folder.string(), 0, 0},
                       fmt::format("cannot go on: {}. Has '{}' changed since? Run it anew", error.what(), task.file));
    }
    return out;
  }

  void record() {
    RunCallbacks callbacks;
    callbacks.on_sample = [this](const Sample& sample) {
      ++written_;
      last_row_ = sample.state.t;
      return trace_.write(sample) && events_.error().empty();
    };
    callbacks.on_event = [this](const Event& event) { events_.write(event); };  // The next row asks how that went.
    callbacks.on_progress = [this](double t) { bar_.update(t / scenario_.run.until, fmt::format("t = {:.3f} s", t)); };
    callbacks.interrupt = &interrupted;
    callbacks.rows_before = written_;
    callbacks.last_row_before = last_row_;
    simulation_.record(std::move(callbacks));
  }

  /// A checkpoint. A run whose checkpoints cannot be written goes on.
  void keep() {
    Checkpoint checkpoint{.scenario = std::filesystem::absolute(task_.file).string(),
                          .overrides = task_.overrides,
                          .wall_s = wall_s_ + simulation_.report().wall_s,
                          .rows = written_,
                          .last_row = last_row_};
    trace_.add_sizes(checkpoint.sizes);
    events_.add_sizes(checkpoint.sizes);
    simulation_.save(checkpoint.snapshot);
    try {
      write_checkpoint(task_.folder, checkpoint);
      has_checkpoint_ = true;
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "{}: note: there is no checkpoint at t = {:.6g} s: {}\n", task_.file, simulation_.time(),
                 error.what());
    }
  }

  RunReport finish() {
    RunReport report = simulation_.report();
    report.wall_s += wall_s_;
    trace_.finish();
    for (const std::string& error : {trace_.error(), events_.error()}) {
      if (error.empty()) continue;
      report.status = RunStatus::failed;
      report.reason = error;
      break;
    }
    if (report.status == RunStatus::interrupted && has_checkpoint_) {
      report.reason += fmt::format("; 'thenar run --resume {}' goes on from there", task_.folder.string());
    }
    return report;
  }

  const RunTask& task_;
  const Scenario& scenario_;
  Simulation simulation_;
  TraceWriter trace_;
  EventWriter events_;
  ProgressBar bar_;
  long long written_ = 0;  ///< rows
  double last_row_ = -std::numeric_limits<double>::infinity(), wall_s_ = 0;
  bool has_checkpoint_ = false;
};

/// The last checkpoint that can be read.
Checkpoint read_last_checkpoint(const std::filesystem::path& folder) {
  const std::vector<CheckpointPlace> places = list_checkpoints(folder);
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    try {
      return read_checkpoint(place->record);
    } catch (const InputError& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
  }
  throw InputError(
      {folder.string(), 0, 0},
      "there is no checkpoint to go on from: 'thenar run' writes them with --checkpoint-every and at Ctrl-C");
}

double read_interval(const std::string& text) {
  const auto fail = [&](const std::string& reason) -> double {
    throw InputError({"--checkpoint-every", 0, 0},
                     fmt::format("expects a time such as 60s or '2 min', found {}{}", quote(text), reason));
  };
  try {
    const Quantity found = parse_quantity(text);
    const bool is_time = !found.dimension || compatible(*found.dimension, kTime);
    return is_time && found.value > 0 ? found.value : fail("");
  } catch (const UnitError& error) {
    return fail(fmt::format(": {}", error.what()));
  }
}

RunTask plan(const RunCommand& command) {
  RunTask task{command.scenario, command.overrides, command.out, {}, std::numeric_limits<double>::infinity()};
  if (command.checkpoints) task.every = read_interval(*command.checkpoints);
  if (command.resume.empty()) {
    if (task.file.empty()) throw InputError({"thenar run", 0, 0}, "expects a scenario file, or --resume DIR");
    return task;
  }
  if (!command.overrides.empty()) {
    throw InputError({"--set", 0, 0}, "does not go with --resume: a run goes on as it was begun");
  }
  task.folder = command.resume;
  task.from = read_last_checkpoint(task.folder);
  if (task.file.empty()) task.file = task.from->scenario;
  task.overrides = task.from->overrides;
  return task;
}

/// A run that cannot write its files has failed; the first reason is the one to tell.
void fail(RunReport& report, const std::string& reason) {
  if (report.status != RunStatus::done) return;
  report.status = RunStatus::failed;
  report.reason = reason;
}

/// Writes summary.json, which names all files, and then report.html, which is made from it and the others.
void write_results(const Scenario& scenario, const std::filesystem::path& folder, RunFiles& files, RunReport& report) {
  const RunFiles rows = files;
  files.emplace_back("summary", (folder / "summary.json").string());
  files.emplace_back("report", (folder / "report.html").string());
  const auto write_summary = [&] { write_file(folder / "summary.json", run_summary_json(scenario, report, files)); };
  try {
    write_summary();
  } catch (const std::runtime_error& error) {
    files = rows;
    fail(report, error.what());
    return;
  }
  try {
    write_report(folder);
  } catch (const std::runtime_error& error) {
    files.pop_back();
    fail(report, error.what());
    write_summary();
  }
}

/// The question that slow motion ended with, in the form that `thenar verify` checks.
std::string write_end(const QuasistaticEnd& end, const Scenario& scenario, const std::filesystem::path& folder) {
  const QuasistaticFile file{fmt::format("{} at {:.9g} s", scenario.name, end.t), end.problem, end.contacts,
                             end.objects, end.joints};
  const std::filesystem::path path = folder / "quasistatic.json";
  write_file(path, quasistatic_json(file, end.answer));
  return path.string();
}

/// Bodies that start inside each other, deeper than what numbers written with eight digits lose.
void refuse_overlaps(const Scenario& scenario, const std::string& file) {
  if (!scenario.contacts) return;
  const ContactReport report = report_contacts(scenario, 0.0);
  for (const StartOverlap& overlap : report.overlaps) {
    if (overlap.depth <= ContactTolerances(report.size).touch()) continue;
    throw InputError({file, 0, 0}, fmt::format("{}; 'thenar check --contacts' lists all of them",
                                               describe_overlap(scenario.model, overlap)));
  }
}

}  // namespace

int run(const RunCommand& command) {
  RunTask task = plan(command);
  const Scenario scenario = read_scenario(task.file, task.overrides);
  if (scenario.strike) {
    throw InputError({task.file, 0, 0}, "'strike' is one contact by itself, for 'thenar impact', and no run");
  }
  if (!task.from) refuse_overlaps(scenario, task.file);
  if (task.folder.empty()) task.folder = std::filesystem::path("out") / slug(scenario.name);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  const bool show_progress = !command.quiet && !command.json && isatty(STDERR_FILENO) != 0;
  auto recorded = std::make_unique<RecordedRun>(task, scenario, show_progress);
  RunReport report = recorded->go_on();

  RunFiles files = recorded->list_files();
  recorded.reset();  // the bar goes
  if (report.quasistatic_end) {
    files.emplace_back("quasistatic", write_end(*report.quasistatic_end, scenario, task.folder));
  }
  write_results(scenario, task.folder, files, report);
  if (report.status != RunStatus::done) fmt::print(stderr, "{}: error: {}\n", task.file, report.reason);
  if (command.json) fmt::print("{}", run_summary_json(scenario, report, files));
  if (!command.json && !command.quiet) fmt::print("{}", run_summary_text(scenario, report, files));
  return report.status == RunStatus::done ? kDone : kRunFailed;
}

}  // namespace thenar::app
