// Contact by barriers: what it costs beside the same step without it, pairs by trees, and continuous collision
// detection. Ratios of one run.
//   bench_contact [steps|pairs|paths ...] [a scene with contact, and one without, of the same bodies ...]
// Without arguments steps, pairs and paths.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>

#include <fmt/core.h>
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "contact/broad_phase.hpp"
#include "contact/contact_set.hpp"
#include "contact/free_path.hpp"

namespace {

using livens::Point3;

// Of the processor: for one thread, on a machine that others use.
double processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Two plates face on face, 12 672 nodes, that swing and are pressed on each other; 2112 nodes stand on facets.
struct Plates {
  explicit Plates(bool contact) {
    livens::Assembly assembly;
    livens::add(assembly, livens::neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
    const auto plate = [&](double z, double velocity, const char* name) {
      livens::Solid solid;
      solid.mesh = livens::box_mesh({.size = {0.32, 0.31, 0.05}, .corner = {0, 0, z}, .cells = {32, 31, 5}});
      solid.material = "rubber";
      solid.initial.velocity = [=](const livens::Vec3& X) {
        return livens::Vec3{0.1 * std::sin(20 * X[1]), 0.1 * std::cos(25 * X[0]),
                            velocity + 0.05 * std::sin(15 * X[0]) * std::sin(12 * X[1])};
      };
      livens::add(assembly, solid, name);
    };
    const double range = 0.1 * 0.01;
    plate(0, 0.1, "lower");
    plate(0.05 + 0.9 * range, -0.1, "upper");
    livens::ContactBodies law;
    law.barrier.distance = range;
    if (contact) livens::add(assembly, law, "contact");
    model = std::make_unique<livens::Model>(assembly.model());
    state = assembly.start(*model);
  }
  std::unique_ptr<livens::Model> model;
  livens::State state;
};

struct Timed {
  double seconds = 0, processor = 0;  // of a step
  livens::Counters counters;
  long pairs = 0;
};

Timed time_steps(bool contact, int threads, double h, int steps) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  Plates plates(contact);
  auto integrator = livens::make_integrator(fmt::format("kind = 'energy_momentum', step = {}", h), *plates.model);
  integrator->advance(*plates.model, plates.state, plates.state.t + 2 * h);  // memory and patterns
  const livens::Counters warm = integrator->counters();
  const double start = now(), began = processor();
  integrator->advance(*plates.model, plates.state, plates.state.t + steps * h);
  Timed timed;
  timed.seconds = (now() - start) / steps;
  timed.processor = (processor() - began) / steps;
  timed.counters = integrator->counters();
  timed.counters.newton -= warm.newton;
  timed.counters.linear_iterations -= warm.linear_iterations;
  timed.counters.factorisations -= warm.factorisations;
  for (const auto& term : plates.model->parts().terms) {
    if (term->barrier() == nullptr) continue;
    livens::ContactSet set(*term->barrier());
    const std::vector<double> rest(plates.state.q.size(), 0.0);
    set.begin(plates.state.q, rest, 0);
    set.stand_at(plates.state.q);
    for (const livens::Contact& pair : set.contacts()) timed.pairs += pair.force != 0 ? 1 : 0;
  }
  return timed;
}

void report_steps() {
  fmt::print("two plates of 12 672 nodes, energy_momentum\n");
  for (const double h : {1e-4, 5e-4}) {
    constexpr int steps = 10;
    const Timed without = time_steps(false, 1, h, steps), with = time_steps(true, 1, h, steps),
                two = time_steps(true, 2, h, steps);
    const auto line = [&](const char* name, const Timed& timed) {
      fmt::print(
          "  h = {:g} s, {:24} {:8.2f} ms a step ({:.2f} of the processor), {:.1f} Newton steps, {:.0f} of conjugate "
          "gradients, {} "
          "factorisations, {} pairs\n",
          h, name, 1e3 * timed.seconds, 1e3 * timed.processor, static_cast<double>(timed.counters.newton) / steps,
          static_cast<double>(timed.counters.linear_iterations) / steps, timed.counters.factorisations, timed.pairs);
    };
    line("without contact", without);
    line("with contact", with);
    line("with contact, 2 threads", two);
    fmt::print("  contact costs {:.2f} x the step without it; two threads are {:.2f} x as fast\n",
               with.processor / without.processor, with.seconds / two.seconds);
  }
}

// A wavy torus of 2 n^2 triangles.
livens::ContactSurface torus(int n, std::vector<livens::Box>& boxes) {
  livens::ContactSurface surface(3);
  std::vector<int> first;
  std::vector<Point3> reference;
  std::vector<livens::ContactSurface::Facet> facets;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double a = 2 * M_PI * i / n, b = 2 * M_PI * j / n, r = 0.3 + 0.02 * std::sin(9 * a) * std::sin(7 * b);
      reference.push_back({(1 + r * std::cos(b)) * std::cos(a), (1 + r * std::cos(b)) * std::sin(a), r * std::sin(b)});
      first.push_back(3 * (i * n + j));
      const int i1 = (i + 1) % n, j1 = (j + 1) % n;
      facets.push_back({i * n + j, i1 * n + j, i1 * n + j1});
      facets.push_back({i * n + j, i1 * n + j1, i * n + j1});
    }
  surface.add_body("torus", first, reference, facets, 1);
  const double edge = surface.bodies()[0].edge;
  for (const Point3& p : reference) {
    livens::Box box;
    box.take(p);
    box.grow(0.02 * edge);
    boxes.push_back(box);
  }
  return surface;
}

void report_broad_phase() {
  fmt::print("pairs of a surface with itself\n");
  for (const int n : {100, 283, 707})
    for (const int threads : {1, 2}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
      std::vector<livens::Box> boxes;
      const livens::ContactSurface surface = torus(n, boxes);
      const double edge = surface.bodies()[0].edge;
      double cold = 1e9, warm = 1e9;
      std::size_t pairs = 0;
      for (int round = 0; round < 3; ++round) {
        livens::BroadPhase broad(surface, {1}, 0.25 * edge);
        const auto clock = threads == 1 ? processor : now;
        double start = clock();
        broad.find(boxes, 0.1 * edge, 0.05 * edge);
        cold = std::min(cold, clock() - start);
        start = clock();
        broad.find(boxes, 0.1 * edge, 0.05 * edge);
        warm = std::min(warm, clock() - start);
        pairs = broad.point_facets().size() + broad.edge_edges().size();
      }
      fmt::print("  {} triangles, {} thread(s): cold {:.3f} s, {:.0f} ns a triangle; lists kept {:.4f} s; {} pairs\n",
                 2 * n * n, threads, cold, 1e9 * cold / (2.0 * n * n), warm, pairs);
    }
}

void report_free_paths() {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  constexpr int count = 20000;
  const auto time = [&](const char* name, double gap, const auto& fraction) {
    std::vector<livens::MovingPoint> points(4 * count);
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].x = {unit(engine), unit(engine), unit(engine) + (i % 4 == 0 ? gap : 0)};
      points[i].dx = {0.2 * unit(engine), 0.2 * unit(engine), 0.2 * unit(engine)};
    }
    double best = 1e9, sum = 0;
    for (int round = 0; round < 5; ++round) {
      const double start = now();
      for (int k = 0; k < count; ++k) sum += fraction(points.data() + 4 * k);
      best = std::min(best, now() - start);
    }
    fmt::print("  {:32} {:.3f} us a pair (mean free part {:.2f})\n", name, 1e6 * best / count, sum / (5 * count));
  };
  fmt::print("continuous collision detection\n");
  const auto facet = [](const livens::MovingPoint* p) {
    return livens::free_fraction_point_triangle(p[0], p[1], p[2], p[3]);
  };
  const auto edges = [](const livens::MovingPoint* p) {
    return livens::free_fraction_edge_edge(p[0], p[1], p[2], p[3]);
  };
  time("point and triangle, ordinary", 2, facet);
  time("point and triangle, near", 0, facet);
  time("edges, ordinary", 2, edges);
  time("edges, near", 0, edges);
}

double steps_a_second(const std::string& file, double seconds, livens::Counters& counters) {
  const livens::Scene scene = livens::load_scene(file);
  const livens::Model model = livens::make_model(scene);
  livens::State state = livens::initial_state(scene, model);
  auto integrator = livens::make_integrator(scene, model);
  long steps = 0;
  const double start = now();
  integrator->advance(model, state, 1e9, [&](const livens::State&, const livens::StepReport&) {
    ++steps;
    return now() - start < seconds;
  });
  counters = integrator->counters();
  return static_cast<double>(steps) / (now() - start);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<std::string> asked(argv + 1, argv + argc);
  if (asked.empty()) asked = {"steps", "pairs", "paths"};
  for (const std::string& name : asked) {
    if (name == "steps") {
      report_steps();
    } else if (name == "pairs") {
      report_broad_phase();
    } else if (name == "paths") {
      report_free_paths();
    } else {
      livens::Counters counters;
      const double rate = steps_a_second(name, 20, counters);
      fmt::print("{}: {:.1f} steps a second, {:.1f} Newton steps, {:.0f} of conjugate gradients, {} factorisations\n",
                 name, rate, static_cast<double>(counters.newton) / static_cast<double>(counters.steps),
                 static_cast<double>(counters.linear_iterations) / static_cast<double>(counters.steps),
                 counters.factorisations);
    }
  }
}
