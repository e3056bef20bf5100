// How the records of bodies, systems and forces add themselves to a model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <livens/scene.hpp>

#include "math/expression.hpp"

namespace livens {

class SpringSet;
struct SceneMaterial;
struct SolidBody;

// Nodes of one body.
struct NodeSet {
  int body = 0;            // of ModelParts::bodies
  std::vector<int> nodes;  // sorted
};

// What is being built: the parts of the model, the start, and the faults met on the way.
struct Build {
  ModelParts parts;
  std::vector<double> q, v;  // the start, in step with parts.mass.diagonal
  double t_begin = 0;
  std::map<std::string, double, std::less<>> parameters;  // of the scene, evaluated
  std::map<std::string, std::vector<double>, std::less<>> markers;
  std::vector<SceneFault> faults;

  // Pairs of nodes that a layout calls neighbours, per body: (i, j, image shift of j as it stood at the start).
  struct Pair {
    int i, j;
    double shift[3];
  };
  std::map<std::string, std::vector<Pair>> neighbours;
  // Springs so far, for the damping along them.
  struct SpringBlock {
    int body;
    std::shared_ptr<const SpringSet> set;
    double stiffness;
  };
  std::vector<SpringBlock> springs;

  bool start_only = false;  // bodies at their start are wanted, without what acts on them
  std::map<std::string, std::shared_ptr<const SceneMaterial>> materials;
  std::vector<std::shared_ptr<const SolidBody>> solids;
  std::map<std::string, NodeSet> selections;  // of the sections [[selection]]

  const SolidBody* solid_of(int body) const;  // null if it is no solid
  // Mass that each coordinate moves when all nodes move alike: the rows of the mass matrix, summed.
  std::vector<double> row_masses() const;

  // The bodies a force table speaks of: its body key, or all.
  std::vector<int> bodies_of(const Settings& settings);
  void fail(const Settings& settings, const std::string& key, const std::string& message) {
    faults.push_back(settings.fault(key, message));
  }
};

// A list of lists of numbers of equal length, such as positions; false with a fault if it is none.
bool read_rows(const Settings& settings, const std::string& key, Build& build, std::vector<std::vector<double>>& rows);

struct SystemRecord : Record {
  void (*add)(const Settings& settings, Build& build) = nullptr;
};
struct BodyRecord : Record {
  void (*add)(const Settings& settings, const std::string& name, Build& build) = nullptr;
};
struct ForceRecord : Record {
  void (*add)(const Settings& settings, const std::string& name, Build& build) = nullptr;
};
struct ConstraintRecord : Record {
  void (*add)(const Settings& settings, const std::string& name, Build& build) = nullptr;
  // What the laws measure: a scene that has it between bodies, and what is true of it there.
  std::string example;
  bool quadratic = true;          // discrete derivatives are those of the middle
  bool frame_indifferent = true;  // between two bodies it keeps all momenta
};
struct ContactRecord : Record {
  void (*add)(const Settings& settings, const std::string& name, Build& build) = nullptr;
};

const std::vector<SystemRecord>& system_records();
const std::vector<BodyRecord>& body_records();
const std::vector<ForceRecord>& force_records();
const std::vector<ConstraintRecord>& constraint_records();
const std::vector<ContactRecord>& contact_records();
const std::vector<Record>& output_records();

// All records of a section by its scene name ("integrator", "body", "force", ...), or of a nested table ("layout",
// "mesh").
std::vector<const Record*> records_of(const std::string& section);

}  // namespace livens
