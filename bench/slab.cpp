// The slab of L04 Figs 14, 15 on nested meshes: asynchronous steps against explicit Newmark (beta = 0, which is
// Stormer-Verlet) at the step of the smallest element; L2 errors of displacement and deformation gradient against
// Newmark on a mesh that is finer once more, over element updates and over time of the processor. One thread.
//   build/bench/bench_slab SCENE [meshes, default 5] [courant, default 0.1]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <livens/livens.hpp>
#include <livens/mesh.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"

namespace {

using namespace livens;

// Newmark's own limit is about 0.7 in this deformation; its error hardly depends on the step, see
// docs/asynchronous_published.md.
constexpr double reference_courant = 0.5;

struct Solution {
  std::shared_ptr<const Mesh> mesh;
  std::vector<double> x;
  double updates = 0, seconds = 0, least_step = 0;
};

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Solution solve(Scene scene, int refine, double courant, bool asynchronous) {
  scene.set("body.slab.mesh.refine", std::to_string(refine));
  scene.set("integrator.courant", courant);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const double end = scene.root.find("time")->find("end")->number;
  Solution solution;
  solution.mesh = model.bodies()[0].mesh;
  auto integrator = make_integrator(scene, model);
  if (!asynchronous) {
    State copy = state;
    integrator->advance(model, copy, 1e-9 * end);  // the steps of the elements are known from here on
    const double steps = std::ceil(end / integrator->counters().step_min);
    integrator = make_integrator(fmt::format("kind = 'stormer_verlet', step = {:.17g}", end / steps), model);
  }
  const double began = processor_seconds();
  const StepReport report = integrator->advance(model, state, end);
  solution.seconds = processor_seconds() - began;
  if (!report.converged) {
    std::fprintf(stderr, "%s\n", report.message.c_str());
    std::exit(1);
  }
  const Counters& counters = integrator->counters();
  solution.least_step = counters.step_min;
  solution.updates = asynchronous ? static_cast<double>(counters.evaluations)
                                  : static_cast<double>(counters.steps) * solution.mesh->elements();
  solution.x = state.q;
  return solution;
}

// --- L2 errors -------------------------------------------------------------------------------------------------------

struct Value {
  double u[2] = {0, 0}, F[4] = {0, 0, 0, 0};
};

// Displacement and gradient of a straight six-node triangle at barycentric coordinates.
Value value_at(const Solution& s, int element, const std::array<double, 3>& l) {
  const int* node = s.mesh->element(element);
  const double* X = s.mesh->X.data();
  const auto reference = [&](int a, int c) { return X[2 * node[a] + c]; };
  double grad[3][2];  // of the barycentric coordinates
  const double area2 = (reference(1, 0) - reference(0, 0)) * (reference(2, 1) - reference(0, 1)) -
                       (reference(2, 0) - reference(0, 0)) * (reference(1, 1) - reference(0, 1));
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    grad[a][0] = (reference(b, 1) - reference(c, 1)) / area2;
    grad[a][1] = (reference(c, 0) - reference(b, 0)) / area2;
  }
  Value value;
  const auto add = [&](int a, double N, double dx, double dy) {
    for (int i = 0; i < 2; ++i) {
      const double x = s.x[2 * node[a] + i];
      value.u[i] += N * (x - reference(a, i));
      value.F[2 * i] += x * dx;
      value.F[2 * i + 1] += x * dy;
    }
  };
  for (int a = 0; a < 3; ++a) {
    const double la = l[at(a)], d = 4 * la - 1;
    add(a, la * (2 * la - 1), d * grad[a][0], d * grad[a][1]);
    const int p = simplex_edges[at(a)][0], q = simplex_edges[at(a)][1];
    const double lp = l[at(p)], lq = l[at(q)];
    add(3 + a, 4 * lp * lq, 4 * (lq * grad[p][0] + lp * grad[q][0]), 4 * (lq * grad[p][1] + lp * grad[q][1]));
  }
  return value;
}

std::array<double, 2> point(const Mesh& mesh, int element, const std::array<double, 3>& l) {
  std::array<double, 2> X{0, 0};
  for (int a = 0; a < 3; ++a)
    for (std::size_t c = 0; c < 2; ++c) X[c] += l[at(a)] * mesh.X[2 * at(mesh.element(element)[a]) + c];
  return X;
}

std::array<double, 3> barycentric(const Mesh& mesh, int element, const std::array<double, 2>& X) {
  const int* node = mesh.element(element);
  const auto area = [&](const double* a, const double* b, const double* c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
  };
  const double *a = &mesh.X[2 * at(node[0])], *b = &mesh.X[2 * at(node[1])], *c = &mesh.X[2 * at(node[2])];
  const double whole = area(a, b, c);
  return {area(X.data(), b, c) / whole, area(a, X.data(), c) / whole, area(a, b, X.data()) / whole};
}

// Six points, exact to degree 4 (G. R. Cowper 1973).
constexpr double near_vertex = 0.091576213509771, near_middle = 0.445948490915965;
constexpr double weight_vertex = 0.109951743655322, weight_middle = 0.223381589678011;

struct Errors {
  double u = 0, F = 0;  // over the norms of u and F - 1
};

// Meshes are nested and children follow each other: the ancestor of element e is e / 4^levels.
Errors errors_of(const Solution& coarse, const Solution& fine) {
  const int ratio = fine.mesh->elements() / coarse.mesh->elements();
  Errors sum, norm;
  for (int e = 0; e < fine.mesh->elements(); ++e)
    for (const auto& [distance, weight] :
         {std::pair{near_vertex, weight_vertex}, std::pair{near_middle, weight_middle}})
      for (std::size_t k = 0; k < 3; ++k) {
        std::array<double, 3> l{distance, distance, distance};
        l[k] = 1 - 2 * distance;
        const Value exact = value_at(fine, e, l);
        const Value value = value_at(coarse, e / ratio, barycentric(*coarse.mesh, e / ratio, point(*fine.mesh, e, l)));
        const double w = weight * signed_volume(*fine.mesh, e);
        for (int i = 0; i < 2; ++i) {
          sum.u += w * std::pow(value.u[i] - exact.u[i], 2);
          norm.u += w * std::pow(exact.u[i], 2);
        }
        for (int i = 0; i < 4; ++i) {
          sum.F += w * std::pow(value.F[i] - exact.F[i], 2);
          norm.F += w * std::pow(exact.F[i] - (i % 3 == 0 ? 1 : 0), 2);
        }
      }
  return {std::sqrt(sum.u / norm.u), std::sqrt(sum.F / norm.F)};
}

// Slope of log y over log x by least squares.
double rate(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

int main(int argc, char** argv) {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  if (argc < 2) return std::fprintf(stderr, "bench_slab SCENE [meshes] [courant]\n"), 2;
  const Scene scene = load_scene(argv[1]);
  const int meshes = argc > 2 ? std::atoi(argv[2]) : 5;
  const double courant = argc > 3 ? std::atof(argv[3]) : 0.1;

  const Solution reference = solve(scene, meshes, reference_courant, false);
  std::printf("reference: Newmark, %d triangles, step %.3g s, %.3g updates, %.0f s\n\n", reference.mesh->elements(),
              reference.least_step, reference.updates, reference.seconds);
  std::printf("| triangles | least step, s | method | updates | time, s | error of u | error of F |\n");
  std::printf("|---:|---:|---|---:|---:|---:|---:|\n");
  std::array<std::vector<double>, 2> step, u, F;
  std::vector<double> saved, gained;
  for (int refine = 0; refine < meshes; ++refine) {
    const Solution both[2] = {solve(scene, refine, courant, true), solve(scene, refine, courant, false)};
    for (std::size_t k = 0; k < 2; ++k) {
      const Errors e = errors_of(both[k], reference);
      std::printf("| %d | %.3g | %s | %.3g | %.3g | %.3e | %.3e |\n", both[k].mesh->elements(), both[k].least_step,
                  k == 0 ? "asynchronous" : "Newmark", both[k].updates, both[k].seconds, e.u, e.F);
      std::fflush(stdout);
      step[k].push_back(both[k].least_step);
      u[k].push_back(e.u);
      F[k].push_back(e.F);
    }
    saved.push_back(both[1].updates / both[0].updates);
    gained.push_back(both[1].seconds / both[0].seconds);
  }
  std::printf("\n| method | rate of u in the step | rate of F |\n|---|---:|---:|\n");
  for (std::size_t k = 0; k < 2; ++k)
    std::printf("| %s | %.2f | %.2f |\n", k == 0 ? "asynchronous" : "Newmark", rate(step[k], u[k]),
                rate(step[k], F[k]));
  std::printf("\nNewmark over asynchronous, by mesh: updates");
  for (const double s : saved) std::printf(" %.2f", s);
  std::printf("; time");
  for (const double g : gained) std::printf(" %.2f", g);
  std::printf("\n");
}
