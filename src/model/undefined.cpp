#include "model/undefined.hpp"

#include <algorithm>

#include <tbb/task_arena.h>

namespace livens {
namespace {

// w(I1, I2, J) at J <= 0.
bool is_inversion(const UndefinedExpression& found) {
  return std::any_of(found.variables.begin(), found.variables.end(),
                     [](const auto& variable) { return variable.first == "J" && variable.second <= 0; });
}

// The first of some evaluations in which an expression is not finite.
class Search {
 public:
  template <class Evaluation>
  void look(const Evaluation& evaluate) {
    if (found) return;
    const ExpressionWatch watch;
    evaluate();
    if (watch.found() && !is_inversion(*watch.found())) found = watch.found();
  }

  std::optional<UndefinedExpression> found;
};

void look_at_constraints(const Model& model, double t, ConstVector q, ConstVector v, Search& search) {
  if (model.constraint_count() == 0) return;
  const auto m = static_cast<std::size_t>(model.constraint_count());
  std::vector<double> values(m), second(m);
  search.look([&] { model.constraint_values(t, q, values); });
  search.look([&] { model.constraint_rates(t, q, v, values, second); });
}

void look_at_everything(const Model& model, double t, ConstVector q, ConstVector v, Search& search) {
  State state{t, {q.begin(), q.end()}, std::vector<double>(q.size()), {v.begin(), v.end()}, {}};
  std::vector<double> g(q.size()), by_v(q.size());
  search.look([&] { model.place_supports(t, state); });
  for (const auto& term : model.parts().terms) {
    search.look([&] { term->add_gradient_and_energy(t, state.q, 1, g); });
    search.look([&] { term->time_derivative(t, state.q); });
  }
  for (const auto& term : model.parts().lagrangians)
    search.look([&] { term->add_gradient(t, state.q, state.v, g, by_v); });
  for (const auto& force : model.parts().forces) search.look([&] { force->add_force(t, state.q, state.v, 1, g); });
  look_at_constraints(model, t, state.q, state.v, search);
}

}  // namespace

std::optional<UndefinedExpression> undefined_expression(const Model& model, double t, ConstVector q, ConstVector v) {
  Search search;
  tbb::task_arena(1).execute([&] { look_at_everything(model, t, q, v, search); });  // a watch sees its own thread only
  return search.found;
}

std::optional<UndefinedExpression> undefined_during(const std::function<void()>& work) {
  Search search;
  tbb::task_arena(1).execute([&] { search.look(work); });
  return search.found;
}

}  // namespace livens
