// Contact: a soft ball of tetrahedra falls on a plane and comes back. The ball is a sphere of particles' mesh made from
// a box whose nodes are moved; the contact is a penalty with a smooth onset.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>

int main() {
  // A ball of radius 0.5 m about (0, 0, 1): the shells of a cube become shells of a sphere.
  livens::Mesh mesh = livens::box_mesh({.size = {1, 1, 1}, .corner = {-0.5, -0.5, -0.5}, .cells = {6, 6, 6}});
  for (int a = 0; a < mesh.nodes(); ++a) {
    double* x = mesh.X.data() + 3 * a;
    const double cube = std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])}), ball = std::hypot(x[0], x[1], x[2]);
    const double scale = ball > 0 ? cube / ball : 0;
    for (int c = 0; c < 3; ++c) x[c] = scale * x[c] + (c == 2 ? 1 : 0);
  }
  livens::Assembly assembly;
  add(assembly, livens::stable_neo_hookean({.young = 1e5, .poisson = 0.3, .density = 500}), "foam");
  add(assembly, livens::Solid{.mesh = std::move(mesh), .material = "foam"}, "ball");
  add(assembly, livens::Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
  add(assembly, livens::ContactPlane{.point = {0, 0, 0}, .normal = {0, 0, 1}}, "ground");

  const livens::Model model = assembly.model();
  livens::State state = assembly.start(model);
  const double before = livens::energy(model, state).total;
  const auto integrator = livens::make_integrator("kind = 'hamilton_pontryagin', step = 0.004", model);
  double lowest = 1, highest = 0;
  for (int k = 1; k <= 20; ++k) {
    const livens::StepReport report = integrator->advance(model, state, 0.04 * k);
    if (!report.converged) {
      std::fprintf(stderr, "%s\n", report.message.c_str());
      return 3;
    }
    double centre = 0;  // mean height of the nodes
    for (int a = 2; a < model.size(); a += 3) centre += 3 * state.q[a] / model.size();
    lowest = std::min(lowest, centre);
    if (state.t > 0.45) highest = std::max(highest, centre);
    std::printf("t = %.2f s: centre at %.3f m\n", state.t, centre);
  }
  std::printf("lowest %.3f m, comes back to %.3f m; energy error %.1e\n", lowest, highest,
              livens::energy(model, state).total / before - 1);
  return lowest < 0.55 && highest > 0.6 ? 0 : 1;
}
