#include "scene/sections.hpp"

namespace livens {
namespace {

using Shape = Section::Shape;
using Use = Section::Use;

Section top_key(Use use, Parameter parameter) {
  Section section{.name = parameter.key, .shape = Shape::key, .use = use, .brief = parameter.brief, .parameters = {}};
  section.required = parameter.required;
  section.parameters = {std::move(parameter)};
  return section;
}

std::vector<Section> top_keys() {
  using enum ValueType;
  return {
      top_key(Use::both, bounded(key("format", integer, "-", "1", "version of the scene format"), 1, scene_format)),
      top_key(Use::both, key("title", text, "-", "", "heading of the report; default: the name of the file")),
      top_key(Use::both,
              one_of(key("include", table, "-", "none", "scenes that are read first and modified by this one"),
                     {"text", "list"})),
      top_key(Use::study, key("scene", text, "-", "", "file of the scene to be studied")),
  };
}

Section parameters_section() {
  Section section{.name = "parameters", .free_keys = true, .brief = "named numbers for expressions", .parameters = {}};
  section.parameters = {
      key("NAME", ValueType::number, "any", "", "constant expression, may refer to other parameters")};
  return section;
}

Section markers_section() {
  Section section{.name = "markers", .free_keys = true, .brief = "named points at the start", .parameters = {}};
  section.parameters = {of_length(key("NAME", ValueType::vector, "m", "", "usable as any point"), {1, 2, 3})};
  return section;
}

Section time_section() {
  using enum ValueType;
  return {.name = "time",
          .required = true,
          .brief = "simulated time",
          .parameters = {key("begin", number, "s", "0", "when the run begins"),
                         required(key("end", number, "s", "", "the run ends with the first step at or past it"))}};
}

Section kind_section(std::string name, Shape shape, bool is_required, std::string brief) {
  return {.name = std::move(name),
          .shape = shape,
          .kinds = true,
          .names = shape == Shape::list,
          .required = is_required,
          .brief = std::move(brief),
          .parameters = {}};
}

Section solver_section() {
  using enum ValueType;
  return {.name = "solver",
          .brief = "how implicit steps are solved",
          .parameters = {
              one_of(key("kind", name, "-", "minimise where it exists",
                         "minimise the incremental potential (K06's Lilyan), or find a root"),
                     {"minimise", "root"}),
              one_of(key("linear", name, "-", "auto",
                         "conjugate gradients, also with coarser and coarser meshes (large bodies in equilibrium or at "
                         "steps of many periods), or a factorisation, or by size and kind"),
                     {"auto", "cg", "multilevel", "direct"}),
              bounded(key("tolerance", number, "-", "down to rounding",
                          "residual relative to the model's momentum scale, never below the rounding floor"),
                      0, 1),
              bounded(key("max_iterations", integer, "-", "50", "of Newton's method in one step"), 1, 1e6),
              key("project_start", boolean, "-", "false",
                  "projects the start onto the constraints, positions and velocities, by the smallest change"),
              bounded(key("retry_halvings", integer, "-", "0", "number of times a failed step may be halved"), 0, 30),
          }};
}

Section probe_section() {
  using enum ValueType;
  return {.name = "probe",
          .shape = Shape::list,
          .names = true,
          .brief = "quantities that become columns of history.csv",
          .parameters = {
              key("body", name, "-", "", "body to be sampled"),
              of_length(key("point", vector, "m", "", "of the reference shape; the nearest node is used"), {1, 2, 3}),
              key("selection", name, "-", "", "nodes to be sampled"),
              key("constraint", name, "-", "", "whose reaction is recorded"),
              key("contact", name, "-", "", "whose force, gap or depth is recorded"),
              key("other", name, "-", "", "of a contact by a barrier: the body that acts on `body`"),
              required(key("record", names, "-", "", "quantities of `livens list probes`")),
          }};
}

Section crack_section() {
  using enum ValueType;
  return {.name = "crack",
          .shape = Shape::list,
          .names = true,
          .brief = "crack tips and other defects",
          .parameters = {
              required(key("selection", name, "-", "",
                           "node of the tip, nodes of the front, or all nodes of a hole or interface")),
              required(of_length(key("direction", vector, "-", "", "of growth, in the reference shape"), {2, 3})),
          }};
}

Section contour_section() {
  using enum ValueType;
  return {
      .name = "contour",
      .shape = Shape::list,
      .names = true,
      .brief = "integrals around cracks, as columns of history.csv",
      .parameters = {
          required(key("crack", name, "-", "", "crack that it surrounds")),
          positive(key("radius", number, "m", "", "corners of elements within this distance of the tip are inside")),
          bounded(key("rings", integer, "-", "", "or: layers of elements around the tip; 0 is the tip alone"), 0, 1000),
          of_length(key("min", vector, "m", "", "or: corners of elements in a box are inside; its least coordinates"),
                    {2, 3}),
          of_length(key("max", vector, "m", "", "and its greatest coordinates"), {2, 3}),
          key("integrals", names, "-", "[\"J\"]",
              "J, J_static (without inertia), J_boundary, J_front (3D), L, M, K, K_I, K_II (2D)"),
          of_length(key("center", vector, "m", "middle of the crack's nodes", "of L and M"), {2, 3}),
      }};
}

Section adapt_section() {
  using enum ValueType;
  return {.name = "adapt",
          .brief = "how `livens adapt` moves the reference nodes of a static scene",
          .parameters = {
              key("body", name, "-", "the only solid", "whose mesh"),
              key("selection", name, "-", "all nodes", "nodes that may move, unless they have loads or supports"),
              of_length(key("direction", vector, "-", "any", "along which alone nodes move, such as [1, 0]"), {2, 3}),
              bounded(key("quality", number, "-", "0.2",
                          "mean ratio (1: equal sides) below which no element falls, nor below 0.8 of its own"),
                      0.001, 0.9),
              positive(key("tolerance", number, "-", "1e-7",
                           "sum of the remaining configurational forces, over the largest of the mesh")),
              bounded(key("max_iterations", integer, "-", "500", "of Newton's method"), 1),
          }};
}

Section modes_section() {
  using enum ValueType;
  return {
      .name = "modes",
      .brief = "what `livens modes` looks for",
      .parameters = {
          bounded(key("count", integer, "-", "12", "of modes"), 1, 1000),
          bounded(key("near", number, "Hz", "0", "the modes closest to this frequency; 0: the lowest"), 0),
          positive(key("amplitude", number, "-", "0.1", "of the shapes that are shown, over the size of the scene")),
          key("counted", boolean, "-", "true", "count the modes below the highest, so that none is missing"),
      }};
}

Section path_section() {
  using enum ValueType;
  Parameter guess =
      key("guess", table, "-", "line",
          "where the search begins: \"line\", \"motion\" (the scene's own, sheared to its end), or functions "
          "of t by name");
  guess.choices = {"text", "table"};
  return {.name = "path",
          .brief = "the ends of the motion that `livens path` looks for, from time.begin to time.end",
          .parameters = {
              key("from", table, "any", "the start of the scene",
                  "{ coordinate = number }, or { body = [functions of X, Y, Z] }"),
              key("to", table, "any", "", "where it arrives, as `from`; required by `livens path`"),
              bounded(key("steps", integer, "-", "time / integrator.step", "of the path, all alike"), 1, 1e6),
              guess,
              one_of(key("find", name, "-", "stationary", "any stationary action, or only go downhill to a minimum"),
                     {"stationary", "minimum"}),
              bounded(key("eigenvalues", integer, "-", "6", "of the second variation, the lowest"), 1, 100),
              positive(key("amplitude", number, "-", "0.3", "of the perturbed paths, over the extent of the path")),
          }};
}

Section checkpoint_section() {
  using enum ValueType;
  return {.name = "checkpoint",
          .brief = "what --resume continues from",
          .parameters = {
              positive(key("every", number, "s", "", "simulated time between checkpoints")),
              bounded(key("every_steps", integer, "-", "", "steps between checkpoints"), 1),
              positive(key("every_wall", number, "s", "300", "wall time between checkpoints")),
              bounded(key("keep", integer, "-", "2", "number of newest checkpoints to keep"), 1, 1000),
          }};
}

Section report_section() {
  using enum ValueType;
  const auto list = [](const char* name, const char* brief) {
    return one_of(key(name, table, "-", "all that apply", brief), {"list"});
  };
  return {.name = "report",
          .use = Use::both,
          .brief = "what report.html shows",
          .parameters = {
              list("portraits", "pairs of quantities to be plotted against each other"),
              key("tables", names, "-", "all that apply", "tables of a study"),
              key("plots", names, "-", "all that apply", "plots of a study"),
          }};
}

Section sweep_section() {
  using enum ValueType;
  return {.name = "sweep",
          .shape = Shape::list,
          .use = Use::study,
          .brief = "keys that take several values; every combination is run",
          .parameters = {required(key("key", text, "-", "", "path as for --set, such as integrator.step")),
                         required(one_of(key("values", table, "-", "", "numbers, texts or tables"), {"list"}))}};
}

Section reference_section() {
  using enum ValueType;
  return {
      .name = "reference",
      .use = Use::study,
      .brief = "what the runs of a study are compared with",
      .parameters = {key("integrator", table, "-", "", "an accurate run: table of an integrator"),
                     key("set", table, "-", "",
                         "keys of the scene that it has instead, such as { body.slab.mesh.refine = 5 }: then fields "
                         "are compared, over meshes that may differ"),
                     key("check", boolean, "-", "true", "a second run at half the step says how good it is"),
                     key("exact", table, "-", "", "the solution: an expression of t for every coordinate")}};
}

Section case_section() {
  using enum ValueType;
  return {.name = "case",
          .shape = Shape::list,
          .use = Use::study,
          .names = true,
          .brief = "one by one what a study runs, with every combination of the sweeps if there are any",
          .parameters = {
              key("title", text, "-", "its name", "what tables call it"),
              key("scene", text, "-", "that of the study", "file of its scene"),
              key("set", table, "-", "", "keys of the scene that it has instead, such as { time.end = 2 }"),
              key("numbers", table, "-", "", "that tables may name, such as a published value: { paper = 6.37 }")}};
}

Section table_section() {
  using enum ValueType;
  return {
      .name = "table",
      .shape = Shape::list,
      .use = Use::study,
      .names = true,
      .brief = "a table of the study's own, NAME.csv; docs/studies.md has what its expressions may name",
      .parameters = {
          key("title", text, "-", "its name", "heading in the report"),
          required(key("columns", table, "-", "",
                       "by name: an expression, a swept key, or case, method, step, problem, status, reason, window")),
          key("quantities", table, "-", "", "expressions of columns of history.csv, by name, that columns may use"),
          key("times", vector, "s", "", "a row for each instant, instead of one for each case"),
          positive(key("window", number, "s", "", "a row for each window of this length")),
          key("across", text, "-", "", "column whose values become columns, beside each other"),
          key("only", table, "-", "", "by swept key: list of the values that have rows")}};
}

std::vector<Section> make_sections() {
  std::vector<Section> all = top_keys();
  for (Section section :
       {parameters_section(),
        markers_section(),
        time_section(),
        kind_section("system", Shape::table, false, "a mechanical system in generalised coordinates"),
        kind_section("material", Shape::list, false, "what solids are made of"),
        kind_section("body", Shape::list, false, "things with mass and position"),
        kind_section("selection", Shape::list, false, "nodes of a body, in its reference shape"),
        kind_section("constraint", Shape::list, false, "joints, rods, and nodes with given motion"),
        kind_section("force", Shape::list, false, "forces on bodies"),
        kind_section("contact", Shape::list, false, "what bodies touch: each other, and rigid obstacles"),
        kind_section("integrator", Shape::table, true, "how the state is advanced in time"),
        solver_section(),
        probe_section(),
        crack_section(),
        contour_section(),
        adapt_section(),
        modes_section(),
        path_section(),
        kind_section("output", Shape::list, false, "files that a run writes"),
        checkpoint_section(),
        report_section(),
        sweep_section(),
        case_section(),
        reference_section(),
        table_section()})
    all.push_back(std::move(section));
  return all;
}

}  // namespace

std::string Section::header() const {
  if (shape == Shape::key) return name;
  return shape == Shape::table ? "[" + name + "]" : "[[" + name + "]]";
}

const std::vector<Section>& sections() {
  static const std::vector<Section> all = make_sections();
  return all;
}

const Section* find_section(std::string_view name) {
  for (const Section& section : sections())
    if (section.name == name) return &section;
  return nullptr;
}

const std::vector<Parameter>& common_parameters() {
  static const std::vector<Parameter> common = {
      required(key("kind", ValueType::name, "-", "", "entry of `livens list`")),
      key("name", ValueType::text, "-", "its kind", "label; required if two entries have the same kind"),
      key("enabled", ValueType::boolean, "-", "true", "false disables the entry")};
  return common;
}

}  // namespace livens
