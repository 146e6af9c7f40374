// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What carries a motion on, from event to event or from list of modes to list of modes, and can be held at any time.
///
///     engine.begin();
///     while (engine.advance({.t = t += 0.01}) == AdvanceEnd::reached) use(engine.make_sample());

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "thenar/instant/contact_instant.h"
#include "thenar/motion/external_loads.h"
#include "thenar/spatial/state_archive.h"
#include "thenar/trace/advance_end.h"
#include "thenar/trace/event.h"
#include "thenar/trace/run_report.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

/// Callbacks of an engine while it goes on.
struct RunTaps {
  /// At every event, in the order of time.
  std::function<void(const Event&)> on_event;
  /// At the state before a jump of velocities and then at that after it. False ends the motion.
  std::function<bool(const Sample&)> on_jump;
  /// Now and then, with the time reached, s.
  std::function<void(double t)> on_progress;
  /// While it is true, the engine stops after the present step.
  const std::atomic<bool>* interrupt = nullptr;
};

/// How far one call goes. Steps, events and the wall time count from its start, and at least one step is taken or one
/// event passed before they end it.
struct AdvanceLimits {
  double t = 0;  ///< s
  long long steps = std::numeric_limits<long long>::max(), events = std::numeric_limits<long long>::max();
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  const bool* stop = nullptr;  ///< becomes true behind the event that ends the call
};

/// The amount of a budget that a call has used up.
class AdvanceMeter {
 public:
  AdvanceMeter(const AdvanceLimits& limits, long long steps, long long events)
      : limits_(limits), steps_(steps), events_(events) {}

  /// Why the call ends with so many steps and events; `reached` if it does not.
  AdvanceEnd check(long long steps, long long events) const {
    if (limits_.stop != nullptr && *limits_.stop) return AdvanceEnd::event;
    if (steps == steps_ && events == events_) return AdvanceEnd::reached;
    if (steps - steps_ >= limits_.steps || events - events_ >= limits_.events) return AdvanceEnd::budget;
    return check_time(steps, events);
  }
  /// The same by its wall time alone.
  AdvanceEnd check_time(long long steps, long long events) const {
    if (steps == steps_ && events == events_) return AdvanceEnd::reached;
    const bool is_late = limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline;
    return is_late ? AdvanceEnd::budget : AdvanceEnd::reached;
  }

 private:
  const AdvanceLimits& limits_;
  long long steps_, events_;
};

class Engine {
 public:
  virtual ~Engine() = default;

  /// Settles the first instant. False when the motion has ended there; ended_by() and report() say why.
  virtual bool begin() = 0;
  virtual bool has_begun() const = 0;
  /// Goes on to a time that is not before time(), or to one of the other limits.
  virtual AdvanceEnd advance(const AdvanceLimits& limits) = 0;

  /// Time of the present state, s.
  virtual double time() const = 0;
  /// The present state: the end of a step, or what its dense output says inside of it. nullptr where it has a number
  /// that is not finite; the motion has then ended.
  virtual const Sample* make_sample() = 0;
  /// The present state alone.
  virtual const State& state() = 0;

  /// The motion goes on from the present state with these loads, also where it had ended. Engines with fixed steps do
  /// so at the end of the present step.
  virtual void change_loads(const ExternalLoads& loads) = 0;
  /// The step is taken up to the present state, where the method can; change_loads() must follow.
  virtual void take_present() = 0;
  /// The scenario has changed, which has put in this energy, J.
  virtual void add_energy(double energy) = 0;

  /// Which contacts roll, slide or part next at the present state (contact_instant.h). Throws std::runtime_error where
  /// bodies overlap or are about to strike.
  virtual Instant solve_present(const InstantOptions& options) = 0;

  /// Everything that the future depends on, as bytes, and back. Engines of one scenario read what others have written.
  virtual void save(StateWriter& writer) = 0;
  virtual void load(StateReader& reader) = 0;
  /// The kind of a controller that does not say what it remembers; empty if all do.
  virtual std::string find_silent_law() const = 0;
  /// Copies of all such controllers, with what they remember, and the way back.
  virtual std::vector<std::shared_ptr<const Controller>> copy_silent_laws() const { return {}; }
  virtual void adopt_silent_laws(std::span<const std::shared_ptr<const Controller>> /*laws*/) {}

  /// Ends the motion, once; always false.
  virtual bool end(AdvanceEnd why, const std::string& reason) = 0;
  /// `reached` as long as the motion goes on.
  virtual AdvanceEnd ended_by() const = 0;
  bool has_ended() const { return ended_by() != AdvanceEnd::reached; }
  /// Steps and events so far.
  virtual long long steps() const = 0;
  virtual long long events() const = 0;
  /// Up to the end of the last step that was taken.
  virtual const RunReport& report() = 0;
};

}  // namespace thenar::internal
