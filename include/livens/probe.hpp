// Probes: quantities that a user picks, as columns of history.csv.
//
//   setup.plan.probes.push_back(make_probe(*setup.model, "position", {.body = "bar", .point = {0, 0, 1}}, "tip"));
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <livens/observer.hpp>
#include <livens/records.hpp>

namespace livens {

struct ContourTarget;  // of probes of contours, which no other probe reads
class Projection;      // multipliers of constraints at a state

// A column of history.csv.
struct Column {
  std::string name, unit, meaning;
};

// Where a probe looks: a node or all generalised coordinates, a body, a constraint, a contact, or everything.
struct ProbeTarget {
  int first = 0, count = 0;             // coordinates that are looked at
  std::vector<std::string> components;  // of those: x, y, z or the names of generalised coordinates
  bool node = false;                    // whether a node was named
  bool everything = true;               // no body was named, or it is the only one
  int body = -1;                        // of the model, if one was named or is the only one
  int support = -1, contact = -1;       // of ModelParts::supports, ModelParts::terms
  std::string touched, other;           // bodies of a contact: the one that is looked at, the one that touches it
  std::vector<double> weights;          // of the four nodes of a rigid body in the point that is looked at
  int constraint = -1;                  // of ModelParts::constraints, and its first equation
  int equation = 0;
  std::shared_ptr<const ContourTarget> contour;
  std::shared_ptr<Projection> projection;  // for the multipliers of constraints
};

struct ProbeRecord : Record {
  std::string unit;
  enum class Shape { vector, scalar };
  Shape shape = Shape::scalar;
  bool by_body = true;  // whether it can be told for one body alone
  enum class Of { node, body, solid, rigid, constraint, joint, contact };
  Of of = Of::body;       // what it is a quantity of; of a solid: of a body with a mesh
  bool moment = false;    // a vector that has one component in the plane
  bool averaged = false;  // over time since the start, by the trapezoid rule over every step
  // Writes one number, or target.count of them; nan where undefined.
  void (*evaluate)(const ProbeTarget& target, const Sample& sample, double* out) = nullptr;
};

Registry<ProbeRecord>& probe_records();

// One quantity at one place.
class Probe {
 public:
  Probe(const ProbeRecord& record, ProbeTarget target, const std::string& name);

  const std::vector<Column>& columns() const { return columns_; }
  const ProbeTarget& target() const { return target_; }
  void begin(const Sample& sample);
  void advance(const Sample& sample);  // after every step
  void evaluate(const Sample& sample, double* out) const;
  void visit_memory(MemoryVisitor& visitor);

 private:
  const ProbeRecord* record_;
  ProbeTarget target_;
  std::vector<Column> columns_;
  // Of averaged ones: the integral since t_begin up to t, and the value there.
  double t_begin_ = 0, t_ = 0, value_ = 0, integral_ = 0;
};

// Where to look, by names; what is empty is not said. A point is one of the reference shape (m).
struct ProbePlace {
  std::string body = {};
  std::vector<double> point = {};
  std::string constraint = {}, contact = {};
  std::string other = {};  // body that touches `body` in the contact; "": all of them
};

// The columns of one quantity (`livens list probes`), called probe.NAME.QUANTITY and, of vectors, _x, _y, _z. Throws
// AssemblyError.
Probe make_probe(const Model& model, const std::string& quantity, const ProbePlace& place, const std::string& name);

}  // namespace livens
