// The verdict from both sides: no false alarm over many sane runs, no miss over seeded faults.
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "laws/verdict_scenes.hpp"
#include "support/judged.hpp"

namespace livens {
namespace {

using namespace testing;

TEST(VerdictSweep, NoFalseAlarmInSaneRuns) {
  constexpr unsigned runs = 500;
  std::map<std::string, int> verdicts;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    const RandomScene scene = SceneMaker(seed).make();
    const JudgedRun run = judged_run(parse_scene(scene.text, "scene"));
    EXPECT_EQ(run.failure, "") << seed << ": " << scene.what << scene.text;
    EXPECT_FALSE(run.broken()) << seed << ": " << scene.what << ::testing::PrintToString(run.judgement.broken)
                               << scene.text;
    ++verdicts[run.judgement.verdict];
  }
  RecordProperty("kept", verdicts["kept"]);
  EXPECT_GT(verdicts["kept"], 0.9 * runs);
}

// ---- faults ---------------------------------------------------------------------------------------------------------

// A potential whose force is not its gradient.
class WrongForce final : public EnergyTerm {
 public:
  using Spoil = std::function<void(double t, ConstVector q, double scale, Vector gradient)>;
  WrongForce(std::shared_ptr<const EnergyTerm> inner, double factor, Spoil more)
      : EnergyTerm(inner->name()), inner_(std::move(inner)), factor_(factor), more_(std::move(more)) {}
  double energy(double t, ConstVector q) const override { return inner_->energy(t, q); }
  void add_gradient(double t, ConstVector q, double scale, Vector g) const override {
    inner_->add_gradient(t, q, factor_ * scale, g);
    if (more_) more_(t, q, scale, g);
  }
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    inner_->add_hessian(t, q, factor_ * scale, sink);
  }
  Invariance invariance() const override { return inner_->invariance(); }

 private:
  std::shared_ptr<const EnergyTerm> inner_;
  double factor_;
  Spoil more_;
};

// A damping that feeds energy in.
class NegativeDamping final : public Force {
 public:
  explicit NegativeDamping(double rate) : Force("negative"), rate_(rate) {}
  void add_force(double, ConstVector, ConstVector v, double scale, Vector f) const override {
    for (std::size_t i = 0; i < v.size(); ++i) f[i] += scale * rate_ * v[i];
  }
  void add_jacobian(double, ConstVector, ConstVector v, double, double by_v, MatrixSink& sink) const override {
    for (std::size_t i = 0; i < v.size(); ++i) {
      const int at = static_cast<int>(i);
      const double value = by_v * rate_;
      sink.add_block(std::span<const int>(&at, 1), std::span<const int>(&at, 1), &value);
    }
  }
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }

 private:
  double rate_;
};

const std::string methods[] = {"kind = 'stormer_verlet', step = 0.05",
                               "kind = 'implicit_midpoint', step = 0.05",
                               "kind = 'hamilton_pontryagin', alpha = 0.4, step = 0.02",
                               "kind = 'newmark', step = 0.05",
                               "kind = 'energy_momentum', step = 0.05",
                               "kind = 'composition', order = 4, step = 0.1",
                               "kind = 'galerkin', degree = 2, step = 0.1",
                               "kind = 'symplectic_euler_b', step = 0.02"};

struct Fault {
  std::string name;
  std::string text;
  Spoilers spoilers;
};

std::string oscillator(const std::string& integrator, double end, const std::string& potential = "x^2/2 + y^2") {
  return fmt::format(
      "time = {{ end = {} }}\nintegrator = {{ {} }}\n[system]\nkind = 'lagrangian'\ncoordinates = ['x', 'y']\n"
      "kinetic = '(x_dot^2 + y_dot^2)/2'\npotential = '{}'\ninitial = {{ x = 1, y = 0.3, x_dot = 0, y_dot = 0.2 }}\n",
      end, integrator, potential);
}
std::string lattice(const std::string& integrator, double end, const std::string& more = "") {
  return lattice_text(integrator, fmt::format("{}", end), more);
}
std::string bar(const std::string& integrator, double end, const std::string& more = "") {
  return fmt::format(
      "time = {{ end = {} }}\nintegrator = {{ {} }}\n{}"
      "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\n"
      "mesh = {{ kind = 'box', size = [1, 0.3, 0.3], cells = [4, 1, 1] }}\n"
      "initial = {{ velocity = [0, '0.5*X', '-0.5*Y'] }}\n",
      end, integrator, more);
}

void scale_motion(State& state, double factor) {
  for (double& p : state.p) p *= factor;
  for (double& v : state.v) v *= factor;
}
// A push of all nodes along x.
void push(State& state, double part) {
  double size = 0;
  for (const double p : state.p) size = std::max(size, std::abs(p));
  for (std::size_t i = 0; i < state.p.size(); i += 2) state.p[i] += part * size;
}
// Opposite pushes on the first two nodes, across the line between them: a couple.
void turn(State& state, double part) {
  double size = 0;
  for (const double p : state.p) size = std::max(size, std::abs(p));
  state.p[1] += part * size;
  state.p[3] -= part * size;
}

class FaultList {
 public:
  FaultList() {
    add_long_steps();
    add_leaks();
    add_wrong_forces();
    add_false_claims();
  }
  std::vector<Fault> list;

 private:
  void add(const std::string& name, const std::string& text, Spoilers spoilers = {}) {
    list.push_back({name, text, std::move(spoilers)});
  }

  // Steps beyond the stability limit: 2 / omega.
  void add_long_steps() {
    for (const double over : {1.001, 1.01, 1.1, 1.5})
      add(fmt::format("verlet at {} of its limit", over),
          oscillator(fmt::format("kind = 'stormer_verlet', step = {}", over * std::sqrt(2.0)), 2000));
    add("a cliff", oscillator("kind = 'stormer_verlet', step = 0.05", 200, "if(x < 0, 1000*x^2, 0) + x^2/2 + y^2"));
    add("a lattice beyond its limit", lattice("kind = 'stormer_verlet', step = 1.2", 200));
    add("a bar beyond its limit", bar("kind = 'stormer_verlet', step = 0.02", 2));
  }

  // Leaks and gains of any size, in every method; momenta that are not kept.
  void add_leaks() {
    for (const std::string& method : methods) {
      add("gains 1e-5 per step: " + method, lattice(method, 100),
          {nullptr, [](State& s) { scale_motion(s, 1 + 1e-5); }, nullptr});
      add("loses 1e-5 per step: " + method, oscillator(method, 100),
          {nullptr, [](State& s) { scale_motion(s, 1 - 1e-5); }, nullptr});
    }
    for (const std::string& method : {methods[0], methods[1], methods[4]}) {
      add("pushes: " + method, lattice(method, 20), {nullptr, [](State& s) { push(s, 1e-9); }, nullptr});
      add("turns: " + method, lattice(method, 20), {nullptr, [](State& s) { turn(s, 1e-9); }, nullptr});
    }
  }

  // Forces that are not the gradient of their potential; dampings that give.
  void add_wrong_forces() {
    const auto wrong = [](double factor, WrongForce::Spoil more) {
      return [=](ModelParts& parts) {
        for (auto& term : parts.terms) term = std::make_shared<WrongForce>(term, factor, more);
      };
    };
    for (const std::string& method : {methods[0], methods[1], methods[2], methods[3]}) {
      add("force that pumps: " + method, oscillator(method, 300),
          {wrong(1, [](double t, ConstVector q, double scale,
                       Vector g) { g[0] += 0.02 * scale * std::sin(2 * t) * q[0]; }),
           nullptr, nullptr});
      add("force that curls: " + method, oscillator(method, 300, "x^2/2 + y^2/2"),
          {wrong(1, [](double, ConstVector q, double scale,
                       Vector g) { g[0] -= 1e-3 * scale * q[1], g[1] += 1e-3 * scale * q[0]; }),
           nullptr, nullptr});
    }
    for (const std::string& method : {methods[0], methods[1], methods[2], methods[4]})
      add("negative damping: " + method, lattice(method, 40),
          {[](ModelParts& parts) { parts.forces.push_back(std::make_shared<NegativeDamping>(0.01)); }, nullptr,
           nullptr});
  }

  void add_false_claims() {
    add("rk4 that claims a bound", lattice("kind = 'rk4', step = 0.5", 1000),
        {nullptr, nullptr, [](Claims& c) { c.energy = EnergyClaim::bounded; }});
    add("implicit Euler that claims a bound", lattice("kind = 'implicit_euler', step = 0.05", 100),
        {nullptr, nullptr, [](Claims& c) { c.energy = EnergyClaim::bounded; }});
    add("explicit Euler that claims a bound", lattice("kind = 'explicit_euler', step = 0.02", 20),
        {nullptr, nullptr, [](Claims& c) { c.energy = EnergyClaim::bounded; }});
    add("verlet that claims the energy", lattice("kind = 'stormer_verlet', step = 0.05", 10),
        {nullptr, nullptr, [](Claims& c) { c.energy = EnergyClaim::exact; }});
    add("newmark that claims the angular momentum", lattice("kind = 'newmark', step = 0.2", 50),
        {nullptr, nullptr, [](Claims& c) { c.angular_momentum = Keeps::exact; }});
    for (const std::string& method : {methods[0], methods[1], methods[4]})
      add("gains 1e-4 per step with damping: " + method,
          lattice(method, 100, "[[force]]\nkind = 'mass_damping'\ndamping_rate = 1e-3\n"),
          {nullptr, [](State& state) { scale_motion(state, 1 + 1e-4); }, nullptr});
    add("loose solves", bar("kind = 'hamilton_pontryagin', step = 0.05", 20, "solver = { tolerance = 0.5 }\n"));
    add("a comet with long steps",
        oscillator("kind = 'stormer_verlet', step = 0.1", 100, "-1/sqrt((x - 0.999)^2 + (y - 0.3)^2)"));
  }
};

TEST(VerdictSweep, NoMissOverSeededFaults) {
  int missed = 0, count = 0;
  const FaultList faults;
  for (const Fault& fault : faults.list) {
    const JudgedRun run = judged_run(parse_scene(fault.text, "scene"), fault.spoilers);
    const bool noticed = run.broken() || !run.failure.empty() || !run.finite;
    EXPECT_TRUE(noticed) << fault.name << ::testing::PrintToString(run.judgement.findings);
    missed += noticed ? 0 : 1;
    ++count;
  }
  RecordProperty("faults", count);
  EXPECT_GE(count, 50);
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace livens
