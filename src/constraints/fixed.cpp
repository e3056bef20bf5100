// Nodes that stay where they start, in all or some directions.
#include <array>

#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"
#include "constraints/supports.hpp"

namespace livens {
namespace {

// Which of x, y, z a text such as "xz" names; all if it is empty.
std::vector<bool> directions(const std::string& text, int dimension) {
  std::vector<bool> held(dimension, text.empty());
  for (const char c : text) {
    const int k = c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : -1;
    if (k < 0 || k >= dimension || held[k])
      throw AssemblyError("components", "expected some of the letters " + std::string("xyz").substr(0, held.size()) +
                                            ", each once, found '" + text + "'.");
    held[k] = true;
  }
  return held;
}

}  // namespace

void add(Assembly& assembly, const Fixed& support, const std::string& name) {
  const NodeSet set = selected_nodes(assembly, support.selection);
  const Body& body = assembly.parts.bodies[set.body];
  const std::vector<bool> held = directions(support.components, body.dimension);
  Support made;
  made.name = name;
  for (const int node : set.nodes)
    for (int c = 0; c < body.dimension; ++c)
      if (held[c]) made.coordinates.push_back(body.first + node * body.dimension + c);
  if (!made.coordinates.empty()) add_support(std::move(made), assembly);
}

void add(Assembly& assembly, const Weld& joint, const std::string& name) {
  const auto ends = joint_ends(assembly, joint.bodies);
  const JointEnd& last = ends[1].ground() ? ends[0] : ends[1];
  const Body& body = assembly.parts.bodies[last.body];
  const Vec3 X = body.rigid ? body.rigid->center : Vec3{0, 0, 0};
  AffinePoint point[2];
  std::array<AffinePoint, 3> frame[2];
  const auto dimension = static_cast<std::size_t>(assembly.dimension());
  const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t k = 0; k < dimension; ++k) frame[side][k] = vector_of(assembly, ends[side], axes[k]);
    point[side] = point_of(assembly, ends[side], X, "bodies");
  }
  std::vector<BilinearEquation> equations;
  append_equal(point[1], point[0], equations);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {2, 0}})
    if (dimension == 3 || i == 0) append_dot(frame[0][i], frame[1][j], assembly.q, equations);
  add_equations(assembly, name, std::move(equations), ends, point[1], joint.enforcement);
}

namespace {

void read_fixed(const Settings& settings, const std::string& name, Assembly& assembly) {
  if (settings.given("bodies") == settings.given("selection"))
    settings.refuse("selection", "what is fixed? Give either a selection of nodes, or two bodies.");
  if (settings.given("bodies"))
    return add(assembly, Weld{bodies_of_joint<2>(settings), enforcement_of(settings)}, name);
  refuse_enforcement_of_nodes(settings);
  Fixed support{settings.text("selection")};
  if (settings.given("components")) {
    support.components = settings.text("components");
    if (support.components.empty()) settings.refuse("components", "is empty: nothing would be held.");
  }
  add(assembly, support, name);
}

}  // namespace

ConstraintRecord fixed_record() {
  ConstraintRecord record;
  record.name = "fixed";
  record.brief = "nodes that stay where they start, or two bodies fixed to each other (6 equations; in the plane 3)";
  Parameter bodies = bodies_key("two rigid bodies that do not move relative to each other; \"ground\" is a body");
  bodies.required = false;
  record.parameters = with_enforcement(
      {key("selection", ValueType::name, "-", "", "nodes: a [[selection]], or body.group"),
       key("components", ValueType::text, "-", "xyz", "directions that are held: \"x\" makes a roller"), bodies});
  record.example = "constraint = [{ kind = 'fixed', bodies = ['a', 'b'] }]";
  record.add = read_fixed;
  return record;
}

}  // namespace livens
