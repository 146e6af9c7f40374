// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/expression_switch_internal.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "thenar/base/assert.h"
#include "thenar/base/expression_code_internal.h"
#include "thenar/base/expression_decision_internal.h"
#include "thenar/base/expression_jet_internal.h"
#include "thenar/base/interval_internal.h"

namespace thenar::internal {
namespace {

// Stretches looked at for one decision in one call. A simple switch takes about 10, a place where it touches about 100,
// an interval on which rounding hides it everywhere about 1000.
constexpr int kMostStretches = 50'000;

// How far past the point of change, in rounding errors, is still called hidden by rounding.
constexpr double kHiddenErrors = 4;

// Stride within a zone where rounding hides the decision, as a fraction of what has been crossed of it. So a piece that
// could be missed there is shorter than that fraction of a zone in which even the sign is rounding error.
constexpr double kStrideInZone = 1.0 / 8;

constexpr std::size_t kMostInstructions = 4096;  // One character of text makes at most one instruction.
using InstructionSet = std::bitset<kMostInstructions>;

// The variable that grows while the others keep their values, and what is known about the decisions meanwhile.
struct Line {
  std::span<const double> values;
  std::size_t index;
  double probe;            // A place where all decisions have the values that they keep unless they switch.
  InstructionSet settled;  // Decisions that have no switch, except that rounding may hide them for a while.
  bool has_settled;        // Whether there are any; if not, the probe is not needed.

  bool varies(const Instruction& leaf) const {
    return operation_of(leaf) == Operation::variable && leaf.variable == index;
  }
  double constant(const Instruction& leaf) const {
    return operation_of(leaf) == Operation::variable ? values[leaf.variable] : leaf.constant;
  }
};

using Jets = std::array<Jet<Interval>, 3>;
using Intervals = std::array<Interval, 3>;

const Intervals& values_of(const Intervals& bounds) { return bounds; }
Intervals values_of(const Jets& bounds) { return {bounds[0].value, bounds[1].value, bounds[2].value}; }

template <class Number>
Number make_constant(double value) {
  if constexpr (std::is_same_v<Number, Interval>) {
    return value;
  } else {
    return flat(Interval(value));
  }
}

// Bounds over a stretch, and the value at the probe. What does not vary has the value that evaluate() computes, to the
// last bit: no rounding error to allow for, and no derivative, not even 0 times infinity.
template <class Number>
struct Entry {
  Number bounds;
  double probe;
  bool varies;
};

template <class Number>
Entry<Number> make_leaf(const Line& line, const Instruction& leaf, const Number& variable) {
  if (line.varies(leaf)) return {variable, line.probe, true};
  const double value = line.constant(leaf);
  return {make_constant<Number>(value), value, false};
}

template <class Number>
Entry<Number> apply_entry(const Line& line, std::size_t position, Operation operation, const Entry<Number>* operands) {
  std::array<Number, 3> bounds;
  std::array<double, 3> probes{};
  bounds.fill(make_constant<Number>(0));  // Those that the operation does not have.
  bool varies = false;
  for (int i = 0; i < operand_count(operation); ++i) {
    bounds[i] = operands[i].bounds;
    probes[i] = operands[i].probe;
    varies = varies || operands[i].varies;
  }
  const bool needs_probe = !varies || line.has_settled;
  const double probe = needs_probe ? apply(operation, probes.data()) : 0;
  if (!varies) return {make_constant<Number>(probe), probe, false};
  if (!line.settled[position] || decide(operation, values_of(bounds).data()).certain) {
    return {apply(operation, bounds.data()), probe, true};
  }
  return {apply_piece_of(operation, decide(operation, probes.data()).value, bounds.data()), probe, true};
}

// -------------------------------------------------------------------------------------------------------------------
// All decisions at once.

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Enclosure {
  Entry<Interval> entry;
  std::size_t doubtful;  // The first instruction that matters for the value and is neither certain nor settled.
};

Enclosure enclose(const Line& line, std::size_t position, Operation operation, const Enclosure* operands) {
  std::array<Entry<Interval>, 3> entries;
  Intervals bounds;
  for (int i = 0; i < operand_count(operation); ++i) {
    entries[i] = operands[i].entry;
    bounds[i] = operands[i].entry.bounds;
  }
  Enclosure result{apply_entry(line, position, operation, entries.data()), kNone};
  if (!result.entry.varies) return result;
  const Decision decision = decide(operation, bounds.data());
  for (int i = 0; i < operand_count(operation); ++i) {
    const bool matters = !decision.certain || depends_on_operand(operation, decision.value, i);
    if (matters) result.doubtful = std::min(result.doubtful, operands[i].doubtful);
  }
  if (!decision.certain && !line.settled[position]) result.doubtful = std::min(result.doubtful, position);
  return result;
}

// The first decision in the code that may change within [from, to], is not settled, and matters; or kNone.
std::size_t find_doubtful(std::span<const Instruction> code, const Line& line, double from, double to) {
  std::array<Enclosure, kMaxStack> stack;
  run_code(
      code, stack.data(),
      [&](const Instruction& leaf) -> Enclosure {
        return {make_leaf(line, leaf, Interval(from, to)), kNone};
      },
      [&](std::size_t position, Operation operation, const Enclosure* operands) {
        return enclose(line, position, operation, operands);
      });
  return stack[0].doubtful;
}

// -------------------------------------------------------------------------------------------------------------------
// One decision.

// Rewrites the operands so that the decision depends on how each compares with a constant, and not on how two of them
// compare: only then do their derivatives tell where it changes.
void separate(Operation operation, Jets& x) {
  switch (operation) {
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::equal:
    case Operation::not_equal:
    case Operation::min:
    case Operation::max:
      x[0] = x[0] - x[1];
      x[1] = flat(Interval(0.0));
      break;
    case Operation::pulse:
    case Operation::clamp:
    case Operation::blend:
      x[1] = x[1] - x[0];
      x[2] = x[2] - x[0];
      x[0] = flat(Interval(0.0));
      break;
    case Operation::mod:
      x[0] = x[0] / x[1];
      x[1] = flat(Interval(1.0));
      break;
    default:
      break;
  }
}

// Bounds of x over a stretch from its bounds there and its Taylor forms about both ends,
//   x(a) + x'([a,b]) (t - a),   x(a) + x'(a) (t - a) + x''([a,b]) (t - a)² / 2,   and the same about b.
Interval tighten(const Jet<Interval>& x, const Jet<Interval>& at_a, const Jet<Interval>& at_b, double width) {
  if (!x.value.is_bounded()) return x.value;
  const Interval reach(0, width);
  const Interval curve = Interval(0.5) * x.second * square(reach);
  Interval result = intersect(x.value, at_a.value + x.first * reach);
  result = intersect(result, at_b.value - x.first * reach);
  result = intersect(result, at_a.value + at_a.first * reach + curve);
  return intersect(result, at_b.value - at_b.first * reach + curve);
}

double width_of(const Interval& x) { return x.hi - x.lo; }

bool is_monotone(const Jet<Interval>& x) {
  return x.value.is_bounded() && !x.first.is_empty() && (x.first.lo >= 0 || x.first.hi <= 0);
}

// Whether, with monotone operands, a decision that has changed at the end of a stretch has changed for good: bisection
// then finds the first change. It would not for conditions that hold at single points only.
bool changes_once(Operation operation) {
  switch (operation) {
    case Operation::equal:
    case Operation::not_equal:
    case Operation::logical_not:
    case Operation::logical_and:
    case Operation::logical_or:
    case Operation::select:
      return false;
    default:
      return true;
  }
}

class DecisionSearch {
 public:
  DecisionSearch(std::span<const Instruction> code, std::size_t position, const Line& line)
      : operation_(operation_of(code[position])), line_(line) {
    begin_ = start_of_operands(code, position, operand_count(operation_));
    operands_ = code.subspan(begin_, position - begin_);
  }

  std::optional<Bracket> find_first(double from, double to) {
    const double next = step_by(from, 1);
    const double at_from = decide_at(from), at_next = decide_at(next);
    if (at_from == at_next) return find_after(from, to);
    if (!is_kink(operation_, at_from, at_next)) return Bracket{from, next};
    return next < to ? find_after(next, to) : std::nullopt;
  }

 private:
  enum class Verdict {
    constant,  // Proven to keep the reference value.
    changes,   // If it is proven to have another value at the end, bisection finds the first change.
    hidden,    // If it changes, then by less than rounding errors.
    unknown
  };

  // Passes stretch after stretch [a, b] until the decision has another value than at `from`.
  std::optional<Bracket> find_after(double from, double to) {
    start_ = reached_ = from;
    reference_ = decide_at(from);
    const double finest_stride = std::numeric_limits<double>::epsilon() * (to - from);
    std::optional<Interval> zone;  // Where rounding hides the decision, until left far enough behind.
    double a = from;
    double length = to - from;
    for (int stretches = 0; a < to; ++stretches) {
      if (stretches == kMostStretches) return Bracket{a, step_by(a, 1)};
      const double b = std::clamp(a + length, step_by(a, 1), to);
      const Verdict verdict = judge(a, b);
      if (verdict == Verdict::changes && is_proven_changed(b)) return locate(b);
      const double stride = zone ? std::max(finest_stride, kStrideInZone * (zone->hi - zone->lo)) : 0;
      if (verdict == Verdict::constant) {
        reached_ = b;
        if (zone && b - zone->hi > zone->hi - zone->lo) zone.reset();
      } else if (verdict == Verdict::hidden || b - a <= stride || b == step_by(a, 1)) {
        if (is_proven_changed(b)) return locate(b);
        zone = Interval(zone ? zone->lo : a, b);
      } else {
        length = (b - a) / 2;
        continue;
      }
      length = std::max(2 * (b - a), stride);
      a = b;
    }
    return has_changed(to) ? std::optional(locate(to)) : std::nullopt;
  }

  Verdict judge(double a, double b) const {
    Jets x = calc_operands(a, b);
    if (const Decision decision = decide_over(x); decision.certain) return verdict_of(decision);
    Jets at_a = calc_operands(a, a), at_b = calc_operands(b, b);
    for (Jets* operands : {&x, &at_a, &at_b}) separate(operation_, *operands);
    const double width = (Interval(b) - Interval(a)).hi;
    Jets tight = x;
    for (std::size_t i = 0; i < x.size(); ++i) tight[i].value = tighten(x[i], at_a[i], at_b[i], width);
    if (const Decision decision = decide_over(tight); decision.certain) return verdict_of(decision);
    if (is_hidden(tight, at_a, at_b)) return Verdict::hidden;
    const bool once = changes_once(operation_) && std::all_of(x.begin(), x.end(), is_monotone);
    return once ? Verdict::changes : Verdict::unknown;
  }

  // Whether the operands come and go close to the point of change, and between pass it by no more than a few rounding
  // errors, these being the widths of bounds at single points.
  bool is_hidden(const Jets& tight, const Jets& at_a, const Jets& at_b) const {
    if (!is_close_to_change(at_a) || !is_close_to_change(at_b)) return false;
    Jets lower = tight, upper = tight;
    for (std::size_t i = 0; i < tight.size(); ++i) {
      const double margin = kHiddenErrors * std::max(width_of(at_a[i].value), width_of(at_b[i].value));
      const double lo = tight[i].value.lo + margin, hi = tight[i].value.hi - margin;
      // If all is within rounding, either side will do.
      lower[i].value = lo <= hi ? Interval(lo, hi) : Interval(hi);
      upper[i].value = lo <= hi ? Interval(lo, hi) : Interval(lo);
    }
    for (const Jets& operands : {lower, upper}) {
      const Decision decision = decide_over(operands);
      if (decision.certain && decision.value == reference_) return true;
    }
    return false;
  }

  bool is_close_to_change(Jets point) const {
    for (Jet<Interval>& x : point) {
      if (!x.value.is_bounded()) return false;
      const double margin = kHiddenErrors * width_of(x.value);
      x.value = {x.value.lo - margin, x.value.hi + margin};
    }
    return !decide_over(point).certain;
  }

  Verdict verdict_of(const Decision& decision) const {
    return decision.value == reference_ ? Verdict::constant : Verdict::changes;
  }

  Decision decide_over(const Jets& x) const { return decide(operation_, values_of(x).data()); }

  // Jets, with derivatives, while the variable is in [a, b].
  Jets calc_operands(double a, double b) const {
    std::array<Entry<Jet<Interval>>, kMaxStack> stack;
    const Jet<Interval> variable{Interval(a, b), 1.0, 0.0};
    run_code(
        operands_, stack.data(), [&](const Instruction& leaf) { return make_leaf(line_, leaf, variable); },
        [&](std::size_t position, Operation operation, const Entry<Jet<Interval>>* operands) {
          return apply_entry(line_, begin_ + position, operation, operands);
        });
    Jets result;
    result.fill(flat(Interval(0.0)));  // Those that the operation does not have.
    for (int i = 0; i < operand_count(operation_); ++i) result[i] = stack[i].bounds;
    return result;
  }

  // The decision that evaluate() takes at t.
  double decide_at(double t) const {
    std::array<double, kMaxStack> stack;
    run_code(
        operands_, stack.data(), [&](const Instruction& leaf) { return line_.varies(leaf) ? t : line_.constant(leaf); },
        [](std::size_t, Operation operation, const double* operands) { return apply(operation, operands); });
    return decide(operation_, stack.data()).value;
  }

  bool has_changed(double t) const { return decide_at(t) != reference_; }

  // The same beyond rounding, and not for a moment only if that would not matter: max(t^2, 0) has no kink at 0.
  bool is_proven_changed(double t) const {
    const Decision decision = decide_over(calc_operands(t, t));
    if (!decision.certain || decision.value == reference_ || !has_changed(t)) return false;
    if (!is_kink(operation_, reference_, decision.value)) return true;
    const Decision beyond = decide_over(calc_operands(t, step_by(t, 1)));
    return beyond.certain && beyond.value == decision.value;
  }

  // Neighbours, the first with the reference decision, the second with another, up to `end`, where it is another.
  Bracket locate(double end) const {
    // Within rounding the decision may differ from what was proven for it.
    double before = has_changed(reached_) ? start_ : reached_;
    double after = end;
    while (step_by(before, 1) < after) {
      const double middle = std::max(std::midpoint(before, after), step_by(before, 1));
      (has_changed(middle) ? after : before) = middle;
    }
    return {before, after};
  }

  Operation operation_;
  const Line& line_;
  std::size_t begin_ = 0;  // Of the operands' code.
  std::span<const Instruction> operands_;
  double start_ = 0;
  double reached_ = 0;    // The decision is proven to have its reference value here.
  double reference_ = 0;  // The decision at the start.
};

}  // namespace

std::optional<Bracket> find_switch(std::span<const Instruction> code, std::span<const double> values, std::size_t index,
                                   double from, double to) {
  THENAR_DEMAND(code.size() <= kMostInstructions);
  THENAR_ASSERT(std::isfinite(from) && std::isfinite(to));
  // Where the search starts one number may be decided by itself; a jump there is found at once, a kink is past.
  Line line{values, index, step_by(from, 1), {}, false};
  std::optional<Bracket> first;
  while (from < to) {
    const std::size_t position = find_doubtful(code, line, from, to);
    if (position == kNone) break;
    if (const auto found = DecisionSearch(code, position, line).find_first(from, to)) {
      first = found;
      to = found->before;
    }
    line.settled.set(position);
    line.has_settled = true;
  }
  return first;
}

}  // namespace thenar::internal
