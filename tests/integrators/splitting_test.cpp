// Asynchronous splitting methods [L04 Appendix A]: what sequences claim and what they do, how far their clocks are
// apart, and what a scene may write.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <livens/livens.hpp>
#include <livens/splitting.hpp>

namespace livens {
namespace {

constexpr int drift = SplittingPart::drift;

std::string chain_text(const std::string& integrator) {
  return "time = { end = 1 }\nintegrator = { " + integrator +
         " }\n[[body]]\nname = 'chain'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0], [1], "
         "[2], [3]] }\ninitial = { velocities = [[0.1], [0], [-0.3], [0.2]] }\n[[force]]\nname = 'late'\nkind = "
         "'spring'\nstiffness = 100\nquartic = 30\npairs = [[0, 1]]\n[[force]]\nname = 'early'\nkind = 'spring'\n"
         "stiffness = 100\nquartic = 50\npairs = [[1, 2], [2, 3]]\n";
}

State end_of(const std::string& integrator, double end = 1) {
  livens::Setup setup = make_setup(parse_scene(chain_text(integrator)));
  State state = setup.start;
  EXPECT_TRUE(setup.integrator->advance(*setup.model, state, end).converged);
  return state;
}

double difference(const State& a, const State& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i)
    most = std::max({most, std::abs(a.q[i] - b.q[i]), std::abs(a.p[i] - b.p[i])});
  return most;
}

double error_of(const std::string& keys, double step) {
  static const State exact = end_of("kind = 'galerkin', degree = 4, step = 0.005");
  return difference(end_of(fmt::format("kind = 'splitting', step = {}, {}", step, keys)), exact);
}

// n times drift and the early springs, then n times the late ones: these lag by a step, in whatever parts.
std::string lagging(int parts) {
  std::string list;
  for (int k = 0; k < parts; ++k) list += "'drift', 'early', ";
  for (int k = 0; k < parts; ++k) list += "'late', ";
  return "sequence = [" + list + "]";
}

std::string fault_of(const std::string& keys) {
  try {
    make_setup(parse_scene(chain_text("kind = 'splitting', step = 0.01, " + keys)));
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(Splitting, IsVerletUnlessToldOtherwise) {
  const State verlet = end_of("kind = 'stormer_verlet', step = 0.01");
  EXPECT_LT(difference(end_of("kind = 'splitting', step = 0.01"), verlet), 1e-13);
  const State kicked_first = end_of("kind = 'splitting', step = 0.01, sequence = ['early', 'late', 'drift']");
  EXPECT_LT(difference(kicked_first, end_of("kind = 'symplectic_euler_b', step = 0.01")), 1e-13);
  EXPECT_GT(difference(end_of("kind = 'splitting', step = 0.01, sequence = ['rest', 'drift']"), verlet), 1e-4)
      << "guard: sequences differ";
}

TEST(Splitting, ClaimsTheOrderThatItHas) {
  const struct {
    std::string keys;
    int order;
    bool symmetric;
  } cases[] = {
      {"sequence = ['late', 'early', 'drift', 'early', 'late']", 2, true},
      {"sequence = ['late', 'drift', 'early', 'drift', 'late']", 2, true},
      {"sequence = ['early', 'drift', 'early', 'late', 'drift', 'early']", 2, true},
      {"sequence = ['drift', 'early', 'late', 'drift', 'early', 'late'], "
       "fractions = [0.25, '2/3', '2/3', 0.75, '1/3', '1/3']",
       2, false},
      {"sequence = ['late', 'drift', 'early', 'drift', 'early', 'late'], fractions = [0.5, 0.3, 0.5, 0.7, 0.5, 0.5]", 1,
       false},
      {"sequence = ['late', 'early', 'drift']", 1, false},
      {lagging(4), 1, false},
  };
  for (const auto& each : cases) {
    const Scene scene = parse_scene(chain_text("kind = 'splitting', step = 0.01, " + each.keys));
    const livens::Setup setup = make_setup(scene);
    EXPECT_EQ(setup.plan.claims.order, each.order) << each.keys;
    EXPECT_EQ(setup.plan.claims.symmetric, each.symmetric) << each.keys;
    const double rate = std::log2(error_of(each.keys, 0.002) / error_of(each.keys, 0.001));
    EXPECT_NEAR(rate, each.order, 0.2) << each.keys;
  }
}

// What has to vanish is the difference of the clocks: parts that get shorter while it stays do not help.
TEST(Splitting, ConvergesWithTheAsynchronicity) {
  const double whole = error_of(lagging(1), 0.02), quarters = error_of(lagging(4), 0.02);
  EXPECT_GT(error_of(lagging(16), 0.02), 0.5 * quarters);
  EXPECT_GT(quarters, 0.2 * whole);
  EXPECT_LT(error_of(lagging(4), 0.005), 0.4 * quarters) << "guard: it does converge";
}

TEST(Splitting, KnowsHowFarItsClocksAreApart) {
  using Sequence = std::vector<SplittingPart>;
  // Clocks of 0 and the drift, (A4)-(A7) by hand: 0.25 - 0, 0.25 - 0, 0.75 - 0.25, 1 - 0.25, 0.
  EXPECT_DOUBLE_EQ(
      maximum_asynchronicity(Sequence{{drift, 0.25}, {0, 0.25}, {drift, 0.5}, {drift, 0.25}, {0, 0.75}}, 1), 0.75);
  EXPECT_DOUBLE_EQ(maximum_asynchronicity(Sequence{{0, 0.5}, {drift, 1}, {0, 0.5}}, 1), 1) << "(A7b): the longest step";
  EXPECT_DOUBLE_EQ(maximum_asynchronicity(Sequence{{drift, 0.1}, {0, 0.1}, {drift, 0.1}, {0, 0.1}}, 2), 0.2)
      << "component 1 stays behind";
  EXPECT_EQ(maximum_asynchronicity({}, 3), 0);
}

// (A14): of elements with clocks of their own it is the longest step, since they go in the order of their times.
TEST(Splitting, OfAsynchronousClocksItIsTheLongestStep) {
  std::vector<SplittingPart> sequence;
  const double steps[] = {0.3, 0.2, 0.07};
  double next[] = {0.3, 0.2, 0.07}, now = 0;
  for (int k = 0; k < 200; ++k) {
    const auto first = static_cast<int>(std::min_element(next, next + 3) - next);
    sequence.push_back({drift, next[first] - now});
    sequence.push_back({first, steps[first]});
    now = next[first];
    next[first] += steps[first];
  }
  EXPECT_NEAR(maximum_asynchronicity(sequence, 3), 0.3, 1e-12);
  const Model model = make_model(parse_scene(chain_text("kind = 'stormer_verlet', step = 0.01")));
  EXPECT_NEAR(SplittingMethod(model).asynchronicity(sequence), 0.3, 1e-12);
}

// In a scene and in C++ the same sequence is the same motion, and keeps the momentum.
TEST(Splitting, IsTheSameInScenesAndInCpp) {
  const livens::Setup setup = make_setup(parse_scene(chain_text("kind = 'stormer_verlet', step = 0.01")));
  const SplittingMethod method(*setup.model);
  std::vector<SplittingPart> sequence;
  for (int k = 0; k < 100; ++k)
    for (const char* name : {"early", "drift", "late", "drift", "early"}) {
      if (std::string(name) == "drift")
        sequence.push_back({drift, 0.005});
      else
        for (const int c : method.components_of(name))
          sequence.push_back({c, std::string(name) == "late" ? 0.01 : 0.005});
    }
  State state = setup.start;
  ASSERT_TRUE(method.play(state, sequence));
  const State scene =
      end_of("kind = 'splitting', step = 0.01, sequence = ['early', 'drift', 'late', 'drift', 'early']");
  EXPECT_LT(difference(state, scene), 1e-12);
  double momentum = 0;
  for (const double p : scene.p) momentum += p;
  EXPECT_NEAR(momentum, 0, 1e-14);
}

// Momenta change by what gravity gives and a support takes, energies by the work of time.
TEST(Splitting, LedgerCloses) {
  const std::string text =
      "time = { end = 0.2 }\nintegrator = { kind = 'splitting', step = 0.001, sequence = ['rest', 'drift', 'weight', "
      "'drift', 'rest'] }\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = "
      "1000\n[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 0.3, 0.3], "
      "cells = [3, 1, 1] }\n[[constraint]]\nkind = 'fixed'\nselection = 'bar.x_min'\n[[force]]\nname = 'weight'\nkind "
      "= 'gravity'\nacceleration = [0, 0, -9.81]\n";
  livens::Setup setup = make_setup(parse_scene(text));
  State state = setup.start;
  const Momenta start = momenta(*setup.model, state.q, state.p);
  ASSERT_TRUE(setup.integrator->advance(*setup.model, state, 0.2).converged);
  const Momenta end = momenta(*setup.model, state.q, state.p);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(end.linear[c] - start.linear[c], setup.integrator->ledger().linear_impulse[c], 1e-12);
    EXPECT_NEAR(end.angular[c] - start.angular[c], setup.integrator->ledger().angular_impulse[c], 1e-12);
  }
  EXPECT_GT(std::abs(end.linear[2] - start.linear[2]), 0.1) << "guard";
  const auto error_at = [](double step) {
    livens::Setup driven = make_setup(parse_scene(
        fmt::format("time = {{ end = 4 }}\nintegrator = {{ kind = 'splitting', step = {} }}\n[system]\nkind = "
                    "'lagrangian'\ncoordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = 'x^2/2 + x^4 + "
                    "sin(3*t)*x'\ninitial = {{ x = 0.3 }}\n",
                    step)));
    State now = driven.start;
    const double before = energy(*driven.model, now).total;
    EXPECT_TRUE(driven.integrator->advance(*driven.model, now, 4).converged);
    EXPECT_GT(std::abs(driven.integrator->ledger().time_work), 0.01) << "guard";
    return std::abs(energy(*driven.model, now).total - before - driven.integrator->ledger().time_work);
  };
  const double coarse = error_at(0.02), fine = error_at(0.01);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3);
}

TEST(Splitting, SaysWhatIsWrongWithASequence) {
  EXPECT_EQ(fault_of(lagging(2)), "");
  EXPECT_NE(fault_of("sequence = ['late', 'drift']").find("leaves out 'early'"), std::string::npos);
  EXPECT_NE(fault_of("sequence = ['late', 'drift', 'earl']").find("Did you mean 'early'?"), std::string::npos);
  EXPECT_NE(fault_of("sequence = ['late', 'early']").find("integrator.sequence"), std::string::npos);
  EXPECT_NE(fault_of("fractions = [0.5, 1]").find("2 numbers for the 3 entries"), std::string::npos);
  EXPECT_NE(fault_of("fractions = [0.5, 1, 0.4]").find("those of 'rest' add up to 0.9"), std::string::npos);
  EXPECT_NE(fault_of("fractions = [1.5, 1, -0.5]").find("must not be negative"), std::string::npos);
}

}  // namespace
}  // namespace livens
