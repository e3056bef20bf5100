// A small scanner that follows strings, comments and brackets of TOML, and nothing more. Up to the first syntax error
// it agrees with the parser on what is a string; what comes after is never parsed.
#include "scene/screen.hpp"

#include <vector>

namespace livens {
namespace {

// Length of the UTF-8 sequence at the start of s; 0 if it is not one. Overlong forms, surrogates and code points above
// U+10FFFF are not.
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  const auto follows = [&](std::size_t k, unsigned low, unsigned high) {
    return k < s.size() && byte(k) >= low && byte(k) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

class Screen {
 public:
  Screen(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<SceneFault> run() {
    while (at_ < text_.size() && !fault_) {
      const std::size_t length = sequence_length(text_.substr(at_));
      if (length == 0) return fail("this byte is not UTF-8 text. Save the file as UTF-8.");
      if (text_[at_] == '\0') return fail("NUL byte: this is not a text file.");
      look(text_[at_]);
      step(length);
    }
    return fault_;
  }

 private:
  enum class Mode { plain, comment, string };

  bool at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  std::optional<SceneFault> fail(const std::string& message) {
    fault_ = SceneFault{{file_, line_, column_}, "", message};
    return fault_;
  }

  void step(std::size_t bytes) {
    const bool newline = text_[at_] == '\n';
    at_ += bytes;
    line_ += newline ? 1 : 0;
    column_ = newline ? 1 : column_ + 1;
  }

  void look(char c) {
    if (mode_ == Mode::comment) return look_in_comment(c);
    if (mode_ == Mode::string) return look_in_string(c);
    look_in_plain(c);
  }

  void look_in_comment(char c) {
    if (c == '\n') mode_ = Mode::plain;
  }

  void look_in_string(char c) {
    const bool multiline = quote_.size() == 3;
    if (c == '\\' && quote_[0] == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
      const auto next = static_cast<unsigned char>(text_[at_ + 1]);
      if (next > 0 && next < 0x80) step(1);  // an escaped quote ends nothing
    } else if (at(quote_)) {
      close_string();
    } else if (c == '\n' && !multiline) {
      mode_ = Mode::plain;  // a syntax error, which the parser will name
    }
  }

  // A multi-line string may end in one or two quotes of its own: the last three of the run close it.
  void close_string() {
    for (std::size_t k = 1; k < quote_.size(); ++k) step(1);
    if (quote_.size() == 3)
      while (at_ + 1 < text_.size() && text_[at_ + 1] == quote_[0]) step(1);
    mode_ = Mode::plain;
  }

  void open_string(char c) {
    const std::string triple(3, c);
    quote_ = at(triple) ? triple : std::string(1, c);
    for (std::size_t k = 1; k < quote_.size(); ++k) step(1);
    mode_ = Mode::string;
  }

  void look_in_plain(char c) {
    switch (c) {
      case '#': mode_ = Mode::comment; break;
      case '"':
      case '\'': open_string(c); break;
      case '.': count_dot(); break;
      case '=': key_dots_ = dots_, dots_ = 0; break;
      case '[':
      case '{': open_bracket(); break;
      case ']':
      case '}': close_bracket(); break;
      case ',': key_dots_ = dots_ = 0; break;
      case '\n': dots_ = 0; break;
      default: break;
    }
  }

  void count_dot() {
    if (++dots_ >= max_key_parts) fail("a key of more than " + std::to_string(max_key_parts) + " parts.");
  }

  // Every part of a dotted key in front of a bracket is a level of nesting, too.
  void open_bracket() {
    open_.push_back(1 + key_dots_);
    depth_ += open_.back();
    key_dots_ = dots_ = 0;
    if (depth_ > max_scene_nesting)
      fail("lists and tables are nested more than " + std::to_string(max_scene_nesting) + " deep.");
  }

  void close_bracket() {
    dots_ = key_dots_ = 0;
    if (open_.empty()) return;
    depth_ -= open_.back();
    open_.pop_back();
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  Mode mode_ = Mode::plain;
  std::string quote_;
  int dots_ = 0, key_dots_ = 0, depth_ = 0;
  std::vector<int> open_;
  std::optional<SceneFault> fault_;
};

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

SceneFault empty_scene(const std::string& file) {
  return {
      {file, 0, 0}, "", "the scene is empty; it needs at least time.end, [integrator], and a [system] or a [[body]]."};
}

std::optional<SceneFault> screen(std::string_view text, const std::string& file) {
  if (text.size() > max_scene_bytes)
    return SceneFault{{file, 0, 0},
                      "",
                      "the file has " + std::to_string(text.size() >> 20) +
                          " MB; a scene has at most 16. Keep data in files that the scene names."};
  if (blank(text)) return empty_scene(file);
  return Screen(text, file).run();
}

}  // namespace livens
