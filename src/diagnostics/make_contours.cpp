// The contours of a scene, and what can be wrong with them.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <livens/mesh.hpp>

#include "diagnostics/contour_domains.hpp"
#include "diagnostics/make_probes.hpp"
#include "mesh/core/topology.hpp"
#include "model/selections.hpp"
#include "records/suggest.hpp"

namespace livens {

// What the integrals of one contour of a scene have in common.
struct ContourTarget {
  ContourTarget(const Model& model, const Crack& crack, ContourDomain domain, std::array<double, 3> center,
                const std::shared_ptr<InertialForces>& of_model)
      : growth{DefectMotion::Kind::translation, crack.direction, {}},
        turn{DefectMotion::Kind::rotation, {0, 0, 1}, center},
        expansion{DefectMotion::Kind::expansion, {}, center},
        contour(model, crack.body, std::move(domain), of_model),
        inertial_forces(of_model) {
    if (const Contour::Degree m = contour.degree(); m.one()) expansion.degree = m.most;
  }

  DefectMotion growth, turn, expansion;
  Contour contour;
  std::shared_ptr<InertialForces> inertial_forces;  // of all contours of the scene
  std::array<double, 2> tip{};                      // of a crack in the plane
  struct Piece {
    Contour contour;
    double length;
  };
  std::vector<Piece> front;
};

namespace {

using Faults = std::vector<SceneFault>;
using Kind = DefectMotion::Kind;

struct Integral {
  ProbeRecord record;
  Kind motion = Kind::translation;
  int dimension = 0;  // 2 or 3: only there
  enum class Needs { nothing, isotropy, one_degree, plane_tip, front };
  Needs needs = Needs::nothing;
};

using Evaluate = void (*)(const ProbeTarget&, const Sample&, double*);

Integral integral(std::string name, std::string unit, std::string brief, Evaluate evaluate) {
  Integral made;
  made.record.name = std::move(name);
  made.record.brief = std::move(brief);
  made.record.unit = std::move(unit);
  made.record.citation = "L04 5";
  made.record.evaluate = evaluate;
  return made;
}

std::vector<Integral> growth_integrals() {
  const auto per_length = [](const std::string& text) { return text + " (N; per length of the front N/m)"; };
  std::vector<Integral> all = {
      integral("J", "N", per_length("energy released by growth of the crack, over its thickness"),
               [](const ProbeTarget& t, const Sample& s, double* out) {
                 *out = t.contour->contour.released(s.model, s.state, t.contour->growth);
               }),
      integral("J_static", "N", per_length("the same without the inertia inside the contour"),
               [](const ProbeTarget& t, const Sample& s, double* out) {
                 *out = t.contour->contour.released(s.model, s.state, t.contour->growth, false);
               }),
      integral("J_boundary", "N", per_length("J from the nodes around the contour instead of those inside"),
               [](const ProbeTarget& t, const Sample& s, double* out) {
                 *out = t.contour->contour.released_outside(s.model, s.state, t.contour->growth);
               }),
      integral("J_front", "N/m", "J per length at every corner of the front, from its end with the least coordinates",
               [](const ProbeTarget& t, const Sample& s, double* out) {
                 for (const auto& piece : t.contour->front)
                   *out++ = piece.contour.released(s.model, s.state, t.contour->growth) / piece.length;
               })};
  all[2].record.citation = "L04 (106)";
  all[3].record.shape = ProbeRecord::Shape::vector;
  all[3].dimension = 3;
  all[3].needs = Integral::Needs::front;
  return all;
}

std::vector<Integral> rotation_and_expansion() {
  const Evaluate turn = [](const ProbeTarget& t, const Sample& s, double* out) {
    const ContourTarget& target = *t.contour;
    DefectMotion motion = target.turn;
    const bool plane = s.model.bodies()[at(t.body)].dimension == 2;
    for (std::size_t axis = plane ? 2 : 0; axis < 3; ++axis) {
      motion.axis = {};
      motion.axis[axis] = 1;
      *out++ = target.contour.released(s.model, s.state, motion);
    }
  };
  const std::string brief = "energy released by rotation of the defect about the centre, over its thickness (N m)";
  std::vector<Integral> all = {
      integral("L", "N m", brief, turn), integral("L", "N m", brief, turn),
      integral("M", "N m",
               "energy released by expansion of the defect from the centre, over its thickness "
               "(N m)",
               [](const ProbeTarget& t, const Sample& s, double* out) {
                 *out = t.contour->contour.released(s.model, s.state, t.contour->expansion);
               })};
  for (Integral& one : all) {
    one.motion = Kind::rotation;
    one.needs = Integral::Needs::isotropy;
    one.record.citation = "L04 (107)";
  }
  all[0].dimension = 2;
  all[1].dimension = 3;
  all[1].record.shape = ProbeRecord::Shape::vector;
  all[2].motion = Kind::expansion;
  all[2].needs = Integral::Needs::one_degree;
  all[2].record.citation = "L04 (83)";
  return all;
}

std::vector<Integral> intensity_factors() {
  std::vector<Integral> all = {
      integral("K_I", "Pa m^0.5", "stress-intensity factor of opening",
               [](const ProbeTarget& t, const Sample& s, double* out) {
                 const auto& e = t.contour->growth.axis;
                 *out = t.contour->contour.modes(s.model, s.state, t.contour->tip, {e[0], e[1]}).one;
               }),
      integral("K_II", "Pa m^0.5", "stress-intensity factor of shear",
               [](const ProbeTarget& t, const Sample& s, double* out) {
                 const auto& e = t.contour->growth.axis;
                 *out = t.contour->contour.modes(s.model, s.state, t.contour->tip, {e[0], e[1]}).two;
               }),
      integral("K", "Pa m^0.5", "(K_I^2 + K_II^2)^0.5, from J", [](const ProbeTarget& t, const Sample& s, double* out) {
        const Contour& contour = t.contour->contour;
        const double square =
            contour.released(s.model, s.state, t.contour->growth) * contour.plane_modulus() / contour.thickness();
        *out = std::copysign(std::sqrt(std::abs(square)), square);
      })};
  for (Integral& one : all) {
    one.dimension = 2;
    one.needs = Integral::Needs::plane_tip;
  }
  return all;
}

const std::vector<Integral>& integrals() {
  static const std::vector<Integral> all = [] {
    std::vector<Integral> list = growth_integrals();
    for (auto* more : {rotation_and_expansion, intensity_factors})
      for (Integral& one : more()) list.push_back(std::move(one));
    return list;
  }();
  return all;
}

Crack read_crack(const Settings& settings, const Model& model, const Assembly& assembly) {
  const auto sets = selected_nodes(settings, assembly);
  Crack crack;
  crack.body = sets.front().body;
  crack.tip = sets.front().nodes;
  const Body& body = model.bodies()[at(crack.body)];
  if (body.mesh == nullptr) settings.refuse("selection", "a crack needs a solid; '" + body.name + "' is not one.");
  const auto& given = settings.vector("direction");
  if (static_cast<int>(given.size()) != body.dimension)
    settings.refuse("direction",
                    "needs " + std::to_string(body.dimension) + " numbers, one per dimension of the body.");
  double square = 0;
  for (const double value : given) square += value * value;
  if (!(square > 0)) settings.refuse("direction", "has no length.");
  for (std::size_t c = 0; c < given.size(); ++c) crack.direction[c] = given[c] / std::sqrt(square);
  const std::string fault = crack_fault(*body.mesh, crack);
  if (!fault.empty()) settings.refuse("selection", fault);
  return crack;
}

// The key that says how far a contour reaches.
std::string extent_key(const Settings& settings) {
  return settings.has("rings") ? "rings" : settings.has("min") ? "min" : "radius";
}

ContourDomain box_domain(const Settings& settings, const Mesh& mesh) {
  for (const char* end : {"min", "max"}) {
    if (!settings.has(end)) settings.refuse(end, "a box needs both of its corners, min and max.");
    if (static_cast<int>(settings.vector(end).size()) != mesh.dimension())
      settings.refuse(end, "needs " + std::to_string(mesh.dimension()) + " numbers, one per dimension of the body.");
  }
  return within_box(mesh, settings.vector("min"), settings.vector("max"));
}

// What is around the tip.
ContourDomain read_domain(const Settings& settings, const Mesh& mesh, const Crack& crack) {
  const bool rings = settings.has("rings"), box = settings.has("min") || settings.has("max");
  if (int{settings.has("radius")} + int{rings} + int{box} != 1)
    settings.refuse(
        "radius",
        "how far around the tip? Give either a radius, rings of elements (0: the tip alone), or a box by its "
        "corners min and max.");
  const std::string key = extent_key(settings);
  ContourDomain domain = rings ? rings_about(mesh, crack.tip, settings.integer("rings"))
                         : box ? box_domain(settings, mesh)
                               : within_radius(mesh, crack.tip, settings.number("radius"));
  const auto one_inside = [&](int a) { return domain.weights[at(a)] == 1; };
  int inside = 0, of_tip = 0;
  for (int a = 0; a < mesh.nodes(); ++a) inside += one_inside(a) ? 1 : 0;
  for (const int a : crack.tip) of_tip += one_inside(a) ? 1 : 0;
  if (box && of_tip < static_cast<int>(crack.tip.size()))
    settings.refuse(key, "the box does not enclose the crack's nodes. Use a larger one.");
  if (!rings && inside == of_tip)
    settings.refuse(key,
                    "does not enclose the tip: no other corner of an element is that near. Use a larger one, or "
                    "rings = 0 for the tip alone.");
  const std::string interface = interface_inside(mesh, domain, crack);
  if (!interface.empty()) settings.refuse(key, interface);
  return domain;
}

std::array<double, 3> read_center(const Settings& settings, const Mesh& mesh, const Crack& crack) {
  std::array<double, 3> center{};
  const auto d = at(mesh.dimension());
  if (settings.has("center")) {
    const auto& given = settings.vector("center");
    if (given.size() != d)
      settings.refuse("center", "needs " + std::to_string(d) + " numbers, one per dimension of the body.");
    std::copy(given.begin(), given.end(), center.begin());
    return center;
  }
  for (const int a : crack.tip)
    for (std::size_t c = 0; c < d; ++c) center[c] += mesh.X[at(a) * d + c] / static_cast<double>(crack.tip.size());
  return center;
}

// What the contour reaches and should not; empty if it reaches nothing of the kind.
std::string surface_reached(const Integral& integral, const Mesh& mesh, const ContourDomain& domain, const Crack& crack,
                            const ContourTarget& target) {
  const std::string& name = integral.record.name;
  DefectMotion motion = integral.motion == Kind::translation ? target.growth : target.expansion;
  bool crosses = false;
  if (integral.motion != Kind::rotation) crosses = crosses_surface(mesh, domain, crack, motion);
  for (std::size_t axis = mesh.dimension() == 2 ? 2 : 0; axis < 3 && integral.motion == Kind::rotation; ++axis) {
    motion = target.turn;
    motion.axis = {};
    motion.axis[axis] = 1;
    crosses = crosses || crosses_surface(mesh, domain, crack, motion);
  }
  if (crosses && integral.motion == Kind::translation)
    return name + " reaches a surface of the body that is not parallel to the crack. Use a smaller one.";
  if (crosses)
    return name + " reaches a surface through which " +
           (integral.motion == Kind::rotation ? "a rotation" : "an expansion") +
           " would go. It is defined for whole defects: select all nodes of the defect as the crack, and let the "
           "contour enclose them and no other surface.";
  return "";
}

// Why the integral is not defined for the material or the crack; empty if it is.
std::string refusal(const Integral& integral, const Mesh& mesh, const Crack& crack, const ContourTarget& target) {
  const std::string& name = integral.record.name;
  if (!target.contour.homogeneous())
    return name +
           " is the energy released by moving the defect through a material that is the same everywhere; that of "
           "this body varies with the place, so that it would depend on the contour.";
  switch (integral.needs) {
    case Integral::Needs::nothing: break;
    case Integral::Needs::isotropy:
      if (!target.contour.isotropic())
        return "L is the energy released by a rotation, and the material is not isotropic: rotating its reference "
               "shape "
               "costs energy itself.";
      break;
    case Integral::Needs::one_degree:
      if (const Contour::Degree m = target.contour.degree(); !m.one())
        return fmt::format(
            "M needs an energy that is homogeneous, in the displacement gradient (material linear) or W(s F) = s^m "
            "W(F) in "
            "F with one m other than 0. That of this material goes with exponents from {:.3g} to {:.3g}, so that M "
            "would "
            "depend on the contour.",
            m.least, m.most);
      break;
    case Integral::Needs::plane_tip:
      if (!target.contour.at_fixed_displacement())
        return name +
               " is defined by superposition of fields, hence only for small displacements: material linear. J is "
               "defined for this one.";
      if (crack.tip.size() != 1)
        return name + " needs a single tip; the crack's selection has " + std::to_string(crack.tip.size()) + " nodes.";
      if (const double angle = angle_about(mesh, crack.tip[0]); std::abs(angle - 360) > 1)
        return fmt::format(
            "{} needs both faces of a crack in the body, but the body fills {:.0f} degrees around the tip, not 360.",
            name, angle);
      break;
    case Integral::Needs::front:
      if (front_of(mesh, crack.tip).empty())
        return "J_front needs a front: nodes of one line of edges, from end to end.";
      break;
  }
  return "";
}

std::vector<std::string> names_of_integrals() {
  std::vector<std::string> names;
  for (const Integral& one : integrals())
    if (names.empty() || names.back() != one.record.name) names.push_back(one.record.name);
  return names;
}

void add_integral(const std::string& name, const Entry& entry, const Model& model, const Crack& crack,
                  const ContourDomain& domain, const std::shared_ptr<ContourTarget>& made, std::vector<Probe>& probes) {
  const Settings& settings = entry.settings;
  const Mesh& mesh = *model.bodies()[at(crack.body)].mesh;
  bool known = false;
  for (const Integral& one : integrals()) {
    if (one.record.name != name) continue;
    known = true;
    if (one.dimension != 0 && one.dimension != mesh.dimension()) continue;
    if (const std::string reason = surface_reached(one, mesh, domain, crack, *made); !reason.empty())
      settings.refuse(extent_key(settings), reason);
    if (const std::string reason = refusal(one, mesh, crack, *made); !reason.empty())
      settings.refuse("integrals", reason);
    ProbeTarget target;
    target.body = crack.body;
    target.contour = made;
    if (one.needs == Integral::Needs::front) {
      for (FrontPiece& piece : front_pieces(mesh, domain, front_of(mesh, crack.tip))) {
        target.components.push_back(std::to_string(made->front.size()));
        made->front.push_back(
            {Contour(model, crack.body, std::move(piece.domain), made->inertial_forces), piece.length});
      }
    } else {
      target.components = {"x", "y", "z"};
    }
    probes.emplace_back(one.record, target, entry.name);
    return;
  }
  settings.refuse("integrals",
                  known ? name + " is defined only in " + (mesh.dimension() == 2 ? "three dimensions." : "the plane.")
                        : "no integral '" + name + "'. There are " + listed(names_of_integrals(), ", ") + ".");
}

// attempt: continues with the next integral when one is refused.
template <class Attempt>
void add_contour(const Entry& entry, const Model& model, const Crack& crack,
                 const std::shared_ptr<InertialForces>& inertial_forces, std::vector<Probe>& probes,
                 const Attempt& attempt) {
  const Settings& settings = entry.settings;
  const Mesh& mesh = *model.bodies()[at(crack.body)].mesh;
  const ContourDomain domain = read_domain(settings, mesh, crack);
  const auto made =
      std::make_shared<ContourTarget>(model, crack, domain, read_center(settings, mesh, crack), inertial_forces);
  if (mesh.dimension() == 2) std::copy_n(mesh.X.begin() + 2 * crack.tip[0], 2, made->tip.begin());
  for (const std::string& name : settings.names("integrals"))
    attempt([&] { add_integral(name, entry, model, crack, domain, made, probes); });
}

}  // namespace

const std::vector<double>& weights_of(const ContourTarget& target) { return target.contour.weights(); }

void add_contour_probes(const ProbeEntries& entries, const Model& model, std::vector<Probe>& probes, Faults& faults) {
  if (entries.contours.empty() && entries.cracks.empty()) return;
  // Selections refer to a scene under construction; a finished model has everything they need.
  Assembly assembly;
  assembly.parts.bodies = model.bodies();
  assembly.selections = entries.selections;
  std::set<std::string> told;
  const auto attempt = [&](const auto& read) {
    try {
      read();
    } catch (const SceneError& error) {
      for (const SceneFault& fault : error.faults())
        if (told.insert(fault.to_string()).second) faults.push_back(fault);
    }
  };
  std::map<std::string, Crack> cracks;
  for (const Entry* entry : entries.cracks)
    attempt([&] { cracks[entry->name] = read_crack(entry->settings, model, assembly); });
  const auto inertial_forces = std::make_shared<InertialForces>();
  for (const Entry* entry : entries.contours) {
    const auto found = cracks.find(entry->settings.text("crack"));
    if (found != cracks.end())
      attempt([&] { add_contour(*entry, model, found->second, inertial_forces, probes, attempt); });
  }
}

}  // namespace livens
