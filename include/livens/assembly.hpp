// An assembly: the model under construction. Bodies come first, then what acts on them; model() and start() finish it.
//
// Every kind of part (body, force, constraint, contact, material) has a record, which is its text face: it reads the
// keys of a scene's table and adds the part.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <livens/model.hpp>
#include <livens/records.hpp>
#include <livens/settings.hpp>

namespace livens {

using Vec3 = std::array<double, 3>;  // what a plane lacks of three dimensions is 0

struct BodyMaterial;  // materials.hpp
struct SolidBody;     // bodies.hpp
struct BodyShape;     // bodies.hpp

// What is wrong with a part that is added to an assembly. The scene adds file, line and column.
class AssemblyError : public std::runtime_error {
 public:
  // key: of the part's struct and of its table in a scene, "" for the part as a whole.
  AssemblyError(std::string key_in, const std::string& message) : std::runtime_error(message), key(std::move(key_in)) {}
  std::string key;
};

// Nodes of one body.
struct NodeSet {
  int body = 0;            // of ModelParts::bodies
  std::vector<int> nodes;  // sorted
};

struct Assembly {
  ModelParts parts;
  std::vector<double> q, v;  // the start, in step with parts.mass.diagonal
  double t_begin = 0;        // s
  // Where coordinates are after the first step, for those that start from two positions instead of a velocity; empty
  // if none does. The momentum follows from the discrete Lagrangian of the integrator (path.hpp).
  std::vector<std::optional<double>> second;

  // Pairs of nodes that a layout calls neighbours, per body: (i, j, image shift of j as it stood at the start).
  struct Pair {
    int i, j;
    double shift[3];
  };
  std::map<std::string, std::vector<Pair>> neighbours;
  // Sides of the box that a periodic body repeats in, m; 0 along axes along which it does not.
  std::map<std::string, Vec3> boxes;
  // Springs so far. Their damping is f = -time * k (n.(v_j - v_i)) n along each, with its stiffness k and direction n.
  struct SpringBlock {
    int body;  // of parts.bodies
    std::function<std::shared_ptr<const Force>(const std::string& name, double time, DampingForm form)> make_damping;
  };
  std::vector<SpringBlock> springs;
  std::map<std::string, std::shared_ptr<const BodyMaterial>> materials;
  std::vector<std::shared_ptr<const SolidBody>> solids;
  // Surfaces of rigid bodies and obstacles, by their names: what contact asks for.
  std::map<std::string, std::shared_ptr<const BodyShape>> shapes;
  std::map<std::string, NodeSet> selections;

  int body_index(const std::string& name) const;  // -1 if there is none
  bool has_consistent_mass(int body) const;
  // Mass that each coordinate moves when all nodes move alike: the rows of the mass matrix, summed.
  std::vector<double> row_masses() const;
  int dimension() const { return parts.bodies.empty() ? 0 : parts.bodies.front().dimension; }

  // The finished model; std::move(assembly).model() spares a copy of the lists.
  Model model() const& { return Model(parts); }
  Model model() && { return Model(std::move(parts)); }
  // The state at t_begin of the model that was made from this assembly, with the velocities v. Throws AssemblyError if
  // it is not finite. It is taken as given: constraints are not enforced on it.
  State start(const Model& model) const;
};

// --- records of parts ------------------------------------------------------------------------------------------------

struct PartRecord : Record {
  // Throws AssemblyError or SceneError.
  void (*add)(const Settings& settings, const std::string& name, Assembly& assembly) = nullptr;
};
struct SystemRecord : PartRecord {};
struct BodyRecord : PartRecord {};
struct ForceRecord : PartRecord {
  bool after_springs = false;  // it needs the springs of the scene to be there: damping along them
};
struct ContactRecord : PartRecord {};
struct ConstraintRecord : PartRecord {
  // What the laws measure: a scene that has it between bodies, and what is true of it there.
  std::string example;
  bool quadratic = true;          // discrete derivatives are those of the middle
  bool frame_indifferent = true;  // between two bodies it keeps all momenta
};
struct SelectionRecord : PartRecord {};

Registry<SystemRecord>& system_records();
Registry<BodyRecord>& body_records();
Registry<ForceRecord>& force_records();
Registry<ContactRecord>& contact_records();
Registry<ConstraintRecord>& constraint_records();
Registry<SelectionRecord>& selection_records();

}  // namespace livens
