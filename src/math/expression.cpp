// The parser of the expression language, and what expressions do with plain doubles.
//
// A Pratt parser emits instructions directly: constants are folded as they appear, equal instructions are merged,
// and what the result does not need is dropped at the end.
#include "math/expression.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <numbers>
#include <optional>
#include <utility>

namespace livens {

template Dual Expression::sweep<Dual>(Workspace<Dual>&) const;

namespace {

using detail::Instruction;
using detail::Op;
using detail::Program;

struct Function {
  std::string_view name;
  Op op;
  std::size_t arity;
};

constexpr std::array functions = {
    Function{"sin", Op::sin, 1},    Function{"cos", Op::cos, 1},   Function{"tan", Op::tan, 1},
    Function{"asin", Op::asin, 1},  Function{"acos", Op::acos, 1}, Function{"atan", Op::atan, 1},
    Function{"sinh", Op::sinh, 1},  Function{"cosh", Op::cosh, 1}, Function{"tanh", Op::tanh, 1},
    Function{"exp", Op::exp, 1},    Function{"log", Op::log, 1},   Function{"sqrt", Op::sqrt, 1},
    Function{"abs", Op::abs, 1},    Function{"min", Op::min, 2},   Function{"max", Op::max, 2},
    Function{"atan2", Op::atan2, 2}};

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

/// A number known now, or the node that will hold it.
struct Operand {
  bool is_constant = true;
  double value = 0.0;
  std::uint16_t node = 0;
};

double folded(Op op, double a, double b) {
  switch (op) {
    case Op::negate: return -a;
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return detail::is_integer(b) ? detail::integer_power(a, static_cast<int>(b)) : std::pow(a, b);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::atan2: return std::atan2(a, b);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::abs(a);
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

/// Whether multiplying by c never rounds (short of overflow and underflow).
bool is_power_of_two(double c) {
  int exponent = 0;
  return std::abs(std::frexp(c, &exponent)) == 0.5;
}

/// Collects the nodes of a program: variables and instructions, in the order of first use.
class Builder {
 public:
  Operand variable(std::size_t slot) {
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (nodes_[node].is_variable && nodes_[node].slot == slot) return at(node);
    nodes_.push_back({true, slot, {}});
    return at(nodes_.size() - 1);
  }

  Operand unary(Op op, const Operand& a) {
    if (a.is_constant) return {true, folded(op, a.value, 0.0)};
    if (op == Op::negate)
      if (const Instruction* inner = instruction(a, Op::scale)) return emit_scale(-inner->constant, at(inner->a));
    return emit({.a = a.node, .op = op, .arity = 1});
  }

  Operand binary(Op op, const Operand& a, const Operand& b) {
    if (a.is_constant && b.is_constant) return {true, folded(op, a.value, b.value)};
    if (op == Op::power) return power(a, b);
    if (a.is_constant || b.is_constant)
      if (const std::optional<Operand> shorter = with_constant(op, a, b)) return *shorter;
    return emit_binary(op, node_of(a), node_of(b));
  }

  Operand select(Op op, const Operand& left, const Operand& right, const Operand& a, const Operand& b) {
    if (left.is_constant && right.is_constant)
      return (op == Op::select_less ? left.value < right.value : left.value <= right.value) ? a : b;
    if (a.is_constant && b.is_constant &&
        std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value))
      return a;
    return emit(
        {.a = node_of(a), .b = node_of(b), .c_node = node_of(left), .d_node = node_of(right), .op = op, .arity = 2});
  }

  /// Keeps what `result` needs, with the variables first.
  Program program(const Operand& result) const {
    Program program;
    if (result.is_constant) {
      program.constant = result.value;
      return program;
    }
    const std::vector<bool> needed = nodes_needed(result.node);
    std::vector<std::uint16_t> place(nodes_.size());
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (needed[node] && nodes_[node].is_variable) program.used.push_back(nodes_[node].slot);
    std::sort(program.used.begin(), program.used.end());

    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!needed[node]) continue;
      if (nodes_[node].is_variable) {
        const auto found = std::lower_bound(program.used.begin(), program.used.end(), nodes_[node].slot);
        place[node] = static_cast<std::uint16_t>(found - program.used.begin());
      } else {
        place[node] = static_cast<std::uint16_t>(program.node_count());
        Instruction i = nodes_[node].instruction;
        if (i.arity >= 1) i.a = place[i.a];
        if (i.arity == 2) i.b = place[i.b];
        if (compares(i)) i.c_node = place[i.c_node], i.d_node = place[i.d_node];
        program.code.push_back(i);
      }
    }
    return program;
  }

 private:
  struct Node {
    bool is_variable = false;
    std::size_t slot = 0;
    Instruction instruction;
  };

  static bool compares(const Instruction& i) { return i.op == Op::select_less || i.op == Op::select_less_equal; }

  static bool same(const Instruction& i, const Instruction& j) {
    return i.op == j.op && i.arity == j.arity && i.a == j.a && i.b == j.b && i.c_node == j.c_node &&
           i.d_node == j.d_node && i.exponent == j.exponent &&
           std::bit_cast<std::uint64_t>(i.constant) == std::bit_cast<std::uint64_t>(j.constant);
  }

  static Operand at(std::size_t node) { return {false, 0.0, static_cast<std::uint16_t>(node)}; }

  const Instruction* instruction(const Operand& a, Op op) const {
    const Node& node = nodes_[a.node];
    return !node.is_variable && node.instruction.op == op ? &node.instruction : nullptr;
  }

  std::uint16_t node_of(const Operand& a) {
    return a.is_constant ? emit({.constant = a.value, .op = Op::constant}).node : a.node;
  }

  Operand emit(const Instruction& wanted) {
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (!nodes_[node].is_variable && same(nodes_[node].instruction, wanted)) return at(node);
    nodes_.push_back({false, 0, wanted});
    return at(nodes_.size() - 1);
  }

  Operand emit_binary(Op op, std::uint16_t a, std::uint16_t b) {
    if (op == Op::multiply && a == b) return emit({.a = a, .op = Op::square, .arity = 1});
    if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
    return emit({.a = a, .b = b, .op = op, .arity = 2});
  }

  Operand emit_with(Op op, double constant, const Operand& a) {
    return emit({.constant = constant, .a = a.node, .op = op, .arity = 1});
  }

  /// c * a; two factors become one where that changes no bit of the result.
  Operand emit_scale(double c, const Operand& a) {
    if (c == 1.0) return a;
    if (c == -1.0) return unary(Op::negate, a);
    if (const Instruction* inner = instruction(a, Op::scale)) {
      const double both = c * inner->constant;
      if ((is_power_of_two(c) || is_power_of_two(inner->constant)) && std::isnormal(both))
        return emit_scale(both, at(inner->a));
    }
    return emit_with(Op::scale, c, a);
  }

  std::optional<Operand> with_constant(Op op, const Operand& a, const Operand& b) {
    const double c = a.is_constant ? a.value : b.value;
    const Operand& x = a.is_constant ? b : a;
    switch (op) {
      case Op::add: return c == 0.0 ? x : emit_with(Op::shift, c, x);
      case Op::subtract:
        if (a.is_constant) return c == 0.0 ? unary(Op::negate, x) : emit_with(Op::subtract_from, c, x);
        return c == 0.0 ? x : emit_with(Op::shift, -c, x);
      case Op::multiply: return emit_scale(c, x);
      case Op::divide:
        if (a.is_constant) return emit_with(Op::divide_into, c, x);
        if (is_power_of_two(c) && std::isnormal(1.0 / c)) return emit_scale(1.0 / c, x);
        return emit_with(Op::divide_by, c, x);
      default: return std::nullopt;
    }
  }

  Operand power(const Operand& base, const Operand& exponent) {
    constexpr double largest_integer = 64.0;
    if (base.is_constant) return emit_with(Op::power_of, base.value, exponent);
    if (!exponent.is_constant) return emit_binary(Op::power, base.node, exponent.node);
    const double p = exponent.value;
    if (p == 0.0) return {true, 1.0};
    if (p == 1.0) return base;
    if (p == 2.0) return emit({.a = base.node, .op = Op::square, .arity = 1});
    if (p == 0.5) return emit({.a = base.node, .op = Op::sqrt, .arity = 1});
    if (std::abs(p) <= largest_integer && detail::is_integer(p))
      return emit({.a = base.node, .exponent = static_cast<std::int16_t>(p), .op = Op::power_integer, .arity = 1});
    return emit_with(Op::power_constant, p, base);
  }

  std::vector<bool> nodes_needed(std::size_t result) const {
    std::vector<bool> needed(nodes_.size(), false);
    needed[result] = true;
    for (std::size_t node = result + 1; node-- > 0;) {
      if (!needed[node] || nodes_[node].is_variable) continue;
      const Instruction& i = nodes_[node].instruction;
      if (i.arity >= 1) needed[i.a] = true;
      if (i.arity == 2) needed[i.b] = true;
      if (compares(i)) needed[i.c_node] = needed[i.d_node] = true;
    }
    return needed;
  }

  std::vector<Node> nodes_;
};

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
    for (const Function& function : functions) suggestion.consider(function.name);
    suggestion.consider(conditional);
    fail("unknown function " + quoted(word) + suggestion.text(), offset);
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
  Builder builder_;
};

/// The value, from nodes of which the variables are filled in.
template <class S>
S run_values(const Program& program, S* nodes) {
  detail::run<detail::Sweep::values, S>(program, nodes, nullptr, nullptr, nullptr);
  return nodes[program.node_count() - 1];
}

}  // namespace

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

double Expression::evaluate(std::span<const double> x) const { return evaluate<double>(x); }

double Expression::gradient(std::span<const double> x, std::span<double> g, Workspace<double>& workspace) const {
  const auto value = gradient<double>(x, g, workspace);
  const bool undefined =
      std::any_of(program_->used.begin(), program_->used.end(), [&](std::size_t slot) { return std::isnan(g[slot]); });
  if (undefined && !std::isnan(value)) gradient_by_duals(x, g);
  return value;
}

double Expression::hessian(std::span<const double> x, std::span<double> gradient, std::span<double> hessian_row_major,
                           Workspace<Dual>& workspace) const {
  const std::size_t n = gradient.size();
  assert(x.size() >= variable_count() && n == x.size() && hessian_row_major.size() == n * n);
  const Program& program = *program_;
  const std::size_t count = program.used.size();
  if (count < n) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    std::fill(hessian_row_major.begin(), hessian_row_major.end(), 0.0);
  }
  if (program.used.empty()) return program.constant;

  workspace.reserve(program.node_count());
  for (std::size_t k = 0; k < count; ++k) {
    workspace.nodes_[k] = Dual(x[program.used[k]]);
    workspace.adjoints_[k] = Dual();
  }
  double value = 0.0;
  bool undefined = false;
  for (std::size_t row = 0; row < count; ++row) {
    workspace.nodes_[row].derivative = 1.0;
    value = sweep(workspace).value;
    workspace.nodes_[row].derivative = 0.0;
    const std::size_t i = program.used[row];
    gradient[i] = workspace.adjoints_[row].value;
    undefined = undefined || std::isnan(gradient[i]);
    for (std::size_t column = 0; column < count; ++column) {
      const std::size_t j = program.used[column];
      const double second = std::exchange(workspace.adjoints_[column], Dual()).derivative;
      if (column > row) continue;
      hessian_row_major[i * n + j] = hessian_row_major[j * n + i] = second;
      undefined = undefined || std::isnan(second);
    }
  }
  if (undefined && !std::isnan(value)) hessian_by_jets(x, gradient, hessian_row_major);
  return value;
}

// Backwards, 0 * inf appears at points where a part is singular although no variable moves it (sqrt(x^2 + y^2) at
// the origin), or behind the branch of an `if` that is not taken. Forwards, jets give the one-sided answer.
void Expression::gradient_by_duals(std::span<const double> x, std::span<double> g) const {
  const Program& program = *program_;
  detail::NodeBuffer<Dual> buffer(program.node_count());
  Dual* const nodes = buffer.data();
  for (std::size_t k = 0; k < program.used.size(); ++k) nodes[k] = Dual(x[program.used[k]]);
  for (std::size_t k = 0; k < program.used.size(); ++k) {
    nodes[k].derivative = 1.0;
    g[program.used[k]] = run_values(program, nodes).derivative;
    nodes[k].derivative = 0.0;
  }
}

void Expression::hessian_by_jets(std::span<const double> x, std::span<double> g, std::span<double> h) const {
  using Pair = Jet2<2>;
  const Program& program = *program_;
  const std::size_t n = g.size(), count = program.used.size();
  detail::NodeBuffer<Pair> buffer(program.node_count());
  Pair* const nodes = buffer.data();
  for (std::size_t k = 0; k < count; ++k) nodes[k] = Pair(x[program.used[k]]);
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t i = program.used[row];
    nodes[row].gradient[0] = 1.0;
    for (std::size_t column = 0; column <= row; ++column) {
      const std::size_t j = program.used[column];
      if (column < row) nodes[column].gradient[1] = 1.0;
      const Pair value = run_values(program, nodes);
      nodes[column].gradient[1] = 0.0;
      g[i] = value.gradient[0];
      h[i * n + j] = h[j * n + i] = column < row ? value.hessian(0, 1) : value.hessian(0, 0);
    }
    nodes[row].gradient[0] = 0.0;
  }
}

}  // namespace livens
