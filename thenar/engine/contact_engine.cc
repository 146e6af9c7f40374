// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/contact_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/instant/cell_motion_internal.h"
#include "thenar/instant/contact_impact.h"
#include "thenar/instant/flat_rim_internal.h"

namespace thenar {
namespace {

/// Where everything strikes too slowly to rebound, motions up to so many times as fast come to rest in the impact.
/// Slips that such an impact leaves would fade within a time and a way far below the tolerance; but meanwhile their
/// friction may open other contacts, which strike again, and so on without an end.
constexpr double kFadesAtOnce = 4;
/// Slip that has gone through 0 within so many tolerated errors of it is at rest: which way it turns there is noise.
constexpr double kErrorsAtRest = 100;
/// Slip below this part of the speed that belongs to the size of a scenario has no direction of its own.
constexpr double kNoSlip = 1e-10;
/// Nor has slip below so many times what errors of steps may make of it.
constexpr double kNoSlipOfTolerance = 10;
/// Rounds of impacts at one instant with rebounds, and in all.
constexpr int kElasticRounds = 10, kMostSettleRounds = 20;
/// Nodes that the search for other answers may take at an instant: some milliseconds.
constexpr long long kMostSettleNodes = 400;
constexpr long long kSmoothNodes = 40;
constexpr long long kLastNodes = 4000;
/// Times at one instant after which a contact that leaves its bounds is let go, and after which nothing rebounds.
constexpr int kInsistence = 4, kPlasticPatience = 20;
/// Forces of so many times the weight of everything are those of a jam.
constexpr double kJam = 1e6;
/// Points of a rim that press and are nearer to each other than this, rad, stand for the one that the rim tips about.
constexpr double kOnePoint = 0.3;
/// A point with less of the force of all points of its rim does not press.
constexpr double kPressesNot = 1e-6;
/// Cells that a message lists.
constexpr std::size_t kMostListed = 8;

/// The fastest approach, m/s; of stops, times `length` (m) if they turn.
double calc_approach(const ImpactInstant& impact, const Model& model, double length) {
  double out = 0;
  for (const ImpactContact& contact : impact.contacts) out = std::max(out, -impact.problem.rows.b()(contact.row));
  for (const ImpactStop& stop : impact.stops) {
    out = std::max(out, -stop.rate * (model.is_angular(stop.dof) ? length : 1));
  }
  return out;
}

/// "box/table R, ball/box S".
std::string describe_cell(const Instant& instant, const InstantCell& cell) {
  std::string out;
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", instant.contacts[i].name, to_next_word(cell.modes[i]));
  }
  return out;
}

}  // namespace

ContactEngine::ContactEngine(const Scenario& scenario, ConstrainedMotion& motion, InstantSolver& joints,
                             Stepper& stepper, const Tolerances& tolerances)
    : scenario_(scenario),
      motion_(motion),
      joints_(joints),
      stepper_(stepper),
      tolerances_(tolerances),
      watch_(scenario, motion),
      context_(scenario, motion, joints, tolerances),
      soft_(scenario, motion, tolerances),
      switcher_(context_, soft_),
      determinacy_(context_, soft_),
      teller_(scenario, motion, context_.finder()),
      names_(scenario.model),
      workspace_(scenario.model),
      stop_strikes_(motion.rows().size(), 0) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  size_ = context_.finder().calc_size(workspace_);
  const ContactTolerances contact_tolerances(size_);
  context_.touch = contact_tolerances.touch();
  context_.overlap = contact_tolerances.touch();
  context_.finder().set_filter(
      [this](BodyIndex a, BodyIndex b) { return !soft_.is_soft(a, b) && switcher_.takes_part(a, b); });
  soft_watch_.emplace(motion, soft_.margins(), size_);
}

void ContactEngine::look_at(const State& state) {
  update_positions(scenario_.model, state.q.data(), workspace_);
  update_velocities(scenario_.model, state.v.data(), workspace_);
}

// --- One instant -----------------------------------------------------------------------------------------------------

bool ContactEngine::settle(State& state, const std::optional<ContactCrossing>& at, Trigger trigger, int patience) {
  fault_.clear();
  fault_cause_ = AdvanceEnd::failed;
  is_stuck_ = false;
  strikes_.clear();
  bounce_ends_.clear();
  changes_.clear();
  energy_lost_ = 0;
  has_asked_ = false;
  teller_.begin();
  soft_.begin();
  pressed_ = internal::list_pressed_points(motion_);
  jam_ = explain_jam();
  switcher_.note_forces();
  find_insistent(at, patience);
  // Contacts that go on keep the axes T and U that they have, and the direction of their friction.
  look_at(state);
  context_.keep_frames(workspace_);
  double energy = calc_energy(scenario_.model, state) + calc_layer_energy(state);
  try {
    if (at && at->kind == ContactCrossingKind::stick) bring_to_rest(state, *at);
    if (soft_.waits_for_load()) load_layers(state);
    // As often as contacts go over to the compliant model; the rest is asked again without them.
    for (;;) {
      soft_.settle(state);
      energy += book_put_in();
      const bool is_settled = settle_rigid(state, trigger, patience);
      if (hands_over(state, is_settled)) continue;
      if (!is_settled) return false;
      break;
    }
  } catch (const std::exception& error) {
    fault_ = error.what();
    is_stuck_ = true;
    return false;
  }
  // What layers hold at the start of a run is what the run starts with.
  energy_lost_ = energy - calc_energy(scenario_.model, state) - (has_started_ ? calc_layer_energy(state) : 0);
  if (has_started_) tell_changes(state.t, at);
  determinacy_.begin(instant_->verdict);
  has_started_ = true;
  context_.obeys_declared = false;
  context_.touch = internal::calc_touch(scenario_.run.tolerance, size_);
  context_.overlap = ContactTolerances(size_).touch();
  return true;
}

/// Impacts, and then the modes of rigid contacts. False when rigid bodies do not tell how it goes on.
bool ContactEngine::settle_rigid(State& state, Trigger trigger, int patience) {
  joints_.find_touching(state.q, state.v);
  if (!put_in_touch(state)) return false;
  internal::ask_for_pressed(context_, workspace_, pressed_);
  for (std::size_t pass = 0;; ++pass) {
    if (!resolve_impacts(state, patience > kPlasticPatience)) return false;
    // Several motions that differ in slips that end at once are none of this world: the question is asked again.
    const bool goes_on = resolve_instant(state);
    has_asked_ = true;
    if (!goes_on && (strikes_.empty() || instant_->verdict != Verdict::several)) return false;
    find_tipping_rims(state);
    set_modes(state, trigger);
    stepper_.start(state, begins_to_slip());
    settle_tipping_points(state, trigger);
    const bool is_captured = pass <= instant_->contacts.size() + 1 && capture_bounces(state);
    if (!goes_on && !is_captured) return false;
    if (!is_captured) return true;
  }
}

/// Layers that begin loaded get the forces with which rigid contacts would begin, if these have an answer.
void ContactEngine::load_layers(const State& state) {
  State rigid = state;
  std::vector<internal::CompliantContacts::Force> forces;
  try {
    soft_.settle(rigid);
    if (settle_rigid(rigid, {}, 0) && strikes_.empty()) {
      const std::vector<Vector4<double>>& known = watch_.calc_forces();
      for (std::size_t i = 0; i < known.size(); ++i) {
        forces.push_back({motion_.contacts()[i].found(), motion_.contacts()[i].frame(), known[i]});
      }
    }
  } catch (const std::exception&) {
    forces.clear();
  }
  soft_.load(std::move(forces));
  // The run begins from here, as if nothing had been asked.
  motion_.set_soft_contacts({});
  motion_.set_contacts({});
  fault_.clear();
  is_stuck_ = false;
  has_asked_ = false;
  strikes_.clear();
  bounce_ends_.clear();
}

/// What is told of this instant; contacts that only change their model do nothing else that is worth a word.
void ContactEngine::tell_changes(double t, const std::optional<ContactCrossing>& at) {
  changes_ = teller_.tell(t, {*instant_, instant_->cells[cell_], strikes_}, at);
  const std::vector<Event> layers = soft_.tell(t);
  changes_.insert(changes_.end(), layers.begin(), layers.end());
  const auto is_of_switch = [&](const Event& event) {
    constexpr std::array kKinds{EventKind::touch, EventKind::break_away, EventKind::slip, EventKind::stick};
    if (std::find(kKinds.begin(), kKinds.end(), event.kind) == kKinds.end()) return false;
    return std::any_of(switches_.begin(), switches_.end(), [&](const ModelSwitch& s) {
      return std::any_of(s.contacts.begin(), s.contacts.end(),
                         [&](const std::string& name) { return event.where.starts_with(name); });
    });
  };
  std::erase_if(changes_, is_of_switch);
}

// --- From one model to the other -------------------------------------------------------------------------------------

/// Why contacts should go over to the compliant model, empty if they need not, and which if that is known.
internal::DeterminacyWatch::Doubt ContactEngine::find_doubt(bool is_settled) {
  if (!has_asked_) return {};
  if (!is_settled) {
    if (instant_->verdict == Verdict::none) return {"rigid bodies have no motion here (Painlevé)", {}};
    if (instant_->verdict == Verdict::several) {
      return {fmt::format("rigid bodies have several motions here ({} are known)", instant_->cells.size()), {}};
    }
    return {instant_->verdict == Verdict::undecided && instant_->cells.empty() ? jam_ : std::string(), {}};
  }
  const bool chooses = scenario_.run.on_indeterminate != OnIndeterminate::stop;  // among rigid motions, as users wish
  if (chooses || instant_->verdict != Verdict::undecided) return {};
  internal::DeterminacyWatch::Doubt doubt = determinacy_.find_doubt();
  if (doubt.why.empty()) return doubt;
  doubt.why = fmt::format("the motion of rigid bodies is not proved to be the only one: {}", doubt.why);
  return doubt;
}

bool ContactEngine::hands_over(const State& state, bool is_settled) {
  const internal::DeterminacyWatch::Doubt doubt = find_doubt(is_settled);
  if (doubt.why.empty()) return false;
  auto handed = switcher_.hand_over(*instant_, state, doubt.why, doubt.contacts);
  if (!handed) return false;
  switches_.push_back(std::move(*handed));
  fault_.clear();
  is_stuck_ = false;
  has_asked_ = false;
  return true;
}

/// What layers hold that have just taken over is put in by the switch that made them.
double ContactEngine::book_put_in() {
  const double energy = soft_.take_energy_put_in();
  if (!switches_.empty()) switches_.back().energy += energy;
  return energy;
}

/// In compliant contacts at the state, J.
double ContactEngine::calc_layer_energy(const State& state) {
  if (motion_.soft_contacts().empty() || !motion_.follow_soft_contacts(state)) return 0;
  return motion_.calc_layer_energy();
}

bool ContactEngine::hand_over_jam(const State& state, const std::string& why) {
  switcher_.note_forces();
  auto handed = switcher_.hand_over_held(state.t, why);
  if (!handed) return false;
  switches_.push_back(std::move(*handed));
  return true;
}

bool ContactEngine::try_back(State& state) {
  auto back = switcher_.try_back(state, make_instant_options(state.t));
  if (!back) {
    if (switcher_.has_tried()) stepper_.start(state);
    return false;
  }
  switches_.push_back(std::move(*back));
  return true;
}

std::optional<internal::BridgedStep> ContactEngine::bridge(State& state, double h) {
  return internal::bridge(context_, state, h);
}

/// A contact whose force has left its bounds again and again at this instant gives way, whatever the instant says.
/// Where pressure can be shared in several ways, answer and motion may share it differently.
void ContactEngine::find_insistent(const std::optional<ContactCrossing>& at, int patience) {
  insistent_.reset();
  if (!at || at->held < 0 || patience < kInsistence) return;
  const HeldContact& contact = motion_.contacts()[static_cast<std::size_t>(at->held)];
  const bool parts = at->kind == ContactCrossingKind::break_away;
  const bool slips = at->kind == ContactCrossingKind::slip && contact.hold() == ContactHold::rolling;
  if (parts || slips) insistent_ = Insistent{contact.found(), parts, at->slip};
}

/// What is left of a slip that has ended is rounding, of the contact found and of others that end with it.
void ContactEngine::bring_to_rest(State& state, const ContactCrossing& at) {
  std::vector<HeldContact> contacts = motion_.contacts();
  look_at(state);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].hold() != ContactHold::sliding) continue;
    contacts[i].update(workspace_);
    const bool ends = static_cast<int>(i) == at.held || rests(contacts[i], state.v);
    if (ends) contacts[i].set_hold(ContactHold::rolling);
  }
  motion_.set_contacts(std::move(contacts));
  motion_.project_contacts(state.q, state.v);
}

/// Whether the slip of a contact is rounding of the speeds that it is the sum of, or below the errors that steps may
/// make, or has no direction of its own in which it could go on.
bool ContactEngine::rests(const HeldContact& contact, const VectorX<double>& v) const {
  const double fastest = (contact.J().topRows<3>().cwiseAbs() * v.cwiseAbs()).maxCoeff();
  return contact.calc_slip_speed() <=
         std::max({kLeftByImpulses * fastest, kErrorsAtRest * tolerances_.slip_error(), 2 * contact.no_slip()});
}

/// Bodies that have just met are put on each other, so that rounding does not add up from bounce to bounce; joints that
/// are on their stops stay there.
bool ContactEngine::put_in_touch(State& state) {
  look_at(state);
  internal::find_touching(context_, workspace_);
  std::vector<HeldContact> touching;
  bool is_needed = false;
  for (const FoundContact& found : context_.finder().contacts()) {
    if (found.gap < -context_.overlap) {
      fault_ = fmt::format("'{}' overlap by {:.3g} m", contact_name(scenario_.model, found), -found.gap);
      return false;
    }
    HeldContact contact(scenario_.model, workspace_, context_.finder(), found, ContactLaw{}, ContactHold::smooth, 0);
    if (contact.is_immovable()) continue;
    is_needed = is_needed || std::abs(contact.gap()) > std::numeric_limits<double>::epsilon() * size_;
    teller_.note_approach(found, -contact.velocity()(0));
    touching.push_back(std::move(contact));
  }
  if (!is_needed) return true;
  const VectorX<double> q = state.q;
  // A joint that this would lead beyond its stop is put there: steps keep bodies in touch, and would pass the stop.
  std::vector<int> met;
  for (bool is_done = false; !is_done;) {
    hold_joints(state, [](const JointRow&) { return true; });
    hold_stops(state, met);
    motion_.set_contacts(touching);
    state.q = q;
    VectorX<double> v = state.v;
    motion_.project_contacts(state.q, v);
    const std::size_t before = met.size();
    for (const int stop : list_passed_stops(q, state.q)) {
      if (std::find(met.begin(), met.end(), stop) == met.end()) met.push_back(stop);
    }
    is_done = met.size() == before;
  }
  // Points that nearly coincide make bodies turn wildly.
  if (find_deepest(state) < -context_.overlap || !list_passed_stops(q, state.q).empty()) {
    state.q = q;
  } else if (!met.empty()) {
    joints_.find_touching(state.q, state.v);
  }
  return true;
}

/// These hold as well as those that do.
void ContactEngine::hold_stops(const State& state, const std::vector<int>& stops) {
  Mode mode = motion_.mode();
  for (const int i : stops) {
    motion_.rows()[static_cast<std::size_t>(i)].update(state.q.data(), state.v.data());
    mode.hold(i);
  }
  motion_.set_mode(mode);
}

/// Stops before which a joint was, and beyond which it is in `after`.
std::vector<int> ContactEngine::list_passed_stops(const VectorX<double>& before, const VectorX<double>& after) {
  std::vector<int> out;
  const double* q = after.data();
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    JointRow& row = motion_.rows()[static_cast<std::size_t>(i)];
    if (row.kind() != JointRowKind::stop) continue;
    const double rounding = tolerances_.gap_rounding(row.dof(), q[row.coordinate()], row.calc_target(q));
    if (row.calc_value(q) < std::min(row.calc_value(before.data()), 0.0) - rounding) out.push_back(i);
  }
  return out;
}

/// The least gap, m; infinity where nothing is near.
double ContactEngine::find_deepest(const State& state) {
  look_at(state);
  internal::find_touching(context_, workspace_);
  double least = std::numeric_limits<double>::infinity();
  for (const FoundContact& found : context_.finder().contacts()) least = std::min(least, found.gap);
  return least;
}

bool ContactEngine::resolve_impacts(State& state, bool is_plastic) {
  const Scales& scales = tolerances_.scales();
  const double slowest = std::sqrt(2 * scales.length * tolerances_.smallest_hop(size_)) / scales.time;
  for (int round = 0; round < kMostSettleRounds; ++round) {
    const bool rebounds = !is_plastic && round < kElasticRounds;
    context_.slowest_strike = rebounds ? slowest : std::numeric_limits<double>::infinity();
    look_at(state);
    const auto [impact, answer] = internal::solve_impact_on_rims(context_, workspace_, state);
    if (!impact.is_struck()) {
      // What the instant takes for rest is rest, or friction would act along rounding.
      if (round == 0) calm(state, impact.rest);
      return true;
    }
    if (answer.status != ImpactStatus::done) {
      fault_ = fmt::format("the impact has no answer{}{}", answer.reason.empty() ? "" : ": ", answer.reason);
      return false;
    }
    const VectorX<double> v = impact.calc_velocity(answer.z);
    note_strikes(impact, v);
    const double fastest =
        std::max({impact.calc_fastest(state.v), impact.calc_fastest(v), tolerances_.slowest_that_counts()});
    state.v = v;
    const double approach = calc_approach(impact, scenario_.model, scales.length);
    calm(state, std::max(kLeftByImpulses * fastest, approach < slowest ? kFadesAtOnce * approach : 0));
  }
  fault_ = "impacts do not come to an end";
  is_stuck_ = true;
  return false;
}

void ContactEngine::note_strikes(const ImpactInstant& impact, const VectorX<double>& v) {
  const VectorX<double> after = impact.J * v;
  std::vector<FoundContact> places;
  for (const ImpactContact& contact : impact.contacts) places.push_back(contact.place);
  const std::vector<std::string> names = names_.update(places);
  for (std::size_t i = 0; i < impact.contacts.size(); ++i) {
    const ImpactContact& contact = impact.contacts[i];
    const double before = impact.problem.rows.b()(contact.row);
    if (!(before < 0)) continue;
    ++strike_count(contact.place);
    const double leaves = after(contact.row);
    strikes_.push_back({names[i], before, std::abs(leaves) > kLeftByImpulses * -before ? leaves : 0});
  }
  for (const ImpactStop& stop : impact.stops) {
    if (!(stop.rate < 0)) continue;
    ++stop_strikes_[static_cast<std::size_t>(impact.problem.rows.row(stop.row).id)];
    const bool is_angular = scenario_.model.is_angular(stop.dof);
    strikes_.push_back({scenario_.model.dof_name(stop.dof), stop.rate, after(stop.row), is_angular ? "rad/s" : "m/s",
                        stop.name.starts_with("upper") ? "upper" : "lower"});
  }
}

/// Locks, couplings and stops that touch hold from here on, those of them that are chosen.
void ContactEngine::hold_joints(const State& state, const std::function<bool(const JointRow&)>& is_chosen) {
  Mode mode = motion_.mode();
  mode.held.clear();
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    JointRow& row = motion_.rows()[static_cast<std::size_t>(i)];
    if (row.kind() == JointRowKind::friction || (row.kind() == JointRowKind::stop && !joints_.touches(i))) continue;
    row.update(state.q.data(), state.v.data());
    if (is_chosen(row)) mode.held.push_back(i);
  }
  motion_.set_mode(mode);
}

/// Speeds below `slow` (m/s) become 0: of parting where contacts stay in touch, of slip where they stick.
void ContactEngine::calm(State& state, double slow) {
  look_at(state);
  internal::find_touching(context_, workspace_);
  std::vector<HeldContact> held;
  for (const FoundContact& found : context_.finder().contacts()) {
    const ContactLaw& law = context_.laws().find_law(found.body_A, found.body_B);
    HeldContact contact(scenario_.model, workspace_, context_.finder(), found, law, ContactHold::rolling, 0);
    if (contact.is_immovable() || std::abs(contact.velocity()(0)) > slow) continue;
    if (contact.calc_slip_speed() > slow) contact.set_hold(ContactHold::smooth);
    held.push_back(std::move(contact));
  }
  hold_joints(state, [&](const JointRow& row) {
    const double slow_joint = slow * tolerances_.unit(row.dof()) / tolerances_.scales().length;
    return std::abs(row.multiply(state.v.data())) <= slow_joint;
  });
  if (held.empty() && motion_.mode().held.empty()) return;
  motion_.set_contacts(std::move(held));
  VectorX<double> q = state.q;
  motion_.project_contacts(q, state.v);
}

InstantOptions ContactEngine::make_instant_options(double t) const {
  InstantOptions options;
  options.time = t;
  options.margins = false;
  const bool is_smooth = scenario_.contacts->cone.kind == FrictionCone::Kind::circular;
  options.search.most_nodes = is_smooth ? kSmoothNodes : kMostSettleNodes;
  options.search.is_brief = true;
  return options;
}

bool ContactEngine::resolve_instant(State& state) {
  InstantOptions options = make_instant_options(state.t);
  instant_ = internal::solve_instant(context_, state, options);
  if (instant_->cells.empty() && instant_->verdict == Verdict::undecided) {
    options.search.most_nodes = kLastNodes;  // it is this or the end of the run
    instant_ = internal::solve_instant(context_, state, options);
  }
  return may_go_on(*instant_, state);
}

/// Whether the run may go on with an answer, and which: `cell_`.
bool ContactEngine::may_go_on(const Instant& instant, const State& state) {
  cell_ = 0;
  const auto has_same_modes = [&](const InstantCell& cell) { return cell.modes == instant.cells.front().modes; };
  switch (instant.verdict) {
    case Verdict::unique:
    case Verdict::unique_motion:
      return true;
    case Verdict::undecided:
      if (!instant.cells.empty()) return true;
      fault_ = jam_;
      is_stuck_ = jam_.empty();
      if (!is_stuck_) fault_cause_ = AdvanceEnd::jam;
      if (is_stuck_) fault_ = fmt::format("no answer was found to what the contacts do next ({})", instant.reason);
      return false;
    case Verdict::none:
      fault_cause_ = AdvanceEnd::jam;
      fault_ = "rigid bodies have no motion here: no forces of the contacts go with any of their modes (Painlevé)";
      return false;
    case Verdict::several:
      break;
  }
  // What is at rest stays there as long as forces exist that hold it, whatever else it could do (physics: slip begins
  // when no admissible force is left).
  for (std::size_t i = 0; i < instant.cells.size(); ++i) {
    if (!goes_on_as_it_is(instant, instant.cells[i])) continue;
    cell_ = i;
    return true;
  }
  // One set of modes whose motion depends on how pressure is shared: as by equal springs, with the least forces.
  if (std::all_of(instant.cells.begin(), instant.cells.end(), has_same_modes)) return true;
  if (scenario_.run.on_indeterminate != OnIndeterminate::stop) {
    cell_ = choose_cell(instant, state);
    return true;
  }
  fault_cause_ = AdvanceEnd::indeterminate;
  fault_ = "rigid bodies have several motions here:";
  for (std::size_t i = 0; i < std::min(instant.cells.size(), kMostListed); ++i) {
    fault_ += fmt::format(" ({}) {};", i + 1, describe_cell(instant, instant.cells[i]));
  }
  if (instant.cells.size() > kMostListed) fault_ += fmt::format(" and {} more;", instant.cells.size() - kMostListed);
  fault_ +=
      fmt::format(" 'thenar solve --at {:.9g}' has them all, and 'run: {{on_indeterminate: first}}' goes on", state.t);
  return false;
}

std::string ContactEngine::explain_jam() const {
  const Scales& scales = tolerances_.scales();
  const double weight = scales.mass * scales.length / (scales.time * scales.time);
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const HeldContact& contact = motion_.contacts()[i];
    const double force = motion_.contact_forces()[i](0);
    if (contact.hold() != ContactHold::sliding || !(force > kJam * weight)) continue;
    return fmt::format(
        "'{}' jams while it slides: its force grows without end ({:.3g} N), and rigid bodies have no motion here "
        "(Painlevé)",
        contact.name(), force);
  }
  return {};
}

/// Whether every contact that rolls and presses does so in the answer, and every one that slides slides on.
bool ContactEngine::goes_on_as_it_is(const Instant& instant, const InstantCell& cell) const {
  bool any_rests = false;
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const InstantContact& contact = instant.contacts[i];
    if (contact.row < 0) continue;
    if (cell.modes[i] == ContactMode::open) return false;
    if (contact.has_friction() && contact.slides != (cell.modes[i] == ContactMode::slide)) return false;
    any_rests = any_rests || !contact.slides;
  }
  return any_rests;
}

std::size_t ContactEngine::choose_cell(const Instant& instant, const State& state) const {
  if (scenario_.run.on_indeterminate == OnIndeterminate::first) return 0;
  Workspace<double> workspace(scenario_.model);
  MassMatrix<double> mass(scenario_.model);
  update_positions(scenario_.model, state.q.data(), workspace);
  mass.update(scenario_.model, workspace);
  const MatrixX<double> M = mass.dense();
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < instant.cells.size(); ++i) {
    const double size = instant.cells[i].vdot.dot(M * instant.cells[i].vdot);
    if (size < least) least = size, best = i;
  }
  return best;
}

/// Round faces that lie flat and of which one point of the rim is left: from here on that is the lowest one, and
/// travels; if they tip from rest, as soon as they are off their faces.
void ContactEngine::find_tipping_rims(const State& state) {
  tipping_.clear();
  look_at(state);
  InstantCell& cell = instant_->cells[cell_];
  for (internal::FlatRim& rim : internal::find_flat_rims(scenario_.model, workspace_, context_.finder())) {
    internal::RimWave wave = rim.gaps();
    bool is_at_rest = false;
    if (rim.is_flat(context_.touch)) {
      wave = rim.calc_rates(workspace_);
      is_at_rest = !(wave.amplitude() > tolerances_.speed_at_rest());
    }
    if (is_at_rest) wave = rim.calc_accelerations(workspace_, cell.vdot);
    if (is_at_rest && !internal::tips(wave, tolerances_)) continue;
    std::vector<std::size_t> points;
    double sum = 0, most = 0;
    std::size_t chosen = 0;
    bool has_others = false;
    for (std::size_t i = 0; i < instant_->contacts.size(); ++i) {
      const FoundContact& place = instant_->contacts[i].place;
      if (cell.modes[i] == ContactMode::open) continue;
      has_others = has_others || (rim.is_of(place) && !rim.has(place));
      if (!rim.has(place)) continue;
      points.push_back(i);
      sum += cell.forces[i][0];
      if (points.size() == 1 || cell.forces[i][0] > most) most = cell.forces[i][0], chosen = i;
    }
    if (points.empty() || has_others) continue;
    const auto angle_of = [&](std::size_t i) { return rim.find_direction(instant_->contacts[i].place.p_A).angle; };
    const auto is_beside = [&](std::size_t i) {
      return !(cell.forces[i][0] > kPressesNot * sum) ||
             std::abs(std::remainder(angle_of(i) - angle_of(chosen), 2 * M_PI)) < kOnePoint;
    };
    if (!std::all_of(points.begin(), points.end(), is_beside)) continue;
    for (const std::size_t i : points) {
      if (i != chosen) cell.modes[i] = ContactMode::open;
    }
    const double angle = wave.find_lowest();
    const std::optional<int> slot = is_at_rest ? find_slot(rim, chosen) : std::nullopt;
    tipping_.push_back({rim, chosen, angle, slot, is_at_rest});
    place_tipping_point(tipping_.back(), angle);
  }
}

/// Where the point that a rim tips about is kept: its own slot, or one that no point of the instant has.
std::optional<int> ContactEngine::find_slot(const internal::FlatRim& rim, std::size_t chosen) const {
  const int own = contact_number(instant_->contacts[chosen].place.id) - kFirstArcNumber;
  if (own >= 0) return own;
  std::array<bool, ArcPoints::kSlots> is_taken{};
  for (const InstantContact& contact : instant_->contacts) {
    const int slot = contact_number(contact.place.id) - kFirstArcNumber;
    if (rim.has(contact.place) && slot >= 0) is_taken[static_cast<std::size_t>(slot)] = true;
  }
  const auto free = std::find(is_taken.begin(), is_taken.end(), false);
  if (free == is_taken.end()) return std::nullopt;
  return static_cast<int>(free - is_taken.begin());
}

void ContactEngine::place_tipping_point(const Tipping& tipping, double angle) {
  FoundContact& place = instant_->contacts[tipping.contact].place;
  place = tipping.slot ? tipping.rim.make_pinned(angle, *tipping.slot) : tipping.rim.make_travelling(angle);
  if (tipping.slot) tipping.rim.pin(context_.finder(), angle, *tipping.slot);
}

/// A disc that begins to tip from rest does so about the point whose force lets gaps open to both sides: there, the
/// accelerations of the gaps that it brings about are lowest. By the secant method, in the mode that is known.
void ContactEngine::settle_tipping_points(const State& state, Trigger trigger) {
  constexpr int kMostSteps = 30;
  constexpr double kFirstStep = 1e-4, kLongestStep = 0.1, kLastStep = 1e-14;
  for (Tipping& tipping : tipping_) {
    if (!tipping.is_at_rest) continue;
    const auto calc_slope = [&](double angle) {
      place_tipping_point(tipping, angle);
      set_modes(state, trigger);
      stepper_.start(state, begins_to_slip());
      const Eigen::Map<const VectorX<double>> vdot(stepper_.acceleration(), motion_.size());
      return tipping.rim.calc_accelerations(workspace_, vdot).calc_slope(angle);
    };
    double before = tipping.angle + kFirstStep, angle = tipping.angle;
    double slope_before = calc_slope(before), slope = calc_slope(angle);
    for (int k = 0; k < kMostSteps && slope != slope_before && slope != 0; ++k) {
      const double step = std::clamp(-slope * (angle - before) / (slope - slope_before), -kLongestStep, kLongestStep);
      before = angle, slope_before = slope;
      angle += step;
      slope = calc_slope(angle);
      if (std::abs(step) < kLastStep) break;
    }
  }
}

void ContactEngine::set_modes(const State& state, Trigger trigger) {
  soft_.choose_phases(state);
  look_at(state);
  const InstantCell& cell = instant_->cells[cell_];
  const double no_slip = std::max(kNoSlip * tolerances_.scales().length / tolerances_.scales().time,
                                  kNoSlipOfTolerance * tolerances_.slip_error());
  std::vector<HeldContact> held;
  std::vector<FoundContact> places;
  for (const InstantContact& contact : instant_->contacts) places.push_back(contact.place);
  const std::vector<std::string> names = names_.update(places);
  for (std::size_t i = 0; i < instant_->contacts.size(); ++i) {
    const InstantContact& contact = instant_->contacts[i];
    if (cell.modes[i] == ContactMode::open) continue;
    const bool insists = insistent_ && is_same(insistent_->place, contact.place);
    if (insists && insistent_->parts) continue;
    const bool slides = cell.modes[i] == ContactMode::slide || insists;
    held.emplace_back(scenario_.model, workspace_, context_.finder(), contact.place, contact.law,
                      slides ? ContactHold::sliding : ContactHold::rolling, no_slip);
    held.back().set_cone(scenario_.contacts->cone);
    const bool is_told = cell.modes[i] == ContactMode::slide;
    if (is_told) held.back().begin_slip(internal::find_slip(*instant_, cell, i, scenario_.contacts->cone));
    if (insists && !is_told) held.back().begin_slip(insistent_->slip);
    held.back().set_name(names[i]);
  }
  motion_.set_mode(internal::read_joint_mode(*instant_, cell, motion_, tolerances_, trigger));
  motion_.set_contacts(std::move(held));
}

/// Whether a contact begins to slip from rest with two directions to choose from.
bool ContactEngine::begins_to_slip() const {
  const InstantCell& cell = instant_->cells[cell_];
  for (std::size_t i = 0; i < instant_->contacts.size(); ++i) {
    const InstantContact& contact = instant_->contacts[i];
    const bool is_planar = contact.tangent_rows[0] < 0 || contact.tangent_rows[1] < 0;
    const bool insists = insistent_ && !insistent_->parts && is_same(insistent_->place, contact.place);
    const bool slips = cell.modes[i] == ContactMode::slide || insists;
    if (slips && !contact.slides && contact.has_friction() && !is_planar) return true;
  }
  return false;
}

/// Slip that comes to rest within the distance `smallest`, m, is over. An impact leaves such slip where contacts are
/// pressed but not struck, since only finite friction acts there; followed, it would set off the next impact.
bool ContactEngine::stop_short_slip(HeldContact& contact, const VectorX<double>& vdot, double smallest) const {
  if (contact.hold() != ContactHold::sliding || contact.found().gap > context_.touch) return false;
  const Vector2<double> slip = contact.velocity().segment<2>(1);
  const Vector2<double> gain = contact.J().middleRows<2>(1) * vdot + contact.drift().segment<2>(1);
  const double speed = slip.norm(), slows = -slip.dot(gain);  // speed times deceleration
  if (!(speed > 0 && slows > 0) || speed * speed * speed > 2 * slows * smallest) return false;
  contact.set_hold(ContactHold::rolling);
  return true;
}

/// Stops that joints leave by less than what is worth following, because they bounced or were thrown off: they hold.
bool ContactEngine::capture_stops(const State& state, Mode& mode) {
  bool any = false;
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    JointRow& stop = motion_.rows()[static_cast<std::size_t>(i)];
    if (stop.kind() != JointRowKind::stop || !joints_.touches(i) || mode.holds(i)) continue;
    stop.update(state.q.data(), state.v.data());
    const double rate = stop.multiply(state.v.data()), fall = -(stop.multiply(stepper_.acceleration()) + stop.bias());
    const double smallest = tolerances_.smallest_bounce(stop.dof(), stop.calc_target(state.q.data()));
    if (!(rate > 0 && fall > 0) || rate * rate > 2 * fall * smallest) continue;
    long long& count = stop_strikes_[static_cast<std::size_t>(i)];
    const double e = stop.restitution();
    if (count > 0 && e > 0) {
      const double remaining = e < 1 ? 2 * rate / (fall * (1 - e)) : 0;
      bounce_ends_.push_back({state.t + remaining, scenario_.model.dof_name(stop.dof()), count + 1});
    }
    count = 0;
    mode.hold(i);
    any = true;
  }
  return any;
}

/// Contacts and joints that hop or slip less than what is worth following rest. True if there are any.
bool ContactEngine::capture_bounces(State& state) {
  if (strikes_.empty()) return false;
  Mode mode = motion_.mode();
  const double smallest = tolerances_.smallest_hop(size_);
  const Eigen::Map<const VectorX<double>> vdot(stepper_.acceleration(), motion_.size());
  std::vector<HeldContact> held = motion_.contacts();
  bool any = capture_stops(state, mode);
  for (const InstantContact& contact : instant_->contacts) {
    if (contact.row >= 0) continue;  // does not part
    HeldContact point(scenario_.model, workspace_, context_.finder(), contact.place, contact.law, ContactHold::smooth,
                      0);
    const double rate = point.velocity()(0), fall = -(point.J().row(0).dot(vdot) + point.drift()(0));
    if (!(rate > 0 && fall > 0) || rate * rate > 2 * fall * smallest) continue;
    const double e = contact.law.restitution.at(rate);
    long long& count = strike_count(contact.place);
    if (count > 0 && e > 0) {
      const double remaining = e < 1 ? 2 * rate / (fall * (1 - e)) : 0;
      bounce_ends_.push_back({state.t + remaining, names_.find(contact.place), count + 1});
    }
    count = 0;
    held.push_back(std::move(point));
    any = true;
  }
  for (HeldContact& contact : held) any = stop_short_slip(contact, vdot, smallest) || any;
  if (!any) return false;
  motion_.set_mode(mode);
  motion_.set_contacts(std::move(held));
  VectorX<double> q = state.q;
  motion_.project_contacts(q, state.v);
  return true;
}

long long& ContactEngine::strike_count(const FoundContact& place) {
  for (StrikeCount& known : strike_counts_) {
    if (known.shape_A == place.shape_A && known.shape_B == place.shape_B && known.id == place.id) return known.count;
  }
  strike_counts_.push_back({place.shape_A, place.shape_B, place.id, 0});
  return strike_counts_.back().count;
}

void ContactEngine::prepare_question(const State& state, internal::AssemblyContext& context) const {
  context.lasting_frames = context_.lasting_frames;
  for (const HeldContact& contact : motion_.contacts()) {
    const FoundContact& found = contact.found();
    const auto is_of = [&](const auto& lasting) {
      return lasting.shape_A == found.shape_A && lasting.shape_B == found.shape_B && lasting.id == found.id;
    };
    std::erase_if(context.lasting_frames, is_of);
    context.lasting_frames.push_back({found.shape_A, found.shape_B, found.id, contact.frame()});
    if (contact.hold() == ContactHold::sliding) context.lasting_frames.back().slip = contact.calc_opposed_slip();
  }
  context.obeys_declared = !has_started_;
  context.finder().set_filter([this](BodyIndex a, BodyIndex b) { return !soft_.is_soft(a, b); });
  if (motion_.soft_contacts().empty()) return;
  context.motion().set_soft_contacts(motion_.soft_contacts());
  context.motion().follow_soft_contacts(state);
}

// --- Crossings -------------------------------------------------------------------------------------------------------

ContactWatch::Finding ContactEngine::find_crossing(Stepper& stepper, int patience) {
  const double margin = ContactWatch::kForceMargin * std::pow(10.0, std::min(patience / 4, 4));
  ContactWatch::Finding out = watch_.find(stepper, margin);
  if (out.retry) return out;
  if (scenario_.run.on_indeterminate == OnIndeterminate::stop) {
    determinacy_.find(stepper, make_instant_options(stepper.t()), out.crossing);
  }
  soft_watch_->find(stepper, out.crossing);
  return out;
}

bool ContactEngine::is_at_rest(const ContactCrossing& at) {
  const HeldContact& contact = motion_.contacts()[static_cast<std::size_t>(at.held)];
  stepper_.evaluate(at.theta);
  return rests(contact, stepper_.interpolate(at.theta).v);
}

/// Between two settles.
template <class Archive>
void ContactEngine::archive(Archive& a) {
  a(watch_, context_, soft_, switcher_, determinacy_, names_, has_started_, stop_strikes_);
  if (stop_strikes_.size() != motion_.rows().size()) throw StateError("it holds strikes of other joints");
  strike_counts_.resize(a.size(strike_counts_.size(), sizeof(StrikeCount)));
  for (StrikeCount& count : strike_counts_) a(count.shape_A, count.shape_B, count.id, count.count);
}
THENAR_INSTANTIATE_ARCHIVE(ContactEngine);

}  // namespace thenar
