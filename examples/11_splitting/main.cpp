// A splitting method of one's own [L04 Appendix A]: any sequence of impulses of components and drifts. Two groups of
// springs, of which the soft one lags behind the stiff one by up to `lag` and then catches up in small steps: the error
// goes with the lag, the maximum asynchronicity of the sequence, not with the steps.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <livens/livens.hpp>

namespace {

livens::Setup chain() {
  return livens::make_setup(livens::parse_scene(R"toml(
    time       = { end = 1 }
    integrator = { kind = "galerkin", degree = 4, step = 0.01 }

    [[body]]
    name    = "chain"
    kind    = "particles"
    mass    = 1
    layout  = { kind = "points", points = [[0], [1], [2], [3]] }
    initial = { velocities = [[0.1], [0], [-0.3], [0.2]] }

    [[force]]
    name      = "soft"
    kind      = "spring"
    stiffness = 20
    quartic   = 30
    pairs     = [[0, 1]]

    [[force]]
    name      = "stiff"
    kind      = "spring"
    stiffness = 300
    quartic   = 50
    pairs     = [[1, 2], [2, 3]]
  )toml"));
}

// All components up to `end` in steps of h; the soft ones wait until they are `lag` behind.
std::vector<livens::SplittingPart> lagging(const livens::SplittingMethod& method, double end, double h, double lag) {
  std::vector<livens::SplittingPart> sequence;
  const int steps = static_cast<int>(std::lround(end / h)), burst = static_cast<int>(std::lround(lag / h));
  int late = 0;
  for (int k = 1; k <= steps; ++k) {
    sequence.push_back({livens::SplittingPart::drift, h});
    for (const int spring : method.components_of("stiff")) sequence.push_back({spring, h});
    if (++late < burst && k < steps) continue;
    for (; late > 0; --late)
      for (const int spring : method.components_of("soft")) sequence.push_back({spring, h});
  }
  return sequence;
}

}  // namespace

int main() {
  livens::Setup setup = chain();
  const livens::Model& model = *setup.model;
  livens::State exact = setup.start;
  setup.integrator->advance(model, exact, 1);
  const livens::SplittingMethod method(model);
  std::printf("%d springs\n     step       lag     error\n", method.components());
  double last = 0, error = 0;
  for (const double lag : {0.1, 0.05, 0.025})
    for (const double h : {0.0025, 0.000625}) {
      livens::State state = setup.start;
      const std::vector<livens::SplittingPart> sequence = lagging(method, 1, h, lag);
      if (!method.play(state, sequence)) return 3;
      error = 0;
      for (std::size_t i = 0; i < state.q.size(); ++i) error = std::max(error, std::abs(state.q[i] - exact.q[i]));
      std::printf("%9.6f %9.6f %9.2e\n", h, method.asynchronicity(sequence), error);
      if (lag == 0.1) last = error;
    }
  return error < 0.5 * last ? 0 : 1;
}
