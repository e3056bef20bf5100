#include "study/field_errors.hpp"

#include <cmath>

#include <fmt/format.h>

#include "elements/element_finder.hpp"
#include "elements/volume_points.hpp"
#include "mesh/core/topology.hpp"
#include "scene/set_value.hpp"
#include "scene/write_toml.hpp"
#include "study/reference.hpp"

namespace livens {
namespace {

constexpr double same_time = 1e-9;  // of the time simulated

struct Fields {
  double u[3] = {}, v[3] = {}, F[9] = {};
};

Fields fields_at(const Body& body, const State& state, int element, const ElementPoint& point) {
  Fields fields;
  const int dim = body.dimension;
  const int* node = body.mesh->element(element);
  for (std::size_t a = 0; a < at(point.nodes); ++a)
    for (int i = 0; i < dim; ++i) {
      const std::size_t k = at(node[a] * dim + i), q = at(body.first) + k;
      fields.u[i] += point.N[a] * (state.q[q] - body.mesh->X[k]);
      fields.v[i] += point.N[a] * state.v[q];
      for (int j = 0; j < dim; ++j) fields.F[3 * i + j] += point.grad_N[a][at(j)] * state.q[q];
    }
  return fields;
}

// Integrals of squares: of differences, and of the reference itself.
struct Squares {
  double difference = 0, truth = 0;
  double ratio() const { return truth > 0 ? std::sqrt(difference / truth) : undefined; }
  void add(double volume, double value, double exact, double base = 0) {
    difference += volume * (value - exact) * (value - exact);
    truth += volume * (exact - base) * (exact - base);
  }
};

struct Sums {
  Squares u, v, F;
};

const Body* solid_named(const Model& model, const std::string& name) {
  for (const Body& body : model.bodies())
    if (body.name == name && body.mesh != nullptr) return &body;
  return nullptr;
}

void add_body(const Body& body, const State& state, const Body& fine, const State& truth, Sums& sums) {
  const Mesh& mesh = *fine.mesh;
  const ElementFinder finder(*body.mesh);
  const int dim = mesh.dimension();
  for (int e = 0; e < mesh.elements(); ++e)
    for (const VolumePoint& where : volume_points(mesh, e)) {
      const Fields exact = fields_at(fine, truth, e, element_point(mesh, e, where.L.data()));
      const ElementFinder::Place place = finder.find(where.X.data());
      const Fields value =
          fields_at(body, state, place.element, element_point(*body.mesh, place.element, place.L.data()));
      for (int i = 0; i < dim; ++i) {
        sums.u.add(where.volume, value.u[i], exact.u[i]);
        sums.v.add(where.volume, value.v[i], exact.v[i]);
        for (int j = 0; j < dim; ++j) sums.F.add(where.volume, value.F[3 * i + j], exact.F[3 * i + j], i == j ? 1 : 0);
      }
    }
}

std::shared_ptr<const Model> model_of(const Scene& scene) { return make_setup(scene).model; }

}  // namespace

FieldErrors field_errors(const Model& model, const State& state, const Model& fine, const State& truth) {
  Sums sums;
  for (const Body& body : fine.bodies())
    if (const Body* other = body.mesh == nullptr ? nullptr : solid_named(model, body.name))
      add_body(*other, state, body, truth, sums);
  return {sums.u.ratio(), sums.v.ratio(), sums.F.ratio()};
}

Scene field_reference_scene(const Scene& scene, const StudyPlan& plan) {
  Scene changed = plan.reference_integrator ? with_integrator(scene, *plan.reference_integrator) : scene;
  for (const auto& [path, value] : plan.reference_changes) set_value(changed, path, value, toml_value(value));
  return changed;
}

FieldReference measure_field_reference(const Scene& scene, const StudyPlan& plan, const MeasureOptions& options) {
  FieldReference result;
  MeasureOptions once = options;
  once.timed = false;
  try {
    result.measured = measure(scene, once);
    result.ok = result.measured.ok;
    result.failure = result.measured.failure;
    if (!result.ok) return result;
    result.model = model_of(scene);
    result.end = result.measured.samples.states.back();
    if (!plan.reference_check) return result;
    const std::optional<Scene> finer = refined(scene);
    if (!finer) return result;
    const Measured halved = measure(*finer, once);
    if (!halved.ok) {
      result.ok = false, result.failure = "at half its step: " + halved.failure;
      return result;
    }
    result.own = field_errors(*result.model, result.end, *result.model, halved.samples.states.back());
    result.end = halved.samples.states.back();
    result.measured = halved;
  } catch (const SceneError& error) {
    result.ok = false, result.failure = error.what();
  }
  return result;
}

FieldErrors field_errors_of(const Scene& scene, const Measured& measured, const FieldReference& reference,
                            std::string& note) {
  if (!reference.ok || !measured.ok || measured.samples.states.empty()) return {};
  const State& end = measured.samples.states.back();
  const double t = reference.end.t;
  if (std::abs(end.t - t) > same_time * std::abs(t - reference.measured.t_begin)) {
    note = fmt::format("ends at {:.6g} s, the reference at {:.6g} s: take steps that divide the time", end.t, t);
    return {};
  }
  return field_errors(*model_of(scene), end, *reference.model, reference.end);
}

}  // namespace livens
