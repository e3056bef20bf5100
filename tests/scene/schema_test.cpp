#include "scene/schema.hpp"

#include <gtest/gtest.h>

#include "math/expression.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"
#include "scene/toml.hpp"

namespace livens {
namespace {

Parameter parameter(std::string key, ValueType type, std::string fallback = "",
                    std::vector<std::string> variables = {}) {
  Parameter p;
  p.key = std::move(key);
  p.type = type;
  p.unit = "-";
  p.fallback = std::move(fallback);
  p.variables = std::move(variables);
  return p;
}

struct Reading {
  std::vector<SceneFault> faults;
  Context context{std::make_shared<const Environment>(Environment{{{"k", 3.0}}, {}, {}}), faults};
  Node root;

  Settings read(const std::string& text, const std::vector<Parameter>& parameters) {
    root = parse_toml(text, "f");
    return read_settings(root, "table", parameters, context);
  }
};

TEST(ReadSettings, ReadsEveryType) {
  Reading reading;
  using enum ValueType;
  const Settings s = reading.read(
      "n = '2*k'\ni = 1e3\nb = true\nt = 'some text'\nv = [1, 'k^2']\nw = ['a', 'b']\n"
      "f = 'k*x'\ng = ['x', 2]\no = { z = 1 }\n",
      {parameter("n", number), parameter("i", integer), parameter("b", boolean), parameter("t", text),
       parameter("v", vector), parameter("w", names), parameter("f", function, "", {"x"}),
       parameter("g", functions, "", {"x"}), parameter("o", table)});
  EXPECT_TRUE(reading.faults.empty()) << reading.faults[0].to_string();
  EXPECT_EQ(s.number("n"), 6);
  EXPECT_EQ(s.integer("i"), 1000);
  EXPECT_TRUE(s.flag("b"));
  EXPECT_EQ(s.text("t"), "some text");
  EXPECT_EQ(s.vector("v"), (std::vector<double>{1, 9}));
  EXPECT_EQ(s.names("w"), (std::vector<std::string>{"a", "b"}));
  const double x[] = {2.0};
  EXPECT_EQ(s.function("f")(x), 6);
  EXPECT_EQ(s.function("g", 1)(x), 2);
  EXPECT_EQ(s.text("f"), "k*x");
  EXPECT_TRUE(s.given("o"));
  EXPECT_EQ(reading.context.used.count("k"), 1u);
}

TEST(ReadSettings, FillsDefaultsInAndLeavesDescriptionsOut) {
  Reading reading;
  using enum ValueType;
  Parameter choice = parameter("choice", name, "log");
  choice.choices = {"log", "square"};
  Parameter described_choice = parameter("described_choice", name, "minimise where it exists");
  described_choice.choices = {"minimise"};
  const Settings s = reading.read(
      "given = 1",
      {parameter("given", number), parameter("n", number, "2^-3"), parameter("i", integer, "50"),
       parameter("b", boolean, "false"), parameter("v", vector, "[0, 0, 1]"), parameter("w", names, "['J']"),
       parameter("f", function, "0", {"x"}), choice, described_choice, parameter("every", number, "end/1000"),
       parameter("body", name, "everything"), parameter("free", number)});
  EXPECT_EQ(s.number("n"), 0.125);
  EXPECT_EQ(s.integer("i"), 50);
  EXPECT_FALSE(s.flag("b"));
  EXPECT_EQ(s.vector("v").size(), 3u);
  EXPECT_EQ(s.names("w")[0], "J");
  EXPECT_EQ(s.number("f"), 0) << "a constant function is a number, too";
  EXPECT_EQ(s.text("choice"), "log");
  for (const char* key : {"described_choice", "every", "body", "free"}) EXPECT_FALSE(s.has(key)) << key;
  EXPECT_TRUE(s.given("given"));
  EXPECT_FALSE(s.given("n"));
  EXPECT_TRUE(reading.faults.empty());
}

TEST(ReadSettings, CoordinatesBecomeVariables) {
  Reading reading;
  using enum ValueType;
  const Settings s =
      reading.read("coordinates = ['x', 'theta']\nkinetic = 'x_dot^2 + theta_dot^2'\npotential = 'x*theta'\n",
                   {parameter("coordinates", names), parameter("kinetic", function, "", {"q", "q_dot"}),
                    parameter("potential", function, "", {"t", "q"})});
  ASSERT_TRUE(reading.faults.empty()) << reading.faults[0].to_string();
  EXPECT_EQ(expression_of(s.function("kinetic")).variable_count(), 4u);
  EXPECT_TRUE(expression_of(s.function("kinetic")).uses(2));
  EXPECT_TRUE(expression_of(s.function("potential")).uses(1));
  EXPECT_FALSE(expression_of(s.function("potential")).uses(0));
}

TEST(ReadSettings, NestedTablesKeepTheirPath) {
  Reading reading;
  const Settings parent = reading.read("initial = { x = 1, y = -1 }", {parameter("initial", ValueType::table)});
  Parameter y = parameter("y", ValueType::number), z = parameter("z", ValueType::number);
  y.min = 0;
  z.required = true;
  EXPECT_EQ(
      read_nested(parent, "initial", std::vector{parameter("x", ValueType::number), parameter("y", ValueType::number)})
          .number("x"),
      1);
  try {
    read_nested(parent, "initial", std::vector{parameter("x", ValueType::number), y, z});
    FAIL() << "two faults are accepted";
  } catch (const SceneError& error) {
    ASSERT_EQ(error.faults().size(), 2u);
    EXPECT_EQ(error.faults()[0].to_string(), "f:1:24: table.initial.y: has to be at least 0, is -1.");
    EXPECT_EQ(error.faults()[1].key, "table.initial.z");
  }
  // A fault that is found later knows the place inside the table.
  EXPECT_EQ(parent.fault("initial.y", "bad").to_string(), "f:1:24: table.initial.y: bad");
}

TEST(ReadSettings, SettingsOutliveTheirText) {
  Settings s;
  {
    Reading reading;
    s = reading.read("initial = { x = 'k' }\nn = 2",
                     {parameter("initial", ValueType::table), parameter("n", ValueType::number)});
  }
  EXPECT_EQ(s.node("initial").find("x")->text, "k");
  EXPECT_EQ(read_nested(s, "initial", std::vector{parameter("x", ValueType::number)}).number("x"), 3);
  EXPECT_EQ(s.fault("n", "bad").to_string(), "f:2:5: table.n: bad");
}

TEST(ReadSettings, AskingForWhatIsNotThereIsAMistakeOfTheProgram) {
  Reading reading;
  const Settings s = reading.read("n = 1", {parameter("n", ValueType::number)});
  EXPECT_THROW(s.text("n"), std::out_of_range);
  EXPECT_THROW(s.number("m"), std::out_of_range);
  EXPECT_THROW(s.function("n"), std::out_of_range);
  EXPECT_EQ(s.fault("n", "bad").to_string(), "f:1:5: table.n: bad");
}

TEST(Identifiers, AreFoundBetweenNumbers) {
  EXPECT_EQ(identifiers("2*m1 + 1e3*_a - sin(x)/.5e-2"), (std::vector<std::string>{"m1", "_a", "sin", "x"}));
}

TEST(Suggest, FindsTheNearestWord) {
  const std::vector<std::string> known = {"young", "poisson", "density"};
  EXPECT_EQ(nearest("yung", known), "young");
  EXPECT_EQ(nearest("yuong", known), "young");
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

const char* const pendulum = R"toml(
title = "Pendulum"
time  = { end = "2*T" }
parameters = { T = "10*s", s = 1, m = 0.5 }
[system]
kind        = "lagrangian"
coordinates = ["theta"]
kinetic     = "m*theta_dot^2/2"
potential   = "-m*cos(theta)"
initial     = { theta = "pi/4", theta_dot = 0 }
[integrator]
kind = "stormer_verlet"
step = "T/1000"
)toml";

TEST(Validate, GivesEntriesInOrderWithDefaults) {
  const Scene scene = parse_scene(pendulum);
  std::vector<SceneFault> faults;
  const ValidatedScene valid = validate(scene, faults);
  ASSERT_TRUE(faults.empty()) << SceneError(faults).what();
  EXPECT_EQ(valid.environment->parameters.at("T"), 10);
  EXPECT_EQ(valid.find("time")->settings.number("end"), 20);
  EXPECT_EQ(valid.find("time")->settings.number("begin"), 0);
  EXPECT_EQ(valid.find("integrator")->kind, "stormer_verlet");
  EXPECT_EQ(valid.find("integrator")->settings.text("kind"), "stormer_verlet");
  EXPECT_EQ(valid.find("integrator")->settings.number("step"), 0.01);
  EXPECT_FALSE(valid.find("solver")->written);
  EXPECT_TRUE(valid.find("integrator")->written);
  EXPECT_EQ(valid.find("solver")->settings.integer("max_iterations"), 50);
  EXPECT_EQ(valid.find("")->settings.text("title"), "Pendulum");
  EXPECT_EQ(valid.find("system")->path(), "system");
  EXPECT_TRUE(valid.all("force").empty());
}

TEST(Validate, DisabledEntriesAreLeftOut) {
  const Scene scene =
      parse_scene(std::string(pendulum) + "[[output]]\nkind = 'history'\nenabled = false\nevery = 'm'\n");
  std::vector<SceneFault> faults;
  EXPECT_TRUE(validate(scene, faults).all("output").empty());
  EXPECT_TRUE(faults.empty());
}

TEST(Validate, OverridesMayLeaveParametersUnusedButNotBringUnusedOnes) {
  Scene scene = parse_scene(pendulum);
  scene.set("integrator.step", 0.1);
  scene.set("time.end", "3");
  EXPECT_NO_THROW(check_scene(scene)) << "T is unused now";
  scene.set("parameters.typo", 1.0);
  std::vector<SceneFault> faults;
  validate(scene, faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].to_string(), "--set: parameters.typo: nothing uses it. Use it in an expression, or remove it.");
}

TEST(Validate, FaultsOfOverridesCountCharacters) {
  Scene scene = parse_scene(pendulum);
  scene.set("integrator.step", "T/(2*");
  std::vector<SceneFault> faults;
  validate(scene, faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].to_string().find("--set: integrator.step: in 'T/(2*': "), std::string::npos);
  EXPECT_NE(faults[0].message.find("(at character 6)"), std::string::npos) << faults[0].message;
}

TEST(Validate, LongChainsOfParametersDoNotExhaustTheStack) {
  std::string text = "[parameters]\np0 = 1\n";
  for (int i = 20000; i > 0; --i) text += "p" + std::to_string(i) + " = \"p" + std::to_string(i - 1) + "\"\n";
  EXPECT_THROW(check_scene(parse_scene(text)), SceneError);
}

TEST(IntegratorSettings, ReadAnInlineTable) {
  const Settings s = integrator_settings("kind = 'stormer_verlet', step = '2^-4'");
  EXPECT_EQ(s.text("kind"), "stormer_verlet");
  EXPECT_EQ(s.number("step"), 0.0625);
  EXPECT_TRUE(s.given("step"));
  EXPECT_EQ(s.fault("step", "no").to_string(), "integrator:1:48: integrator.step: no");
  EXPECT_THROW(integrator_settings("kind = 'stormer_verlet', step = 0"), SceneError);
  EXPECT_THROW(integrator_settings("kind = 'nothing'"), SceneError);
  EXPECT_THROW(integrator_settings("}"), SceneError);
}

// Faults of the schema come alone; what only a build shows comes when there are none.
TEST(CheckScene, BuildsOnlyScenesWithoutFaults) {
  const std::string unbuildable = std::string(pendulum) +
                                  "\n[[body]]\nname = 'system'\nkind = 'particles'\nmass = 1\n"
                                  "layout = { kind = 'points', points = [[0, 0]] }\n";
  const auto text_of = [](const std::string& text) -> std::string {
    try {
      check_scene(parse_scene(text));
      return "";
    } catch (const SceneError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(text_of(pendulum), "");
  EXPECT_NE(text_of(unbuildable).find("a body is called 'system'"), std::string::npos);
  EXPECT_EQ(text_of("title = 3\n" + unbuildable).find("a body is called"), std::string::npos);
}

}  // namespace
}  // namespace livens
