// No two headers define a class of the same name in one namespace: where both are linked into a program, functions of
// the one may end up in the place of the other's, and no compiler says so.
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "house/sources.hpp"

namespace livens::house {
namespace {

// "namespace::Name" of the classes that a header defines at its outermost level; specialisations of templates are none.
std::vector<std::string> defined_names(const std::string& text) {
  static const std::regex space(R"(namespace ([\w:]+) \{)"),
      type(R"((?:class|struct)(?: alignas\(\d+\))? (\w+)[^;<]*)");
  std::vector<std::string> names;
  std::string inside;
  for (const std::string& line : lines_of(text)) {
    std::smatch match;
    if (std::regex_match(line, match, space)) inside = match[1];
    if (std::regex_match(line, match, type)) names.push_back(inside + "::" + match[1].str());
  }
  return names;
}

TEST(Names, EachClassHasOneHeader) {
  std::map<std::string, std::string> where;
  for (const std::string& file : sources({"include", "src"}, {".hpp"}))
    for (const std::string& name : defined_names(content(file))) {
      const auto [first, fresh] = where.emplace(name, file);
      EXPECT_TRUE(fresh) << name << ": " << first->second << " and " << file;
    }
  EXPECT_GT(where.size(), 200u);
}

TEST(Names, TwinsAreSeen) {
  EXPECT_EQ(
      defined_names("namespace livens {\nclass Team {\n};\nstruct Box;\n}\nnamespace livens::laws {\nstruct A : B {\n"),
      (std::vector<std::string>{"livens::Team", "livens::laws::A"}));
}

}  // namespace
}  // namespace livens::house
