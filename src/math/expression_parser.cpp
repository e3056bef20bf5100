// The parser of the expression language, a Pratt parser that hands its operations to a builder, and its messages.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "math/expression.hpp"
#include "math/expression_builder.hpp"

namespace livens {
namespace {

using detail::Op;
using detail::Operand;
using detail::Program;
using detail::ProgramBuilder;

struct KnownFunction {
  std::string_view name;
  Op op;
  std::size_t arity;
  std::string_view form, brief;
};

constexpr std::array functions = {
    KnownFunction{"sin", Op::sin, 1, "sin(x)", "sine of an angle in radians"},
    KnownFunction{"cos", Op::cos, 1, "cos(x)", "cosine of an angle in radians"},
    KnownFunction{"tan", Op::tan, 1, "tan(x)", "tangent of an angle in radians"},
    KnownFunction{"asin", Op::asin, 1, "asin(x)", "inverse sine in radians, -1 <= x <= 1"},
    KnownFunction{"acos", Op::acos, 1, "acos(x)", "inverse cosine in radians, -1 <= x <= 1"},
    KnownFunction{"atan", Op::atan, 1, "atan(x)", "inverse tangent in radians"},
    KnownFunction{"sinh", Op::sinh, 1, "sinh(x)", "hyperbolic sine"},
    KnownFunction{"cosh", Op::cosh, 1, "cosh(x)", "hyperbolic cosine"},
    KnownFunction{"tanh", Op::tanh, 1, "tanh(x)", "hyperbolic tangent"},
    KnownFunction{"exp", Op::exp, 1, "exp(x)", "e to the power of x"},
    KnownFunction{"log", Op::log, 1, "log(x)", "natural logarithm, x > 0"},
    KnownFunction{"sqrt", Op::sqrt, 1, "sqrt(x)", "square root, x >= 0"},
    KnownFunction{"abs", Op::abs, 1, "abs(x)", "absolute value; its derivative at 0 is taken as 0"},
    KnownFunction{"min", Op::min, 2, "min(x, y)", "the smaller of two"},
    KnownFunction{"max", Op::max, 2, "max(x, y)", "the larger of two"},
    KnownFunction{"atan2", Op::atan2, 2, "atan2(y, x)", "angle of the point (x, y) in radians, -pi to pi"}};

constexpr std::string_view conditional = "if";

/// Names that other languages use.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> foreign_names = {{{"ln", "log"},
                                                                                         {"pow", "^"},
                                                                                         {"fabs", "abs"},
                                                                                         {"arcsin", "asin"},
                                                                                         {"arccos", "acos"},
                                                                                         {"arctan", "atan"},
                                                                                         {"arctan2", "atan2"},
                                                                                         {"where", "if"}}};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string quoted(std::string_view word) {
  constexpr std::size_t limit = 40;
  return "'" + std::string(word.substr(0, limit)) + (word.size() > limit ? "..." : "") + "'";
}

std::string shortest(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

/// Letters to insert, drop, replace or swap to turn one name into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Keeps the nearest of the names it is shown.
class Suggestion {
 public:
  explicit Suggestion(std::string_view wanted) : wanted_(wanted) {}

  void consider(std::string_view name) {
    const std::size_t longer = std::max(name.size(), wanted_.size()), shorter = std::min(name.size(), wanted_.size());
    if (longer - shorter > 2 || longer > 64) return;
    const std::size_t distance = edit_distance(wanted_, name);
    const std::size_t allowed = longer <= 2 ? 0 : (longer <= 5 ? 1 : 2);
    if (distance > allowed || distance >= best_distance_) return;
    best_ = name;
    best_distance_ = distance;
  }

  std::string text() const { return best_.empty() ? "" : "; did you mean " + quoted(best_) + "?"; }

 private:
  std::string_view wanted_, best_;
  std::size_t best_distance_ = std::numeric_limits<std::size_t>::max();
};

std::string function_names() {
  std::string names;
  for (const KnownFunction& function : functions) names += std::string(function.name) + ", ";
  return names + std::string(conditional);
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> variables,
         const std::map<std::string, double, std::less<>>& constants)
      : text_(text), variables_(variables), constants_(constants) {}

  Program parse() {
    if (text_.size() > Expression::max_text_size)
      fail("the expression is longer than " + std::to_string(Expression::max_text_size) + " bytes",
           Expression::max_text_size);
    const Operand result = expression(0);
    if (!at_end()) fail_at_operator("an operator or the end");
    Program program = builder_.program(result);
    program.text = text_;
    program.variable_count = variables_.size();
    for (const std::size_t slot : program.used) program.names.push_back(variables_[slot]);
    return program;
  }

 private:
  // How tightly an operator holds its operands.
  static constexpr int sum = 10, product = 20, sign = 25, power = 30;

  struct Infix {
    Op op;
    int left, right;
  };

  static std::optional<Infix> infix(char c) {
    switch (c) {
      case '+': return Infix{Op::add, sum, sum + 1};
      case '-': return Infix{Op::subtract, sum, sum + 1};
      case '*': return Infix{Op::multiply, product, product + 1};
      case '/': return Infix{Op::divide, product, product + 1};
      case '^': return Infix{Op::power, power, power};
      default: return std::nullopt;
    }
  }

  [[noreturn]] static void fail(const std::string& message, std::size_t offset) {
    throw ExpressionError(message, offset);
  }

  /// Counts one level of nesting as long as it lives.
  class Level {
   public:
    Level(Parser& parser, std::size_t offset) : parser_(parser) {
      if (++parser_.nesting_ > Expression::max_nesting)
        fail("the expression is nested deeper than " + std::to_string(Expression::max_nesting) + " levels", offset);
    }
    ~Level() { --parser_.nesting_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  void skip_space() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  }
  bool at_end() {
    skip_space();
    return position_ == text_.size();
  }
  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (at_end() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  std::string_view name_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() && (starts_name(text_[end]) || is_digit(text_[end]))) ++end;
    return text_.substr(begin, end - begin);
  }

  /// The next word, number or character, for a message.
  std::string found() {
    if (at_end()) return "the end";
    const char c = text_[position_];
    if (starts_name(c) || is_digit(c)) return quoted(name_at(position_));
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      std::array<char, 16> byte{};
      std::snprintf(byte.data(), byte.size(), "byte 0x%02X", static_cast<unsigned>(c));
      return byte.data();
    }
    std::size_t end = position_ + 1;
    while (end < text_.size() && end < position_ + 4 && continues_code_point(text_[end])) ++end;
    return quoted(text_.substr(position_, end - position_));
  }

  [[noreturn]] void fail_expected(const std::string& expected) {
    if (at_end()) fail("unexpected end: expected " + expected, text_.size());
    fail("unexpected " + found() + ": expected " + expected, position_);
  }

  /// A fault behind a complete operand.
  [[noreturn]] void fail_at_operator(const std::string& expected) {
    const char c = peek();
    std::string hint;
    if (starts_name(c) || is_digit(c) || c == '(' || c == '.')
      hint = "; to multiply, write '*'";
    else if (c == '<' || c == '>')
      hint = "; a comparison stands only in the first argument of 'if'";
    else if (c == ')')
      hint = "; no '(' is open";
    if (at_end()) fail("unexpected end: expected " + expected, text_.size());
    fail("unexpected " + found() + ": expected " + expected + hint, position_);
  }

  void expect_close(std::size_t open) {
    if (accept(')')) return;
    const std::string expected = "expected ')' to close the '(' at offset " + std::to_string(open);
    if (at_end()) fail("unexpected end: " + expected, text_.size());
    const char c = text_[position_];
    const bool operand = starts_name(c) || is_digit(c) || c == '(' || c == '.';
    fail(expected + ", found " + found() + (operand ? "; to multiply, write '*'" : ""), position_);
  }

  /// Reports a constant part that is not a number, unless an `if` has already discarded it.
  Operand checked(Operand result, std::size_t offset, const std::string& what) const {
    if (result.is_constant && !std::isfinite(result.value) && discarded_ == 0)
      fail(what + " is not finite: it gives " + shortest(result.value), offset);
    return result;
  }

  Operand expression(int weakest) {
    Operand left = prefix();
    while (!at_end()) {
      const std::size_t offset = position_;
      const std::optional<Infix> operation = infix(text_[position_]);
      if (!operation || operation->left < weakest) break;
      ++position_;
      if (operation->op == Op::multiply && position_ < text_.size() && text_[position_] == '*')
        fail("unexpected '**': for a power, write '^'", offset);
      left = apply(*operation, left, right_operand(*operation, offset), offset);
    }
    return left;
  }

  Operand right_operand(const Infix& operation, std::size_t offset) {
    if (operation.op != Op::power) return expression(operation.right);
    const Level level(*this, offset);
    return expression(operation.right);
  }

  Operand apply(const Infix& operation, const Operand& a, const Operand& b, std::size_t offset) {
    if (operation.op == Op::divide && b.is_constant && b.value == 0.0 && discarded_ == 0)
      fail("division by zero: the divisor is the constant 0", offset);
    const Operand result = builder_.binary(operation.op, a, b);
    if (!result.is_constant || std::isfinite(result.value) || discarded_ != 0) return result;
    return checked(result, offset, "the constant " + shortest(a.value) + ' ' + text_[offset] + ' ' + shortest(b.value));
  }

  Operand prefix() {
    const char c = peek();
    const std::size_t offset = position_;
    if (is_digit(c) || c == '.') return number();
    if (starts_name(c)) return name();
    if (accept('(')) {
      const Level level(*this, offset);
      const Operand inner = expression(0);
      expect_close(offset);
      return inner;
    }
    if (accept('-')) {
      const Level level(*this, offset);
      return builder_.unary(Op::negate, expression(sign));
    }
    if (accept('+')) {
      const Level level(*this, offset);
      return expression(sign);
    }
    fail_expected("a number, a name or '('");
  }

  Operand number() {
    const char* const begin = text_.data() + position_;
    double value = 0.0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::invalid_argument) fail_expected("a number, a name or '('");
    const std::string_view digits(begin, end - begin);
    if (error != std::errc{}) fail("the number " + quoted(digits) + " is out of range", position_);
    position_ += digits.size();
    return {true, value};
  }

  Operand name() {
    const std::size_t offset = position_;
    const std::string_view word = name_at(position_);
    position_ += word.size();
    if (peek() == '(') return call(word, offset);

    const auto variable = std::find(variables_.begin(), variables_.end(), word);
    if (variable != variables_.end()) return builder_.variable(variable - variables_.begin());
    if (const auto constant = constants_.find(word); constant != constants_.end())
      return checked({true, constant->second}, offset, "the constant " + quoted(word));
    if (word == "pi") return {true, std::numbers::pi};
    fail_unknown(word, offset);
  }

  bool is_value(std::string_view word) const {
    return std::find(variables_.begin(), variables_.end(), word) != variables_.end() ||
           constants_.find(word) != constants_.end() || word == "pi";
  }

  [[noreturn]] void fail_unknown(std::string_view word, std::size_t offset) const {
    const auto function = std::find_if(functions.begin(), functions.end(), [&](auto& f) { return f.name == word; });
    if (function != functions.end() || word == conditional)
      fail("the function " + quoted(word) + " needs its arguments: expected '(' behind it", offset + word.size());
    Suggestion suggestion(word);
    for (const std::string& variable : variables_) suggestion.consider(variable);
    for (const auto& [constant, value] : constants_) suggestion.consider(constant);
    suggestion.consider("pi");
    fail("unknown name " + quoted(word) + suggestion.text(), offset);
  }

  [[noreturn]] void fail_unknown_function(std::string_view word, std::size_t offset) const {
    if (is_value(word)) fail(quoted(word) + " is not a function; to multiply, write '*'", offset);
    for (const auto& [foreign, own] : foreign_names)
      if (word == foreign) fail("unknown function " + quoted(word) + "; did you mean " + quoted(own) + "?", offset);
    Suggestion suggestion(word);
    for (const KnownFunction& function : functions) suggestion.consider(function.name);
    suggestion.consider(conditional);
    const std::string near = suggestion.text();
    fail("unknown function " + quoted(word) + (near.empty() ? "; there are " + function_names() : near), offset);
  }

  Operand call(std::string_view word, std::size_t offset) {
    const Level level(*this, offset);
    if (word == conditional) return choice(offset);
    const auto function = std::find_if(functions.begin(), functions.end(), [&](auto& f) { return f.name == word; });
    if (function == functions.end()) fail_unknown_function(word, offset);

    const std::size_t open = position_++;
    std::array<Operand, 2> arguments;
    std::size_t count = 0;
    if (peek() != ')') do {
        const Operand argument = expression(0);
        if (count < arguments.size()) arguments[count] = argument;
        ++count;
      } while (accept(','));
    expect_close(open);
    require_arity(word, function->arity, count, offset);

    const Operand result = count == 1 ? builder_.unary(function->op, arguments[0])
                                      : builder_.binary(function->op, arguments[0], arguments[1]);
    if (!result.is_constant || std::isfinite(result.value)) return result;
    std::string what = std::string(word) + '(' + shortest(arguments[0].value);
    if (count == 2) what += ", " + shortest(arguments[1].value);
    return checked(result, offset, what + ')');
  }

  static void require_arity(std::string_view word, std::size_t expected, std::size_t count, std::size_t offset) {
    if (count == expected) return;
    fail("function " + quoted(word) + " takes " + std::to_string(expected) +
             (expected == 1 ? " argument" : " arguments") + ", got " + std::to_string(count),
         offset);
  }

  /// if(left < right, a, b)
  Operand choice(std::size_t offset) {
    const std::size_t open = position_++;
    if (peek() == ')') require_arity(conditional, 3, 0, offset);
    Operand left = expression(0);
    bool or_equal = false, swapped = false;
    comparison(or_equal, swapped);
    Operand right = expression(0);
    if (swapped) std::swap(left, right);

    const bool decided = left.is_constant && right.is_constant;
    const bool holds = or_equal ? left.value <= right.value : left.value < right.value;
    std::array<Operand, 2> branches;
    std::size_t count = 0;
    while (accept(',')) {
      const bool discard = decided && holds == (count == 1);
      discarded_ += discard ? 1 : 0;
      const Operand branch = expression(0);
      discarded_ -= discard ? 1 : 0;
      if (count < branches.size()) branches[count] = branch;
      ++count;
    }
    expect_close(open);
    require_arity(conditional, 3, count + 1, offset);
    return builder_.select(or_equal ? Op::select_less_equal : Op::select_less, left, right, branches[0], branches[1]);
  }

  void comparison(bool& or_equal, bool& swapped) {
    const char c = peek();
    if (c != '<' && c != '>') fail_expected("a comparison '<', '<=', '>' or '>=' in the first argument of 'if'");
    ++position_;
    swapped = c == '>';
    or_equal = position_ < text_.size() && text_[position_] == '=';
    if (or_equal) ++position_;
  }

  std::string_view text_;
  std::span<const std::string> variables_;
  const std::map<std::string, double, std::less<>>& constants_;
  std::size_t position_ = 0;
  int nesting_ = 0;
  int discarded_ = 0;  // how many branches that a constant condition never takes enclose the position
  ProgramBuilder builder_;
};

}  // namespace

const std::vector<ExpressionWord>& expression_words() {
  static const std::vector<ExpressionWord> words = [] {
    std::vector<ExpressionWord> all;
    for (const KnownFunction& f : functions)
      all.push_back({std::string(f.name), std::string(f.form), std::string(f.brief)});
    all.push_back({std::string(conditional), "if(a < b, x, y)", "x where the comparison holds, else y; < <= > >="});
    all.push_back({"pi", "pi", "3.14159..."});
    return all;
  }();
  return words;
}

std::string ExpressionError::in(std::string_view text, const std::string& where) const {
  const std::string sentence = "in '" + std::string(text) + "': " + what() + where;
  return sentence.ends_with('?') ? sentence : sentence + '.';
}

std::string caret(std::string_view text, std::size_t offset) {
  constexpr std::size_t reach = 50;  // bytes shown on each side
  offset = std::min(offset, text.size());
  std::size_t begin = offset > reach ? offset - reach : 0;
  std::size_t end = std::min(text.size(), offset + reach);
  while (begin > 0 && begin < offset && continues_code_point(text[begin])) ++begin;
  while (end < text.size() && continues_code_point(text[end])) ++end;

  std::string line = begin > 0 ? "..." : "";
  std::size_t column = line.size();
  for (std::size_t i = begin; i < end; ++i) {
    const bool control = static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F;
    line += control ? ' ' : text[i];
    if (i < offset && !continues_code_point(text[i])) ++column;
  }
  if (end < text.size()) line += "...";
  return line + '\n' + std::string(column, ' ') + '^';
}

Expression::Expression() : Expression(0.0) {}

Expression::Expression(double value) {
  auto program = std::make_shared<Program>();
  program->text = shortest(value);
  program->constant = value;
  program_ = std::move(program);
}

Expression Expression::parse(std::string_view text, std::span<const std::string> variables,
                             const std::map<std::string, double, std::less<>>& constants) {
  return Expression(std::make_shared<const Program>(Parser(text, variables, constants).parse()));
}

}  // namespace livens
