#include "scene/start_check.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <livens/solid_block.hpp>

#include "model/free_motions.hpp"

namespace livens {
namespace {

struct Inverted {
  int count = 0, worst = -1;  // elements; place of the worst in the block
  double ratio = 0;
};

Inverted inverted_of(const SolidBlock& block, ConstVector q) {
  std::vector<double> ratio(block.part().elements.size());
  block.volume_ratio(q, ratio);
  Inverted result;
  for (std::size_t k = 0; k < ratio.size(); ++k) {
    if (ratio[k] > 0) continue;
    if (result.count++ == 0 || ratio[k] < result.ratio) result.worst = static_cast<int>(k), result.ratio = ratio[k];
  }
  return result;
}

std::vector<double> centre_of(const SolidPart& part, int element, ConstVector q) {
  const Mesh& mesh = *part.mesh;
  const int D = mesh.dimension(), N = nodes_of(mesh.kind);
  std::vector<double> centre(D, 0.0);
  for (int a = 0; a < N; ++a)
    for (int c = 0; c < D; ++c) centre[c] += q[part.first + mesh.element(element)[a] * D + c] / N;
  return centre;
}

std::string inverted_text(const SolidBlock& block, const Inverted& inverted, ConstVector q) {
  const SolidPart& part = block.part();
  const Mesh& mesh = *part.mesh;
  const int element = part.elements[inverted.worst];
  const char* why = block.survives_inversion()
                        ? "its material has an energy there, but matter does not pass through itself: what follows "
                          "would be the motion of no body"
                        : "its material has no energy there";
  return fmt::format(
      "{} of {} elements begin flat or inside out, the worst is {} {} near ({:.4g}) m with the volume "
      "ratio {:.4g}: {}. Change initial.position, or the supports that move nodes at the start",
      inverted.count, part.elements.size(), mesh.dimension() == 3 ? "tetrahedron" : "triangle",
      mesh.element_tag(element), fmt::join(centre_of(part, element, q), ", "), inverted.ratio, why);
}

// Positions of a support's coordinates at a time.
std::vector<double> places(const Support& support, double t) {
  std::vector<double> x(support.coordinates.size()), v(support.coordinates.size());
  support.motion(t, x, v);
  return x;
}

}  // namespace

void refuse_inverted_start(const ValidatedScene& scene, const Model& model, const State& start,
                           std::vector<SceneFault>& faults) {
  for (const auto& term : model.parts().terms) {
    const SolidBlock* block = term->elements();
    if (block == nullptr) continue;
    const Inverted inverted = inverted_of(*block, start.q);
    if (inverted.count == 0) continue;
    const Entry* body = scene.find("body", block->part().name);
    if (body == nullptr) continue;
    faults.push_back(body->settings.fault(body->settings.given("initial") ? "initial.position" : "",
                                          inverted_text(*block, inverted, start.q)));
  }
}

bool is_static(const ValidatedScene& scene) {
  const Entry* entry = scene.find("integrator");
  return entry != nullptr && integrator_records().at(entry->kind).claims(entry->settings, {}).order == 0;
}

void refuse_no_equilibrium(const ValidatedScene& scene, const Model& model, const State& start,
                           std::vector<SceneFault>& faults) {
  if (!is_static(scene)) return;
  const std::string why = no_equilibrium(model, start.q, start.t, 1);
  if (!why.empty()) faults.push_back(scene.find("integrator")->settings.fault("kind", why));
}

void let_supports_grow(Assembly& assembly) {
  const double begin = assembly.t_begin;
  for (Support& support : assembly.parts.supports) {
    if (!support.motion || begin >= 1) continue;
    std::vector<double> excess = places(support, begin);
    for (std::size_t k = 0; k < excess.size(); ++k) excess[k] -= assembly.q[support.coordinates[k]];
    if (std::all_of(excess.begin(), excess.end(), [](double x) { return x == 0; })) continue;
    support.motion_of = nullptr;
    support.motion = [given = support.motion, excess, begin](double t, Vector x, Vector v) {
      given(t, x, v);
      const double rest = std::clamp((1 - t) / (1 - begin), 0.0, 1.0);
      for (std::size_t k = 0; k < excess.size(); ++k) {
        x[k] -= rest * excess[k];
        if (t < 1) v[k] += excess[k] / (1 - begin);
      }
    };
  }
}

}  // namespace livens
