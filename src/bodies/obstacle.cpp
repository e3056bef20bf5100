// Obstacles: rigid things that move as given. Like a rigid body they are four points, in the plane three, of which all
// others are weighted sums; the points are held by a support, x_a = position(t) + R(rotation(t)) X_a. What touches them
// does work on the support, which the ledger books.
#include <algorithm>
#include <cmath>
#include <limits>

#include <livens/jet.hpp>

#include "bodies/nodes.hpp"
#include "bodies/rotation.hpp"
#include "bodies/shape_records.hpp"
#include "constraints/supports.hpp"
#include "math/expression.hpp"
#include "model/rigid_shape.hpp"
#include "records/read.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

constexpr double nominal_mass = 1e-9;  // kg; supports have no momentum, and gravity's potential is to be seen nowhere

// The box around a shape, as the box of a rigid body: of a homogeneous one half = side / sqrt(12).
RigidShape frame_of(const BodyShape& shape) {
  RigidShape frame;
  frame.mass = nominal_mass;
  frame.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double largest = 0;
  for (int c = 0; c < shape.dimension; ++c) {
    const auto i = static_cast<std::size_t>(c);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vec3& point : shape.points) {
      low = std::min(low, point[i] - shape.radius);
      high = std::max(high, point[i] + shape.radius);
    }
    frame.center[i] = 0.5 * (low + high);
    frame.half[i] = (high - low) / std::sqrt(12.0);
    largest = std::max(largest, frame.half[i]);
  }
  for (int c = 0; c < shape.dimension; ++c) {
    double& half = frame.half[c];
    half = std::max(half, 1e-3 * largest);
  }
  return frame;
}

// The nodes in the axes of the shape.
std::vector<Vec3> nodes_of_frame(const RigidShape& frame) {
  std::vector<Vec3> nodes;
  const std::size_t n = nodes_of(frame), d = n - 1;
  for (std::size_t a = 0; a < n; ++a) {
    Vec3 x{};
    for (std::size_t c = 0; c < d; ++c) x[c] = frame.center[c] + corner(frame, c, a) * frame.half[c];
    nodes.push_back(x);
  }
  return nodes;
}

struct ObstacleMotion {
  std::function<Pose(double)> pose;
  std::vector<Vec3> nodes;
  std::size_t dimension;

  void evaluate(double t, Vector position, Vector velocity) const {
    const Pose at = pose(t);
    const Rotation turn(at.rotation);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const Vec3 x = turn.of(nodes[a]), v = turn.velocity_of(nodes[a], at.rotation_rate);
      for (std::size_t c = 0; c < dimension; ++c) {
        position[a * dimension + c] = at.position[c] + x[c];
        velocity[a * dimension + c] = at.velocity[c] + v[c];
      }
    }
  }
};

// --- motions of scenes -----------------------------------------------------------------------------------------------

// Functions of t for the components of a vector.
std::vector<Expression> functions_of_time(const Settings& settings, const std::string& key, std::size_t count) {
  std::vector<Expression> result;
  const auto found = settings.functions.find(key);
  if (found == settings.functions.end()) return result;
  if (found->second.size() != count)
    settings.refuse(key, "expected " + std::to_string(count) + (count == 1 ? " function" : " functions") + " of t.");
  for (const Function& function : found->second) result.push_back(expression_of(function));
  return result;
}

// Rows of t and the components of position and rotation; between them cubic Hermite polynomials whose slopes are those
// of parabolas through three rows, before and after them it stands still.
class Path {
 public:
  explicit Path(std::vector<std::vector<double>> rows) : rows_(std::move(rows)) {
    const std::size_t n = rows_.size(), width = rows_.front().size();
    slopes_.assign(n, std::vector<double>(width, 0.0));
    for (std::size_t k = 1; k + 1 < n; ++k)
      for (std::size_t c = 1; c < width; ++c) {
        const double before = rows_[k][0] - rows_[k - 1][0], after = rows_[k + 1][0] - rows_[k][0];
        const double left = (rows_[k][c] - rows_[k - 1][c]) / before, right = (rows_[k + 1][c] - rows_[k][c]) / after;
        slopes_[k][c] = (left * after + right * before) / (before + after);
      }
  }
  // Value and rate of component c, from 1 on.
  std::array<double, 2> at(double t, std::size_t c) const {
    if (t <= rows_.front()[0]) return {rows_.front()[c], 0};
    if (t >= rows_.back()[0]) return {rows_.back()[c], 0};
    const auto next = std::upper_bound(rows_.begin(), rows_.end(), t,
                                       [](double time, const std::vector<double>& row) { return time < row[0]; });
    const auto k = static_cast<std::size_t>(next - rows_.begin()) - 1;
    const double h = rows_[k + 1][0] - rows_[k][0], s = (t - rows_[k][0]) / h, r = 1 - s;
    const double a = rows_[k][c], b = rows_[k + 1][c], da = h * slopes_[k][c], db = h * slopes_[k + 1][c];
    const double value = r * r * (1 + 2 * s) * a + s * s * (3 - 2 * s) * b + s * r * (r * da - s * db);
    const double rate = 6 * s * r * (b - a) + r * (1 - 3 * s) * da + s * (3 * s - 2) * db;
    return {value, rate / h};
  }

 private:
  std::vector<std::vector<double>> rows_, slopes_;  // slopes_[k][c]: of component c at row k
};

// Rows of one of two lengths.
std::vector<std::vector<double>> read_table(const Settings& settings, int short_row, int long_row) {
  const Parameter numbers = of_length(key("table", ValueType::vector, "s, m, rad", "", ""), {short_row, long_row});
  std::vector<std::vector<double>> rows;
  for (const Node& item : settings.node("table").items) {
    Node table;
    table.place = item.place;
    table.entries = {{"table", item}};
    rows.push_back(read_settings(table, settings.path, std::span(&numbers, 1), settings).vector("table"));
    if (rows.back().size() != rows.front().size())
      settings.refuse("table", "its rows have different lengths: all turn, or none.");
  }
  return rows;
}

// stands: it is the same at all times.
struct Motion {
  std::function<Pose(double)> pose;
  bool stands = false;
};

Motion path_of(const Settings& settings, std::size_t d) {
  for (const char* other : {"position", "rotation"})
    if (settings.given(other)) settings.refuse(other, "is a column of the table: give one or the other.");
  const std::size_t turned = d == 3 ? 3 : 1;
  const auto rows = read_table(settings, static_cast<int>(1 + d), static_cast<int>(1 + d + turned));
  if (rows.size() < 2)
    settings.refuse("table", "expected two or more rows of t and " + std::to_string(d) +
                                 " coordinates, and the rotation if it turns.");
  for (std::size_t k = 1; k < rows.size(); ++k)
    if (!(rows[k][0] > rows[k - 1][0])) settings.refuse("table", "its times must grow from row to row.");
  const bool turns = rows.front().size() > 1 + d;
  const auto same = [&](const std::vector<double>& row) {
    return std::equal(row.begin() + 1, row.end(), rows[0].begin() + 1);
  };
  return {[path = Path(rows), d, turned, turns](double t) {
            Pose pose;
            for (std::size_t c = 0; c < d; ++c) {
              const auto [value, rate] = path.at(t, 1 + c);
              pose.position[c] = value, pose.velocity[c] = rate;
            }
            for (std::size_t c = 0; turns && c < turned; ++c) {
              const auto [value, rate] = path.at(t, 1 + d + c);
              const std::size_t place = d == 3 ? c : 2;
              pose.rotation[place] = value, pose.rotation_rate[place] = rate;
            }
            return pose;
          },
          std::all_of(rows.begin(), rows.end(), same)};
}

Motion motion_of(const Settings& settings, std::size_t d) {
  if (settings.given("table")) return path_of(settings, d);
  const auto position = functions_of_time(settings, "position", d);
  const auto rotation = functions_of_time(settings, "rotation", d == 3 ? 3 : 1);
  if (position.empty() && rotation.empty()) return {};
  const auto constant = [](const Expression& f) { return f.constant(); };
  const bool stands = std::all_of(position.begin(), position.end(), constant) &&
                      std::all_of(rotation.begin(), rotation.end(), constant);
  return {[position, rotation, d](double t) {
            const auto evaluate = [&](const Expression& f) {
              const Dual variable[1] = {Dual::variable(t)};
              return f.evaluate<Dual>(std::span<const Dual>(variable));
            };
            Pose pose;
            for (std::size_t c = 0; c < position.size(); ++c) {
              const Dual value = evaluate(position[c]);
              pose.position[c] = value.value, pose.velocity[c] = value.derivative;
            }
            for (std::size_t c = 0; c < rotation.size(); ++c) {
              const Dual value = evaluate(rotation[c]);
              const std::size_t place = d == 3 ? c : 2;
              pose.rotation[place] = value.value, pose.rotation_rate[place] = value.derivative;
            }
            return pose;
          },
          stands};
}

// The plane or space: from the position or the table, else from the bodies that are there.
int dimension_of(const Settings& settings, const Assembly& assembly) {
  if (const auto found = settings.functions.find("position"); found != settings.functions.end())
    return static_cast<int>(found->second.size());
  return assembly.dimension();
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

void add(Assembly& assembly, const MovingObstacle& obstacle, const std::string& name) {
  const BodyShape& shape = obstacle.shape;
  check_new_body(assembly, name, shape.dimension, "shape");
  if (shape.points.empty()) throw AssemblyError("shape", "is missing: an obstacle without a surface is none.");
  auto frame = std::make_shared<RigidShape>(frame_of(shape));
  const auto d = static_cast<std::size_t>(shape.dimension);
  const auto motion = std::make_shared<ObstacleMotion>(ObstacleMotion{obstacle.pose, nodes_of_frame(*frame), d});
  if (!motion->pose) motion->pose = [](double) { return Pose{}; };
  std::vector<double> x(motion->nodes.size() * d), v(x.size());
  motion->evaluate(assembly.t_begin, x, v);
  if (!finite(x) || !finite(v))
    throw AssemblyError("position", "position and rotation must be finite at the start, with finite velocities.");
  // Where everything is at the start.
  const Pose start = motion->pose(assembly.t_begin);
  const Rotation turn(start.rotation);
  const Vec3 center = turn.of(frame->center);
  for (std::size_t c = 0; c < 3; ++c) frame->center[c] = center[c] + start.position[c];
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3 axis{};
    axis[i] = 1;
    axis = turn.of(axis);
    std::copy(axis.begin(), axis.end(), frame->axes.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  Body body;
  body.name = name;
  body.first = static_cast<int>(assembly.q.size());
  body.dimension = shape.dimension;
  body.nodes = static_cast<int>(motion->nodes.size());
  body.mass = nominal_mass;
  body.rigid = frame;
  body.reference = x;
  assembly.q.insert(assembly.q.end(), x.begin(), x.end());
  assembly.v.resize(assembly.q.size(), 0.0);
  assembly.parts.mass.diagonal.resize(assembly.q.size(), nominal_mass / static_cast<double>(body.nodes));
  Support support;
  support.name = name;
  for (std::size_t i = 0; i < x.size(); ++i) support.coordinates.push_back(body.first + static_cast<int>(i));
  if (obstacle.pose)
    support.motion = [motion](double t, Vector position, Vector velocity) { motion->evaluate(t, position, velocity); };
  assembly.parts.bodies.push_back(std::move(body));
  add_support(std::move(support), assembly);
  assembly.shapes[name] = std::make_shared<const BodyShape>(moved(shape, start.rotation, start.position));
}

BodyRecord obstacle_record() {
  BodyRecord record;
  record.name = "obstacle";
  record.brief = "a rigid thing that bodies touch and that moves as given: at rest, by functions of t, or by a table";
  Parameter table =
      key("table", ValueType::table, "s, m, rad", "",
          "rows of t, coordinates and, if it turns, rotation, instead of functions: a smooth path through "
          "them, at rest before and after");
  table.choices = {"list"};
  record.parameters = {
      required(key("shape", ValueType::table, "-", "", "its surface; see `livens list shapes`")),
      function_of(of_length(key("position", ValueType::functions, "m", "",
                                "where the origin of the shape's coordinates is; default: at the origin"),
                            {2, 3}),
                  {"t"}),
      function_of(of_length(key("rotation", ValueType::functions, "rad", "",
                                "about that origin: axis times angle; in the plane one function"),
                            {1, 3}),
                  {"t"}),
      table};
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    MovingObstacle obstacle{make_shape(settings, "shape", dimension_of(settings, assembly), assembly)};
    const Motion motion = motion_of(settings, static_cast<std::size_t>(obstacle.shape.dimension));
    if (!motion.stands) {
      obstacle.pose = motion.pose;
    } else if (motion.pose) {
      const Pose at = motion.pose(assembly.t_begin);
      obstacle.shape = moved(std::move(obstacle.shape), at.rotation, at.position);
    }
    add(assembly, obstacle, name);
  };
  return record;
}

}  // namespace livens
