// VTU, XML with one appended block of raw little-endian arrays, each behind its size as UInt64.
#include "mesh/files/vtu_writer.hpp"

#include <bit>

#include <fmt/format.h>

#include "mesh/files/vtu_grid.hpp"
#include "mesh/files/xml_text.hpp"

namespace livens {
namespace {

static_assert(std::endian::native == std::endian::little, "VTU arrays are written as they stand in memory");

constexpr std::uint8_t vertex_type = 1;

std::uint8_t vtk_type(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3: return 5;
    case ElementKind::tri6: return 22;
    case ElementKind::tet4: return 10;
    case ElementKind::tet10: return 24;
  }
  return 0;
}

// Collects the arrays of the appended block; a DataArray element says where its own begins.
class Appended {
 public:
  template <class T>
  std::string array(const std::string& type, const std::string& name, int components, const std::vector<T>& values) {
    const std::uint64_t size = values.size() * sizeof(T);
    std::string element = fmt::format(R"(        <DataArray type="{}" Name="{}")", type, escaped(name));
    if (components > 1) element += fmt::format(R"( NumberOfComponents="{}")", components);
    // The order that VTK gives to symmetric tensors.
    static constexpr const char* tensor[] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};
    for (int k = 0; components == 6 && k < 6; ++k) element += fmt::format(R"( ComponentName{}="{}")", k, tensor[k]);
    element += fmt::format(" format=\"appended\" offset=\"{}\"/>\n", bytes_.size());
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(reinterpret_cast<const char*>(values.data()), size);
    return element;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::vector<double> three_components(const std::vector<double>& values) {
  std::vector<double> result(values.size() / 2 * 3);
  for (std::size_t k = 0; 2 * k + 1 < values.size(); ++k) {
    result[3 * k] = values[2 * k];
    result[3 * k + 1] = values[2 * k + 1];
  }
  return result;
}

std::string field_elements(std::span<const MeshField> fields, bool per_cell, Appended& data) {
  std::string text;
  for (const MeshField& field : fields) {
    if (field.per_cell != per_cell) continue;
    text += field.components == 2 ? data.array("Float64", field.name, 3, three_components(field.values))
                                  : data.array("Float64", field.name, field.components, field.values);
  }
  return text;
}

}  // namespace

void VtuGrid::append_points(int dimension, ConstVector positions) {
  const auto d = static_cast<std::size_t>(dimension);
  for (std::size_t a = 0; a + d <= positions.size(); a += d)
    for (std::size_t k = 0; k < 3; ++k) points_.push_back(k < d ? positions[a + k] : 0.0);
}

void VtuGrid::add_mesh(const Mesh& mesh, ConstVector positions, std::span<const int> elements) {
  const auto first = static_cast<std::int64_t>(points());
  append_points(mesh.dimension(), positions);
  const int each = nodes_of(mesh.kind), count = elements.empty() ? mesh.elements() : static_cast<int>(elements.size());
  for (int k = 0; k < count; ++k) {
    const int* nodes = mesh.element(elements.empty() ? k : elements[k]);
    for (int a = 0; a < each; ++a) connectivity_.push_back(first + nodes[a]);
    offsets_.push_back(static_cast<std::int64_t>(connectivity_.size()));
    types_.push_back(vtk_type(mesh.kind));
  }
}

void VtuGrid::add_points(int dimension, ConstVector positions) {
  const auto first = points();
  append_points(dimension, positions);
  for (std::size_t a = first; a < points(); ++a) {
    connectivity_.push_back(static_cast<std::int64_t>(a));
    offsets_.push_back(static_cast<std::int64_t>(connectivity_.size()));
    types_.push_back(vertex_type);
  }
}

std::string VtuGrid::bytes(std::span<const MeshField> fields, double t) const {
  Appended data;
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <FieldData>\n";
  text += fmt::format(
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{:.17g}</DataArray>\n",
      t);
  text += fmt::format("    </FieldData>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", points(), cells());
  text += "      <PointData>\n" + field_elements(fields, false, data) + "      </PointData>\n";
  text += "      <CellData>\n" + field_elements(fields, true, data) + "      </CellData>\n";
  text += "      <Points>\n" + data.array("Float64", "Points", 3, points_) + "      </Points>\n";
  text += "      <Cells>\n" + data.array("Int64", "connectivity", 1, connectivity_) +
          data.array("Int64", "offsets", 1, offsets_) + data.array("UInt8", "types", 1, types_) + "      </Cells>\n";
  text += "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_";
  return text + data.bytes() + "\n  </AppendedData>\n</VTKFile>\n";
}

std::string vtu_bytes(const Mesh& mesh, ConstVector positions, std::span<const MeshField> fields, double t,
                      std::span<const int> elements) {
  VtuGrid grid;
  grid.add_mesh(mesh, positions, elements);
  return grid.bytes(fields, t);
}

}  // namespace livens
