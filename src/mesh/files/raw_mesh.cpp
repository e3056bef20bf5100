#include "mesh/files/raw_mesh.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "mesh/core/edit.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/core/words.hpp"
#include "mesh/files/check.hpp"

namespace livens {
namespace {

// z of a plane body may differ by what files round off.
constexpr double flat_part = 1e-9;
// A body of this size is more often one in millimetres.
constexpr double large_body = 20;

struct PlaceSource {
  const MeshSource* file;
  bool lines;
  std::vector<std::uint64_t> element, node;
};

std::string place_in_file(const void* source, bool element, int index) {
  const auto& places = *static_cast<const PlaceSource*>(source);
  const auto& offsets = element ? places.element : places.node;
  if (at(index) >= offsets.size()) return "";
  return places.lines ? places.file->line(offsets[at(index)]) : places.file->byte(offsets[at(index)]);
}

class Assembly {
 public:
  Assembly(RawMesh&& raw, const MeshSource& source, const MeshFileOptions& options, MeshNotes& notes)
      : raw_(std::move(raw)), source_(source), options_(options), notes_(notes) {}

  Mesh run() {
    choose_kind();
    if (mesh_.dimension() == 2) check_flat();
    raw_.elsewhere.resize(at(raw_.nodes()), 0);
    take_elements();
    take_positions();
    take_groups();
    drop_foreign_nodes();
    warn();
    check_mesh(mesh_, source_.name, options_.repair, notes_, place_in_file, &places_);
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(const std::string& text) const { throw MeshError(source_.name + ": " + text); }
  int count(ElementKind kind) const { return raw_.of(kind).count(); }

  void choose_kind() {
    const bool solid = !options_.plane && (count(ElementKind::tet4) > 0 || count(ElementKind::tet10) > 0);
    const ElementKind linear = solid ? ElementKind::tet4 : ElementKind::tri3;
    const ElementKind curved = solid ? ElementKind::tet10 : ElementKind::tri6;
    const int n = count(linear), m = count(curved);
    if (n == 0 && m == 0) {
      std::string found;
      for (const auto& [what, number] : raw_.skipped)
        found += (found.empty() ? "" : ", ") + grouped(number) + " " + what;
      if (options_.plane && count(ElementKind::tet4) + count(ElementKind::tet10) > 0)
        found += (found.empty() ? "" : ", ") +
                 grouped(static_cast<long>(count(ElementKind::tet4)) + count(ElementKind::tet10)) + " tetrahedra";
      refuse("it holds no " + std::string(options_.plane ? "triangles" : "tetrahedra or triangles") +
             (found.empty() ? "" : ", but " + found) + " (tri3, tri6, tet4, tet10 are read)");
    }
    if (n > 0 && m > 0)
      refuse("it mixes " + grouped(n) + " " + to_string(linear) + " and " + grouped(m) + " " + to_string(curved) +
             "; one order for the whole body, please. Mesh it again.");
    mesh_.kind = n > 0 ? linear : curved;
  }

  // Only the nodes of triangles count.
  void check_flat() {
    const auto& nodes = raw_.of(mesh_.kind).nodes;
    std::array<double, 3> low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const int a : nodes) {
      const double z = raw_.X[3 * at(a) + 2];
      if (!std::isfinite(z)) {
        const std::uint64_t offset = raw_.node_offset[at(a)];
        const long tag = raw_.node_tags.empty() ? a + 1 : raw_.node_tags[at(a)];
        const std::string text =
            "node " + std::to_string(tag) + " is at no finite height (z = " + short_number(z) + ")";
        raw_.offsets_are_lines ? source_.fail_line(offset, text) : source_.fail_byte(offset, text);
      }
      for (std::size_t c = 0; c < 3; ++c) {
        low[c] = std::min(low[c], raw_.X[3 * at(a) + c]);
        high[c] = std::max(high[c], raw_.X[3 * at(a) + c]);
      }
    }
    const double size = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    if (high[2] - low[2] > flat_part * size)
      refuse("its triangles do not lie in a plane z = constant (z from " + short_number(low[2], 4) + " to " +
             short_number(high[2], 4) + "). A surface around a solid body? Fill it with tetrahedra first.");
  }

  void take_elements() {
    RawCells& cells = raw_.of(mesh_.kind);
    // Nodes of simplices that are not the body's elements are no strays, whether they bear labels or not.
    for (std::size_t k = 0; k < raw_.cells.size(); ++k) {
      if (k == static_cast<std::size_t>(mesh_.kind)) continue;
      for (const int a : raw_.cells[k].nodes) raw_.elsewhere[at(a)] = 1;
    }
    std::vector<int> region_of_label(raw_.labels.size(), -1);
    mesh_.region.resize(cells.label.size());
    for (std::size_t e = 0; e < cells.label.size(); ++e) {
      int& region = region_of_label[at(cells.label[e])];
      if (region < 0) region = region_number(raw_.labels[at(cells.label[e])]);
      mesh_.region[e] = region;
    }
    if (mesh_.regions.size() == 1 && mesh_.regions[0] == unnamed) mesh_.regions[0] = "all";
    mesh_.connectivity = std::move(cells.nodes);
    mesh_.element_tags = std::move(cells.tags);
    bool positions_are_tags = true;
    for (std::size_t e = 0; e < mesh_.element_tags.size() && positions_are_tags; ++e)
      positions_are_tags = mesh_.element_tags[e] == static_cast<long>(e) + 1;
    if (positions_are_tags) mesh_.element_tags.clear();
    places_ = {&source_, raw_.offsets_are_lines, std::move(cells.offset), std::move(raw_.node_offset)};
  }

  int region_number(const std::vector<std::string>& names) {
    const std::string name = names.empty() ? unnamed : names.front();
    const auto [known, fresh] = regions_.try_emplace(name, static_cast<int>(mesh_.regions.size()));
    if (fresh) mesh_.regions.push_back(name);
    return known->second;
  }

  void take_positions() {
    const std::size_t dim = at(mesh_.dimension());
    if (dim == 3) {
      mesh_.X = std::move(raw_.X);
    } else {
      mesh_.X.reserve(raw_.X.size() / 3 * 2);
      for (std::size_t i = 0; i < raw_.X.size(); i += 3) mesh_.X.insert(mesh_.X.end(), {raw_.X[i], raw_.X[i + 1]});
    }
    if (options_.scale != 1)
      for (double& x : mesh_.X) x *= options_.scale;
    mesh_.node_tags = std::move(raw_.node_tags);
    bool positions_are_tags = true;
    for (std::size_t a = 0; a < mesh_.node_tags.size() && positions_are_tags; ++a)
      positions_are_tags = mesh_.node_tags[a] == static_cast<long>(a) + 1;
    if (positions_are_tags) mesh_.node_tags.clear();
  }

  void take_groups() {
    std::map<std::string, std::vector<int>> labels_of_name;
    for (std::size_t l = 0; l < raw_.labels.size(); ++l)
      for (const std::string& name : raw_.labels[l]) labels_of_name[name].push_back(static_cast<int>(l));
    if (labels_of_name.empty()) return;
    // Nodes of each label once, then the labels of each name together.
    std::vector<std::vector<int>> nodes(raw_.labels.size());
    std::vector<int> last(at(mesh_.nodes()), 0);  // the label that took a node last: keeps the lists short
    const auto mark = [&](int label, int node) {
      if (label == 0 || last[at(node)] == label) return;
      last[at(node)] = label;
      nodes[at(label)].push_back(node);
    };
    for (std::size_t k = 0; k < raw_.cells.size(); ++k) {
      const bool body = k == static_cast<std::size_t>(mesh_.kind);
      const auto& cell_nodes = body ? mesh_.connectivity : raw_.cells[k].nodes;
      const std::size_t each = at(nodes_of(static_cast<ElementKind>(k)));
      for (std::size_t e = 0; e < raw_.cells[k].label.size(); ++e)
        for (std::size_t a = 0; a < each; ++a) mark(raw_.cells[k].label[e], cell_nodes[e * each + a]);
    }
    for (const auto& [label, node] : raw_.marked) mark(label, node);
    for (const auto& [name, labels] : labels_of_name) {
      std::vector<int> group;
      for (const int label : labels) group.insert(group.end(), nodes[at(label)].begin(), nodes[at(label)].end());
      std::sort(group.begin(), group.end());
      group.erase(std::unique(group.begin(), group.end()), group.end());
      if (!group.empty()) mesh_.groups[name] = std::move(group);
    }
  }

  // Nodes that only serve points, lines, surfaces or cells which are not read (the centre of an arc, say).
  void drop_foreign_nodes() {
    std::vector<char> used(at(mesh_.nodes()), 0);
    for (const int a : mesh_.connectivity) used[at(a)] = 1;
    std::vector<int> number(used.size(), -1);
    int kept = 0;
    for (std::size_t a = 0; a < used.size(); ++a)
      if (used[a] || !raw_.elsewhere[a]) {
        if (!places_.node.empty()) places_.node[at(kept)] = places_.node[a];
        number[a] = kept++;
      }
    if (at(kept) != number.size()) renumber_nodes(mesh_, number, kept);
  }

  void warn() {
    std::string text;
    const std::size_t dim = at(mesh_.dimension());
    std::string extents;
    double largest = 0;
    for (std::size_t c = 0; c < dim; ++c) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (std::size_t i = c; i < mesh_.X.size(); i += dim) {
        low = std::min(low, mesh_.X[i]);
        high = std::max(high, mesh_.X[i]);
      }
      largest = std::max(largest, high - low);
      extents += (c == 0 ? "" : " x ") + short_number(high - low, 3);
    }
    if (options_.scale == 1 && largest >= large_body && std::isfinite(largest))
      text += " the body measures " + extents + " m; in millimetres? mesh.scale = 0.001.";
    if (options_.plane && count(ElementKind::tet4) + count(ElementKind::tet10) > 0)
      raw_.skipped["tetrahedra"] += static_cast<long>(count(ElementKind::tet4)) + count(ElementKind::tet10);
    if (!raw_.skipped.empty()) {
      std::string list;
      for (const auto& [what, number] : raw_.skipped) list += (list.empty() ? "" : ", ") + grouped(number) + " " + what;
      text += " Skipped: " + list + " (tri3, tri6, tet4, tet10 are read).";
    }
    if (!text.empty()) notes_.warnings.push_back(source_.name + ": warning:" + text);
  }

  static constexpr const char* unnamed = "unnamed";

  RawMesh raw_;
  const MeshSource& source_;
  const MeshFileOptions& options_;
  MeshNotes& notes_;
  Mesh mesh_;
  std::map<std::string, int> regions_;
  PlaceSource places_{};
};

}  // namespace

int TagMap::build(const std::vector<long>& tags) {
  dense_.clear();
  sorted_.clear();
  if (tags.empty()) return -1;
  const auto [low, high] = std::minmax_element(tags.begin(), tags.end());
  lowest_ = *low;
  const unsigned long span = static_cast<unsigned long>(*high) - static_cast<unsigned long>(*low);
  if (span / 4 < tags.size()) {
    dense_.assign(span + 1, -1);
    for (std::size_t k = 0; k < tags.size(); ++k) {
      int& place = dense_[static_cast<unsigned long>(tags[k]) - static_cast<unsigned long>(lowest_)];
      if (place >= 0) return static_cast<int>(k);
      place = static_cast<int>(k);
    }
    return -1;
  }
  sorted_.reserve(tags.size());
  for (std::size_t k = 0; k < tags.size(); ++k) sorted_.emplace_back(tags[k], static_cast<int>(k));
  std::sort(sorted_.begin(), sorted_.end());
  for (std::size_t k = 1; k < sorted_.size(); ++k)
    if (sorted_[k].first == sorted_[k - 1].first) return sorted_[k].second;
  return -1;
}

int TagMap::find_sorted(long tag) const {
  const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair<long, int>(tag, 0));
  return place != sorted_.end() && place->first == tag ? place->second : -1;
}

Mesh assemble_mesh(RawMesh&& raw, const MeshSource& source, const MeshFileOptions& options, MeshNotes& notes) {
  return Assembly(std::move(raw), source, options, notes).run();
}

namespace {

using MeshReader = RawMesh (*)(const MeshSource& source);

// Keywords of Abaqus that a file with a mesh may begin with; case does not matter.
bool begins_like_abaqus(std::string_view text) {
  std::string word(text.substr(0, text.find_first_of(", \t\r\n")));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text.starts_with("**") || word == "*heading" || word == "*node" || word == "*part" || word == "*include" ||
         word == "*preprint";
}

MeshReader reader_of(const std::string& name, std::string_view head) {
  const std::size_t begin = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  const std::string_view text = head.substr(begin);
  if (head.empty()) throw MeshError(name + ": it is empty");
  if (text.starts_with('$')) return read_gmsh;
  if (head.find("<VTKFile") != std::string_view::npos) return read_vtu;
  if (head.starts_with("# vtk DataFile")) return read_vtk;
  if (begins_like_abaqus(text)) return read_abaqus;
  if (head.find("MeshVersionFormatted") != std::string_view::npos) return read_medit;
  throw MeshError(name +
                  ": it is neither Gmsh (1, 2.2, 4.0, 4.1), VTU, VTK, Abaqus (.inp) nor MEDIT (.mesh): it begins "
                  "with " +
                  quoted_excerpt(head.substr(0, head.find('\n'))));
}

}  // namespace

Mesh mesh_of(const MeshSource& source, const MeshFileOptions& options, MeshNotes& notes) {
  const MeshReader read = reader_of(source.name, std::string_view(source.bytes).substr(0, 4096));
  if (!(options.scale > 0 && std::isfinite(options.scale)))
    throw MeshError(source.name + ": its scale must be a positive number");
  return assemble_mesh(read(source), source, options, notes);
}

Mesh read_mesh(const std::filesystem::path& file, const MeshFileOptions& options, MeshNotes& notes) {
  const auto check = [](const std::string& name, std::string_view head, std::size_t) { reader_of(name, head); };
  try {
    return mesh_of(load_source(file, check), options, notes);
  } catch (const std::bad_alloc&) {
    throw MeshError(file.string() + ": it needs more memory than is available");
  }
}

Mesh read_mesh(const std::filesystem::path& file, const MeshFileOptions& options) {
  MeshNotes notes;
  return read_mesh(file, options, notes);
}

}  // namespace livens
