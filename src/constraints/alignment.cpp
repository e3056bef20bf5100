// Three points in line, a x b = 0 with a = x2 - x1, b = x3 - x1 [E04 5]: three equations of rank two.
#include "constraints/joints.hpp"
#include "constraints/penalty.hpp"
#include "constraints/read_joints.hpp"

namespace livens {

void add(Assembly& assembly, const Alignment& constraint, const std::string& name) {
  const auto ends = joint_ends(assembly, constraint.bodies);
  AffinePoint points[3];
  bool free = true;
  for (std::size_t k = 0; k < 3; ++k) {
    points[k] = point_of(assembly, ends[k], constraint.ends[k], "ends");
    free = free && !ends[k].ground();
  }
  const AffinePoint a = points[1] - points[0], b = points[2] - points[0];
  std::vector<BilinearEquation> equations;
  const std::size_t dimension = a.size();
  for (std::size_t c = dimension == 3 ? 0 : 2; c < 3 && dimension > 1; ++c) {
    const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
    BilinearEquation equation;
    equation.products = {{1, a[i], b[j]}, {-1, a[j], b[i]}};
    equations.push_back(std::move(equation));
  }
  if (constraint.enforcement.kind == Enforcement::Kind::penalty) {
    const double stiffness = penalty_stiffness(constraint.enforcement);
    auto same = std::make_shared<BilinearConstraint>(name, std::move(equations), Invariance{free, free});
    assembly.parts.terms.push_back(make_alignment_penalty(std::move(same), a, b, stiffness));
    return;
  }
  add_equations(assembly, name, std::move(equations), ends, points[2], constraint.enforcement, dimension < 3 || !free);
}

ConstraintRecord alignment_record() {
  ConstraintRecord record;
  record.name = "alignment";
  record.brief = "three points stay on one line (3 equations, of which 2 are independent; in the plane 1)";
  record.citation = "E04 5";
  record.parameters = with_enforcement({bodies_key("of the three points"), ends_key("the three points at the start")});
  record.example =
      "constraint = [{ kind = 'alignment', bodies = ['a', 'b', 'a'], ends = [[0, 0, 0], [0.5, 0.5, 0], [1, 1, 0]] }]";
  record.frame_indifferent = false;  // a x b turns with the bodies: between steps, where it is not 0, so does its force
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add(assembly,
        Alignment{bodies_of_joint<3>(settings), ends_of_joint<3>(settings, assembly), enforcement_of(settings)}, name);
  };
  return record;
}

}  // namespace livens
