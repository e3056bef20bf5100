// Numbers and sections of a Gmsh file, text or binary.
#pragma once

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "mesh/core/words.hpp"
#include "mesh/files/source.hpp"

namespace livens {

class GmshCursor {
 public:
  explicit GmshCursor(const MeshSource& source) : source_(source), text_(source.bytes) {}

  bool binary = false;       // numbers; sections and their names are text in any case
  const char* section = "";  // for messages
  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return text_.size() - at_; }

  [[noreturn]] void fail(std::size_t offset, const std::string& text) const {
    if (binary) source_.fail_byte(offset, text);
    source_.fail_line(offset, text);
  }
  [[noreturn]] void fail(const std::string& text) const { fail(at_, text); }

  // An integer of 4 or 8 bytes, or its digits.
  long integer(int bytes, const char* what) {
    if (!binary) return text_number<long>(what);
    if (bytes == 8) return raw<std::int64_t>(what);
    return raw<std::int32_t>(what);
  }
  double real(const char* what) { return binary ? raw<double>(what) : text_number<double>(what); }

  // A count of things that take at least that many numbers (of at least 4 bytes, or digit and blank) each.
  std::size_t count(int bytes, std::size_t numbers_each, const char* what) {
    const std::size_t begin = begin_of_number();
    return checked_count(integer(bytes, what), numbers_each, what, begin);
  }
  std::size_t text_count(std::size_t numbers_each, const char* what) {
    const std::size_t begin = begin_of_number();
    return checked_count(text_number<long>(what), numbers_each, what, begin);
  }

  long text_integer(const char* what) { return text_number<long>(what); }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  // What is left of the line; the cursor stands behind its end.
  std::string_view rest_of_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = std::min(end + 1, text_.size());
    return line;
  }
  std::string_view word() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool at_end() const { return at_ >= text_.size(); }

  void expect_end_of_section() {
    skip_space();
    const std::size_t begin = at_;
    const std::string expected = end_of(section);
    if (at_end()) fail("the file ends before " + expected + ": is it complete?");
    if (const std::string_view found = word(); found != expected)
      fail(begin, "expected " + expected + ", found " + quoted_excerpt(found) + ": more entries than announced?");
  }
  void skip_section(std::string_view name) {
    const std::string end = end_of(name);
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail("the file ends before " + quoted_excerpt(end) + ": is it complete?");
    at_ = found + end.size();
  }

 private:
  // "$EndNodes"; the names of version 1 have capitals only.
  static std::string end_of(std::string_view name) {
    const bool capitals = name.size() > 1 && name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
    return (capitals ? "$END" : "$End") + std::string(name.substr(1));
  }

  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  std::size_t begin_of_number() {
    if (!binary) skip_space();
    return at_;
  }
  [[noreturn]] void fail_at_end(const char* what) const {
    fail(text_.size(), std::string("the file ends where ") + what + " should be: is it complete?");
  }

  template <class T>
  T text_number(const char* what) {
    skip_space();
    if (at_end()) fail_at_end(what);
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + text_.size();
    T value{};
    const auto parsed = std::from_chars(first, last, value);
    if (parsed.ec == std::errc() && (parsed.ptr == last || is_space(*parsed.ptr))) {
      at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
      return value;
    }
    const std::size_t begin = at_;
    const std::string_view found = word();
    fail(begin, std::string("expected ") + what + ", found " + quoted_excerpt(found));
  }

  template <class T>
  T raw(const char* what) {
    if (remaining() < sizeof(T)) fail_at_end(what);
    T value;
    std::memcpy(&value, text_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::size_t checked_count(long count, std::size_t numbers_each, const char* what, std::size_t begin) const {
    const std::size_t bytes_each = numbers_each * (binary ? 4 : 2);
    if (count < 0) fail(begin, std::string(what) + " is negative (" + std::to_string(count) + ")");
    if (static_cast<std::size_t>(count) > (remaining() + 1) / bytes_each)
      fail(begin, std::string(what) + " is " + grouped(count) + ", but only " +
                      grouped(static_cast<long>(remaining())) + " bytes follow: is the file complete?");
    if (count > 200'000'000) fail(begin, std::string(what) + " is " + grouped(count) + ": too many to be numbered");
    return static_cast<std::size_t>(count);
  }

  const MeshSource& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace livens
