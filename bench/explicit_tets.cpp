// Explicit steps of linear and quadratic tetrahedra: the library's element kernels against a plain scalar loop over the
// elements with the same energy, and two threads against one; in cache and far out of it. All ratios are measured in
// one run, alternating, best of several rounds; and what the machine could do at best is measured beside them.
//   build/bench/bench_explicit_tets [cells a side, default 7, 14 and 58] [rounds, default 7] [tet4 | tet10]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <tbb/global_control.h>

#include <livens/livens.hpp>
#include <livens/materials.hpp>
#include <livens/meshes.hpp>

#include "roofline.hpp"

namespace {

constexpr double young = 1e6, poisson = 0.45, density = 1000;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// What one would write by hand: inverse reference edges and volumes, one loop over elements, kick, drift, kick.
struct PlainSolid {
  std::vector<int> tets;        // 4 nodes each
  std::vector<double> inverse;  // of the matrix of reference edges, 9 each
  std::vector<double> volume, mass, q, v, g;
  double lambda = 0, mu = 0;
  bool quadratic = false;  // then `tets` has 10 nodes, `inverse` the gradients of all nodes at four points, 120 each

  explicit PlainSolid(const livens::Mesh& mesh) : tets(mesh.connectivity), mass(mesh.X.size()), g(mesh.X.size()) {
    quadratic = mesh.kind == livens::ElementKind::tet10;
    mu = young / (2 * (1 + poisson));
    lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    for (int e = 0; e < mesh.elements(); ++e) {
      const int* n = mesh.element(e);
      const double* X = mesh.X.data();
      double D[3][3];
      for (int a = 0; a < 3; ++a)
        for (int i = 0; i < 3; ++i) D[i][a] = X[3 * n[a + 1] + i] - X[3 * n[0] + i];
      double cofactors[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          cofactors[i][j] = D[(i + 1) % 3][(j + 1) % 3] * D[(i + 2) % 3][(j + 2) % 3] -
                            D[(i + 1) % 3][(j + 2) % 3] * D[(i + 2) % 3][(j + 1) % 3];
      const double det = D[0][0] * cofactors[0][0] + D[0][1] * cofactors[0][1] + D[0][2] * cofactors[0][2];
      volume.push_back(det / 6);
      if (quadratic) {
        add_quadratic(n, cofactors, det);
        continue;
      }
      for (int a = 0; a < 3; ++a)
        for (int j = 0; j < 3; ++j) inverse.push_back(cofactors[j][a] / det);
      for (int a = 0; a < 4; ++a)
        for (int c = 0; c < 3; ++c) mass[3 * n[a] + c] += density * det / 24;
    }
  }

  void add_quadratic(const int* n, const double (&cofactors)[3][3], double det) {
    constexpr int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const double far = (5 - std::sqrt(5.0)) / 20;
    for (int point = 0; point < 4; ++point) {
      double L[4], G[4][3] = {};
      for (int a = 0; a < 4; ++a) L[a] = a == point ? 1 - 3 * far : far;
      for (int a = 1; a < 4; ++a)
        for (int j = 0; j < 3; ++j) {
          G[a][j] = cofactors[j][a - 1] / det;
          G[0][j] -= G[a][j];
        }
      for (int a = 0; a < 4; ++a)
        for (int j = 0; j < 3; ++j) inverse.push_back((4 * L[a] - 1) * G[a][j]);
      for (const auto& [a, b] : edges)
        for (int j = 0; j < 3; ++j) inverse.push_back(4 * (L[a] * G[b][j] + L[b] * G[a][j]));
    }
    for (int a = 0; a < 10; ++a)
      for (int c = 0; c < 3; ++c) mass[3 * n[a] + c] += density * det / 6 * (a < 4 ? 1.0 / 36 : 4.0 / 27);
  }

  void quadratic_gradient(const double* x, double* out) const {
    for (std::size_t e = 0; e < volume.size(); ++e) {
      const int* n = &tets[10 * e];
      double at[10][3], force[10][3] = {};
      for (int a = 0; a < 10; ++a)
        for (int i = 0; i < 3; ++i) at[a][i] = x[3 * n[a] + i];
      for (int point = 0; point < 4; ++point) {
        const double* b = &inverse[120 * e + 30 * point];
        double F[3][3] = {}, c[3][3];
        for (int a = 0; a < 10; ++a)
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) F[i][j] += at[a][i] * b[3 * a + j];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            c[i][j] = F[(i + 1) % 3][(j + 1) % 3] * F[(i + 2) % 3][(j + 2) % 3] -
                      F[(i + 1) % 3][(j + 2) % 3] * F[(i + 2) % 3][(j + 1) % 3];
        const double J = F[0][0] * c[0][0] + F[0][1] * c[0][1] + F[0][2] * c[0][2];
        const double f = volume[e] / 4 * mu, k = volume[e] / 4 * (lambda * std::log(J) - mu) / J;
        for (int i = 0; i < 3; ++i) {
          const double P0 = f * F[i][0] + k * c[i][0], P1 = f * F[i][1] + k * c[i][1], P2 = f * F[i][2] + k * c[i][2];
          for (int a = 0; a < 10; ++a) force[a][i] += P0 * b[3 * a] + P1 * b[3 * a + 1] + P2 * b[3 * a + 2];
        }
      }
      for (int a = 0; a < 10; ++a)
        for (int i = 0; i < 3; ++i) out[3 * n[a] + i] += force[a][i];
    }
  }

  void gradient(const double* x, double* out) const {
    std::fill(out, out + g.size(), 0.0);
    if (quadratic) return quadratic_gradient(x, out);
    const std::size_t count = volume.size();
    for (std::size_t e = 0; e < count; ++e) {
      const int* n = &tets[4 * e];
      const double* b = &inverse[9 * e];
      const double *x0 = x + 3 * n[0], *x1 = x + 3 * n[1], *x2 = x + 3 * n[2], *x3 = x + 3 * n[3];
      double F[3][3];
      for (int i = 0; i < 3; ++i) {
        const double d1 = x1[i] - x0[i], d2 = x2[i] - x0[i], d3 = x3[i] - x0[i];
        for (int j = 0; j < 3; ++j) F[i][j] = d1 * b[j] + d2 * b[3 + j] + d3 * b[6 + j];
      }
      double c[3][3];
      c[0][0] = F[1][1] * F[2][2] - F[1][2] * F[2][1];
      c[0][1] = F[1][2] * F[2][0] - F[1][0] * F[2][2];
      c[0][2] = F[1][0] * F[2][1] - F[1][1] * F[2][0];
      c[1][0] = F[2][1] * F[0][2] - F[2][2] * F[0][1];
      c[1][1] = F[2][2] * F[0][0] - F[2][0] * F[0][2];
      c[1][2] = F[2][0] * F[0][1] - F[2][1] * F[0][0];
      c[2][0] = F[0][1] * F[1][2] - F[0][2] * F[1][1];
      c[2][1] = F[0][2] * F[1][0] - F[0][0] * F[1][2];
      c[2][2] = F[0][0] * F[1][1] - F[0][1] * F[1][0];
      const double J = F[0][0] * c[0][0] + F[0][1] * c[0][1] + F[0][2] * c[0][2];
      // P = mu F + (lambda ln J - mu)/J cof F
      const double f = volume[e] * mu, k = volume[e] * (lambda * std::log(J) - mu) / J;
      double *g0 = out + 3 * n[0], *g1 = out + 3 * n[1], *g2 = out + 3 * n[2], *g3 = out + 3 * n[3];
      for (int i = 0; i < 3; ++i) {
        const double P0 = f * F[i][0] + k * c[i][0], P1 = f * F[i][1] + k * c[i][1], P2 = f * F[i][2] + k * c[i][2];
        const double f1 = P0 * b[0] + P1 * b[1] + P2 * b[2], f2 = P0 * b[3] + P1 * b[4] + P2 * b[5],
                     f3 = P0 * b[6] + P1 * b[7] + P2 * b[8];
        g0[i] -= f1 + f2 + f3;
        g1[i] += f1;
        g2[i] += f2;
        g3[i] += f3;
      }
    }
  }

  void steps(int count, double h) {
    gradient(q.data(), g.data());
    for (int k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < q.size(); ++i) {
        v[i] -= 0.5 * h * g[i] / mass[i];
        q[i] += h * v[i];
      }
      gradient(q.data(), g.data());
      for (std::size_t i = 0; i < q.size(); ++i) v[i] -= 0.5 * h * g[i] / mass[i];
    }
  }
};

livens::Model make_model(const std::shared_ptr<const livens::Mesh>& mesh, const std::vector<double>& mass) {
  livens::MaterialConstants constants;
  constants.moduli.mu = young / (2 * (1 + poisson));
  constants.moduli.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  livens::SolidPart part;
  part.name = "cube";
  part.mesh = mesh;
  part.elements.resize(mesh->elements());
  std::iota(part.elements.begin(), part.elements.end(), 0);
  livens::ModelParts parts;
  livens::Body body;
  body.name = "cube";
  body.nodes = mesh->nodes();
  body.dimension = 3;
  body.reference = mesh->X;
  body.mesh = mesh;
  body.mass = density;
  parts.bodies.push_back(body);
  parts.mass.diagonal = mass;
  parts.terms.push_back(livens::material_records().at("neo_hookean").make(constants, part));
  return livens::Model(std::move(parts));
}

struct Best {
  double wall = 1e300, cpu = 1e300;
  void time(const std::function<void()>& body) {
    const double w = seconds(), c = cpu_seconds();
    body();
    wall = std::min(wall, seconds() - w);
    cpu = std::min(cpu, cpu_seconds() - c);
  }
};

// A cube of tetrahedra, slightly out of shape, and what it takes to compare the two ways of moving it. The plain loop
// has the nodes in the order of the grid, which suits it best; the library in the order that scenes give them.
struct Cube {
  std::shared_ptr<const livens::Mesh> grid, mesh;
  PlainSolid plain;
  livens::Model model;
  double tets = 0, h = 0;
  std::vector<double> q, v, mesh_q, mesh_v;
  int repeats = 0, steps = 0;  // of the gradient and of Verlet, per round

  static livens::Mesh make_grid(int cells, livens::ElementKind kind) {
    livens::BoxSpec spec;
    spec.cells = {cells, cells, cells};
    spec.kind = kind;
    return livens::box_mesh(spec);
  }
  static livens::Mesh ordered(livens::Mesh mesh) {
    if (mesh.nodes() > 50'000) livens::order_for_locality(mesh);
    return mesh;
  }
  // Three numbers of each node in the order of the grid, in that of the mesh.
  std::vector<double> in_mesh(const std::vector<double>& of_grid) const {
    std::vector<double> all;
    for (int a = 0; a < mesh->nodes(); ++a)
      for (long c = 0; c < 3; ++c) all.push_back(of_grid[3 * (mesh->node_tag(a) - 1) + c]);
    return all;
  }

  Cube(int cells, livens::ElementKind kind)
      : grid(std::make_shared<livens::Mesh>(make_grid(cells, kind))),
        mesh(std::make_shared<livens::Mesh>(ordered(*grid))),
        plain(*grid),
        model(make_model(mesh, in_mesh(plain.mass))) {
    tets = static_cast<double>(mesh->elements());
    h = std::stod(std::to_string(0.1 / cells / std::sqrt(4 * young / density)));
    for (std::size_t i = 0; i < grid->X.size(); ++i) {
      q.push_back(grid->X[i] + 0.05 / cells * std::sin(1.0 + 7.0 * static_cast<double>(i)));
      v.push_back(0.1 * std::sin(3.0 * static_cast<double>(i)));
    }
    mesh_q = in_mesh(q);
    mesh_v = in_mesh(v);
    repeats = std::max(1, static_cast<int>((plain.quadratic ? 8e5 : 4e6) / tets));
    steps = std::max(4, repeats / 2);
  }

  void library_gradient(int threads, std::vector<double>& g, Best& best) const {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    best.time([&] {
      for (int k = 0; k < repeats; ++k) model.gradient(0, mesh_q, g);
    });
  }

  void library_steps(int threads, std::vector<double>& end, Best& best) const {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    auto integrator = livens::make_integrator("kind = 'stormer_verlet', step = " + std::to_string(h), model);
    const livens::State start = livens::make_state(model, 0, mesh_q, mesh_v);
    livens::State state = start;
    integrator->advance(model, state, 0.5 * h);
    state = start;
    best.time([&] { integrator->advance(model, state, (steps - 0.5) * h); });
    end = state.q;
  }
};

// Of the plain loop, of the library with one thread and with two.
using Times = Best[3];

void print_row(const char* what, const Times& best, double tets, double count) {
  const double updates = tets * count * 1e-6;
  std::printf("  %-9s plain %6.1f   livens %6.1f (%.2f x)   2 threads %6.1f (%.2f x)   million tetrahedra a second\n",
              what, updates / best[0].cpu, updates / best[1].cpu, best[0].cpu / best[1].cpu, updates / best[2].wall,
              best[1].wall / best[2].wall);
}

bool measure(int cells, livens::ElementKind kind, int rounds) {
  Cube cube(cells, kind);
  PlainSolid& plain = cube.plain;
  const std::size_t n = cube.q.size();
  Times gradient, whole;
  std::vector<double> g1(n), g2(n), q1, q2;
  for (int round = 0; round < rounds; ++round) {
    gradient[0].time([&] {
      for (int k = 0; k < cube.repeats; ++k) plain.gradient(cube.q.data(), plain.g.data());
    });
    cube.library_gradient(1, g1, gradient[1]);
    cube.library_gradient(2, g2, gradient[2]);
    plain.q = cube.q;
    plain.v = cube.v;
    whole[0].time([&] { plain.steps(cube.steps, cube.h); });
    cube.library_steps(1, q1, whole[1]);
    cube.library_steps(2, q2, whole[2]);
  }
  plain.gradient(cube.q.data(), plain.g.data());
  double largest = 0, difference = 0, drift = 0;
  const std::vector<double> plain_g = cube.in_mesh(plain.g), plain_q = cube.in_mesh(plain.q);
  for (std::size_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(plain_g[i]));
    difference = std::max(difference, std::abs(plain_g[i] - g1[i]));
    drift = std::max(drift, std::abs(q1[i] - plain_q[i]));
  }
  const bool same = g1 == g2 && q1 == q2;
  std::printf("%.0f %s, best of %d rounds of %d gradients and of %d Verlet steps\n", cube.tets,
              livens::to_string(kind).c_str(), rounds, cube.repeats, cube.steps);
  print_row("gradient", gradient, cube.tets, cube.repeats);
  print_row("step", whole, cube.tets, cube.steps);
  std::printf(
      "  two threads: %s bits; largest difference to the plain loop: force %.1e of the largest, position %.1e m\n",
      same ? "same" : "DIFFERENT", difference / largest, drift);
  std::fflush(stdout);
  return same && difference < 1e-10 * largest && drift < 1e-9;
}

// Bytes that an element cannot do without (metric, places of nodes, and positions and forces of the nodes that come to
// it), and about how many operations its formulas have.
void print_roof() {
  const roofline::Roof roof;
  roof.print();
  const double bytes = 56 + 8 + 72.0 / 6, operations = 200;
  std::printf(
      "roof of linear tetrahedra: %.0f million a second by memory (%.0f bytes each), %.0f by arithmetic (%.0f "
      "operations each)\n",
      1e3 * roof.bandwidth / bytes, bytes, 1e3 * roof.fused / operations, operations);
}

}  // namespace

int main(int argc, char** argv) {
  using livens::ElementKind;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  bool good = true;
  print_roof();
  for (const ElementKind kind : {ElementKind::tet4, ElementKind::tet10}) {
    if (argc > 3 && livens::to_string(kind) != argv[3]) continue;
    std::vector<int> cells = {7, 14, kind == ElementKind::tet4 ? 58 : 30};
    if (argc > 1 && std::atoi(argv[1]) > 0) cells = {std::atoi(argv[1])};
    for (const int side : cells) good = measure(side, kind, rounds) && good;
  }
  return good ? 0 : 1;
}
