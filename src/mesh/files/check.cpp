// Faults of a mesh: found all in one pass, repaired where that was asked for, refused otherwise.
#include "mesh/files/check.hpp"

#include <algorithm>
#include <cmath>

#include <livens/meshes.hpp>

#include "math/finite.hpp"
#include "mesh/core/edit.hpp"
#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/core/words.hpp"
#include "mesh/files/vtu_writer.hpp"

namespace livens {
namespace {

// Nodes are taken as one if they are closer than this part of the diameter: files give twelve digits or more, and no
// sensible element is that small.
constexpr double coincident_part = 1e-10;
// Volumes of larger positions overflow.
constexpr double largest_position = 1e100;

enum class ElementFault : char { none = 0, inverted = 1, degenerate = 2, folded = 3, duplicate = 4, overlapping = 5 };

class Check {
 public:
  Check(Mesh& mesh, std::string name, const MeshRepair& repair, MeshNotes& notes, MeshPlace place, const void* source)
      : mesh_(mesh),
        name_(std::move(name)),
        repair_(repair),
        notes_(notes),
        place_(place),
        source_(source),
        fault_(at(mesh.elements()), ElementFault::none),
        left_out_(at(mesh.elements()), 0) {}

  void run() {
    find_bad_positions();
    find_coincident_nodes();
    find_bad_shapes();
    find_duplicates();
    find_overlaps();
    find_unused_nodes();
    if (!lines_.empty()) refuse();
    apply();
  }

 private:
  std::string noun(bool plural) const {
    if (mesh_.dimension() == 2) return plural ? "triangles" : "triangle";
    return plural ? "tetrahedra" : "tetrahedron";
  }
  std::string element_name(int e) const { return noun(false) + " " + std::to_string(mesh_.element_tag(e)); }
  std::string node_name(int a) const { return "node " + std::to_string(mesh_.node_tag(a)); }
  std::string measure(double value) const { return short_number(value) + (mesh_.dimension() == 2 ? " m^2" : " m^3"); }
  std::string where(bool element, int index) const {
    const std::string place = place_ ? place_(source_, element, index) : std::string();
    return name_ + (place.empty() ? "" : ":" + place) + ": ";
  }
  static std::string counted(std::size_t n, const std::string& one, const std::string& many) {
    return grouped(static_cast<long>(n)) + " " + (n == 1 ? one : many);
  }

  // "file:line: <first>, and 13 more of 20 112: see part.faults.vtu. <advice>"; the file is named when it is written.
  void report(bool element, int index, const std::string& first, std::size_t count, const std::string& advice) {
    std::string line = where(element, index) + first;
    if (count > 1)
      line += ", and " + grouped(static_cast<long>(count) - 1) + " more of " +
              grouped(element ? mesh_.elements() : mesh_.nodes());
    lines_.push_back({std::move(line), element, ". " + advice});
  }
  void note(const std::string& repaired) { notes_.repairs.push_back(name_ + ": " + repaired); }

  void find_bad_positions() {
    const std::size_t dim = at(mesh_.dimension());
    int first = -1;
    std::size_t count = 0;
    for (int a = 0; a < mesh_.nodes(); ++a) {
      const double* X = &mesh_.X[at(a) * dim];
      if (std::all_of(X, X + dim, [](double x) { return std::abs(x) <= largest_position; })) continue;
      if (count++ == 0) first = a;
    }
    if (count == 0) return;
    std::string position;
    for (std::size_t c = 0; c < dim; ++c)
      position += (c == 0 ? "" : ", ") + short_number(mesh_.X[at(first) * dim + c], 6);
    const bool finite = all_finite({&mesh_.X[at(first) * dim], dim});
    report(false, first,
           node_name(first) + (finite ? " is out of any range (" : " is at no finite position (") + position + ")",
           count, "Mesh it again.");
    refuse();  // nothing can be said of its elements
  }

  void find_coincident_nodes() {
    if (repair_.keep_double) return;
    std::vector<char> used(at(mesh_.nodes()), 0);
    for (const int a : mesh_.connectivity) used[at(a)] = 1;
    joined_ = coincident_nodes(mesh_, used, coincident_part * diameter(mesh_));
    int first = -1;
    std::size_t count = 0;
    for (int a = 0; a < mesh_.nodes(); ++a)
      if (joined_[at(a)] != a && count++ == 0) first = a;
    if (count == 0) return;
    if (!repair_.weld) {
      report(
          false, first, node_name(first) + " lies on " + node_name(joined_[at(first)]), count,
          "The body would come apart there. mesh.repair = [\"weld\"] joins such nodes, [\"keep_double\"] leaves them: "
          "a crack.");
      return;
    }
    welded_ = true;
    for (int& a : mesh_.connectivity) a = joined_[at(a)];
    note("joined " + counted(count, "node", "nodes") + " with another at the same place");
  }

  // Faulty elements of one sort: how many, and the first with its shape.
  struct Faulty {
    std::size_t count = 0;
    int first = -1;
    ElementShape shape;
  };
  struct BadShapes {
    Faulty inverted, degenerate, folded;
    std::size_t flipped = 0, dropped = 0;
  };

  void mark(ElementFault fault, int e, const ElementShape& shape, Faulty& faulty) {
    fault_[at(e)] = fault;
    if (faulty.count++ == 0) {
      faulty.first = e;
      faulty.shape = shape;
    }
  }

  void find_bad_shape(int e, BadShapes& bad) {
    ElementShape shape = shape_of(mesh_, e);
    if (shape.degenerate()) {
      if (!repair_.drop_degenerate) return mark(ElementFault::degenerate, e, shape, bad.degenerate);
      left_out_[at(e)] = 1;
      ++bad.dropped;
      return;
    }
    if (shape.volume < 0) {
      if (!repair_.flip) return mark(ElementFault::inverted, e, shape, bad.inverted);
      flip_element(mesh_, e);
      shape = shape_of(mesh_, e);
      ++bad.flipped;
    }
    const double L = shape.longest_edge;
    if (shape.least_jacobian <= degenerate_volume * (mesh_.dimension() == 2 ? L * L : L * L * L))
      mark(ElementFault::folded, e, shape, bad.folded);
  }

  void find_bad_shapes() {
    BadShapes bad;
    for (int e = 0; e < mesh_.elements(); ++e) find_bad_shape(e, bad);
    if (bad.flipped > 0) note("flipped " + counted(bad.flipped, "inverted " + noun(false), "inverted " + noun(true)));
    if (bad.dropped > 0)
      note("left out " + counted(bad.dropped, "degenerate " + noun(false), "degenerate " + noun(true)));
    if (bad.inverted.count > 0) report_inverted(bad.inverted);
    if (bad.degenerate.count > 0) report_degenerate(bad.degenerate);
    if (bad.folded.count > 0) report_folded(bad.folded);
  }

  std::string volume_text(const ElementShape& shape) const {
    return (mesh_.dimension() == 2 ? "area " : "volume ") + measure(shape.volume);
  }
  void report_inverted(const Faulty& faulty) {
    report(true, faulty.first, element_name(faulty.first) + " is inverted (" + volume_text(faulty.shape) + ")",
           faulty.count, "Left-handed file? mesh.repair = [\"flip\"]. Otherwise mesh it again.");
  }
  void report_degenerate(const Faulty& faulty) {
    const ElementShape& shape = faulty.shape;
    const std::string why = shape.repeated >= 0
                                ? "it holds " + node_name(shape.repeated) + " twice"
                                : volume_text(shape) + ", longest edge " + short_number(shape.longest_edge) + " m";
    report(true, faulty.first, element_name(faulty.first) + " is degenerate (" + why + ")", faulty.count,
           "mesh.repair = [\"drop_degenerate\"] leaves such elements out.");
  }
  void report_folded(const Faulty& faulty) {
    const ElementShape& shape = faulty.shape;
    report(true, faulty.first,
           element_name(faulty.first) + " folds over (Jacobian determinant " + measure(shape.least_jacobian) +
               (shape.least_at >= 0 ? " at " + node_name(mesh_.element(faulty.first)[shape.least_at]) : " inside") +
               ")",
           faulty.count, "Its midsides lie too far off: mesh it again, finer or with straight elements.");
  }

  bool healthy(int e) const { return !left_out_[at(e)] && fault_[at(e)] == ElementFault::none; }

  // Elements of the same vertices have the same lowest facet, so they are found among the few that share it.
  void find_duplicates() {
    const std::size_t vertices = at(vertices_of(mesh_.kind));
    const auto sorted = [&](int e) {
      std::array<int, 4> key{-1, -1, -1, -1};
      std::copy_n(mesh_.element(e), vertices, key.begin());
      std::sort(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(vertices));
      return key;
    };
    std::vector<int> start(at(mesh_.nodes()) + 1, 0);
    for (int e = 0; e < mesh_.elements(); ++e)
      if (healthy(e)) ++start[at(sorted(e)[0]) + 1];
    for (std::size_t a = 1; a < start.size(); ++a) start[a] += start[a - 1];
    struct Keyed {
      std::array<int, 4> key;
      int element;
      bool operator<(const Keyed& other) const { return key != other.key ? key < other.key : element < other.element; }
    };
    std::vector<Keyed> keyed(at(start.back()));
    std::vector<int> next(start.begin(), start.end() - 1);
    for (int e = 0; e < mesh_.elements(); ++e)
      if (healthy(e)) {
        const auto key = sorted(e);
        keyed[at(next[at(key[0])]++)] = {key, e};
      }
    std::size_t count = 0;
    int first = -1, twin = -1;
    for (std::size_t a = 0; a + 1 < start.size(); ++a) {
      std::sort(keyed.begin() + start[a], keyed.begin() + start[a + 1]);
      for (std::size_t i = at(start[a]) + 1; i < at(start[a + 1]); ++i) {
        if (keyed[i].key != keyed[i - 1].key) continue;
        const int e = keyed[i].element;
        if (repair_.weld)
          left_out_[at(e)] = 1;
        else
          fault_[at(e)] = ElementFault::duplicate;
        ++count;
        if (first >= 0 && e > first) continue;
        first = e;
        twin = keyed[i - 1].element;
      }
    }
    if (count == 0) return;
    if (repair_.weld)
      note("left out " + counted(count, noun(false), noun(true)) + " with the nodes of another");
    else
      report(true, first, element_name(first) + " has the nodes of " + element_name(twin), count,
             "mesh.repair = [\"weld\"] keeps one of each.");
  }

  // Two elements of positive volume that see a common facet with the same orientation lie on the same side of it, and
  // so do two of any three. Flipping the elements of a tangled mesh ends here.
  void find_overlaps() {
    std::vector<char> skip(at(mesh_.elements()), 0);
    for (int e = 0; e < mesh_.elements(); ++e) skip[at(e)] = healthy(e) ? 0 : 1;
    const FacetPairs pairs = pair_facets(mesh_, skip);
    const int facets = facets_of(mesh_.kind);
    std::size_t count = 0;
    int first = -1;
    std::string text;
    const auto found = [&](int e, const std::string& what) {
      if (fault_[at(e)] == ElementFault::overlapping) return;
      fault_[at(e)] = ElementFault::overlapping;
      ++count;
      if (first >= 0 && e > first) return;
      first = e;
      text = what;
    };
    const std::string side = mesh_.dimension() == 2 ? "edge" : "face";
    for (const auto& [a, b] : pairs.equal)
      found(b / facets, element_name(b / facets) + " overlaps " + element_name(a / facets) +
                            ": both lie on the same side of their common " + side);
    for (const int f : pairs.crowded)
      found(f / facets, element_name(f / facets) + " overlaps others: two have its " + side + " already");
    if (count > 0) report(true, first, text, count, "Mesh it again.");
  }

  void find_unused_nodes() {
    std::vector<char> used(at(mesh_.nodes()), 0), was_used(at(mesh_.nodes()), 0);
    for (int e = 0; e < mesh_.elements(); ++e)
      for (int k = 0; k < nodes_of(mesh_.kind); ++k) {
        was_used[at(mesh_.element(e)[k])] = 1;
        if (!left_out_[at(e)]) used[at(mesh_.element(e)[k])] = 1;
      }
    number_.assign(at(mesh_.nodes()), -1);
    int first = -1;
    std::size_t count = 0;
    for (int a = 0; a < mesh_.nodes(); ++a) {
      if (used[at(a)]) {
        number_[at(a)] = kept_nodes_++;
        continue;
      }
      // What our own repairs set free goes with them.
      const bool set_free = was_used[at(a)] || (welded_ && joined_[at(a)] != a);
      if (!set_free && count++ == 0) first = a;
    }
    if (welded_)
      for (int a = 0; a < mesh_.nodes(); ++a)
        if (joined_[at(a)] != a) number_[at(a)] = number_[at(joined_[at(a)])];
    if (count == 0) return;
    if (repair_.drop_unused)
      note("left out " + counted(count, "node", "nodes") + " of no element");
    else
      report(false, first, node_name(first) + " belongs to no element", count,
             "mesh.repair = [\"drop_unused\"] leaves such nodes out.");
  }

  [[noreturn]] void refuse() {
    std::string see;
    if (std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return line.element; })) see = faults_file();
    std::string text;
    for (const Line& line : lines_) {
      if (!text.empty()) text += '\n';
      text += line.fault + (line.element && !see.empty() ? ": see " + see : "") + line.advice;
    }
    throw MeshError(text);
  }

  // The faulty elements, with the kind of fault, for a viewer. Empty if it could not be written.
  std::string faults_file() const {
    Mesh faulty = mesh_;
    std::vector<char> keep(at(mesh_.elements()), 0);
    MeshField kinds{"fault", 1, true, {}}, numbers{"element", 1, true, {}};
    for (int e = 0; e < mesh_.elements(); ++e) {
      if (fault_[at(e)] == ElementFault::none) continue;
      keep[at(e)] = 1;
      kinds.values.push_back(static_cast<double>(fault_[at(e)]));
      numbers.values.push_back(static_cast<double>(mesh_.element_tag(e)));
    }
    keep_elements(faulty, keep);
    std::vector<int> number(at(faulty.nodes()), -1);
    int count = 0;
    for (const int a : faulty.connectivity)
      if (number[at(a)] < 0) number[at(a)] = count++;
    renumber_nodes(faulty, number, count);
    const std::filesystem::path file = std::filesystem::path(name_).stem().string() + ".faults.vtu";
    const std::array<MeshField, 2> fields{kinds, numbers};
    return write_whole(file, vtu_bytes(faulty, faulty.X, fields)) ? file.string() : "";
  }

  void apply() {
    std::vector<char> keep(left_out_.size());
    bool all = true;
    for (std::size_t e = 0; e < keep.size(); ++e) {
      keep[e] = left_out_[e] ? 0 : 1;
      all = all && keep[e];
    }
    if (!all) keep_elements(mesh_, keep);
    if (mesh_.elements() == 0) throw MeshError(name_ + ": no element is left. Mesh it again.");
    if (kept_nodes_ != static_cast<int>(number_.size())) renumber_nodes(mesh_, number_, kept_nodes_);
  }

  struct Line {
    std::string fault;
    bool element;
    std::string advice;
  };

  Mesh& mesh_;
  const std::string name_;
  const MeshRepair& repair_;
  MeshNotes& notes_;
  const MeshPlace place_;
  const void* source_;
  std::vector<ElementFault> fault_;
  std::vector<char> left_out_;
  std::vector<int> joined_, number_;
  bool welded_ = false;
  int kept_nodes_ = 0;
  std::vector<Line> lines_;
};

}  // namespace

void check_mesh(Mesh& mesh, const std::string& name, const MeshRepair& repair, MeshNotes& notes, MeshPlace place,
                const void* source) {
  for (const int a : mesh.connectivity)
    if (a < 0 || a >= mesh.nodes()) throw MeshError(name + ": an element holds a node that the mesh does not have");
  if (mesh.elements() == 0) throw MeshError(name + ": it holds no element");
  Check(mesh, name, repair, notes, place, source).run();
}

}  // namespace livens
