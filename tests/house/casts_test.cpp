// Casts that the house does without: terms say what they are, so nothing asks for their type at run time; indices are
// int or std::size_t as they come, and a subscript takes both.
#include <algorithm>

#include <gtest/gtest.h>

#include "house/functions.hpp"
#include "house/sources.hpp"

namespace livens::house {
namespace {

// In two parts, so that this file has neither.
const std::string asked_type = std::string("dynamic") + "_cast<",
                  widened = std::string("static") + "_cast<std::size_t>";

int line_of(const std::string& text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Whether a place of blanked code stands within [ ]: of the statement that it belongs to, brackets of any kind are
// open.
bool in_subscript(const std::string& text, std::size_t at) {
  std::string open;
  for (std::size_t k = 0; k < at; ++k) {
    const char c = text[k];
    if (c == '[' || c == '(' || c == '{') open += c;
    if ((c == ']' || c == ')' || c == '}') && !open.empty()) open.pop_back();
  }
  const std::size_t body = open.rfind('{');
  return open.find('[', body == std::string::npos ? 0 : body) != std::string::npos;
}

std::vector<int> lines_with(const std::string& code, const std::string& what, bool subscripts_only) {
  const std::string text = Blanked(code).text();
  std::vector<int> lines;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    if (!subscripts_only || in_subscript(text, at)) lines.push_back(line_of(text, at));
  return lines;
}

TEST(Casts, NothingAsksForATypeAtRunTime) {
  for (const std::string& file : sources({"include", "src", "app", "examples", "bench", "tests"}))
    for (const int line : lines_with(content(file), asked_type, false)) ADD_FAILURE() << file << ":" << line;
}

TEST(Casts, NoneInSubscripts) {
  for (const std::string& file : sources({"include", "src", "app", "examples", "bench", "tests"}))
    for (const int line : lines_with(content(file), widened, true)) ADD_FAILURE() << file << ":" << line;
}

// The finder itself: what it must find, and what it must leave alone.
TEST(Casts, AreFound) {
  const std::string code = "void f() {\n  a[" + widened + "(i) + 1] = 0;\n  b[c(d[" + widened + "(j)])];\n" +  //
                           "  g(a[1], " + widened + "(k));\n  // a[" + widened + "(i)]\n" +                    //
                           "  run([&] { return " + widened + "(m); });\n  " + asked_type + "B*>(p);\n}\n";
  EXPECT_EQ(lines_with(code, widened, true), (std::vector<int>{2, 3}));
  EXPECT_EQ(lines_with(code, widened, false), (std::vector<int>{2, 3, 4, 6}));
  EXPECT_EQ(lines_with(code, asked_type, false), (std::vector<int>{7}));
}

}  // namespace
}  // namespace livens::house
