// K06 on solids: the rod of Figs 2 and 3 (shortened here; the full length is behind LIVENS_LONG), damping that does not
// depend on the step, the stability limit of every alpha, the free bar at large steps, and the rebound from a floor.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

#include "diagnostics/statistics.hpp"
#include "diagnostics/stiffness.hpp"
#include "files/files.hpp"
#include "published/study_fixture.hpp"
#include "study/tables.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

struct Simulation {
  Scene scene;
  Model model;
  State state;
  std::unique_ptr<Integrator> integrator;

  explicit Simulation(const std::string& file, const Changes& changes = {})
      : scene(changed(file, changes)),
        model(make_model(scene)),
        state(initial_state(scene, model)),
        integrator(make_integrator(scene, model)) {}

  static Scene changed(const std::string& file, const Changes& changes) {
    Scene scene = load_scene(source_dir() + "/scenes/" + file);
    for (const auto& [key, value] : changes) scene.set(key, value);
    return scene;
  }
  StepReport advance(double t, const Integrator::OnStep& on_step = {}) {
    return integrator->advance(model, state, t, on_step);
  }
  double energy() const { return livens::energy(model, state).total; }
};

double norm(const double* x) { return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

double distance(const double* a, const double* b) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return norm(d);
}

struct RodRun {
  double linear_drift = 0, angular_drift = 0;  // over their sizes
  double band_early = 0, band_late = 0;        // of the energy, over the initial one: first and last half
  double first = 0, last = 0;
  double mean_third = 0, mean_last = 0;  // of the energy over the third and the last quarter
};

RodRun run_rod(const std::string& file, double end) {
  Simulation rod(file);
  const Momenta start = momenta(rod.model, rod.state.q, rod.state.p);
  RodRun result;
  result.first = rod.energy();
  double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300}, sums[2] = {0, 0};
  long counts[2] = {0, 0};
  const StepReport report = rod.advance(end, [&](const State& state, const StepReport&) {
    const double e = livens::energy(rod.model, state).total;
    const int half = state.t > end / 2;
    low[half] = std::min(low[half], e);
    high[half] = std::max(high[half], e);
    if (half) {
      const int quarter = state.t > 0.75 * end;
      sums[quarter] += e;
      ++counts[quarter];
    }
    const Momenta now = momenta(rod.model, state.q, state.p);
    result.linear_drift = std::max(result.linear_drift, distance(now.linear, start.linear) / norm(start.linear));
    result.angular_drift = std::max(result.angular_drift, distance(now.angular, start.angular) / norm(start.angular));
    return true;
  });
  EXPECT_TRUE(report.converged) << report.message;
  result.last = rod.energy();
  result.band_early = (high[0] - low[0]) / result.first;
  result.band_late = (high[1] - low[1]) / result.first;
  result.mean_third = sums[0] / static_cast<double>(counts[0]);
  result.mean_last = sums[1] / static_cast<double>(counts[1]);
  return result;
}

TEST(K06Fig2, TheRodKeepsItsMomentaAndItsEnergyBand) {
  const bool full = std::getenv("LIVENS_LONG") != nullptr;
  const RodRun rod = run_rod("k06/rod.toml", full ? 8000 : 200);
  std::printf("rod: drifts %.1e and %.1e, energy bands %.3f and %.3f of the start, late change of the mean %.1e\n",
              rod.linear_drift, rod.angular_drift, rod.band_early, rod.band_late,
              (rod.mean_last - rod.mean_third) / rod.first);
  EXPECT_LE(rod.linear_drift, 1e-9);
  EXPECT_LE(rod.angular_drift, 1e-9);
  EXPECT_LE(rod.band_late, 1.1 * rod.band_early);
  EXPECT_LE(std::abs(rod.mean_last - rod.mean_third), 0.005 * rod.first);
  EXPECT_GT(rod.band_early, 0.01);  // it moves
}

TEST(K06Fig3, TheDampedRodDecaysSmoothlyAndKeepsItsMomenta) {
  const RodRun rod = run_rod("k06/rod_damped.toml", std::getenv("LIVENS_LONG") != nullptr ? 8000 : 40);
  EXPECT_LE(rod.linear_drift, 1e-9);
  EXPECT_LE(rod.angular_drift, 1e-9);
  EXPECT_LT(rod.last, 0.9 * rod.first);
  EXPECT_LT(rod.mean_last, rod.mean_third);
}

// The rows of a table of a page that begin with a given cell, as cells.
std::vector<std::vector<std::string>> rows_of_page(const std::string& page, const std::string& heading) {
  const std::string text = file_content(source_dir() + "/docs/" + page);
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text.substr(text.find(heading)));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| ", 0) != 0) {
      if (rows.size() > 1) break;
      continue;
    }
    rows.emplace_back();
    std::istringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');)
      rows.back().push_back(cell.substr(1, cell.size() < 2 ? 0 : cell.size() - 2));
  }
  return rows;
}

// At every sample, the first steps included, the decay at h, h/2 and h/4 is that at h/10; implicit Euler's is not. The
// table of the page is what the study writes into energy_curve.csv.
TEST(K06Damping, DecayDoesNotDependOnTheStepAndImplicitEulersDoes) {
  const PublishedStudy study("k06/damping_study.toml");
  const Series& energy = study.results().cases[3].measured.energy;  // h = 0.0004 s
  EXPECT_LT(energy.last(), 0.5 * energy.first()) << "it decays";
  DataTable table;
  for (DataTable& each : make_tables(study.results()))
    if (each.name == "energy_curve") table = std::move(each);
  ASSERT_EQ(table.rows.size(), 6u);
  const auto page = rows_of_page("published.md", "### Damping that does not depend on the step");
  ASSERT_EQ(page.size(), 1 + table.rows.size());
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const auto shown = to_report(table).rows[k];
    std::printf("%s, h = %s s: %s %% of the initial energy, %s %% of the curve, at t = %s s\n", shown[0].c_str(),
                shown[1].c_str(), shown[3].c_str(), shown[4].c_str(), shown[5].c_str());
    const double of_curve = std::get<double>(table.rows[k][4]);
    if (shown[0] == "implicit_euler" && shown[1] == "0.004") {
      EXPECT_GT(of_curve, 5);
    }
    if (shown[0] != "implicit_euler") {
      EXPECT_LE(of_curve, 1) << shown[1];
    }
    EXPECT_EQ(page[k + 1], shown) << "docs/published.md is not what the study prints";
  }
}

// h omega <= 2 / |1 - 2 alpha| on a linear bar: stable just below, not above; alpha = 1/2 has no limit.
TEST(K06Stability, TheLimitOfEveryAlpha) {
  const auto growth = [](double alpha, double h) {
    Simulation bar("k06/bar.toml", {{"material.rubber.kind", "linear"},
                                    {"body.bar.mesh.cells", "[3, 1, 1]"},
                                    {"parameters.stretch", "1.01"},
                                    {"parameters.twist", "0.01"},
                                    {"integrator.alpha", std::to_string(alpha)},
                                    {"integrator.step", std::to_string(h)}});
    const double first = bar.energy();
    double largest = first;
    bar.advance(400 * h, [&](const State& state, const StepReport&) {
      largest = std::max(largest, livens::energy(bar.model, state).total);
      return true;
    });
    return largest / first;
  };
  Simulation bar("k06/bar.toml", {{"material.rubber.kind", "linear"}, {"body.bar.mesh.cells", "[3, 1, 1]"}});
  const double omega = omega_max(bar.model, bar.state).value();
  ASSERT_GT(omega, 10);
  for (const double alpha : {0.0, 0.25, 0.4, 0.7, 1.0}) {
    const double limit = 2 / std::abs(1 - 2 * alpha) / omega;
    EXPECT_LT(growth(alpha, 0.95 * limit), 30) << alpha;
    EXPECT_GT(growth(alpha, 1.05 * limit), 1e6) << alpha;
  }
  EXPECT_LT(growth(0.5, 100 / omega), 30);
}

TEST(K06Bar, FreeBarKeepsItsMomentaFarBeyondTheExplicitLimit) {
  Simulation bar("k06/bar.toml");
  const Momenta start = momenta(bar.model, bar.state.q, bar.state.p);
  const double h_omega = 0.01 * omega_max(bar.model, bar.state).value();
  EXPECT_GT(h_omega, 5);
  const StepReport report = bar.advance(0.2);
  ASSERT_TRUE(report.converged) << report.message;
  const Momenta now = momenta(bar.model, bar.state.q, bar.state.p);
  EXPECT_LE(distance(now.angular, start.angular), 1e-9 * norm(start.angular));
  EXPECT_LE(distance(now.linear, start.linear), 1e-9 * norm(start.angular));
}

// Speed of the centre after the contact, upwards.
double rebound_speed(int steps_per_second) {
  Simulation block("k06/rebound.toml", {{"integrator.step", "1/" + std::to_string(steps_per_second)}});
  const StepReport report = block.advance(0.3);
  EXPECT_TRUE(report.converged) << report.message;
  const Momenta now = momenta(block.model, block.state.q, block.state.p);
  double mass = 0;
  for (const double m : block.model.parts().mass.diagonal) mass += m / 3;
  return now.linear[2] / mass;
}

TEST(K06Contact, ReboundConvergesWithTheStep) {
  const double reference = rebound_speed(16000);
  EXPECT_GT(reference, 0.5);
  for (const int rate : {1000, 2000, 4000, 8000}) {
    const double speed = rebound_speed(rate);
    std::printf("rebound at h = 1/%d s: %.4f m/s (%.4f)\n", rate, speed, reference);
    if (rate >= 2000) {
      EXPECT_NEAR(speed, reference, 0.005 * reference) << rate;
    }
  }
}

}  // namespace
}  // namespace livens
