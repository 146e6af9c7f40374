// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <stdexcept>

#include "commands.h"
#include "progress_bar.h"
#include "thenar/base/diagnostic.h"
#include "thenar/contact/contact_tolerances.h"
#include "thenar/io/answer/contact_report.h"
#include "thenar/io/answer/quasistatic_answer.h"
#include "thenar/io/report/report_page.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/trace/event_writer.h"
#include "thenar/io/trace/run_summary.h"
#include "thenar/io/trace/trace_writer.h"
#include "thenar/simulation/simulate.h"
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

RunReport simulate_to(const Scenario& scenario, TraceWriter& trace, EventWriter& events, bool show_progress) {
  ProgressBar bar(show_progress);
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) { return trace.write(sample) && events.error().empty(); };
  callbacks.on_event = [&](const Event& event) { events.write(event); };  // The next row asks how that went.
  callbacks.on_progress = [&](double t) { bar.update(t / scenario.run.until, fmt::format("t = {:.3f} s", t)); };
  callbacks.interrupt = &interrupted;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  RunReport report = simulate(scenario, callbacks);
  trace.finish();
  for (const std::string& error : {trace.error(), events.error()}) {
    if (error.empty()) continue;
    report.status = RunStatus::failed;
    report.reason = error;
    break;
  }
  return report;
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
  const Scenario scenario = read_scenario(command.scenario, command.overrides);
  if (scenario.strike) {
    throw InputError({command.scenario, 0, 0}, "'strike' is one contact by itself, for 'thenar impact', and no run");
  }
  refuse_overlaps(scenario, command.scenario);
  const std::filesystem::path folder =
      command.out.empty() ? std::filesystem::path("out") / slug(scenario.name) : std::filesystem::path(command.out);
  TraceWriter trace(scenario, folder);
  EventWriter events(folder);
  const bool show_progress = !command.quiet && !command.json && isatty(STDERR_FILENO) != 0;
  RunReport report = simulate_to(scenario, trace, events, show_progress);

  RunFiles files{
      {"states", trace.path().string()}, {"events", events.path().string()}, {"energy", trace.energy_path().string()}};
  if (const auto contacts = trace.contacts_path()) files.emplace_back("contacts", contacts->string());
  if (const auto frames = trace.contact_frames_path()) files.emplace_back("contact_frames", frames->string());
  files.emplace_back("scene", trace.scene_path().string());
  if (report.quasistatic_end) files.emplace_back("quasistatic", write_end(*report.quasistatic_end, scenario, folder));
  write_results(scenario, folder, files, report);
  if (report.status != RunStatus::done) fmt::print(stderr, "{}: error: {}\n", command.scenario, report.reason);
  if (command.json) fmt::print("{}", run_summary_json(scenario, report, files));
  if (!command.json && !command.quiet) fmt::print("{}", run_summary_text(scenario, report, files));
  return report.status == RunStatus::done ? kDone : kRunFailed;
}

}  // namespace thenar::app
