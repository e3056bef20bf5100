// Resonance of clocks on levels, by eigenvalues: the exact map of a small linear model over the longest step, with the
// rules of src/asynchronous/levels.hpp and with cures from the literature. Prints a table of docs/asynchronous.md:
//   bench_asynchronous_resonance [meshes [cures]]    cures: only these
// for each: in how many of so many jittered meshes something grows, and the largest rate of growth per step of the
// coarsest level.
//
// With C and S of one step of a level (q+ = C q + S p) two of them and a kick of the next coarser level A give
//   S' = 2 C S,   C' = 2 C^2 - 1 - H/2 S' A,   and amplitudes grow by |c + sqrt(c^2 - 1)| for each eigenvalue c of C'.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <livens/scene.hpp>

#include "asynchronous/levels.hpp"

using namespace livens;

namespace {

using Matrix = Eigen::MatrixXd;

constexpr double noticed = 5e-6;  // growth per step; rounding makes up to 1e-6

struct Block {
  const char* name;
  const char* element;
  const char* mesh;
  double ratio;  // of stiffness, from one end to the other
  bool jump;     // in the middle, else evenly
};

const Block blocks[] = {
    {"jump 1:4", "tri3", "kind = 'rectangle', size = [1.2, 0.6], cells = [12, 6]", 4, true},
    {"jump 1:16", "tri3", "kind = 'rectangle', size = [1.2, 0.6], cells = [12, 6]", 16, true},
    {"graded 1:64", "tri3", "kind = 'rectangle', size = [1.2, 0.6], cells = [12, 6]", 64, false},
    {"jump 1:4", "tri6", "kind = 'rectangle', size = [1.2, 0.6], cells = [6, 3]", 4, true},
    {"jump 1:4", "tet4", "kind = 'box', size = [1.2, 0.6, 0.6], cells = [6, 3, 3]", 4, true},
    {"graded 1:64", "tet4", "kind = 'box', size = [1.2, 0.6, 0.6], cells = [6, 3, 3]", 64, false},
};

// Stiffness of each element, in coordinates and in units of mass.
struct LinearModel {
  explicit LinearModel(const Model& model, const State& state, const Block& block) : system(model) {
    const int D = system.dimension();
    size = system.node_count() * D;
    for (const auto& set : system.sets())
      for (int k = 0; k < set.stencils->count(); ++k) add(set, k, state, block);
  }

  void add(const StencilSystem::Set& set, int k, const State& state, const Block& block) {
    const int D = system.dimension(), N = set.per_stencil;
    const int* nodes = system.nodes(set, set.first + k);
    Pack x[most_nodes] = {}, up[most_nodes], down[most_nodes];
    double middle = 0;
    for (int a = 0; a < N; ++a) {
      for (int c = 0; c < D; ++c) x[a][c] = state.q[system.coordinate(nodes[a]) + c];
      middle += x[a][0] / N / 1.2;
    }
    const double factor = block.jump ? (middle < 0.5 ? block.ratio : 1) : std::pow(block.ratio, 1 - middle);
    constexpr double step = 1e-7;
    Matrix K(N * D, N * D);
    std::vector<int> at;
    for (int j = 0; j < N * D; ++j) {
      const double here = x[j / D][j % D];
      x[j / D][j % D] = here + step;
      set.stencils->evaluate(k, lanes(x), lanes(up));
      x[j / D][j % D] = here - step;
      set.stencils->evaluate(k, lanes(x), lanes(down));
      x[j / D][j % D] = here;
      for (int i = 0; i < N * D; ++i) {
        const double scale = factor / std::sqrt(system.mass(nodes[i / D]) * system.mass(nodes[j / D]));
        K(i, j) = scale * (up[i / D][i % D] - down[i / D][i % D]) / (2 * step);
      }
      at.push_back(nodes[j / D] * D + j % D);
    }
    stiffness.push_back(0.5 * (K + K.transpose()));
    stiff.push_back(middle < 0.5 ? 1 : 0);
    places.push_back(std::move(at));
  }

  Matrix sum(const std::vector<double>& weights) const {
    Matrix A = Matrix::Zero(size, size);
    for (std::size_t e = 0; e < stiffness.size(); ++e) A(places[e], places[e]) += weights[e] * stiffness[e];
    return A;
  }

  // tau with sum tau^2 K <= 4, as in src/asynchronous/neighbourhood_steps.hpp.
  std::vector<double> limits() const {
    const Matrix all = sum(std::vector<double>(stiffness.size(), 1.0));
    const int D = system.dimension();
    std::vector<double> result;
    for (std::size_t e = 0; e < stiffness.size(); ++e) {
      Eigen::VectorXd scale(places[e].size());
      for (Eigen::Index i = 0; i < scale.size(); ++i) {
        const Eigen::Index own = i / D * D, whole = places[e][i] / D * D;
        scale[i] = std::sqrt(all.diagonal().segment(whole, D).sum() / stiffness[e].diagonal().segment(own, D).sum());
      }
      const Matrix scaled = scale.asDiagonal() * stiffness[e] * scale.asDiagonal();
      result.push_back(2 / std::sqrt(largest(scaled)));
    }
    return result;
  }

  static double largest(const Matrix& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  }

  StencilSystem system;
  Eigen::Index size = 0;
  std::vector<Matrix> stiffness;
  std::vector<double> stiff;  // 1 in the first half
  std::vector<std::vector<int>> places;
};

double growth(const Matrix& C) {
  const Eigen::EigenSolver<Matrix> solver(C, false);
  double rate = 0;
  for (const std::complex<double> c : solver.eigenvalues()) {
    const std::complex<double> root = std::sqrt(c * c - 1.0);
    rate = std::max(rate, std::log(std::max(std::abs(c + root), std::abs(c - root))));
  }
  return rate;
}

int finest(const Levels& levels) { return *std::max_element(levels.level.begin(), levels.level.end()); }

// Lengthened until f^2 is what steps take of (1), more beside a coarser level.
void lengthen(const LinearModel& model, double f, const LevelRules& rules, Levels& levels) {
  std::vector<double> steps, weights;
  for (int e = 0; e < model.system.size(); ++e) steps.push_back(levels.step(e));
  std::vector<double> coarsest = steps;
  spread_largest(model.system, rules.buffer, coarsest);
  for (std::size_t e = 0; e < steps.size(); ++e)
    weights.push_back(std::pow(steps[e] / f * (coarsest[e] > steps[e] ? rules.interface : 1), 2));
  levels.base /= std::sqrt(LinearModel::largest(model.sum(weights)) / 4);
}

Levels make_levels(const LinearModel& model, double f, const LevelRules& rules) {
  std::vector<double> limits = model.limits();
  for (double& limit : limits) limit *= f;
  Levels levels = assign_levels(model.system, limits, rules);
  lengthen(model, f, rules, levels);
  return levels;
}

// The stiff half and so many layers beside it on half the step of the rest: both are then at f of their limits.
Levels two_levels(const LinearModel& model, double f, int layers) {
  std::vector<double> fine = model.stiff;
  spread_largest(model.system, layers, fine);
  Levels levels;
  levels.base = 1;
  for (const double each : fine) levels.level.push_back(static_cast<std::uint8_t>(each));
  lengthen(model, f, {0, 1}, levels);
  return levels;
}

Matrix of_level(const LinearModel& model, const Levels& levels, int level) {
  std::vector<double> weights;
  for (const auto each : levels.level) weights.push_back(each == level ? 1 : 0);
  return model.sum(weights);
}

// Mollified impulses [Garcia-Archilla, Sanz-Serna, Skeel 1998]: the slow force at positions that are averaged along the
// fast motion from rest, q(h) = C q, and the transposed average of it. Two levels, H = 2h:
//   short: over [-H/2, H/2], (q(-h) + 2 q(0) + q(h)) / 4, which is also the average by a hat over [-H, H];
//   long: over [-H, H], (q(-2h) + 2 q(-h) + 2 q(0) + 2 q(h) + q(2h)) / 8.
enum class Average { none, over_half, over_whole };

Matrix impulses(const LinearModel& model, const Levels& levels, Average kind) {
  const int last = finest(levels);
  const Matrix one = Matrix::Identity(model.size, model.size);
  const double h = std::ldexp(levels.base, -last);
  Matrix S = h * one, C = one - 0.5 * h * h * of_level(model, levels, last);
  for (int level = last - 1; level >= 0; --level) {
    Matrix A = of_level(model, levels, level);
    Matrix average = 0.5 * (one + C);
    if (kind == Average::over_whole) average = (C * average).eval();  // 1 + 2 C + (2 C^2 - 1), over 4
    if (kind != Average::none) A = (average * A * average).eval();
    S = (2 * C * S).eval();
    C = (2 * C * C - one - 0.5 * std::ldexp(levels.base, -level) * S * A).eval();
  }
  return C;
}

// Verlet of the step H with A - H^2/16 (2 - 1/delta^2) A P A, P the nodes of fine elements: two local steps of H/2
// each. delta = 1 is Diaz and Grote 2009; delta = 1 + nu/4 has the polynomial of Chebyshev of Grote, Michel, Sauter
// 2021,
//   x - (2 delta^2 - 1) / (16 delta^2) x^2 = 2 - 2 T_2(delta - x/omega) / T_2(delta),  omega = 8 delta / T_2(delta),
// which stays below 4 by a margin. Two levels.
Matrix local_time_stepping(const LinearModel& model, const Levels& levels, double nu) {
  Eigen::VectorXd fine = Eigen::VectorXd::Zero(model.size);
  for (std::size_t e = 0; e < levels.level.size(); ++e)
    if (levels.level[e] > 0)
      for (const int i : model.places[e]) fine[i] = 1;
  const Matrix A = model.sum(std::vector<double>(levels.level.size(), 1.0));
  const double H = levels.base, delta = 1 + nu / 4;
  const Matrix modified = A - H * H / 16 * (2 - 1 / (delta * delta)) * A * fine.asDiagonal() * A;
  return Matrix::Identity(model.size, model.size) - 0.5 * H * H * modified;
}

struct Method {
  const char* name;
  LevelRules rules;
};

const Method methods[] = {
    {"rounded down", {0, 1}},
    {"one level apart", {1, 1}},
    {"sqrt 2, one layer", {1, 1.41421}},
    {"sqrt 2, two layers", {2, 1.41421}},
    {"1.6, one layer", {1, 1.6}},
};

// Cures from the literature, on two levels.
struct Cure {
  const char* name;
  int layers = 0;
  Average average = Average::none;
  double nu = -1;  // of local time stepping; below 0: impulses
};

const Cure cures[] = {
    {"impulses"},
    {"impulses, one layer", 1},
    {"mollified, short", 0, Average::over_half},
    {"mollified, long", 0, Average::over_whole},
    {"mollified, short, one layer", 1, Average::over_half},
    {"Diaz-Grote", 0, Average::none, 0},
    {"Diaz-Grote, nu = 0.01", 0, Average::none, 0.01},
    {"Diaz-Grote, nu = 0.1", 0, Average::none, 0.1},
    {"Diaz-Grote, one layer", 1, Average::none, 0},
};

LinearModel make_linear(const Block& block, int seed) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'block'\nkind = 'solid'\nmaterial = 'm'\nmesh = { " +
      std::string(block.mesh) + ", element = '" + block.element +
      "', jitter = 0.25, jitter_seed = " + std::to_string(seed) + " }\n[integrator]\nkind = 'asynchronous'\n");
  const Model model = make_model(scene);
  return LinearModel(model, initial_state(scene, model), block);
}

// rate: of the growth on one mesh at one fraction.
template <class Rate>
void print_row(const Block& block, const std::string& name, const std::vector<LinearModel>& models, const Rate& rate) {
  std::printf("| %s %s | %s |", block.element, block.name, name.c_str());
  for (const double f : {0.7, 0.8, 0.85, 0.9, 0.95}) {
    int growing = 0;
    double largest = 0;
    for (const LinearModel& model : models) {
      const double one = rate(model, f);
      growing += one > noticed;
      largest = std::max(largest, one);
    }
    if (growing == 0)
      std::printf(" 0 |");
    else
      std::printf(" %d, %.0e |", growing, largest);
    std::fflush(stdout);
  }
  std::printf("\n");
}

void measure(const Block& block, int meshes, bool rules) {
  std::vector<LinearModel> models;
  for (int seed = 1; seed <= meshes; ++seed) models.push_back(make_linear(block, seed));
  for (const Method& method : methods)
    if (rules)
      print_row(block, method.name, models, [&](const LinearModel& model, double f) {
        return growth(impulses(model, make_levels(model, f, method.rules), Average::none));
      });
  if (!block.jump || block.ratio != 4) return;  // two levels are what it takes
  for (const Cure& cure : cures)
    print_row(block, std::string("two levels, ") + cure.name, models, [&](const LinearModel& model, double f) {
      const Levels levels = two_levels(model, f, cure.layers);
      return growth(cure.nu >= 0 ? local_time_stepping(model, levels, cure.nu) : impulses(model, levels, cure.average));
    });
}

}  // namespace

int main(int argc, char** argv) {
  const int meshes = argc > 1 ? std::atoi(argv[1]) : 8;
  const bool rules = argc < 3 || std::string(argv[2]) != "cures";
  std::printf("| stiffness | levels | 0.7 | 0.8 | 0.85 | 0.9 | 0.95 |\n|---|---|---|---|---|---|---|\n");
  for (const Block& block : blocks) measure(block, meshes, rules);
  return 0;
}
