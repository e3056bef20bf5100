#include "draw/system_picture.hpp"

#include <cmath>

#include "scene/schema.hpp"

namespace livens {
namespace {

// Masses in the plane or in space, rods between them, and things that stay where they are.
struct Masses {
  int count = 1, dimension = 2;
  double size = 1;  // m, of the whole picture
  std::vector<std::string> columns;
  std::function<std::vector<double>(ConstVector q)> coordinates;
  bool rods = false;    // from the origin to the first mass, from there to the second, ...
  bool centre = false;  // something at the origin
};

std::vector<double> unchanged(ConstVector q) { return {q.begin(), q.end()}; }

Masses double_pendulum(const Settings& system) {
  const double l1 = system.vector("lengths")[0], l2 = system.vector("lengths")[1];
  return {2,
          2,
          2 * (l1 + l2),
          {"a", "b"},
          [l1, l2](ConstVector q) -> std::vector<double> {
            const double x = l1 * std::sin(q[0]), y = -l1 * std::cos(q[0]);
            return {x, y, x + l2 * std::sin(q[1]), y - l2 * std::cos(q[1])};
          },
          true,
          false};
}

Masses kepler(const Settings&) { return {1, 2, 2, {"x", "y"}, unchanged, false, true}; }
Masses henon_heiles(const Settings&) { return {1, 2, 1, {"x", "y"}, unchanged, false, false}; }

Masses rod_of_length(double l) {
  const auto bob = [l](ConstVector q) -> std::vector<double> { return {l * std::sin(q[0]), -l * std::cos(q[0])}; };
  return {1, 2, 2 * l, {"theta"}, bob, true, false};
}

// A Lagrangian in Cartesian coordinates is that of a particle; one of an angle theta is shown as a rod, of length l if
// the scene has that parameter.
std::optional<Masses> written_out(const Settings& system, const ParameterValues& parameters) {
  const auto& names = system.names("coordinates");
  if (names == std::vector<std::string>{"theta"}) {
    const auto l = parameters.find("l");
    return rod_of_length(l != parameters.end() && l->second > 0 ? l->second : 1);
  }
  const std::vector<std::string> plane = {"x", "y"}, space = {"x", "y", "z"};
  if (names != plane && names != space) return std::nullopt;
  return Masses{1, static_cast<int>(names.size()), 1, names, unchanged, false, false};
}

std::optional<Masses> masses_of(const Entry& system, const ParameterValues& parameters) {
  if (system.kind == "pendulum") return rod_of_length(system.settings.number("length"));
  if (system.kind == "double_pendulum") return double_pendulum(system.settings);
  if (system.kind == "kepler") return kepler(system.settings);
  if (system.kind == "henon_heiles") return henon_heiles(system.settings);
  if (system.kind == "lagrangian") return written_out(system.settings, parameters);
  return std::nullopt;
}

constexpr double radius_to_size = 0.03;

Drawing drawing_of(const Masses& masses) {
  Body body;
  body.name = "masses";
  body.nodes = masses.count;
  body.dimension = masses.dimension;
  body.reference.assign(masses.count * masses.dimension, 0.0);
  Drawing drawing = draw(std::vector<Body>{body});
  Drawable& points = drawing.drawables.front();
  points.pullable = false;
  points.radius = radius_to_size * masses.size;
  if (masses.rods) {
    Drawable rods;
    rods.kind = Drawable::Kind::lines;
    rods.name = "rods";
    rods.style = "rod";
    DrawnVertex from;
    for (const DrawnVertex& to : drawing.drawables.front().vertices) {
      rods.vertices.insert(rods.vertices.end(), {from, to});
      from = to;
    }
    drawing.drawables.push_back(std::move(rods));
  }
  if (masses.centre) {
    Drawable centre;
    centre.kind = Drawable::Kind::points;
    centre.name = "centre";
    centre.radius = 1.5 * radius_to_size * masses.size;
    centre.vertices.emplace_back();
    drawing.drawables.push_back(std::move(centre));
  }
  drawing.coordinates = masses.coordinates;
  return drawing;
}

}  // namespace

std::optional<SystemPicture> system_picture(const Scene& scene) {
  std::vector<SceneFault> faults;
  const ValidatedScene valid = validate(scene, faults);
  const Entry* system = valid.find("system");
  if (!faults.empty() || system == nullptr) return std::nullopt;
  const auto masses = masses_of(*system, valid.environment->parameters);
  if (!masses) return std::nullopt;
  return SystemPicture{drawing_of(*masses), masses->columns};
}

}  // namespace livens
