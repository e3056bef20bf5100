// A solid in C++, from arrays: a bar of tetrahedra is stretched and let go. The model is one's own, and yet run() gives
// it what a scene has: history.csv, frames, checkpoints, a verdict and a report.
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>

int main() {
  // Any positions and tetrahedra will do; these are the unit cube's six, stretched along x by 4.
  const std::vector<double> X = {0, 0, 0, 4, 0, 0, 0, 1, 0, 4, 1, 0, 0, 0, 1, 4, 0, 1, 0, 1, 1, 4, 1, 1};
  const std::vector<int> tets = {0, 1, 3, 7, 0, 5, 1, 7, 0, 4, 5, 7, 0, 6, 4, 7, 0, 2, 6, 7, 0, 3, 2, 7};

  livens::Assembly assembly;
  add(assembly, livens::neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
  livens::Solid bar{.mesh = livens::mesh_from_arrays(livens::ElementKind::tet4, X, tets), .material = "rubber"};
  bar.initial.position = [](const livens::Vec3& x) { return livens::Vec3{1.1 * x[0], x[1], x[2]}; };
  add(assembly, std::move(bar), "bar");
  const auto model = std::make_shared<const livens::Model>(assembly.model());

  livens::Setup setup = livens::make_setup(livens::parse_scene(R"(
    title      = "A bar, let go"
    time       = { end = 2 }
    integrator = { kind = "energy_momentum", step = 0.01 }
  )",
                                                               "bar"),
                                           model, assembly.start(*model));
  setup.plan.probes.push_back(make_probe(*model, "position", {.body = "bar", .point = {4, 1, 1}}, "corner"));
  livens::RunOptions options;
  options.out = "bar";
  const livens::RunResult result = livens::run(setup, options);
  for (const std::string& line : result.lines) std::printf("%s\n", line.c_str());
  const bool kept = result.summary.find("\"kept\"") != std::string::npos;
  return result.exit_code == 0 && kept ? 0 : 1;
}
