// Scenes of contact while bodies touch: the same bits for every number of threads and from a state in the middle on,
// and the same motion up to rounding whatever the order of the bodies in the scene is.
#include <cmath>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "contact/contact_barrier.hpp"
#include "files/memory.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

struct Case {
  const char* scene;  // "": two_balls
  double touch, end;  // s: the middle, where they touch, and the end
};
// Soft bodies in space with friction; rigid ones in the plane, which rub from the start on; an obstacle that pushes a
// soft block over a floor; balls.
constexpr Case cases[] = {{"contact_two_blocks.toml", 0.012, 0.016},
                          {"contact_arch.toml", 0.02, 0.06},
                          {"contact_pusher.toml", 0.06, 0.1},
                          {"", 0.008, 0.03}};

// Rigid balls that meet off their centres and rub.
constexpr const char* two_balls = R"(
time = { end = 0.1 }
integrator = { kind = 'energy_momentum', step = 0.001 }
contact = [{ name = 'impact', kind = 'bodies', distance = 0.002, pressure = 1e5, friction = 0.3, stick_speed = 0.01 }]
[[body]]
name = 'left'
kind = 'rigid'
mass = 1
shape = { kind = 'sphere', radius = 0.05 }
center = [0, 0, 0]
initial = { velocity = [1, 0, 0], angular_velocity = [3, 5, -4] }
[[body]]
name = 'right'
kind = 'rigid'
mass = 0.5
shape = { kind = 'sphere', radius = 0.04 }
center = [0.1, 0.03, 0.01]
initial = { velocity = [-1, 0, 0] }
)";

std::string text_of(const std::string& scene) {
  if (scene.empty()) return two_balls;
  std::ifstream file(source_dir() + "/scenes/" + scene);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The same scene with its [[body]] tables in reverse order; count: how many there are.
std::string reversed(const std::string& text, std::size_t& count) {
  std::vector<std::string> tables{""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("[")) tables.emplace_back();
    tables.back() += line;
    at = end;
  }
  std::vector<std::size_t> bodies;
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (tables[k].starts_with("[[body]]")) bodies.push_back(k);
  count = bodies.size();
  for (std::size_t k = 0; k < count / 2; ++k) std::swap(tables[bodies[k]], tables[bodies[count - 1 - k]]);
  std::string result;
  for (const std::string& table : tables) result += table;
  return result;
}

struct Ended {
  std::vector<double> q, p;
  std::map<std::string, std::vector<double>> positions;  // of bodies
  double touching = 0;                                   // J stored in contact in the middle
};

Ended ended(const Case& of, const std::string& text, std::size_t threads, bool restarts) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const Scene scene = parse_scene(text, of.scene);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  auto integrator = make_integrator(scene, model);
  StepReport report = integrator->advance(model, state, of.touch);
  EXPECT_TRUE(report.converged) << report.message;
  Ended result;
  for (const auto& term : model.parts().terms)
    if (term->barrier() != nullptr) result.touching += term->barrier()->energy(state.q);
  if (restarts) {  // as a checkpoint does it
    MemoryWriter memory;
    integrator->visit_memory(memory);
    integrator = make_integrator(scene, model);
    MemoryReader reader(memory.bytes());
    integrator->visit_memory(reader);
  }
  report = integrator->advance(model, state, of.end);
  EXPECT_TRUE(report.converged) << report.message;
  result.q = state.q;
  result.p = state.p;
  for (const Body& body : model.bodies())
    result.positions[body.name].assign(state.q.begin() + body.first, state.q.begin() + body.first + body.size());
  return result;
}

TEST(ContactBits, ThreadsAndRestartsInScenes) {
  for (const Case& of : cases) {
    SCOPED_TRACE(of.scene);
    const std::string text = text_of(of.scene);
    const Ended one = ended(of, text, 1, false);
    EXPECT_GT(one.touching, 0) << "they touch in the middle";
    for (const int kind : {0, 1, 2}) {
      SCOPED_TRACE(kind < 2 ? "threads" : "restart");
      const Ended other = ended(of, text, kind == 2 ? 1 : 2 << kind, kind == 2);
      EXPECT_EQ(other.q, one.q);
      EXPECT_EQ(other.p, one.p);
    }
  }
}

TEST(ContactBits, OrderOfBodiesDoesNotMatter) {
  for (const Case& of : cases) {
    SCOPED_TRACE(of.scene);
    std::size_t count = 0;
    const std::string text = text_of(of.scene), other = reversed(text, count);
    EXPECT_GE(count, 2u);
    EXPECT_NE(text, other);
    const Ended one = ended(of, text, 1, false), two = ended(of, other, 1, false);
    EXPECT_NE(one.q, two.q) << "coordinates have changed places";
    for (const auto& [name, x] : one.positions) {
      const std::vector<double>& y = two.positions.at(name);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12) << name;
    }
  }
}

}  // namespace
}  // namespace livens
