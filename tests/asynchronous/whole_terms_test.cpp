// Terms and forces that act as a whole on clocks of their own, and supports that move: order, momenta, energies, bits.
#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/asynchronous.hpp>

#include "asynchronous/scenes.hpp"
#include "files/memory.hpp"

namespace livens {
namespace {

using Make = std::function<Scene(const std::string& integrator)>;

struct Case {
  std::string name;
  Make make;
  double end, reference_step;
  double order = 2;
  bool threads = true;  // it may run with schedule = "local_minimum"
};

Make plate(const std::string& more) {
  return [more](const std::string& integrator) {
    SolidScene scene = plane_scene("tri3");
    scene.more = more;
    scene.integrator = integrator;
    return solid_scene(scene);
  };
}

Make chain(const std::string& more) {
  return [more](const std::string& integrator) { return chain_scene(integrator, more); };
}

std::string rod(const std::string& bodies, const std::string& ends) {
  return "[[constraint]]\nname = 'rod'\nkind = 'distance'\nbodies = " + bodies + "\nends = " + ends + "\n";
}
const char* const put_onto = "[solver]\nproject_start = true\n";

bool is_asynchronous(const std::string& integrator) { return integrator.find("asynchronous") != std::string::npos; }

// Half of the elements are implicit, those at a support that moves among them.
Make implicit_plate(const std::string& alpha) {
  return [alpha](const std::string& integrator) {
    SolidScene scene = plane_scene("tri3");
    scene.more =
        "constraint = [{ kind = 'prescribed', selection = 'bar.x_min', displacement = [0, '0.005*sin(600*t)'] }]\n";
    scene.size += ", region = { left = '0.4 - X' }";
    scene.integrator = integrator;
    if (is_asynchronous(integrator)) scene.integrator += "\nimplicit = ['bar.left']\nimplicit_alpha = " + alpha;
    return solid_scene(scene);
  };
}

const char* const held = "constraint = [{ kind = 'fixed', selection = 'bar.x_min' }]\n";

std::vector<Case> cases_of_forces() {
  return {
      {"traction in time",
       plate(held + std::string("force = [{ kind = 'traction', selection = 'bar.x_max', traction = [0, "
                                "'2000*sin(800*t)'] }]\n")),
       0.01, 1e-6},
      {"supports that move",
       plate(
           "constraint = [{ kind = 'prescribed', selection = 'bar.x_min', displacement = [0, '0.005*sin(600*t)'] }]\n"),
       0.01, 1e-6},
      {"supports free along x",
       plate("constraint = [{ kind = 'prescribed', selection = 'bar.x_min', displacement = ['free', "
             "'0.005*sin(600*t)'] }]\n"),
       0.01, 1e-6},
      {"drag", plate("force = [{ kind = 'drag', drag_coefficient = 200 }]\n"), 0.01, 1e-6},
      {"mass damping", plate("force = [{ kind = 'mass_damping', damping_rate = 40 }]\n"), 0.01, 1e-6},
      {"two kinds of drag and supports that move",
       plate("force = [{ kind = 'mass_damping', damping_rate = 40 }, { kind = 'drag', drag_coefficient = 200 }]\n"
             "constraint = [{ kind = 'prescribed', selection = 'bar.x_min', displacement = ['free', "
             "'0.005*sin(600*t)'] }]\n"),
       0.01, 1e-6},
      // It resists the strain since the last time: half a step late.
      {"printed damping",
       plate("force = [{ kind = 'strain_damping', damping_time = 1e-4, damping_form = 'published' }]\n"), 0.006, 0, 1},
      {"torque", chain("[[force]]\nkind = 'load'\nbody = 'chain'\ntorque = '3*cos(2*t)'\n"), 1.5, 1e-4},
      {"damper",
       chain("[[force]]\nkind = 'damper'\nbodies = ['chain', 'chain']\nends = [[0, 0], [4, 0]]\ncoefficient = 0.5\n"),
       1.5, 1e-4},
  };
}

std::vector<Case> cases_of_bonds() {
  return {
      {"spring between bodies",
       chain("[[force]]\nname = 'far'\nkind = 'spring'\nbodies = ['chain', 'chain']\nends = [[0, 0], [4, 0]]\n"
             "stiffness = 50\nrest_length = 3\n"),
       1.5, 1e-4},
      {"penalty",
       chain(rod("['chain', 'chain']", "[[0, 0], [2, 0]]") + "enforcement = 'penalty'\n"
                                                             "penalty_stiffness = 200\n"),
       1.5, 1e-4},
      {"penalty that moves",
       chain("[[constraint]]\nname = 'hand'\nkind = 'prescribed'\nbodies = ['chain']\npoint = [0, 0]\n"
             "displacement = ['0.1*sin(3*t)', '0']\nenforcement = 'penalty'\npenalty_stiffness = 200\n"),
       1.5, 1e-4},
      {"pairwise gravity", chain("[[force]]\nkind = 'pairwise_gravity'\nconstant = 0.5\nsoftening = 0.5\n"), 1.5, 1e-4},
      {"lennard jones", chain("[[force]]\nkind = 'lennard_jones'\nepsilon = 2\nsigma = 0.9\ncutoff = 4\n"), 1.5, 1e-4},
      {"rod by a multiplier", chain(rod("['chain', 'chain']", "[[0, 0], [2, 0]]") + put_onto), 1.5, 1e-4},
      {"rod to the ground", chain(rod("['ground', 'chain']", "[[-1, 0], [0, 0]]") + put_onto), 1.5, 1e-4},
      {"point moved by a multiplier",
       chain("[[constraint]]\nname = 'hand'\nkind = 'prescribed'\nbodies = ['chain']\npoint = [0, 0]\n"
             "displacement = ['0.1*sin(3*t)', '0']\n" +
             std::string(put_onto)),
       1.5, 1e-4},
      {"rod and drag",
       chain(rod("['chain', 'chain']", "[[0, 0], [2, 0]]") + put_onto +
             "[[force]]\nkind = 'drag'\ndrag_coefficient = 0.4\n"),
       1.5, 1e-4},
      {"rod to a support that moves",
       plate("solver = { project_start = true }\n"
             "constraint = [{ kind = 'prescribed', selection = 'bar.x_min', displacement = [0, '0.005*sin(600*t)'] }, "
             "{ name = 'rod', kind = 'distance', bodies = ['bar', 'bar'], ends = [[0, 0], [1.03, 0.3]] }]\n"),
       0.01, 0},
      {"force by expression",
       chain("[[force]]\nkind = 'expression'\nbody = 'chain'\nforce = ['cos(3*t) - 0.4*vx', '-0.2*vy*abs(vy)']\n"), 1.5,
       1e-4},
      {"implicit elements", implicit_plate("[0.5]"), 0.01, 1e-6},
      {"implicit elements, alpha 0.2", implicit_plate("[0.2]"), 0.01, 1e-6},
      {"implicit springs",
       [](const std::string& integrator) {
         return chain_scene(integrator + (is_asynchronous(integrator) ? "\nimplicit = ['stiff']" : ""));
       },
       1.5, 1e-4},
  };
}

std::vector<Case> exact_cases() {
  std::vector<Case> all = cases_of_forces();
  for (Case& of : cases_of_bonds()) all.push_back(std::move(of));
  return all;
}

// Each with clocks of their own and on levels.
std::vector<Case> cases() {
  std::vector<Case> all = exact_cases();
  for (Case of : exact_cases()) {
    of.name += " on levels";
    of.threads = false;
    of.make = [exact = of.make](const std::string& integrator) {
      return exact(is_asynchronous(integrator) ? integrator + "\nschedule = 'levels'" : integrator);
    };
    all.push_back(of);
  }
  return all;
}

void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

class WholeTermCases : public ::testing::TestWithParam<Case> {};

std::vector<State> reference_of(const Case& of) {
  // Printed damping depends on the step, and supports that move beside constraints are for few methods: there the
  // reference is asynchronous, too.
  const Scene scene = of.make(of.reference_step > 0 ? fmt::format("kind = 'rk4'\nstep = {:g}", of.reference_step)
                                                    : "kind = 'asynchronous'\ncourant = 0.0004");
  Ran ran = run_to(scene, of.end);
  EXPECT_TRUE(ran.report.converged) << ran.report.message;
  std::vector<State> states;
  for (int k = 1; k <= 8; ++k) {
    EXPECT_TRUE(ran.integrator->advance(*ran.model, ran.state, of.end * (1 + 0.05 * k)).converged);
    states.push_back(ran.state);
  }
  return states;
}

TEST_P(WholeTermCases, Order) {
  const Case& of = GetParam();
  const auto reference = reference_of(of);
  std::vector<double> errors;
  for (const char* courant : {"0.08", "0.04", "0.02", "0.01"}) {
    Ran ran = run_to(of.make("kind = 'asynchronous'\ncourant = " + std::string(courant)), of.end);
    double squares = 0;
    for (const State& exact : reference) {
      ASSERT_TRUE(ran.integrator->advance(*ran.model, ran.state, exact.t).converged);
      squares += std::pow(difference(ran.state.q, exact.q), 2);
    }
    errors.push_back(0.5 * std::log2(squares));
  }
  const double order = -(1.5 * (errors[3] - errors[0]) + 0.5 * (errors[2] - errors[1])) / 5;
  std::printf("%s: order %.2f, errors %.2f %.2f %.2f %.2f\n", of.name.c_str(), order, errors[0], errors[1], errors[2],
              errors[3]);
  EXPECT_GT(order, of.order - 0.2);
  EXPECT_LT(order, of.order + 0.5);
}

double balance_of(const Ran& ran, double before) {
  double out = 0;
  for (const double each : ran.integrator->ledger().energy_out) out += each;
  return energy(*ran.model, ran.state).total + out - ran.integrator->ledger().time_work - before;
}

// What the books say closes the momenta to rounding and the energy to second order, and something was booked at all.
TEST_P(WholeTermCases, BooksClose) {
  const Case& of = GetParam();
  std::vector<double> errors;
  for (const char* courant : {"0.1", "0.05"}) {
    const Scene scene = of.make("kind = 'asynchronous'\ncourant = " + std::string(courant));
    Ran ran = run_to(scene, of.end * 1e-6);
    const Momenta first = momenta(*ran.model, ran.state.q, ran.state.p);
    const Ledger booked = ran.integrator->ledger();
    const State start = initial_state(scene, *ran.model);
    const double before = energy(*ran.model, start).total;
    double size = 0, worst = 0;
    for (int k = 1; k <= 40; ++k) {
      ASSERT_TRUE(ran.integrator->advance(*ran.model, ran.state, of.end * k / 40).converged);
      worst = std::max(worst, std::abs(balance_of(ran, before)));
      for (const double p : ran.state.p) size = std::max(size, std::abs(p));
    }
    errors.push_back(worst);
    const Momenta last = momenta(*ran.model, ran.state.q, ran.state.p);
    const double all = size * static_cast<double>(ran.state.p.size());
    for (int c = 0; c < 3; ++c) {
      const Ledger& ledger = ran.integrator->ledger();
      EXPECT_NEAR(last.linear[c] - first.linear[c], ledger.linear_impulse[c] - booked.linear_impulse[c], 1e-12 * all);
      EXPECT_NEAR(last.angular[c] - first.angular[c], ledger.angular_impulse[c] - booked.angular_impulse[c],
                  1e-11 * all);
    }
  }
  EXPECT_LT(errors[1], (of.order == 1 ? 0.7 : 0.35) * errors[0]);
}

bool equal_bits(const State& a, const State& b) { return a.q == b.q && a.p == b.p && a.v == b.v && a.t == b.t; }

TEST_P(WholeTermCases, BitsForAnyScheduleAndNumberOfLooks) {
  const Case& of = GetParam();
  const std::string integrator = "kind = 'asynchronous'\ncourant = 0.2";
  const Ran once = run_to(of.make(integrator), of.end);
  ASSERT_TRUE(once.report.converged) << once.report.message;
  EXPECT_TRUE(equal_bits(once.state, run_to(of.make(integrator), of.end, 7).state));
  if (!of.threads) return;
  EXPECT_TRUE(equal_bits(once.state, run_to(of.make(integrator + "\nschedule = 'local_minimum'"), of.end).state));
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_TRUE(equal_bits(once.state, run_to(of.make(integrator + "\nschedule = 'local_minimum'"), of.end).state));
}

TEST_P(WholeTermCases, MemoryGoesOn) {
  const Case& of = GetParam();
  const Scene scene = of.make("kind = 'asynchronous'\ncourant = 0.2");
  Ran whole = run_to(scene, 0.4 * of.end);
  MemoryWriter writer;
  whole.integrator->visit_memory(writer);
  State state = whole.state;
  const auto fresh = make_integrator(scene, *whole.model);
  MemoryReader reader(writer.bytes());
  fresh->visit_memory(reader);
  ASSERT_TRUE(whole.integrator->advance(*whole.model, whole.state, of.end).converged);
  ASSERT_TRUE(fresh->advance(*whole.model, state, of.end).converged);
  EXPECT_TRUE(equal_bits(whole.state, state));
  EXPECT_EQ(whole.integrator->ledger().time_work, fresh->ledger().time_work);
  EXPECT_EQ(whole.integrator->ledger().energy_out, fresh->ledger().energy_out);
}

INSTANTIATE_TEST_SUITE_P(All, WholeTermCases, ::testing::ValuesIn(cases()), [](const auto& of) {
  std::string name = of.param.name;
  std::erase_if(name, [](char c) { return c == ',' || c == '.'; });
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

// A rigid body on a hinge, of which a soft bar is a part: constraints and hidden constraints at every look.
TEST(ConstrainedNodes, RigidBodyAndSolid) {
  const std::string text =
      "time = { end = 0.5 }\nforce = [{ kind = 'gravity', acceleration = [0, 0, -9.81] }]\n"
      "constraint = [{ name = 'hinge', kind = 'revolute', bodies = ['ground', 'hub'], point = [-0.2, 0, 0], axis = [0, "
      "1, "
      "0] }, { name = 'glue', kind = 'attachment', body = 'hub', selection = 'bar.x_min' }]\n"
      "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [0.5, 0.1, 0.1], cells = "
      "[3, 1, 1], corner = [0, -0.05, -0.05] }\n"
      "[[body]]\nname = 'hub'\nkind = 'rigid'\nmass = 2\ninertia = [0.01, 0.02, 0.02]\ncenter = [-0.1, 0, 0]\n";
  Ran ran = run_to(parse_scene(text + "[integrator]\nkind = 'asynchronous'\n"), 1e-6);
  ASSERT_TRUE(ran.report.converged) << ran.report.message;
  const double before = energy(*ran.model, ran.state).total;
  std::vector<double> g(ran.model->constraint_count()), rate(g), second(g);
  for (int k = 1; k <= 20; ++k) {
    ran.report = ran.integrator->advance(*ran.model, ran.state, 0.01 * k);
    ASSERT_TRUE(ran.report.converged) << ran.report.message;
    ran.model->constraint_values(ran.state.t, ran.state.q, g);
    ran.model->constraint_rates(ran.state.t, ran.state.q, ran.state.v, rate, second);
    for (std::size_t i = 0; i < g.size(); ++i) {
      EXPECT_LT(std::abs(g[i]), 1e-13);
      EXPECT_LT(std::abs(rate[i]), 1e-12);
    }
  }
  EXPECT_NEAR(energy(*ran.model, ran.state).total, before, 2e-3);
  Ran same = run_to(parse_scene(text + "[integrator]\nkind = 'rattle'\nstep = 2e-5\n"), 0.2);
  ASSERT_TRUE(same.report.converged) << same.report.message;
  EXPECT_LT(difference(ran.state.q, same.state.q), 1e-4);
  EXPECT_GT(difference(ran.state.q,
                       initial_state(parse_scene(text + "[integrator]\nkind = 'rattle'\nstep = 1\n"), *ran.model).q),
            0.1);
  for (std::size_t i = 0; i < g.size(); ++i)
    EXPECT_NEAR(ran.state.lambda[i], same.state.lambda[i], 0.05 * (1 + std::abs(same.state.lambda[i])));
}

// Rods between points of a solid: clusters on all threads have the bits of one thread, and the hidden constraint holds.
TEST(ConstrainedNodes, ClustersOnAllThreads) {
  SolidScene scene;
  scene.cells = "[12, 6, 5]";
  scene.more =
      "solver = { project_start = true }\n"
      "constraint = [{ kind = 'prescribed', selection = 'bar.x_min', displacement = [0, '0.002*sin(900*t)', 0] }, "
      "{ name = 'a', kind = 'distance', bodies = ['bar', 'bar'], ends = [[1.03, 0, 0], [1.03, 0.3, 0.3]] },"
      "{ name = 'b', kind = 'distance', bodies = ['bar', 'bar'], ends = [[0, 0, 0.3], [1.03, 0.3, 0]] }]\n"
      "force = [{ kind = 'drag', drag_coefficient = 1 }]\n";
  scene.integrator = "kind = 'asynchronous'";
  const Ran queue = run_to(solid_scene(scene), 0.002);
  ASSERT_TRUE(queue.report.converged) << queue.report.message;
  scene.integrator += "\nschedule = 'local_minimum'";
  for (const std::size_t threads : {1u, 2u, 4u}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const Ran other = run_to(solid_scene(scene), 0.002);
    EXPECT_TRUE(equal_bits(other.state, queue.state)) << threads;
    EXPECT_EQ(other.state.lambda, queue.state.lambda) << threads;
    EXPECT_EQ(other.integrator->ledger().energy_out, queue.integrator->ledger().energy_out) << threads;
    EXPECT_EQ(other.integrator->ledger().time_work, queue.integrator->ledger().time_work) << threads;
  }
  std::vector<double> g(queue.model->constraint_count()), rate(g), second(g);
  queue.model->constraint_values(queue.state.t, queue.state.q, g);
  queue.model->constraint_rates(queue.state.t, queue.state.q, queue.state.v, rate, second);
  for (std::size_t i = 0; i < g.size(); ++i) {
    EXPECT_LT(std::abs(g[i]), 1e-14);
    EXPECT_LT(std::abs(rate[i]), 1e-12);
    EXPECT_GT(std::abs(queue.state.lambda[i]), 1e-3) << "it holds nothing";
  }
}

// A stiff penalty is a stencil of its own: it goes often, and nobody else does for it.
TEST(TermStencil, StiffPenaltiesCostTheirOwnNodesOnly) {
  const auto updates = [](const std::string& more) {
    SolidScene scene;
    scene.more = more;
    const Ran ran = run_to(solid_scene(scene), 0.002);
    EXPECT_TRUE(ran.report.converged) << ran.report.message;
    EXPECT_TRUE(ran.integrator->events().empty()) << "something acts as a whole";
    const AsynchronousFacts facts = ran.integrator->asynchronous()->facts();
    return std::pair(facts.updates, facts.most_updates);
  };
  const auto [alone, each] = updates("");
  const auto [with, stiff] = updates(
      "constraint = [{ kind = 'distance', bodies = ['bar', 'bar'], ends = [[0, 0, 0], [1.03, 0.3, 0]], enforcement = "
      "'penalty', penalty_stiffness = 1e9 }]\n");
  EXPECT_GT(stiff, 20 * each);
  EXPECT_EQ(with, alone + stiff);
}

// Drag alone, on a particle that nothing else touches: x = x0 + v/r (1 - exp(-r t)), at any time and without steps.
TEST(MovingNodes, DragIsExact) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nforce = [{ kind = 'drag', drag_coefficient = 3 }, { kind = 'mass_damping', damping_rate = "
      "0.5 "
      "}]\n[[body]]\nname = 'p'\nkind = 'particles'\nmass = 2\nlayout = { kind = 'points', points = [[1, 0]] }\n"
      "initial = { velocities = [[0.5, 2]] }\n[integrator]\nkind = 'asynchronous'\nlongest_step = 10\n");
  const Ran ran = run_to(scene, 0.7);
  ASSERT_TRUE(ran.report.converged) << ran.report.message;
  const double rate = 3.0 / 2 + 0.5, left = std::exp(-rate * 0.7);
  EXPECT_NEAR(ran.state.q[0], 1 + 0.5 / rate * (1 - left), 1e-15);
  EXPECT_NEAR(ran.state.v[1], 2 * left, 1e-15);
  const auto& out = ran.integrator->ledger().energy_out;
  const double lost = 0.5 * 2 * (0.25 + 4) * (1 - left * left);
  EXPECT_NEAR(out[0], lost * 0.75, 1e-14);
  EXPECT_NEAR(out[1], lost * 0.25, 1e-14);
}

// Free flight has no frequency: somebody has to say how long steps may be.
TEST(WholeTerms, NothingBoundsAStep) {
  const std::string body =
      "time = { end = 1 }\nforce = [{ kind = 'expression', force = ['0.1*sin(t)', '-9.81'] }]\n[[body]]\nname = 'p'\n"
      "kind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0]] }\n[integrator]\nkind = "
      "'asynchronous'\n";
  const Ran lost = run_to(parse_scene(body), 1);
  EXPECT_FALSE(lost.report.converged);
  EXPECT_EQ(lost.report.advice.at(0).key, "integrator.longest_step");
  EXPECT_TRUE(run_to(parse_scene(body + "longest_step = 0.01\n"), 1).report.converged);
}

// What check says beforehand of terms that act as a whole is what they do.
TEST(WholeTerms, AreCountedAmongTheUpdates) {
  const std::string load =
      "[[force]]\nkind = 'traction'\nname = 'pull'\nselection = 'bar.x_max'\ntraction = ['100*sin(50*t)', 0]\n";
  const auto facts_of = [](const Scene& scene, double end, long& counted) {
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    const auto integrator = make_integrator(scene, model);
    integrator->advance(model, state, state.t);
    const AsynchronousFacts facts = integrator->asynchronous()->facts();
    EXPECT_TRUE(integrator->advance(model, state, end).converged);
    counted = 0;
    for (const auto& [name, count] : integrator->events())
      if (name == "updates of terms as a whole") counted = count;
    return facts;
  };
  constexpr double end = 0.1;
  long counted = 0;
  for (const std::string schedule : {"queue", "levels"}) {
    const std::string keys = "kind = 'asynchronous'\nschedule = '" + schedule + "'";
    const AsynchronousFacts with = facts_of(plate(load)(keys), end, counted);
    EXPECT_EQ(with.wholes, 1);
    EXPECT_GT(counted, 10) << "guard";
    EXPECT_NEAR(with.whole_updates_per_second * end, static_cast<double>(counted), 1) << schedule;
    const AsynchronousFacts without = facts_of(plate("")(keys), end, counted);
    EXPECT_EQ(without.wholes, 0);
    EXPECT_EQ(without.whole_updates_per_second, 0);
    EXPECT_EQ(with.updates_per_second, without.updates_per_second) << "stencils are counted by themselves";
  }
}

}  // namespace
}  // namespace livens
