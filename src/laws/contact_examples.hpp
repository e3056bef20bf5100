// Examples of the records of [[contact]] in which bodies press, on which the laws of contact are measured. A kind
// without one does not hold.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/model.hpp>
#include <livens/scene.hpp>

namespace livens::laws {

struct ContactExample {
  std::string kind, name, brief;
  std::string keys;    // of the contact, without name and kind
  std::string bodies;  // and all else of the scene
  double size;         // m, within which energies change by a large part of themselves: range, or depth
  bool rubs = true;    // friction and restitution of a barrier are measured, too: not between particles
};

const std::vector<ContactExample>& contact_examples();

class ContactProblem {
 public:
  explicit ContactProblem(const ContactExample& example);
  const ContactExample& example() const { return example_; }
  const Model& model() const { return model_; }
  const EnergyTerm& term() const { return *term_; }
  std::shared_ptr<const EnergyTerm> shared_term() const { return term_; }
  // The start with all coordinates moved by up to `by` (m); another shape for every seed.
  std::vector<double> shaken(double by, unsigned seed) const;

 private:
  ContactExample example_;
  Scene scene_;
  Model model_;
  std::vector<double> start_;
  std::shared_ptr<const EnergyTerm> term_;
};

}  // namespace livens::laws
