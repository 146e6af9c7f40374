// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "thenar/base/assert.h"
#include "thenar/base/expression_code_internal.h"
#include "thenar/base/expression_decision_internal.h"
#include "thenar/base/expression_jet_internal.h"
#include "thenar/base/expression_operations_internal.h"
#include "thenar/base/expression_switch_internal.h"

namespace thenar {

using internal::Instruction;
using internal::kMaxStack;
using internal::Operation;

namespace {

constexpr std::size_t kMaxTextLength = 4096;
constexpr int kMaxNesting = 100;

bool is_variable(const Instruction& leaf) { return internal::operation_of(leaf) == Operation::variable; }

// A value with derivatives, and whether it moves at all: what does not has derivatives 0, even where the rules would
// multiply 0 by infinity.
struct Moving {
  internal::Jet<double> jet;
  bool moves;
};

Moving apply_moving(Operation operation, const Moving* operands) {
  std::array<internal::Jet<double>, 3> jets;
  std::array<double, 3> values;
  bool moves = false;
  for (int i = 0; i < internal::operand_count(operation); ++i) {
    jets[i] = operands[i].jet;
    values[i] = operands[i].jet.value;
    moves = moves || operands[i].moves;
  }
  if (moves) return {internal::apply(operation, jets.data()), true};
  return {internal::flat(internal::apply(operation, values.data())), false};
}

}  // namespace

// Recursive descent, one function per level of precedence, each appending postfix code.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const std::string> variables, const ParameterLookup& parameters)
      : text_(text), variables_(variables), parameters_(parameters) {
    result_.code_.clear();  // Of the default constant zero.
  }

  Expression parse() {
    if (text_.size() > kMaxTextLength) {
      fail(kMaxTextLength,
           fmt::format("expression has {} characters; at most {} are allowed", text_.size(), kMaxTextLength));
    }
    skip_spaces();
    if (at_end()) fail(position_, "empty expression; expected a number, a name or '('");
    parse_ternary();
    if (!at_end()) fail_after_operand();
    result_.text_ = text_;
    describe_code();
    return std::move(result_);
  }

 private:
  // Counts open calls of parse_unary(), through which every recursion passes except that of '? :', which is bounded
  // by the intermediate values it leaves on the stack. So no text can exhaust the call stack.
  class Level {
   public:
    explicit Level(ExpressionParser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMaxNesting) {
        parser_.fail(parser_.position_, fmt::format("expression is nested more than {} levels deep", kMaxNesting));
      }
    }
    ~Level() { --parser_.nesting_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ExpressionParser& parser_;
  };

  void parse_ternary() {
    parse_or();
    if (!take("?")) return;
    parse_ternary();
    if (!take(":")) fail_expected("':' of '? :'");
    parse_ternary();
    emit(Operation::select);
  }

  void parse_or() {
    parse_and();
    while (take("||")) {
      parse_and();
      emit(Operation::logical_or);
    }
  }

  void parse_and() {
    parse_comparison();
    while (take("&&")) {
      parse_comparison();
      emit(Operation::logical_and);
    }
  }

  void parse_comparison() {
    parse_sum();
    const std::optional<Operation> operation = take_comparison();
    if (!operation) return;
    parse_sum();
    emit(*operation);
    const std::size_t second = position_;
    if (take_comparison()) fail(second, "comparisons do not chain; write a < b && b < c");
  }

  void parse_sum() {
    parse_product();
    while (true) {
      if (take("+")) {
        parse_product();
        emit(Operation::add);
      } else if (take("-")) {
        parse_product();
        emit(Operation::subtract);
      } else {
        return;
      }
    }
  }

  void parse_product() {
    parse_unary();
    while (true) {
      if (text_.substr(position_, 2) == "**") fail(position_, "'**' is not an operator; a power is written with '^'");
      if (take("*")) {
        parse_unary();
        emit(Operation::multiply);
      } else if (take("/")) {
        parse_unary();
        emit(Operation::divide);
      } else {
        return;
      }
    }
  }

  void parse_unary() {
    const Level level(*this);
    if (take("-")) {
      parse_unary();
      emit(Operation::negate);
    } else if (take("+")) {
      parse_unary();
    } else if (take("!")) {
      parse_unary();
      emit(Operation::logical_not);
    } else {
      parse_power();
    }
  }

  void parse_power() {
    parse_primary();
    if (!take("^")) return;
    parse_unary();  // Itself a power: this makes ^ right associative and lets the exponent have a sign.
    emit(Operation::power);
  }

  void parse_primary() {
    if (take("(")) {
      parse_ternary();
      if (!take(")")) fail_expected("')'");
    } else if (take("$")) {
      parse_parameter();
    } else if (const auto number = scan_number(text_.substr(position_))) {
      parse_number(*number);
    } else if (!at_end() && (is_letter(text_[position_]) || text_[position_] == '_')) {
      parse_name();
    } else {
      fail_expected("a number, a name or '('");
    }
  }

  void parse_number(const ScannedNumber& number) {
    if (!number.value) {
      fail(position_, fmt::format("number {} is out of range", quote(text_.substr(position_, number.length))));
    }
    push_constant(*number.value);
    position_ += number.length;
    skip_spaces();
  }

  void parse_parameter() {
    const std::size_t start = position_ - 1;  // The '$'; nothing was skipped after it unless a space follows.
    if (text_[start] != '$' || at_end() || !is_word_character(text_[position_]) || is_digit(text_[position_])) {
      fail(position_, fmt::format("expected the name of a parameter after '$', found {}", found()));
    }
    const std::string_view name = take_word();
    const std::optional<double> value = parameters_ ? parameters_(name) : std::nullopt;
    if (!value) fail(start, fmt::format("unknown parameter '${}'", name));
    push_constant(*value);
  }

  void parse_name() {
    const std::size_t start = position_;
    const std::string_view name = take_word();
    if (!at_end() && text_[position_] == '(') return parse_call(name, start);
    const auto variable = std::find(variables_.begin(), variables_.end(), name);
    if (variable != variables_.end()) return push_variable(static_cast<std::size_t>(variable - variables_.begin()));
    if (name == "pi") return push_constant(std::numbers::pi);
    if (name == "e") return push_constant(std::numbers::e);
    if (internal::find_function(name)) fail(start, fmt::format("function '{0}' needs its arguments: {0}(...)", name));
    fail_unknown_name(name, start);
  }

  void parse_call(std::string_view name, std::size_t start) {
    const internal::Function* function = internal::find_function(name);
    if (!function) fail_unknown_function(name, start);
    take("(");
    int count = 0;
    if (!take(")")) {
      do {
        parse_ternary();
        ++count;
        if (internal::takes_many(function->operation) && count > 1) emit(function->operation);
      } while (take(","));
      if (!take(")")) fail_expected("',' or ')'");
    }
    const int wanted = internal::operand_count(function->operation);
    const bool right = internal::takes_many(function->operation) ? count >= wanted : count == wanted;
    if (!right) {
      fail(start, fmt::format("function '{}' takes {}{} argument{}, found {}", name,
                              internal::takes_many(function->operation) ? "at least " : "", wanted,
                              wanted == 1 ? "" : "s", count));
    }
    if (!internal::takes_many(function->operation)) emit(function->operation);
  }

  std::optional<Operation> take_comparison() {
    // Two-character operators first: "<=" also starts with "<".
    if (take("<=")) return Operation::less_equal;
    if (take(">=")) return Operation::greater_equal;
    if (take("==")) return Operation::equal;
    if (take("!=")) return Operation::not_equal;
    if (take("<")) return Operation::less;
    if (take(">")) return Operation::greater;
    return std::nullopt;
  }

  bool at_end() const { return position_ >= text_.size(); }

  void skip_spaces() {
    while (!at_end() && is_space(text_[position_])) ++position_;
  }

  // Takes `token` and the spaces after it, if it comes next.
  bool take(std::string_view token) {
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    if (token != "$") skip_spaces();
    return true;
  }

  std::string_view take_word() {
    const std::size_t start = position_;
    while (!at_end() && is_word_character(text_[position_])) ++position_;
    const std::string_view word = text_.substr(start, position_ - start);
    skip_spaces();
    return word;
  }

  void push_constant(double value) {
    result_.code_.push_back({static_cast<std::uint8_t>(Operation::constant), 0, value});
    count_push();
  }

  void push_variable(std::size_t index) {
    result_.code_.push_back({static_cast<std::uint8_t>(Operation::variable), static_cast<std::uint32_t>(index), 0});
    count_push();
  }

  void count_push() {
    if (++stack_ > kMaxStack) {
      fail(position_, fmt::format("expression needs more than {} intermediate values", kMaxStack));
    }
  }

  // Appends an operation, or computes it at once when all its operands are constants: in postfix code the operands
  // are then exactly the last instructions.
  void emit(Operation operation) {
    const int count = internal::operand_count(operation);
    stack_ -= count - 1;
    auto& code = result_.code_;
    const auto first = code.end() - count;
    const bool constant = std::all_of(first, code.end(), [](const Instruction& instruction) {
      return instruction.operation == static_cast<std::uint8_t>(Operation::constant);
    });
    if (!constant) {
      if (operation == Operation::select && drop_untaken_branch()) return;
      code.push_back({static_cast<std::uint8_t>(operation), 0, 0});
      return;
    }
    std::array<double, 3> operands{};
    std::transform(first, code.end(), operands.begin(), [](const auto& instruction) { return instruction.constant; });
    first->constant = internal::apply(operation, operands.data());
    code.erase(first + 1, code.end());
  }

  // With a constant condition, as `$ramp ? blend(t, 0, 1) : step(t)` has, only the code of the branch taken stays.
  bool drop_untaken_branch() {
    auto& code = result_.code_;
    const std::size_t second = internal::start_of_operands(code, code.size(), 1);
    const std::size_t first = internal::start_of_operands(code, second, 1);
    const std::size_t condition = first - 1;  // Where a constant would be.
    if (internal::operation_of(code[condition]) != Operation::constant) return false;
    const auto position = [&code](std::size_t index) { return code.begin() + static_cast<std::ptrdiff_t>(index); };
    if (code[condition].constant != 0) {
      code.erase(position(second), code.end());
      code.erase(position(condition));
    } else {
      code.erase(position(condition), position(second));
    }
    return true;
  }

  // Writes down what others ask about the code, so that it need not be read again.
  void describe_code() {
    for (const Instruction& instruction : result_.code_) {
      const Operation operation = internal::operation_of(instruction);
      if (is_variable(instruction)) {
        result_.variable_count_ = std::max(result_.variable_count_, std::size_t{instruction.variable} + 1);
      }
      // Operations on constants are computed already: what is left depends on a variable.
      result_.has_pieces_ = result_.has_pieces_ || internal::has_pieces(operation);
      result_.is_smooth_ = result_.is_smooth_ && internal::is_smooth(operation);
    }
  }

  // What stands at the current position, for messages: a whole number or word, or one character.
  std::string found() const {
    if (at_end()) return "the end";
    const std::string_view rest = text_.substr(position_);
    std::size_t length = 1;
    if (const auto number = scan_number(rest)) length = number->length;
    while (length < rest.size() && is_word_character(rest[length - 1]) && is_word_character(rest[length])) ++length;
    // Do not cut a UTF-8 character in pieces.
    while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0u) == 0x80u) ++length;
    return quote(rest.substr(0, length));
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names(variables_.begin(), variables_.end());
    names.insert(names.end(), {"pi", "e"});
    return names;
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    throw ExpressionError(message, std::min(offset, text_.size()));
  }

  [[noreturn]] void fail_expected(std::string_view what) const {
    fail(position_, fmt::format("expected {}, found {}", what, found()));
  }

  [[noreturn]] void fail_after_operand() const {
    if (text_[position_] == '=') fail(position_, "expected an operator, found '='; equality is written '=='");
    if (text_[position_] == ')') fail(position_, "found ')' without its '('");
    fail(position_, fmt::format("expected an operator or the end, found {}", found()));
  }

  [[noreturn]] void fail_unknown_name(std::string_view name, std::size_t offset) const {
    const std::vector<std::string> known = known_names();
    std::string message = fmt::format("unknown name {} in expression; ", quote(name));
    if (const auto close = closest_match(name, known)) message += fmt::format("did you mean '{}'? ", *close);
    fail(offset, message + fmt::format("known: {}, and parameters written $name", list_words(known)));
  }

  [[noreturn]] void fail_unknown_function(std::string_view name, std::size_t offset) const {
    const std::vector<std::string> known = internal::function_names();
    std::string message = fmt::format("unknown function {}; ", quote(name));
    if (const auto close = closest_match(name, known)) message += fmt::format("did you mean '{}'? ", *close);
    fail(offset, message + fmt::format("known: {}", list_words(known, known.size())));
  }

  std::string_view text_;
  std::span<const std::string> variables_;
  const ParameterLookup& parameters_;
  std::size_t position_ = 0;
  int nesting_ = 0;
  int stack_ = 0;
  Expression result_;
};

Expression::Expression(double value)
    : text_(fmt::format("{}", value)), code_{{static_cast<std::uint8_t>(Operation::constant), 0, value}} {}

Expression Expression::parse(std::string_view text, std::span<const std::string> variables,
                             const ParameterLookup& parameters) {
  return ExpressionParser(text, variables, parameters).parse();
}

double Expression::evaluate(std::span<const double> values) const noexcept {
  THENAR_DEMAND(values.size() >= variable_count_);
  std::array<double, kMaxStack> stack;
  stack[0] = 0;
  internal::run_code(
      std::span(code_), stack.data(),
      [values](const Instruction& leaf) { return is_variable(leaf) ? values[leaf.variable] : leaf.constant; },
      [](std::size_t, Operation operation, const double* operands) { return internal::apply(operation, operands); });
  return stack[0];
}

Expression::Range Expression::calc_range() const noexcept {
  // Not infinite: the cosine of an infinite number is none.
  constexpr double kLargest = std::numeric_limits<double>::max();
  std::array<internal::Interval, kMaxStack> stack;
  stack[0] = internal::Interval(0);
  internal::run_code(
      std::span(code_), stack.data(),
      [](const Instruction& leaf) {
        return is_variable(leaf) ? internal::Interval(-kLargest, kLargest) : internal::Interval(leaf.constant);
      },
      [](std::size_t, Operation operation, const internal::Interval* operands) {
        return internal::apply(operation, operands);
      });
  const internal::Interval& result = stack[0];
  // Where the value may be no number, nothing is known of it.
  if (result.nan || result.is_empty()) return {-kInfinity, kInfinity};
  return {result.lo, result.hi};
}

Expression::Taylor Expression::evaluate_along(std::span<const double> values,
                                              std::span<const double> rates) const noexcept {
  THENAR_DEMAND(values.size() >= variable_count_ && rates.size() >= variable_count_);
  std::array<Moving, kMaxStack> stack;
  internal::run_code(
      std::span(code_), stack.data(),
      [values, rates](const Instruction& leaf) -> Moving {
        if (!is_variable(leaf)) return {internal::flat(leaf.constant), false};
        const double rate = rates[leaf.variable];
        return {{values[leaf.variable], rate, 0}, rate != 0};
      },
      [](std::size_t, Operation operation, const Moving* operands) { return apply_moving(operation, operands); });
  const internal::Jet<double>& result = stack[0].jet;
  return {result.value, result.first, result.second};
}

std::optional<Expression::Switch> Expression::find_switch(std::span<const double> values, std::size_t index,
                                                          double from, double to) const {
  THENAR_DEMAND(values.size() >= variable_count_);
  if (!has_pieces_) return std::nullopt;
  const std::optional<internal::Bracket> found = internal::find_switch(code_, values, index, from, to);
  return found ? std::optional<Switch>({found->before, found->after}) : std::nullopt;
}

}  // namespace thenar
