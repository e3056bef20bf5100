// Convergence of fields: what runs on other meshes end with, against a run on a mesh that is finer.
#pragma once

#include <memory>
#include <string>

#include <livens/model.hpp>
#include <livens/scene.hpp>

#include "study/measure.hpp"
#include "study/plan.hpp"

namespace livens {

// L2 norms over the reference shape of all solids, relative to those of the reference run: u = x - X, v, and F against
// F - 1. nan where the latter vanish or nothing could be compared.
struct FieldErrors {
  double displacement = undefined, velocity = undefined, gradient = undefined;
};

// Bodies are found by name; meshes need not be nested. Where the meshes have not the same outline, the elements of
// the coarser one are continued beyond it.
FieldErrors field_errors(const Model& model, const State& state, const Model& fine, const State& truth);

// The run that others are compared with.
struct FieldReference {
  bool ok = false;
  std::string failure;
  Measured measured;
  std::shared_ptr<const Model> model;
  State end;
  FieldErrors own;  // of the same run at twice its step, if it was made
};

// `scene` is that of the cases; the plan says what the reference has instead.
Scene field_reference_scene(const Scene& scene, const StudyPlan& plan);
FieldReference measure_field_reference(const Scene& scene, const StudyPlan& plan, const MeasureOptions& options);
// Of a case at its end. Empty, and why in `note`, if it ends at another time.
FieldErrors field_errors_of(const Scene& scene, const Measured& measured, const FieldReference& reference,
                            std::string& note);

}  // namespace livens
