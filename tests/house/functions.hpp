// Finds the functions of a C++ file by matching braces: enough for code that clang-format has been over.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace livens::house {

struct Function {
  std::string head;  // what stands before its body
  int first = 0, last = 0;
  int lines() const { return last - first + 1; }
};

// The code with comments, literals and directives blanked out; lines and columns stay.
class Blanked {
 public:
  explicit Blanked(std::string_view code) : code_(code), out_(code) {
    while (at_ < code_.size()) step();
  }
  const std::string& text() const { return out_; }

 private:
  bool here(std::string_view what) const { return code_.substr(at_, what.size()) == what; }
  void blank(std::size_t end) {
    for (end = std::min(end, code_.size()); at_ < end; ++at_)
      if (code_[at_] != '\n') out_[at_] = ' ';
  }
  std::size_t after(std::string_view what, std::size_t from) const {
    const std::size_t found = code_.find(what, from);
    return found == std::string_view::npos ? code_.size() : found + what.size();
  }
  bool begins_line() const {
    const std::size_t line = code_.rfind('\n', at_ == 0 ? 0 : at_ - 1);
    return code_.find_first_not_of(" \t", line == std::string_view::npos || at_ == 0 ? 0 : line + 1) == at_;
  }
  std::size_t end_of_quote(char quote) const {
    std::size_t end = at_ + 1;
    while (end < code_.size() && code_[end] != quote) end += code_[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  std::size_t end_of_directive() const {
    std::size_t end = code_.find('\n', at_);
    while (end != std::string_view::npos && code_[end - 1] == '\\') end = code_.find('\n', end + 1);
    return end == std::string_view::npos ? code_.size() : end;
  }
  void step() {
    const bool digit_before = at_ > 0 && std::isxdigit(static_cast<unsigned char>(code_[at_ - 1]));
    if (here("//")) return blank(std::min(code_.find('\n', at_), code_.size()));
    if (here("/*")) return blank(after("*/", at_));
    if (here("R\"")) {
      const std::size_t open = code_.find('(', at_);
      const std::string close = ")" + std::string(code_.substr(at_ + 2, open - at_ - 2)) + "\"";
      return blank(after(close, open));
    }
    if (code_[at_] == '"' || (code_[at_] == '\'' && !digit_before)) return blank(end_of_quote(code_[at_]));
    if (code_[at_] == '#' && begins_line()) return blank(end_of_directive());
    ++at_;
  }

  std::string_view code_;
  std::string out_;
  std::size_t at_ = 0;
};

class FunctionFinder {
 public:
  explicit FunctionFinder(std::string_view code) : text_(Blanked(code).text()) {
    for (; at_ < text_.size(); ++at_) step();
  }
  const std::vector<Function>& functions() const { return functions_; }
  bool balanced() const { return open_.empty(); }

 private:
  enum class Scope { names, function, values };  // namespaces and classes; bodies; initialisers

  bool head_has(std::string_view word) const {
    for (std::size_t at = head_.find(word); at != std::string::npos; at = head_.find(word, at + 1)) {
      const bool before =
          at == 0 || (std::isalnum(static_cast<unsigned char>(head_[at - 1])) == 0 && head_[at - 1] != '_');
      const std::size_t end = at + word.size();
      const bool behind =
          end >= head_.size() || (std::isalnum(static_cast<unsigned char>(head_[end])) == 0 && head_[end] != '_');
      if (before && behind) return true;
    }
    return false;
  }
  Scope opened() const {
    const bool inside = !open_.empty() && open_.back() != Scope::names;
    if (inside) return Scope::values;
    const std::size_t bracket = head_.find('(');
    if (bracket == std::string::npos) {
      const bool names = head_has("namespace") || head_has("class") || head_has("struct") || head_has("union") ||
                         head_has("extern") || head_has("enum");
      return names ? Scope::names : Scope::values;
    }
    // a_{b} in a list of initialisers, or a value: a word or = stands right before the brace.
    const char last = head_.back();
    const bool list = head_.find(" : ") != std::string::npos || head_.find(") :") != std::string::npos;
    if (last == '=' || (list && last != ')' && last != '}' && !head_has("const") && !head_has("noexcept")))
      return Scope::values;
    return Scope::function;
  }
  char next_sign() const {
    const std::size_t next = text_.find_first_not_of(" \n\t", at_ + 1);
    return next == std::string::npos ? '\0' : text_[next];
  }
  void close() {
    if (open_.empty()) return;
    const Scope scope = open_.back();
    open_.pop_back();
    const bool outside = open_.empty() || open_.back() == Scope::names;
    if (scope == Scope::function) {
      functions_.back().last = line_;
      functions_.back().head = function_head_;
    }
    if (!outside) return;
    // The body follows a list of initialisers.
    if (scope == Scope::values && (next_sign() == ',' || next_sign() == '{'))
      head_ += '}';
    else
      head_.clear();
  }
  void step() {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    const bool outside = open_.empty() || open_.back() == Scope::names;
    if (c == '{') {
      const Scope scope = opened();
      if (scope == Scope::function) {
        functions_.push_back({"", first_, line_});
        function_head_ = head_;
      }
      open_.push_back(scope);
      if (scope == Scope::names) head_.clear();
    } else if (c == '}') {
      close();
    } else if (outside && c == ';') {
      head_.clear();
    } else if (outside && std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (head_.empty()) first_ = line_;
      if (!head_.empty() && std::isspace(static_cast<unsigned char>(text_[at_ - 1])) != 0) head_ += ' ';
      head_ += c;
    }
  }

  std::string text_, head_, function_head_;
  std::vector<Function> functions_;
  std::vector<Scope> open_;
  std::size_t at_ = 0;
  int line_ = 1, first_ = 1;
};

}  // namespace livens::house
