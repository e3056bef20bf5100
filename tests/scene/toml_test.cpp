#include "scene/toml.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "scene/schema.hpp"
#include "scene/screen.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

std::string fault_of(const std::string& text) try {
  parse_toml(text, "f");
  return "";
} catch (const SceneError& error) {
  return error.what();
}

std::string where(const Place& place) { return std::to_string(place.line) + ":" + std::to_string(place.column); }

TEST(Toml, KnowsThePlaceOfEveryKeyAndValue) {
  const Node root = parse_toml("title = \"é\" # ü\n[a.b]\n  x.y = [1, \"p\"]\n[[body]]\nm = true\n", "file.toml");
  EXPECT_EQ(root.find("title")->place.file, "file.toml");
  EXPECT_EQ(where(root.find("title")->place), "1:9");
  const Node& x = *root.find("a")->find("b")->find("x");
  EXPECT_EQ(where(x.key_place), "3:3");
  EXPECT_EQ(where(x.find("y")->key_place), "3:5");
  EXPECT_EQ(where(x.find("y")->items[1].place), "3:13");
  EXPECT_EQ(where(root.find("body")->items[0].place), "4:1");
  EXPECT_EQ(where(root.find("body")->items[0].find("m")->place), "5:5");
}

TEST(Toml, KeepsTheOrderOfTheFile) {
  const Node root = parse_toml("z = 1\na = 2\n[m]\ny = 1\nb = 2\n", "f");
  ASSERT_EQ(root.entries.size(), 3u);
  EXPECT_EQ(root.entries[0].first, "z");
  EXPECT_EQ(root.entries[1].first, "a");
  EXPECT_EQ(root.entries[2].second.entries[0].first, "y");
}

TEST(Toml, KeepsKindsApart) {
  const Node root = parse_toml("i = 1\nn = 1.0\nt = '1'\nb = false\nl = []\no = {}\n", "f");
  using Kind = Node::Kind;
  const Kind kinds[] = {Kind::integer, Kind::number, Kind::text, Kind::boolean, Kind::array, Kind::table};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(root.entries[i].second.kind, kinds[i]) << i;
}

TEST(Screen, CountsNestingOutsideOfStringsAndCommentsOnly) {
  const std::string deep(500, '[');
  EXPECT_FALSE(screen("a = \"" + deep + "\"\nb = '" + deep + "'\n# " + deep + "\nc = '''\n" + deep + "'''\n", "f"));
  EXPECT_FALSE(screen("a = \"\"\"\\\"\"\"" + deep + "\"\"\"\"\"\nb = 1\n", "f"));
  EXPECT_TRUE(screen("a = \"\\\\\" \nb = " + deep, "f"));
}

TEST(Screen, CountsDottedKeysAsNesting) {
  EXPECT_TRUE(screen("x" + std::string(200'000, '.') + " = 1", "f"));
  std::string text = "x = 1";
  for (int i = 0; i < 10; ++i) text = "a.a.a.a.a.a.a.a.a.a.a = { " + text + " }";
  EXPECT_TRUE(screen(text, "f"));
  EXPECT_FALSE(screen(
      "x = [1.5, 2.5, 3.5" +
          [] {
            std::string more;
            for (int i = 0; i < 200; ++i) more += ", 0.5";
            return more;
          }() +
          "]",
      "f"));
}

TEST(Screen, RefusesHugeFiles) {
  EXPECT_NE(fault_of(std::string(max_scene_bytes + 1, '#')).find("16"), std::string::npos);
}

TEST(Screen, RefusesWhatIsNotUtf8) {
  for (const char* bytes : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80"})
    EXPECT_NE(fault_of(std::string("t = '") + bytes + "'").find("UTF-8"), std::string::npos);
  EXPECT_EQ(fault_of("t = 'Ω ≤ 𝄞 é'"), "");
}

TEST(Toml, RefusesMoreValuesThanMemoryShouldHold) {
  std::string text = "x = [0";
  for (int i = 0; i < 1'000'000; ++i) text += ",0";
  EXPECT_NE(fault_of(text + "]").find("million"), std::string::npos);
}

TEST(Toml, ValueOfTextOrNone) {
  const Place place{"--set", 0, 0};
  EXPECT_EQ(parse_toml_value("0.5", place)->number, 0.5);
  EXPECT_EQ(parse_toml_value("{ kind = 'rk4' }", place)->find("kind")->place.file, "--set");
  EXPECT_FALSE(parse_toml_value("2^-6", place));
  EXPECT_FALSE(parse_toml_value("rk4", place));
  EXPECT_FALSE(parse_toml_value("1\nother = 2", place));
  EXPECT_FALSE(parse_toml_value("", place));
}

TEST(WriteToml, NumbersReadBackToTheSameBits) {
  std::mt19937_64 random(7);
  const auto reads_back = [](double value) {
    const auto node = parse_toml_value(toml_value(make_node(value)), {});
    ASSERT_TRUE(node) << value;
    EXPECT_EQ(node->kind, Node::Kind::number);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(node->number), std::bit_cast<std::uint64_t>(value));
  };
  for (const double value : {0.0, -0.0, 0.1, 1e22, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308})
    reads_back(value);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) reads_back(value);
  }
}

TEST(WriteToml, TextReadsBack) {
  std::string all;
  for (char c = 1; c < 127; ++c) all += c;
  for (const std::string& text : {std::string("a\"b\\c"), std::string("é\n\t"), all, std::string()})
    EXPECT_EQ(parse_toml_value(toml_value(make_node(text)), {})->text, text);
  EXPECT_EQ(parse_toml("\"a b.c\" = 1", "f").entries[0].first, "a b.c");
  EXPECT_EQ(toml_document(parse_toml("\"a b.c\" = 1", "f")), "\"a b.c\" = 1\n");
}

// What parses can be validated, and written and read again.
void survives(const std::string& text) {
  Scene scene;
  scene.root = parse_toml(text, "f");
  std::vector<SceneFault> faults;
  validate(scene, faults);
  const std::string written = scene.to_toml();
  EXPECT_EQ(toml_document(parse_toml(written, "f")), written) << text;
}

// Damage to a good text either parses or is a SceneError; nothing else may happen. LIVENS_FUZZ_ROUNDS makes it longer.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (std::size_t n = 1 + pick(6); n > 0; --n) change(text);
    return text;
  }

 private:
  std::size_t pick(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void change(std::string& text) {
    static const std::string pieces[] = {"[",    "]",    "[[",    "]]",  "{",    "}",          "\"", "'",   "\"\"\"",
                                         "'''",  "\\",   "\n",    ".",   "=",    ",",          "#",  "nan", "-inf",
                                         "1e9",  "\\u0", "é",     "\0",  "\r",   "2000-01-01", "0x", "_",   "+",
                                         "\xff", "a.b",  "[a.b]", "{a=", "true", "[[",         "{}"};
    const std::size_t at = pick(text.size() + 1);
    switch (pick(4)) {
      case 0: text.insert(at, pieces[pick(std::size(pieces))]); break;
      case 1: text.erase(at, pick(8)); break;
      case 2: text.insert(at, text.substr(pick(text.size()), pick(40))); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(pick(256));
    }
  }

  std::mt19937 random_;
};

TEST(Toml, SurvivesDamagedText) {
  const std::string good =
      "title = \"Übung\"\nparameters = { a = 1, b = \"a*2\" }\n[time]\nend = 2_0.5e1\n[[body]]\nname = 'x'\n"
      "initial.position = [1, 2.5, \"X\"]\nlayout = { kind = \"chain\", count = [3] }\n[[force]]\nkind = \"spring\"\n"
      "text = \"\"\"\nlong \\\" one\"\"\"\n[a.\"b c\".d]\nx.y.z = 0xff\n";
  const char* rounds = std::getenv("LIVENS_FUZZ_ROUNDS");
  Mutator mutator(12345);
  int parsed = 0, refused = 0;
  for (int i = rounds != nullptr ? std::atoi(rounds) : 2000; i > 0; --i) {
    const std::string text = mutator.mutate(good);
    const bool parses = fault_of(text).empty();
    (parses ? parsed : refused) += 1;
    if (parses) survives(text);
  }
  EXPECT_GT(parsed, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace livens
