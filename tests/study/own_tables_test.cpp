// Tables that a study describes itself, and cases that it lists: what the cells are, and what is refused.
#include <cmath>

#include <gtest/gtest.h>

#include "study/study.hpp"
#include "study/tables.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

// x = sin t, exact for the eye at this step; E = 1/2.
const std::string oscillator = R"(
parameters = { k = 1.0, scale = 4.0 }
time       = { end = 2 }
[system]
kind        = "lagrangian"
coordinates = ["x"]
kinetic     = "x_dot^2/2"
potential   = "k*x^2/2"
initial     = { x = 0, x_dot = 1 }
[integrator]
kind = "stormer_verlet"
step = 0.001
)";

Study study_of(const std::string& text) {
  Study study;
  study.file =
      parse_scene("title = 'T'\nscene = 'x.toml'\nreport = { tables = [], plots = [] }\n" + text, "study.toml");
  study.scene = parse_scene(oscillator, "x.toml");
  if (const Node* cases = study.file.root.find("case")) study.scenes.assign(cases->items.size(), study.scene);
  return study;
}

DataTable table_of(const std::string& text, const std::string& name) {
  const StudyPlan plan = plan_study(study_of(text));
  for (DataTable& table : make_tables(measure_all(plan)))
    if (table.name == name) return table;
  throw std::out_of_range("no table " + name);
}

std::string faults_of(const std::string& text) try {
  plan_study(study_of(text));
  return "";
} catch (const SceneError& error) {
  return error.what();
}

double number(const Cell& cell) { return std::get<double>(cell); }
std::string text(const Cell& cell) { return std::get<std::string>(cell); }
bool contains(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

const std::string one = "sweep = [{ key = 'time.end', values = [2] }]\n";
constexpr double close = 1e-5;  // step^2

TEST(OwnTable, RowsOfCasesHaveStatisticsFactsAndParameters) {
  const DataTable table = table_of(
      "sweep = [{ key = 'parameters.k', values = [1, 4] }]\n"
      "[[table]]\nname = 'mine'\ncolumns = { k = 'parameters.k', 'largest, m' = 'x_largest', 'scaled' = 'scale*x_max', "
      "twice = '2*k', steps = 'steps', v = 'x_dot_end', E = 'energy_start', mean = 'x_mean', h = 'step_max' }",
      "mine");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(text(table.rows[1][0]), "4");
  EXPECT_NEAR(number(table.rows[0][1]), 1, close);  // sin t up to t = 2
  EXPECT_NEAR(number(table.rows[1][2]), 4 * 0.5, close);
  EXPECT_EQ(number(table.rows[1][3]), 8);
  EXPECT_EQ(number(table.rows[0][4]), 2000);
  EXPECT_NEAR(number(table.rows[0][5]), std::cos(2), close);
  EXPECT_EQ(number(table.rows[0][6]), 0.5);
  EXPECT_NEAR(number(table.rows[0][7]), (1 - std::cos(2)) / 2, close);
  EXPECT_NEAR(number(table.rows[0][8]), 0.001, 1e-12) << "a fact of the run, not the largest number of a step";
  EXPECT_TRUE(contains(to_csv(table), "k,\"largest, m\",scaled")) << to_csv(table);
}

TEST(OwnTable, RowsOfTimesAreTheFirstStepsAtOrAfterThem) {
  const DataTable table = table_of(one +
                                       "[[table]]\nname = 'mine'\ntimes = [0, 0.5, 1.2345, 3]\nquantities = { double = "
                                       "'scale*x/2', more = 'double + t' }\n"
                                       "columns = { t = 't', x = 'x', d = 'double', m = 'more - t' }",
                                   "mine");
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(number(table.rows[0][1]), 0);
  EXPECT_NEAR(number(table.rows[1][0]), 0.5, 1e-12);
  EXPECT_NEAR(number(table.rows[1][2]), 2 * std::sin(0.5), close);
  EXPECT_NEAR(number(table.rows[2][0]), 1.235, 1e-12);
  EXPECT_NEAR(number(table.rows[2][3]), 2 * std::sin(1.235), close);
  EXPECT_TRUE(std::isnan(number(table.rows[3][1]))) << "the run was over by then";
}

TEST(OwnTable, RowsOfWindowsStandBesideEachOtherIfAsked) {
  const std::string rows = one +
                           "[[table]]\nname = 'mine'\nwindow = 0.8\nquantities = { angle = 'atan2(x, x_dot)' }\n"
                           "columns = { method = 'method', window = 'window', x = 'x_max', turn = 'angle_turn' }";
  const DataTable table = table_of(rows, "mine");
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(text(table.rows[2][1]), "1.6 - 2");
  EXPECT_NEAR(number(table.rows[0][2]), std::sin(0.8), close);
  EXPECT_NEAR(number(table.rows[2][2]), std::sin(1.6), close);
  EXPECT_NEAR(number(table.rows[2][3]), 0.4, close) << "the phase is t";

  const DataTable wide = table_of(rows + "\nacross = 'window'", "mine");
  ASSERT_EQ(wide.rows.size(), 1u);
  ASSERT_EQ(wide.columns.size(), 7u);
  EXPECT_EQ(wide.columns[1].name, "x, 0 - 0.8");
  EXPECT_EQ(wide.columns[4].name, "turn, 0.8 - 1.6");
  EXPECT_NEAR(number(wide.rows[0][4]), 0.8, close);
}

TEST(OwnTable, ContainsWhatBuiltInTablesHaveForTheCase) {
  const DataTable table = table_of(
      "sweep = [{ key = 'integrator', values = [{ kind = 'stormer_verlet' }, { kind = 'explicit_euler' }] },"
      "         { key = 'integrator.step', values = [0.1, 0.05, 0.025] }]\n"
      "reference = { exact = { x = 'sin(t)' } }\n"
      "[[table]]\nname = 'mine'\nonly = { 'integrator.step' = [0.1, 0.025] }\nacross = 'step'\n"
      "columns = { method = 'method', order = 'order_order_q', step = 'step', error = 'error_q_max' }",
      "mine");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_NEAR(number(table.rows[0][1]), 2, 0.1);
  EXPECT_NEAR(number(table.rows[1][1]), 1, 0.1);
  ASSERT_EQ(table.columns.size(), 4u);
  EXPECT_EQ(table.columns[3].name, "0.025");
  EXPECT_NEAR(number(table.rows[0][2]) / number(table.rows[0][3]), 16, 0.5);
}

// A case that fails has its row, up to where it came.
TEST(OwnTable, CasesThatFailHaveRows) {
  const DataTable table = table_of(
      "sweep = [{ key = 'integrator.step', values = [0.1, 3] }, { key = 'time.end', values = [2000] }]\n"
      "[[table]]\nname = 'mine'\ncolumns = { status = 'status', t = 't_reached', reason = 'reason' }",
      "mine");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(text(table.rows[0][0]), "done");
  EXPECT_EQ(text(table.rows[1][0]), "failed");
  EXPECT_LT(number(table.rows[1][1]), 2000);
  EXPECT_FALSE(text(table.rows[1][2]).empty());
}

TEST(OwnTable, FaultsAreFoundBeforeAnythingRuns) {
  const auto with = [](const std::string& body) { return faults_of(one + "[[table]]\nname = 'mine'\n" + body); };
  EXPECT_EQ(with("columns = { a = 'energy_max' }"), "");
  const std::string typo = with("columns = { a = 'enegy_max' }");
  EXPECT_TRUE(contains(typo, "study.toml:7:")) << typo;
  EXPECT_TRUE(contains(typo, "energy_max")) << "what was meant: " << typo;
  EXPECT_TRUE(contains(with("columns = { a = 'order_order_z' }"), "order_order_z"));
  EXPECT_TRUE(contains(with("columns = { a = 3 }"), "expected an expression in quotes"));
  EXPECT_TRUE(contains(with("quantities = { q = 'x +' }\ncolumns = { a = 'q_max' }"), "table.mine.quantities.q"));
  EXPECT_TRUE(contains(with("columns = { a = 't_max' }\nacross = 'b'"), "no column 'b'"));
  EXPECT_TRUE(contains(with("columns = { a = 't' }\ntimes = [1]\nwindow = 1"), "cannot be combined"));
  EXPECT_TRUE(contains(faults_of(one + "[[table]]\nname = 'heat'\ncolumns = { a = 't_max' }"), "every study can have"));
}

TEST(Cases, AreListedAndCombinedWithSweeps) {
  const StudyPlan plan = plan_study(study_of(
      "sweep = [{ key = 'integrator.step', values = [0.1, 0.2] }]\n"
      "[[case]]\nname = 'soft'\n[[case]]\nname = 'hard'\ntitle = 'k = 9'\nset = { parameters.k = 9, time.end = 1 }"));
  ASSERT_EQ(plan.cases.size(), 4u);
  EXPECT_EQ(plan.cases[0].problem, "soft");
  EXPECT_EQ(plan.cases[3].problem, "k = 9");
  EXPECT_EQ(plan.cases[3].step, "0.2");
  EXPECT_DOUBLE_EQ(end_time(plan.cases[2].scene), 1);
  EXPECT_EQ(plan.groups.size(), 2u);
  const std::string wrong = faults_of("[[case]]\nname = 'a'\nset = { tim.end = 1 }");
  EXPECT_TRUE(contains(wrong, "study.toml")) << wrong;
  EXPECT_TRUE(contains(faults_of(""), "[[sweep]] with key, values, or [[case]]"));
}

TEST(Cases, GiveNumbersToTables) {
  const std::string table = "[[table]]\nname = 'mine'\ncolumns = { ratio = 'x_max/paper' }\n";
  const DataTable made = table_of("[[case]]\nname = 'a'\nnumbers = { paper = 2 }\n" + table, "mine");
  EXPECT_NEAR(number(made.rows[0][0]), 0.5, close);
  EXPECT_TRUE(contains(faults_of("[[case]]\nname = 'a'\nnumbers = { paper = 'x' }\n" + table), "case.a.numbers.paper"));
}

TEST(Cases, HaveScenesOfTheirOwn) {
  const Study study = load_study(source_dir() + "/scenes/l04_time_adaption/alpha.toml");
  ASSERT_EQ(study.scenes.size(), 5u);
  EXPECT_EQ(study.scenes[1].name(), "kepler");
  EXPECT_EQ(plan_study(study).cases.size(), 10u);
}

}  // namespace
}  // namespace livens
