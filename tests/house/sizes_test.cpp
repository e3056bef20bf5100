// No file above 500 lines, no function above 60.
#include <gtest/gtest.h>

#include "house/functions.hpp"
#include "house/sources.hpp"

namespace livens::house {
namespace {

constexpr int longest_file = 500, longest_function = 60;

TEST(Sizes, OfFiles) {
  int files = 0;
  for (const std::string& file : sources({"include", "src", "app", "examples", "bench", "tests"})) {
    const auto lines = static_cast<int>(lines_of(content(file)).size());
    EXPECT_LE(lines, longest_file) << file << " has " << lines << " lines";
    ++files;
  }
  EXPECT_GT(files, 300) << "the tree was looked at";
}

TEST(Sizes, OfScripts) {
  int files = 0;
  for (const std::string& file : sources({"src", "viewer/src", "viewer/tests", "tests"}, {".js", ".mjs", ".py"})) {
    const auto lines = static_cast<int>(lines_of(content(file)).size());
    EXPECT_LE(lines, longest_file) << file << " has " << lines << " lines";
    ++files;
  }
  EXPECT_GT(files, 30) << "the tree was looked at";
}

TEST(Sizes, OfFunctions) {
  int functions = 0;
  for (const std::string& file : sources({"include", "src", "app", "examples", "bench", "tests"})) {
    const FunctionFinder found(content(file));
    EXPECT_TRUE(found.balanced()) << file;
    for (const Function& function : found.functions())
      EXPECT_LE(function.lines(), longest_function)
          << file << ":" << function.first << ": " << function.lines() << " lines: " << function.head;
    functions += static_cast<int>(found.functions().size());
  }
  EXPECT_GT(functions, 4000) << "the tree was looked at";
}

// The counter itself: what it must find, and what it must not take for a function.
TEST(Sizes, FunctionsAreFound) {
  const FunctionFinder found(R"sample(
#include <a>  // {
namespace a {
const int table[] = {1, 2,
  3};
struct B : C {
  B(int x) : x_{x}, y_(2) {
    if (x) { f("}"); }
  }
  int one() const { return '{'; }  /* } */
  int x_ = 0, y_{1};
};
enum class E { a, b };
template <class T>
auto longer(T a,
            T b) -> T {
  const auto add = [&](T c) {
    return a + c;
  };
  return add(b);
}
const char* text = R"(void not_here() { )";
}  // namespace a
)sample");
  EXPECT_TRUE(found.balanced());
  ASSERT_EQ(found.functions().size(), 3u);
  EXPECT_EQ(found.functions()[0].lines(), 3);
  EXPECT_EQ(found.functions()[1].lines(), 1);
  EXPECT_EQ(found.functions()[2].lines(), 8);
  EXPECT_NE(found.functions()[2].head.find("longer"), std::string::npos);
}

}  // namespace
}  // namespace livens::house
