#include "study/patch.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <livens/run.hpp>

#include "files/schedule.hpp"
#include "study/measure.hpp"

namespace livens {
namespace {

struct Snapshot {
  double t;
  std::vector<double> q, p;
};

// Keeps the states at the sampled times.
class Sampling final : public Observer {
 public:
  Sampling(const State& start, double end, const PatchOptions& options)
      : options_(options), schedule_(start.t, (end - start.t) / options.samples) {
    kept.push_back({start.t, start.q, start.p});
  }
  void observe(const Sample& sample) override {
    const State& after = sample.state;
    if (schedule_.due(after.t, sample.report.h)) kept.push_back({after.t, after.q, after.p});
  }
  bool stop() const override { return options_.interrupted && options_.interrupted(); }
  double next_time() const override { return schedule_.next_time(); }

  std::vector<Snapshot> kept;

 private:
  const PatchOptions& options_;
  Schedule schedule_;
};

// The states of one start; none if it could not be carried to the end.
std::vector<Snapshot> carry(const Setup& setup, State state, const PatchOptions& options) {
  const auto integrator = make_integrator(setup.scene, *setup.model);
  Sampling sampling(state, setup.plan.t_end, options);
  Observer* const observers[] = {&sampling};
  const StepReport report = advance_observed(*setup.model, state, *integrator, setup.plan.t_end, observers);
  if (!report.converged) sampling.kept.clear();
  return std::move(sampling.kept);
}

State shifted(const Model& model, const State& start, double dq, double dp) {
  State state = start;
  state.q[0] += dq;
  state.p[0] += dp;
  model.velocity(state.t, state.q, state.p, state.v);
  return state;
}

// One plane at one time.
void collect(const std::vector<std::vector<Snapshot>>& paths, std::size_t sample, std::size_t plane,
             std::vector<double>& q, std::vector<double>& p) {
  for (std::size_t j = 0; j < paths.size(); ++j) {
    q[j] = paths[j][sample].q[plane];
    p[j] = paths[j][sample].p[plane];
  }
}

void measure_areas(const std::vector<std::vector<Snapshot>>& paths, Patch& patch) {
  const std::size_t samples = paths[0].size(), planes = paths[0][0].q.size();
  std::vector<double> q(paths.size()), p(paths.size());
  for (std::size_t k = 0; k < samples; ++k) {
    double area = 0;
    for (std::size_t plane = 0; plane < planes; ++plane) {
      collect(paths, k, plane, q, p);
      area += enclosed_area(q, p);
    }
    patch.t.push_back(paths[0][k].t);
    patch.area.push_back(area);
    if (k * 4 % (samples - 1) >= 4) continue;
    collect(paths, k, 0, q, p);
    patch.outlines.push_back({paths[0][k].t, q, p});
    patch.outlines.back().q.push_back(q[0]);
    patch.outlines.back().p.push_back(p[0]);
  }
}

void carry_all(const Scene& scene, const PatchOptions& options, Patch& patch) {
  const Setup setup = make_setup(scene);
  const Model& model = *setup.model;
  const State& start = setup.start;
  patch.radius = options.radius > 0 ? options.radius : 0.2 * std::hypot(start.q[0], start.p[0]);
  if (!(patch.radius > 0)) patch.radius = 0.1;
  std::vector<std::vector<Snapshot>> paths;
  for (int j = 0; j < options.points; ++j) {
    const double theta = 2 * std::numbers::pi * j / options.points;
    const State vertex = shifted(model, start, patch.radius * std::cos(theta), patch.radius * std::sin(theta));
    paths.push_back(carry(setup, vertex, options));
    if (paths.back().size() < 2 || paths.back().size() != paths[0].size() ||
        paths.back().back().t != paths[0].back().t) {
      patch.failure = paths.back().size() < 2 ? "a point of the patch could not be advanced to the end"
                                              : "the points of the patch were not sampled at the same times";
      return;
    }
  }
  measure_areas(paths, patch);
  patch.ok = true;
}

}  // namespace

double enclosed_area(const std::vector<double>& q, const std::vector<double>& p) {
  const auto n = static_cast<long>(q.size());
  std::vector<std::complex<double>> root(q.size());
  for (long j = 0; j < n; ++j)
    root[j] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n));
  double sum = 0;
  for (long k = -(n - 1) / 2; k <= (n - 1) / 2; ++k) {
    std::complex<double> c = 0;
    for (long j = 0; j < n; ++j) {
      const auto i = static_cast<std::size_t>(j);
      c += std::complex<double>(q[i], p[i]) * root[((j * k) % n + n) % n];
    }
    sum += static_cast<double>(k) * std::norm(c / static_cast<double>(n));
  }
  return std::numbers::pi * sum;
}

Patch carry_patch(const Scene& scene, const PatchOptions& options) {
  Patch patch;
  try {
    carry_all(scene, options, patch);
  } catch (const SceneError& error) {
    patch.failure = error.faults().front().message;
  }
  return patch;
}

}  // namespace livens
