// Small writers of mesh files for the tests of readers, and a directory of their own for what those write.
#pragma once

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <livens/meshes.hpp>

#include "mesh/core/topology.hpp"
#include "mesh/files/raw_mesh.hpp"

namespace livens {

// An empty working directory for each test: refusals write NAME.faults.vtu into the current one.
class MeshFiles : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::string name = (std::filesystem::temp_directory_path() / "livens_mesh_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
    std::filesystem::current_path(scratch_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(scratch_);
  }

  static void write(const std::string& name, const std::string& bytes) {
    std::ofstream(name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  Mesh read(const std::string& bytes, const std::string& name = "part.msh", const MeshFileOptions& options = {}) {
    notes_ = {};
    return mesh_of(MeshSource{name, bytes}, options, notes_);
  }
  std::string refusal(const std::string& bytes, const std::string& name = "part.msh",
                      const MeshFileOptions& options = {}) {
    try {
      read(bytes, name, options);
    } catch (const MeshError& error) {
      return error.what();
    }
    return "read";
  }

  MeshNotes notes_;

 private:
  std::filesystem::path before_, scratch_;
};

// A box or rectangle of one cell.
inline Mesh small_mesh(ElementKind kind) {
  if (dimension_of(kind) == 3) {
    BoxSpec spec;
    spec.kind = kind;
    return box_mesh(spec);
  }
  RectangleSpec spec;
  spec.kind = kind;
  return rectangle_mesh(spec);
}

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string digits(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// Numbers of either flavour, one behind the other.
class NumberWriter {
 public:
  explicit NumberWriter(bool binary) : binary_(binary) {}
  void text(const std::string& line) { out += line; }
  void int4(int value) { binary_ ? void(out += bytes_of(value)) : word(std::to_string(value)); }
  void int8(long value) { binary_ ? void(out += bytes_of(value)) : word(std::to_string(value)); }
  void real(double value) { binary_ ? void(out += bytes_of(value)) : word(digits(value)); }
  void end_line() {
    if (!binary_) out += "\n";
  }
  void end_block() { out += binary_ ? "\n" : ""; }
  std::string out;

 private:
  void word(const std::string& digits_of_it) { out += digits_of_it + " "; }
  bool binary_;
};

inline int gmsh_type(ElementKind kind) {
  return kind == ElementKind::tri3 ? 2 : kind == ElementKind::tri6 ? 9 : kind == ElementKind::tet4 ? 4 : 11;
}

struct GmshFlavour {
  int version = 2;
  bool binary = false;
  long (*node_tag)(int) = [](int a) -> long { return a + 1; };
};

inline void write_element_nodes(NumberWriter& to, const Mesh& mesh, int e, const GmshFlavour& flavour) {
  for (int k = 0; k < nodes_of(mesh.kind); ++k) {
    const int gmsh = mesh.kind == ElementKind::tet10 && k >= 8 ? 17 - k : k;
    const long tag = flavour.node_tag(mesh.element(e)[gmsh]);
    flavour.version == 2 ? to.int4(static_cast<int>(tag)) : to.int8(tag);
  }
  to.end_line();
}

inline std::vector<int> fixed_points(const Mesh& mesh) {
  const auto fixed = mesh.groups.find("fixed");
  return fixed == mesh.groups.end() ? std::vector<int>() : fixed->second;
}

inline void write_position(NumberWriter& to, const Mesh& mesh, int a) {
  const int dim = mesh.dimension();
  for (int c = 0; c < 3; ++c) to.real(c < dim ? mesh.X[at(a * dim + c)] : 0.0);
  to.end_line();
}

inline void write_gmsh_header(NumberWriter& to, const Mesh& mesh, const GmshFlavour& flavour) {
  to.text("$MeshFormat\n" + std::string(flavour.version == 2 ? "2.2 " : "4.1 ") + (flavour.binary ? "1" : "0") +
          " 8\n");
  if (flavour.binary) to.text(bytes_of(1) + "\n");
  to.text("$EndMeshFormat\n$PhysicalNames\n" + std::to_string(mesh.regions.size() + 1) + "\n0 9 \"fixed\"\n");
  for (std::size_t r = 0; r < mesh.regions.size(); ++r)
    to.text(std::to_string(mesh.dimension()) + " " + std::to_string(r + 1) + " \"" + mesh.regions[r] + "\"\n");
  to.text("$EndPhysicalNames\n");
}

inline void write_gmsh_4_entities(NumberWriter& to, const Mesh& mesh) {
  const int regions = static_cast<int>(mesh.regions.size()), dim = mesh.dimension();
  to.text("$Entities\n");
  for (const int n : {1, 0, dim == 2 ? regions : 0, dim == 3 ? regions : 0}) to.int8(n);
  to.end_line();
  to.int4(5);
  for (int c = 0; c < 3; ++c) to.real(0);
  to.int8(1);
  to.int4(9);
  to.end_line();
  for (int r = 0; r < regions; ++r) {
    to.int4(r + 10);
    for (int c = 0; c < 6; ++c) to.real(c);
    to.int8(1);
    to.int4(r + 1);
    to.int8(0);
    to.end_line();
  }
  to.end_block();
  to.text("$EndEntities\n");
}

inline void write_gmsh_4_nodes(NumberWriter& to, const Mesh& mesh, const GmshFlavour& flavour) {
  to.text("$Nodes\n");
  for (const long n : {1L, static_cast<long>(mesh.nodes()), 1L, 1000000L}) to.int8(n);
  to.end_line();
  for (const int n : {mesh.dimension(), 10, 0}) to.int4(n);
  to.int8(mesh.nodes());
  to.end_line();
  for (int a = 0; a < mesh.nodes(); ++a) to.int8(flavour.node_tag(a)), to.end_line();
  for (int a = 0; a < mesh.nodes(); ++a) write_position(to, mesh, a);
  to.end_block();
  to.text("$EndNodes\n$Periodic\nanything $Here\n$EndPeriodic\n");
}

inline void write_gmsh_4_elements(NumberWriter& to, const Mesh& mesh, const GmshFlavour& flavour) {
  const std::vector<int> points = fixed_points(mesh);
  to.text("$Elements\n");
  const int blocks = mesh.elements() + (points.empty() ? 0 : 1);
  for (const long n :
       {static_cast<long>(blocks), static_cast<long>(blocks - 1 + static_cast<int>(points.size())), 1L, 1L})
    to.int8(points.empty() ? mesh.elements() : n);
  to.end_line();
  if (!points.empty()) {
    for (const int n : {0, 5, 15}) to.int4(n);
    to.int8(static_cast<long>(points.size()));
    to.end_line();
    for (const int a : points) to.int8(900 + a), to.int8(flavour.node_tag(a)), to.end_line();
  }
  for (int e = 0; e < mesh.elements(); ++e) {
    for (const int n : {mesh.dimension(), mesh.region[at(e)] + 10, gmsh_type(mesh.kind)}) to.int4(n);
    to.int8(1);
    to.end_line();
    to.int8(mesh.element_tag(e));
    write_element_nodes(to, mesh, e, flavour);
  }
}

inline void write_gmsh_2_nodes(NumberWriter& to, const Mesh& mesh, const GmshFlavour& flavour) {
  to.text("$Nodes\n" + std::to_string(mesh.nodes()) + "\n");
  for (int a = 0; a < mesh.nodes(); ++a) {
    to.int4(static_cast<int>(flavour.node_tag(a)));
    write_position(to, mesh, a);
  }
  to.end_block();
  to.text("$EndNodes\n");
}

inline void write_gmsh_2_elements(NumberWriter& to, const Mesh& mesh, const GmshFlavour& flavour) {
  const std::vector<int> points = fixed_points(mesh);
  to.text("$Elements\n" + std::to_string(mesh.elements() + static_cast<int>(points.size())) + "\n");
  const auto header = [&](int type, int tag, int physical) {
    if (flavour.binary) {
      for (const int n : {type, 1, 2, tag, physical, 1}) to.int4(n);
    } else {
      for (const int n : {tag, type, 2, physical, 1}) to.int4(n);
    }
  };
  for (const int a : points) {
    header(15, 900 + a, 9);
    to.int4(static_cast<int>(flavour.node_tag(a)));
    to.end_line();
  }
  for (int e = 0; e < mesh.elements(); ++e) {
    header(gmsh_type(mesh.kind), static_cast<int>(mesh.element_tag(e)), mesh.region[at(e)] + 1);
    write_element_nodes(to, mesh, e, flavour);
  }
}

// Regions become physical groups 1, 2, ... of the body's dimension; the group "fixed" one of points.
inline std::string gmsh_file(const Mesh& mesh, const GmshFlavour& flavour) {
  NumberWriter to(flavour.binary);
  write_gmsh_header(to, mesh, flavour);
  if (flavour.version == 4) {
    write_gmsh_4_entities(to, mesh);
    write_gmsh_4_nodes(to, mesh, flavour);
    write_gmsh_4_elements(to, mesh, flavour);
  } else {
    write_gmsh_2_nodes(to, mesh, flavour);
    write_gmsh_2_elements(to, mesh, flavour);
  }
  to.end_block();
  to.text("$EndElements\n");
  return to.out;
}

// --- VTU -------------------------------------------------------------------------------------------------------------

inline std::string base64(const std::string& bytes) {
  constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : alphabet[bits >> (18 - 6 * k) & 63u];
  }
  return text;
}

// zlib data of one stored block.
inline std::string zlib_stored(const std::string& bytes) {
  const auto n = static_cast<unsigned>(bytes.size());
  std::string out = "\x78\x01";
  out += '\x01';
  for (const unsigned word : {n, ~n})
    for (const int shift : {0, 8}) out += static_cast<char>(word >> shift & 255u);
  out += bytes;
  unsigned a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  for (const unsigned word : {b, a})
    for (const int shift : {8, 0}) out += static_cast<char>(word >> shift & 255u);
  return out;
}

enum class VtuFlavour { ascii, base64, base64_zlib, appended_raw, appended_base64, appended_zlib, big_endian };

template <class T>
std::string raw_values(const std::vector<T>& values, bool swap) {
  std::string out;
  for (const T value : values) {
    std::string bytes = bytes_of(value);
    if (swap) bytes.assign(bytes.rbegin(), bytes.rend());
    out += bytes;
  }
  return out;
}

inline std::string vtu_file(const Mesh& mesh, VtuFlavour flavour) {
  const bool packed = flavour == VtuFlavour::base64_zlib || flavour == VtuFlavour::appended_zlib;
  const bool appended = flavour == VtuFlavour::appended_raw || flavour == VtuFlavour::appended_base64 ||
                        flavour == VtuFlavour::appended_zlib;
  const bool text64 = flavour == VtuFlavour::base64 || flavour == VtuFlavour::base64_zlib ||
                      flavour == VtuFlavour::appended_base64 || flavour == VtuFlavour::big_endian;
  const bool swap = flavour == VtuFlavour::big_endian;
  std::string appendix;
  const auto array = [&](const std::string& name, const std::string& type, const auto& values) {
    std::string tag = "<DataArray type=\"" + type + "\" Name=\"" + name + "\"";
    if (name == "Points") tag += " NumberOfComponents=\"3\"";
    if (flavour == VtuFlavour::ascii) {
      tag += " format=\"ascii\">\n";
      for (const auto value : values) tag += digits(static_cast<double>(value)) + (name == "types" ? " " : "\n");
      return tag + "\n</DataArray>\n";
    }
    const std::string raw = raw_values(values, swap);
    std::string header, data = raw;
    if (packed) {
      // Two blocks, the second one shorter.
      const std::size_t block = (raw.size() + 1) / 2;
      const std::string first = zlib_stored(raw.substr(0, block)), second = zlib_stored(raw.substr(block));
      header =
          raw_values(std::vector<unsigned>{2u, static_cast<unsigned>(block), static_cast<unsigned>(raw.size() - block),
                                           static_cast<unsigned>(first.size()), static_cast<unsigned>(second.size())},
                     swap);
      data = first + second;
    } else {
      header = raw_values(std::vector<unsigned>{static_cast<unsigned>(raw.size())}, swap);
    }
    const std::string stored = !text64 ? header + data : packed ? base64(header) + base64(data) : base64(header + data);
    if (!appended) return tag + " format=\"binary\">\n  " + stored + "\n</DataArray>\n";
    tag += " format=\"appended\" offset=\"" + std::to_string(appendix.size()) + "\"/>\n";
    appendix += stored;
    return tag;
  };
  std::vector<double> X;
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int c = 0; c < 3; ++c) X.push_back(c < mesh.dimension() ? mesh.X[at(a * mesh.dimension() + c)] : 0.0);
  std::vector<int> nodes(mesh.connectivity), offsets;
  for (int e = 0; e < mesh.elements(); ++e) offsets.push_back((e + 1) * nodes_of(mesh.kind));
  const int type = mesh.kind == ElementKind::tri3   ? 5
                   : mesh.kind == ElementKind::tri6 ? 22
                   : mesh.kind == ElementKind::tet4 ? 10
                                                    : 24;
  const std::vector<unsigned char> types(at(mesh.elements()), static_cast<unsigned char>(type));
  std::string out = "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"";
  out += swap ? "BigEndian\"" : "LittleEndian\"";
  if (packed) out += " compressor=\"vtkZLibDataCompressor\"";
  out += ">\n<!-- <Piece> -->\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"" + std::to_string(mesh.nodes()) +
         "\" NumberOfCells=\"" + std::to_string(mesh.elements()) + "\">\n<Points>\n" + array("Points", "Float64", X) +
         "</Points>\n<Cells>\n" + array("connectivity", "Int32", nodes) + array("offsets", "Int32", offsets) +
         array("types", "UInt8", types) + "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
  if (appended)
    out += std::string("<AppendedData encoding=\"") + (text64 ? "base64" : "raw") + "\">\n_" + appendix +
           "\n</AppendedData>\n";
  return out + "</VTKFile>\n";
}

}  // namespace livens
