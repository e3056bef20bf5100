// Meshes of Abaqus, MEDIT and legacy VTK files: written here as their manuals say, and as bytes that are wrong.
#include <algorithm>

#include "mesh_files.hpp"

namespace livens {
namespace {

using OtherFormats = MeshFiles;

const ElementKind all_kinds[] = {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10};

std::string position(const Mesh& mesh, int a, const std::string& comma, int dimension = 3) {
  std::string text;
  for (int c = 0; c < dimension; ++c)
    text += (c == 0 ? "" : comma) + digits(c < mesh.dimension() ? mesh.X[at(a * mesh.dimension() + c)] : 0.0);
  return text;
}

std::string nodes_text(const Mesh& mesh, int e, const std::string& comma, int from) {
  std::string text;
  for (int a = 0; a < nodes_of(mesh.kind); ++a)
    text += (a == 0 ? "" : comma) + std::to_string(mesh.element(e)[a] + from);
  return text;
}

// Numbers of nodes and elements begin at 11 and 501.
std::string abaqus_file(const Mesh& mesh, const std::string& more = "") {
  const char* types[] = {"CPS3", "CPE6", "C3D4", "C3D10"};
  std::string text = "*Heading\n part\n** a comment\n*NODE, NSET=nall\n";
  for (int a = 0; a < mesh.nodes(); ++a) text += std::to_string(a + 11) + ", " + position(mesh, a, ", ") + "\n";
  text += std::string("*Element, type=") + types[static_cast<int>(mesh.kind)] + ", ELSET=Part\n";
  for (int e = 0; e < mesh.elements(); ++e) {
    std::string line = std::to_string(e + 501) + ", " + nodes_text(mesh, e, ", ", 11);
    if (mesh.kind == ElementKind::tet10) {  // goes on in the next line
      const std::size_t middle = line.find(',', line.size() / 2) + 1;
      line = line.substr(0, middle) + "\n" + line.substr(middle);
    }
    text += line + "\n";
  }
  return text + more + "*Material, name=steel\n*Elastic\n210e9, 0.3\n*Step\n*Static\n*Node Output\nU\n*End Step\n";
}

std::string medit_file(const Mesh& mesh) {
  const char* words[] = {"Triangles", "TrianglesP2", "Tetrahedra", "TetrahedraP2"};
  const int d = mesh.dimension();
  std::string text = "MeshVersionFormatted 2\nDimension " + std::to_string(d) + "\n# points\nVertices\n" +
                     std::to_string(mesh.nodes()) + "\n";
  for (int a = 0; a < mesh.nodes(); ++a) text += position(mesh, a, " ", d) + (a == 0 ? " 7\n" : " 0\n");
  text += "Corners\n2\n1\n2\n" + std::string(words[static_cast<int>(mesh.kind)]) + "\n" +
          std::to_string(mesh.elements()) + "\n";
  for (int e = 0; e < mesh.elements(); ++e) text += nodes_text(mesh, e, " ", 1) + (e == 0 ? " 3\n" : " 4\n");
  return text + "End\n";
}

template <class T>
std::string turned(T value) {
  std::string bytes = bytes_of(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string vtk_file(const Mesh& mesh, bool binary, bool version_5) {
  const int types[] = {5, 22, 10, 24}, each = nodes_of(mesh.kind);
  std::string text = std::string("# vtk DataFile Version ") + (version_5 ? "5.1" : "3.0") + "\ntitle\n" +
                     (binary ? "BINARY" : "ASCII") + "\nDATASET UNSTRUCTURED_GRID\nPOINTS " +
                     std::to_string(mesh.nodes()) + " double\n";
  const auto integer = [&](long value, bool wide) {
    if (!binary)
      text += std::to_string(value) + "\n";
    else
      text += wide ? turned(static_cast<std::int64_t>(value)) : turned(static_cast<std::int32_t>(value));
  };
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int c = 0; c < 3; ++c) {
      const double x = c < mesh.dimension() ? mesh.X[at(a * mesh.dimension() + c)] : 0.0;
      text += binary ? turned(x) : digits(x) + "\n";
    }
  const int n = mesh.elements();
  if (version_5) {
    text += "\nMETADATA\nINFORMATION 0\n\nCELLS " + std::to_string(n + 1) + " " + std::to_string(n * each) +
            "\nOFFSETS vtktypeint64\n";
    for (int e = 0; e <= n; ++e) integer(e * each, true);
    text += "\nCONNECTIVITY vtktypeint64\n";
    for (int k = 0; k < n * each; ++k) integer(mesh.connectivity[k], true);
  } else {
    text += "\nCELLS " + std::to_string(n) + " " + std::to_string(n * (each + 1)) + "\n";
    for (int e = 0; e < n; ++e) {
      integer(each, false);
      for (int a = 0; a < each; ++a) integer(mesh.element(e)[a], false);
    }
  }
  text += "\nCELL_TYPES " + std::to_string(n) + "\n";
  for (int e = 0; e < n; ++e) integer(types[static_cast<int>(mesh.kind)], false);
  return text + "\nPOINT_DATA " + std::to_string(mesh.nodes()) + "\n";
}

TEST_F(OtherFormats, GiveTheMeshBack) {
  for (const ElementKind kind : all_kinds) {
    const Mesh mesh = small_mesh(kind);
    std::vector<std::string> files = {abaqus_file(mesh), medit_file(mesh)};
    for (const bool binary : {false, true})
      for (const bool version_5 : {false, true}) files.push_back(vtk_file(mesh, binary, version_5));
    for (std::size_t k = 0; k < files.size(); ++k) {
      SCOPED_TRACE(to_string(kind) + " file " + std::to_string(k));
      const Mesh found = read(files[k], "part.dat");
      EXPECT_EQ(found.kind, kind);
      EXPECT_EQ(found.X, mesh.X);
      EXPECT_EQ(found.connectivity, mesh.connectivity);
    }
  }
}

TEST_F(OtherFormats, SetsAndSurfacesOfAbaqusAreGroups) {
  const Mesh mesh = small_mesh(ElementKind::tet4);
  const Mesh found = read(abaqus_file(mesh,
                                      "*NSET, NSET=Foot, GENERATE\n11, 15, 2\n*Nset, nset=More\nfoot, 12\n"
                                      "*ELSET, ELSET=first\n501, 502\n*Elset, elset=Two\nFIRST,\n503\n"
                                      "*Surface, name=Top, type=ELEMENT\n501, S1\nfirst, S3\n"
                                      "*Solid Section, elset=two, material=steel\n"),
                          "part.inp");
  EXPECT_EQ(found.groups.at("Foot"), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(found.groups.at("More"), (std::vector<int>{0, 1, 2, 4}));
  EXPECT_EQ(found.groups.at("nall").size(), at(mesh.nodes()));
  std::vector<int> top;
  for (const int a : {0, 1, 2}) top.push_back(mesh.element(0)[a]);
  for (const int e : {0, 1})
    for (const int a : {1, 2, 3}) top.push_back(mesh.element(e)[a]);
  std::sort(top.begin(), top.end());
  top.erase(std::unique(top.begin(), top.end()), top.end());
  EXPECT_EQ(found.groups.at("Top"), top);
  // The region is the set of the section, then that of the elements' own keyword.
  EXPECT_EQ(found.regions[found.region[0]], "Two");
  EXPECT_EQ(found.regions[found.region[2]], "Two");
  EXPECT_EQ(found.regions[found.region[3]], "Part");
  EXPECT_EQ(found.element_tag(0), 501);
  EXPECT_EQ(found.node_tag(0), 11);
}

// A set of nodes by a set of elements, one of which is of a kind that is not read.
TEST_F(OtherFormats, SetsMayNameElementsThatAreNotRead) {
  const Mesh mesh = small_mesh(ElementKind::tet4);
  const Mesh found =
      read(abaqus_file(mesh, "*ELSET, ELSET=some\n501, 9999\n*NSET, NSET=theirs, ELSET=some\n"), "part.inp");
  EXPECT_EQ(found.groups.at("theirs").size(), 4u);
}

TEST_F(OtherFormats, ReferencesOfMeditAreGroups) {
  const Mesh found = read(medit_file(small_mesh(ElementKind::tet4)), "part.mesh");
  EXPECT_EQ(found.groups.at("ref_7"), std::vector<int>{0});
  EXPECT_EQ(found.regions[found.region[0]], "ref_3");
  EXPECT_EQ(found.regions[found.region[1]], "ref_4");
}

TEST_F(OtherFormats, FaultsHaveTheirPlace) {
  const std::string nodes = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n";
  const std::pair<std::string, std::string> cases[] = {
      {nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 9\n", "part.msh:7: node 9 is not in the file"},
      {nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n", "part.msh:7: an element of type C3D4 has 4 nodes, found 3"},
      {nodes + "*ELEMENT, TYPE=XYZ\n1, 1\n", "part.msh:6: elements of type 'XYZ' are not known"},
      {nodes + "4, 0, 0, 2\n", "part.msh:6: node 4 is there twice"},
      {nodes + "5, 0, zero, 2\n", "part.msh:6: expected a coordinate of a node, found 'zero'"},
      {nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n*SURFACE, NAME=s\n1, S5\n", "part.msh:9: a tet4 has no side 'S5'"},
      {nodes + "*INCLUDE, INPUT=x.inp\n", "part.msh:6: *INCLUDE is not followed"},
      {"MeshVersionFormatted 1\nDimension 3\nVertices 1000\n0 0 0 0\n", "part.msh:3: the number of vertices is 1 000"},
      {"MeshVersionFormatted 1\nDimension 3\nVertices 1\n0 0 x 0\n", "part.msh:4: expected a coordinate of a vertex"},
      {"MeshVersionFormatted 1\nDimension 3\nTetrahedra 1\n1 2 3 4 0\n", "Vertices must come before elements"},
      {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", "part.msh:4: a dataset of kind 'POLYDATA'"},
      {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 2\n1 5\n"
       "CELL_TYPES 1\n10\n",
       "node 5 is not in the file"},
  };
  for (const auto& [bytes, words] : cases)
    EXPECT_NE(refusal(bytes).find(words), std::string::npos) << words << "\n" << refusal(bytes);
}

// A file that is cut off, or has one byte changed, is read or refused, and never more than that.
TEST_F(OtherFormats, DamagedFilesAreReadOrRefused) {
  const Mesh mesh = small_mesh(ElementKind::tet4);
  for (const std::string& whole : {abaqus_file(mesh, "*NSET, NSET=a, GENERATE\n11, 15, 2\n"), medit_file(mesh),
                                   vtk_file(mesh, true, false), vtk_file(mesh, true, true)}) {
    int refused = 0;
    const std::size_t stride = whole.size() / 150 + 1;
    for (std::size_t k = 0; k < whole.size(); k += stride) {
      refused += refusal(whole.substr(0, k)) != "read" ? 1 : 0;
      std::string changed = whole;
      changed[k] = static_cast<char>(changed[k] ^ (1 << (k % 7)));
      refusal(changed);
    }
    EXPECT_GT(refused, 20);
  }
}

}  // namespace
}  // namespace livens
