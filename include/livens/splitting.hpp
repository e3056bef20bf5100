// Splitting methods of a user's own: any sequence of (component, step) [L04 Appendix A]. A component is a stencil,
// whose impulse -step dW/dx changes the momenta of its nodes, or the drift of all nodes for a time `step`. What is
// symplectic and keeps the momenta is every part, hence every sequence; what converges is a sequence whose components
// stay close to each other in time, not one whose steps are short. In scenes the same is `kind = "splitting"`.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <livens/model.hpp>

namespace livens {

struct SplittingPart {
  static constexpr int drift = -1;
  int component = drift;  // or a stencil
  double step = 0;        // s
};

// How far the clocks of a sequence are apart [L04 (A4)-(A7)]: with t_i the sum of the steps of component i so far, the
// largest t_i - min t over all components and all of the sequence, or its longest step, whichever is more. The drift is
// a component, and so are those of [0, components) that the sequence leaves out, whose clocks stay behind.
double maximum_asynchronicity(std::span<const SplittingPart> sequence, int components);

class SplittingMethod {
 public:
  // The stencils of a model of nodes: elements, springs, contacts and joints, in the order of its terms, then nodes
  // that only loads act on. Throws std::invalid_argument with the reason if the model has anything else: forces that
  // are not conservative, constraints by multipliers, supports that move, terms that are no sums over stencils.
  explicit SplittingMethod(const Model& model);
  ~SplittingMethod();

  int components() const;
  // Those of a body, force or contact, by its name; all of them in order.
  std::vector<int> components_of(const std::string& name) const;
  // Of all components of the model.
  double asynchronicity(std::span<const SplittingPart> sequence) const {
    return maximum_asynchronicity(sequence, components());
  }
  // Plays the sequence; t goes on with the drifts. False, and the state is as it was, if a stencil has no energy.
  bool play(State& state, std::span<const SplittingPart> sequence) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace livens
