// Wrong constraints and selections: refused with the same words in C++ and in scenes, at the member that is at fault.
#include <functional>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/bodies.hpp"

namespace livens {
namespace {

using testing::assembly_of_bodies;
using testing::bodies;
using Kind = Enforcement::Kind;

const Vec3 point{0.5, 0.1, 0.2}, axis{1, 2, 3};
const std::array<std::string, 2> pair{"a", "b"};

struct Wrong {
  std::string key;
  std::function<void(Assembly&)> add_part;
  std::string text;  // the same in a scene; "" where scenes refuse it earlier, or cannot say it
};

void expect_refused(const Wrong& wrong, const std::string& section) {
  std::string message;
  Assembly assembly = assembly_of_bodies();
  try {
    wrong.add_part(assembly);
    ADD_FAILURE() << "accepted: " << wrong.key << " " << wrong.text;
  } catch (const AssemblyError& error) {
    EXPECT_EQ(error.key, wrong.key) << error.what();
    message = error.what();
  }
  EXPECT_FALSE(message.empty());
  if (wrong.text.empty()) return;
  try {
    make_model(parse_scene(section + " = [{ name = 'part', " + wrong.text + " }]\n" + bodies));
    ADD_FAILURE() << "accepted: " << wrong.text;
  } catch (const SceneError& error) {
    ASSERT_EQ(error.faults().size(), 1u) << error.what();
    const SceneFault& fault = error.faults().front();
    EXPECT_EQ(fault.key, section + ".part" + (wrong.key.empty() ? "" : "." + wrong.key));
    EXPECT_EQ(fault.message, message);
    EXPECT_EQ(fault.place.line, 1);
  }
}

const Wrong constraints[] = {
    {"bodies",
     [](Assembly& a) {
       add(a, Spherical{{"a", "c"}, point}, "part");
     },
     "kind = 'spherical', bodies = ['a', 'c'], point = [0.5, 0.1, 0.2]"},
    {"bodies",
     [](Assembly& a) {
       add(a, Spherical{{"ground", "ground"}, point}, "part");
     },
     "kind = 'spherical', bodies = ['ground', 'ground'], point = [0.5, 0.1, 0.2]"},
    {"bodies",
     [](Assembly& a) {
       add(a, Revolute{{"a", "a"}, point, axis}, "part");
     },
     "kind = 'revolute', bodies = ['a', 'a'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3]"},
    {"bodies",
     [](Assembly& a) {
       add(a, Weld{{"a", "dust"}}, "part");
     },
     "kind = 'fixed', bodies = ['a', 'dust']"},
    {"point",
     [](Assembly& a) {
       add(a, Spherical{{"a", "dust"}, point}, "part");
     },
     "kind = 'spherical', bodies = ['a', 'dust'], point = [0.5, 0.1, 0.2]"},
    {"axis",
     [](Assembly& a) {
       add(a, Cylindrical{pair, point, {}}, "part");
     },
     "kind = 'cylindrical', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [0, 0, 0]"},
    {"second_axis",
     [](Assembly& a) {
       add(a, Universal{pair, point, {1, 0, 0}, {1, 1, 0}}, "part");
     },
     "kind = 'universal', bodies = ['a', 'b'], point = [0, 0, 0], axis = [1, 0, 0], second_axis = [1, 1, 0]"},
    {"ends",
     [](Assembly& a) {
       add(a, Distance{{"ground", "dust"}, {{{0.3, 0.1, 0}, {0.3, 0.1, 0}}}}, "part");
     },
     "kind = 'distance', bodies = ['ground', 'dust'], ends = [[0.3, 0.1, 0], [0.3, 0.1, 0]]"},
    {"length",
     [](Assembly& a) {
       add(a, Distance{pair, {{{0, 0, 0}, {1, 0, 0}}}, -1}, "part");
     },
     ""},
    {"body", [](Assembly& a) { add(a, NeighbourDistances{"dust"}, "part"); }, "kind = 'distance', body = 'dust'"},
    {"body", [](Assembly& a) { add(a, NeighbourDistances{"rope"}, "part"); }, ""},
    {"body",
     [](Assembly& a) {
       add(a, Attachment{"dust", "cube.x_min"}, "part");
     },
     "kind = 'attachment', body = 'dust', selection = 'cube.x_min'"},
    {"selection",
     [](Assembly& a) {
       add(a, Attachment{"a", "b.all"}, "part");
     },
     "kind = 'attachment', body = 'a', selection = 'b.all'"},
    {"selection", [](Assembly& a) { add(a, Fixed{"cube.x_mim"}, "part"); }, "kind = 'fixed', selection = 'cube.x_mim'"},
    {"components",
     [](Assembly& a) {
       add(a, Fixed{"cube.x_min", "xx"}, "part");
     },
     "kind = 'fixed', selection = 'cube.x_min', components = 'xx'"},
    {"displacement",
     [](Assembly& a) {
       add(a, Prescribed{"cube.x_min", {{}, {}, {}}}, "part");
     },
     "kind = 'prescribed', selection = 'cube.x_min', displacement = ['free', 'free', 'free']"},
    {"displacement",
     [](Assembly& a) {
       add(a, Prescribed{"cube.x_min", {0, 0}}, "part");
     },
     "kind = 'prescribed', selection = 'cube.x_min', displacement = [0, 0]"},
    {"displacement",
     [](Assembly& a) {
       add(a, Prescribed{"cube.x_min", {0, 0, "sqrt(t)"}}, "part");
     },
     "kind = 'prescribed', selection = 'cube.x_min', displacement = [0, 0, 'sqrt(t)']"},
    {"displacement",
     [](Assembly& a) {
       add(a, Prescribed{"cube.x_min", {0, 0, "sin(T)"}}, "part");
     },
     "kind = 'prescribed', selection = 'cube.x_min', displacement = [0, 0, 'sin(T)']"},
    {"bodies",
     [](Assembly& a) {
       add(a, PrescribedPoint{{"c"}, point, {0, 0, 0}}, "part");
     },
     "kind = 'prescribed', bodies = ['c'], point = [0, 0, 0], displacement = [0, 0, 0]"},
    {"radius",
     [](Assembly& a) {
       add(a, PointOnSurface{pair, PointOnSurface::Surface::sphere, {}, point}, "part");
     },
     "kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'sphere', center = [0, 0, 0], point = [1, 0, 0]"},
    {"axis",
     [](Assembly& a) {
       add(a, PointOnSurface{pair, PointOnSurface::Surface::plane, {}, point}, "part");
     },
     ""},
    {"bodies",
     [](Assembly& a) {
       add(a, PointOnSurface{pair, PointOnSurface::Surface::cylinder, {}, point, axis, 1}, "part");
     },
     "kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'cylinder', center = [0, 0, 0], point = [1, 0, 0], "
     "axis = [1, 2, 3], radius = 1"},
    {"ends",
     [](Assembly& a) {
       add(a, ExpressionConstraint{{"a", "b"}, {point}, {"x1"}}, "part");
     },
     ""},
    {"g",
     [](Assembly& a) {
       add(a, ExpressionConstraint{{"a"}, {point}, {"t"}}, "part");
     },
     "kind = 'expression', bodies = ['a'], ends = [[0, 0, 0]], g = 't'"},
    {"g",
     [](Assembly& a) {
       add(a, ExpressionConstraint{{"a"}, {point}, {"x", "w"}}, "part");
     },
     "kind = 'expression', bodies = ['a'], ends = [[0, 0, 0]], g = ['x', 'w']"},
    {"g",
     [](Assembly& a) {
       add(a, ExpressionConstraint{{"a"}, {point}, {}}, "part");
     },
     "kind = 'expression', bodies = ['a'], ends = [[0, 0, 0]], g = []"},
    {"penalty_stiffness",
     [](Assembly& a) {
       add(a, Spherical{pair, point, {Kind::penalty}}, "part");
     },
     "kind = 'spherical', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], enforcement = 'penalty'"},
    {"penalty_stiffness",
     [](Assembly& a) {
       add(a, Spherical{pair, point, {Kind::multiplier, 5}}, "part");
     },
     "kind = 'spherical', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], penalty_stiffness = 5"},
};

TEST(ConstraintStructs, AreRefusedAsInScenes) {
  for (const Wrong& wrong : constraints) {
    SCOPED_TRACE(wrong.key + " " + wrong.text);
    expect_refused(wrong, "constraint");
  }
}

// What only scenes can say, and the words of the refusal.
TEST(ConstraintScenes, RefuseWhatTheyWouldNotHeed) {
  const std::pair<const char*, const char*> all[] = {
      {"kind = 'fixed', selection = 'dust.all', enforcement = 'penalty', penalty_stiffness = 5", "has no effect on a "},
      {"kind = 'fixed', selection = 'dust.all', penalty_stiffness = 5", "has no effect on a selection"},
      {"kind = 'prescribed', selection = 'dust.all', displacement = ['t', 0, 0], enforcement = 'augmented', "
       "penalty_stiffness = 5",
       "has no effect on a selection"},
      {"kind = 'prescribed', bodies = ['a', 'b'], point = [0, 0, 0], displacement = ['t', 0, 0]",
       "expected 1 body, found 2."},
      {"kind = 'spherical', bodies = ['a'], point = [0, 0, 0]",
       "expected 2 bodies, found 1; \"ground\" counts as one."},
  };
  for (const auto& [text, words] : all) {
    try {
      make_model(parse_scene("constraint = [{ name = 'part', " + std::string(text) + " }]\n" + bodies));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const SceneError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(SelectionStructs, AreRefusedAsInScenes) {
  const Wrong all[] = {
      {"body", [](Assembly& a) { add(a, BoundarySelection{}, "part"); }, "kind = 'boundary'"},
      {"body", [](Assembly& a) { add(a, BoundarySelection{"cub"}, "part"); }, ""},
      {"group",
       [](Assembly& a) {
         add(a, GroupSelection{"cube", "top"}, "part");
       },
       "kind = 'group', body = 'cube', group = 'top'"},
      {"",
       [](Assembly& a) {
         add(a, SphereSelection{"cube", {9, 9, 9}, 1}, "part");
       },
       "kind = 'sphere', body = 'cube', point = [9, 9, 9], radius = 1"},
  };
  for (const Wrong& wrong : all) expect_refused(wrong, "selection");
}

}  // namespace
}  // namespace livens
