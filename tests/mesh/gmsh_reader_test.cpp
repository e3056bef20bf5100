#include <algorithm>

#include <sys/stat.h>

#include "mesh_files.hpp"

namespace livens {
namespace {

using GmshReader = MeshFiles;

Mesh two_regions(ElementKind kind) {
  Mesh mesh;
  if (dimension_of(kind) == 3) {
    BoxSpec spec;
    spec.cells = {2, 1, 1};
    spec.kind = kind;
    mesh = box_mesh(spec);
  } else {
    RectangleSpec spec;
    spec.cells = {2, 2};
    spec.kind = kind;
    mesh = rectangle_mesh(spec);
  }
  mesh.regions = {"left", "right half"};
  for (int e = mesh.elements() / 2; e < mesh.elements(); ++e) mesh.region[at(e)] = 1;
  mesh.groups = {{"fixed", {0, 3}}};
  return mesh;
}

void expect_same(const Mesh& found, const Mesh& mesh) {
  EXPECT_EQ(found.kind, mesh.kind);
  EXPECT_EQ(found.X, mesh.X);
  EXPECT_EQ(found.connectivity, mesh.connectivity);
  EXPECT_EQ(found.region, mesh.region);
  EXPECT_EQ(found.regions, mesh.regions);
  ASSERT_EQ(found.groups.count("fixed"), 1u);
  EXPECT_EQ(found.groups.at("fixed"), mesh.groups.at("fixed"));
  EXPECT_EQ(found.groups.size(), 3u);
}

TEST_F(GmshReader, AllFlavoursAndKindsGiveTheMeshBack) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10})
    for (const int version : {2, 4})
      for (const bool binary : {false, true}) {
        SCOPED_TRACE(to_string(kind) + (binary ? " binary " : " text ") + std::to_string(version));
        const Mesh mesh = two_regions(kind);
        write("part.msh", gmsh_file(mesh, {version, binary}));
        const Mesh found = read_mesh("part.msh", {}, notes_);
        expect_same(found, mesh);
        EXPECT_TRUE(found.node_tags.empty());
        EXPECT_TRUE(notes_.warnings.empty());
      }
}

TEST_F(GmshReader, TagsMayBeSparseAndUnordered) {
  for (const int version : {2, 4})
    for (const bool binary : {false, true}) {
      GmshFlavour flavour{version, binary};
      flavour.node_tag = [](int a) -> long { return 1'000'000'000 - 7777 * static_cast<long>(a * 31 % 101); };
      const Mesh mesh = two_regions(ElementKind::tet10);
      const Mesh found = read(gmsh_file(mesh, flavour));
      expect_same(found, mesh);
      EXPECT_EQ(found.node_tag(5), flavour.node_tag(5));
    }
}

TEST_F(GmshReader, CurvedMidsidesAreKept) {
  Mesh mesh = two_regions(ElementKind::tet10);
  const std::size_t bent = at(mesh.element(0)[8]) * 3;
  mesh.X[bent] += 0.01;
  EXPECT_EQ(read(gmsh_file(mesh, {4, true})).X, mesh.X);
}

const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string cube_nodes =
    "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 0 0 1\n6 1 0 1\n7 0 1 1\n8 1 1 1\n$EndNodes\n";
const std::string tet_nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";

std::string elements(const std::vector<std::string>& lines) {
  std::string text = "$Elements\n" + std::to_string(lines.size()) + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text + "$EndElements\n";
}

TEST_F(GmshReader, GroupsOfFacesLinesAndPointsAndMissingNames) {
  const Mesh mesh = read(head + "$PhysicalNames\n1\n2 7 \"base\"\n$EndPhysicalNames\n" + tet_nodes +
                         elements({"1 2 2 7 1 1 3 2", "2 1 2 5 1 1 2", "3 15 2 5 1 4", "4 4 2 7 1 1 2 3 4"}));
  EXPECT_EQ(mesh.regions, std::vector<std::string>{"physical_7"});
  ASSERT_EQ(mesh.groups.size(), 3u);
  EXPECT_EQ(mesh.groups.at("base"), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.groups.at("physical_7"), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.groups.at("physical_5"), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(mesh.element_tag(0), 4);
}

TEST_F(GmshReader, AnElementOfSeveralGroupsIsOneElement) {
  const Mesh mesh = read(head + tet_nodes + elements({"1 4 2 3 1 1 2 3 4", "2 4 2 8 1 1 2 3 4"}));
  EXPECT_EQ(mesh.elements(), 1);
  EXPECT_EQ(mesh.regions, std::vector<std::string>{"physical_3"});
  EXPECT_EQ(mesh.groups.count("physical_8"), 1u);
}

TEST_F(GmshReader, ParametricNodesAreRead) {
  const Mesh mesh = read(head +
                         "$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 4 0.5\n3 0 1 0 2 1 0.5 0.25\n4 0 0 1 3 1\n"
                         "$EndParametricNodes\n" +
                         elements({"1 4 0 1 2 3 4"}));
  EXPECT_EQ(mesh.nodes(), 4);
  const Mesh other = read(
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 4 1 4\n2 1 1 3\n1\n2\n3\n0 0 0 .1 .2\n1 0 0 .1 .2\n0 1 0 .1 .2\n"
      "3 1 0 1\n4\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n");
  EXPECT_EQ(other.X, mesh.X);
}

TEST_F(GmshReader, NodesOfOtherCellsGoWithThem) {
  const std::string file =
      head +
      "$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 5 5 5\n6 6 5 5\n7 5 6 5\n8 5 5 6\n9 9 9 9\n"
      "$EndNodes\n" +
      elements({"1 15 2 0 1 9", "2 4 2 0 1 1 2 3 4", "3 3 2 0 1 5 6 7 8"});
  const Mesh mesh = read(file);
  EXPECT_EQ(mesh.nodes(), 4);
  EXPECT_EQ(mesh.regions, std::vector<std::string>{"all"});
  EXPECT_EQ(notes_.warnings, std::vector<std::string>{
                                 "part.msh: warning: Skipped: 1 quadrilaterals (tri3, tri6, tet4, tet10 are read)."});
}

TEST_F(GmshReader, WarnsOfMillimetresAndSkippedCells) {
  std::string file = head + "$Nodes\n12\n1 0 0 0\n2 120 0 0\n3 0 80 0\n4 0 0 45\n";
  for (int a = 5; a <= 12; ++a) file += std::to_string(a) + " 0 0 0\n";
  file += "$EndNodes\n" + elements({"1 4 0 1 2 3 4", "2 5 0 5 6 7 8 9 10 11 12"});
  read(file);
  EXPECT_EQ(notes_.warnings,
            std::vector<std::string>{
                "part.msh: warning: the body measures 120 x 80 x 45 m; in millimetres? mesh.scale = 0.001. "
                "Skipped: 1 hexahedra (tri3, tri6, tet4, tet10 are read)."});
  MeshFileOptions options;
  options.scale = 0.001;
  EXPECT_DOUBLE_EQ(read(file, "part.msh", options).X[3], 0.12);
  EXPECT_EQ(notes_.warnings.size(), 1u);
  options.scale = 0;
  EXPECT_EQ(refusal(file, "part.msh", options), "part.msh: its scale must be a positive number");
}

TEST_F(GmshReader, TrianglesAreAPlaneBody) {
  const std::string flat = head + "$Nodes\n4\n1 0 0 2\n2 1 0 2\n3 0 1 2\n4 1 1 2\n$EndNodes\n";
  const Mesh mesh = read(flat + elements({"1 2 0 1 2 3", "2 2 0 2 4 3"}));
  EXPECT_EQ(mesh.X, (std::vector<double>{0, 0, 1, 0, 0, 1, 1, 1}));
  EXPECT_EQ(
      refusal(head + tet_nodes + elements({"1 2 0 1 2 3", "2 2 0 1 2 4"})),
      "part.msh: its triangles do not lie in a plane z = constant (z from 0 to 1). A surface around a solid body? "
      "Fill it with tetrahedra first.");
  MeshFileOptions plane;
  plane.plane = true;
  const Mesh face = read(head + tet_nodes + elements({"1 2 0 1 2 3", "2 4 0 1 2 3 4"}), "part.msh", plane);
  EXPECT_EQ(face.elements(), 1);
  EXPECT_EQ(face.nodes(), 3);
  EXPECT_EQ(refusal(head + "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 nan\n$EndNodes\n" + elements({"1 2 0 1 2 3"})),
            "part.msh:8: node 3 is at no finite height (z = nan)");
}

TEST_F(GmshReader, RefusalsNameTheLineAndWhatIsWrong) {
  const std::string one = elements({"1 4 0 1 2 3 4"});
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "part.msh: it is empty"},
      {"solid\n",
       "part.msh: it is neither Gmsh (1, 2.2, 4.0, 4.1), VTU, VTK, Abaqus (.inp) nor MEDIT (.mesh): it begins with "
       "'solid'"},
      {"$MeshFormat\n3 0 8\n$EndMeshFormat\n",
       "part.msh:2: version 3 of the format is not read; save it as 4.1 or 2.2 (gmsh -save -format msh41)"},
      {"$MeshFormat\n2.2 1 4\n$EndMeshFormat\n",
       "part.msh:2: the data size is 4; 8 is read, in binary files of 4.1 also 4"},
      {"$MeshFormat\n2.2 1 8\n" + std::string("\0\0\0\1", 4) + "\n$EndMeshFormat\n",
       "part.msh: byte 20: the file comes from a machine of the other byte order; save it as text"},
      {"$Nodes\n", "part.msh:1: $MeshFormat must come before $Nodes"},
      {head, "part.msh:4: the file has no $Nodes: is it complete?"},
      {head + tet_nodes, "part.msh:11: the file has no $Elements: is it complete?"},
      {head + one, "part.msh:4: $Nodes must come before $Elements"},
      {head + tet_nodes + tet_nodes, "part.msh:11: a second $Nodes: one mesh per file"},
      {head + "$Nodes\n4000000000\n1 0 0 0\n$EndNodes\n",
       "part.msh:5: the number of nodes is 4 000 000 000, but only 19 bytes follow: is the file complete?"},
      {head + "$Nodes\n-4\n$EndNodes\n", "part.msh:5: the number of nodes is negative (-4)"},
      {head + "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "part.msh:7: node 1 is there twice. Mesh it again."},
      {head + "$Nodes\n1\n1 0 abc 0\n$EndNodes\n", "part.msh:6: expected a coordinate of a node, found 'abc'"},
      {head + "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", "part.msh:6: expected a coordinate of a node, found '1e999'"},
      {head + "$Nodes\n3\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "part.msh:8: expected the tag of a node, found '$EndNodes'"},
      {head + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n",
       "part.msh:7: expected $EndNodes, found '2': more entries than announced?"},
      {head + tet_nodes + elements({"1 4 0 1 2 3 9"}),
       "part.msh:13: element 1 holds node 9, which $Nodes does not have"},
      {head + tet_nodes + elements({"1 140 0 1 2 3 9"}),
       "part.msh:13: elements of type 140 are not known (tri3 2, tri6 9, tet4 4, tet10 11)"},
      {head + tet_nodes + elements({"1 4 -1 1 2 3 4"}), "part.msh:13: an element has -1 tags"},
      {head + tet_nodes + "$Elements\n1\n1 4 0 1 2",
       "part.msh:13: the file ends where a node of an element should be: is it complete?"},
      {head + tet_nodes + "$Elements\n1\n1 4 0 1 2 3 4\n",
       "part.msh:14: the file ends before $EndElements: is it complete?"},
      {head + tet_nodes + elements({"1 15 0 1"}),
       "part.msh: it holds no tetrahedra or triangles (tri3, tri6, tet4, tet10 are read)"},
      {head + tet_nodes + elements({"1 3 0 1 2 3 4"}),
       "part.msh: it holds no tetrahedra or triangles, but 1 quadrilaterals (tri3, tri6, tet4, tet10 are read)"},
      {head + "$Periodic\n", "part.msh:4: the file ends before '$EndPeriodic': is it complete?"},
      {head + "$PhysicalNames\n1\n3 1 beam\n$EndPhysicalNames\n",
       "part.msh:6: expected a name in quotes, found ' beam'"},
      {"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 5\n3 1 0 1\n1\n0 0 0\n$EndNodes\n",
       "part.msh:5: $Nodes announces 2 nodes, but its blocks hold another number"},
      {head +
           "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 0\n6 0 0 0\n7 0 0 0\n8 0 0 0\n9 0 0 0\n10 0 0 "
           "0\n$EndNodes\n" +
           elements({"1 4 0 1 2 3 4", "2 11 0 1 2 3 4 5 6 7 8 9 10"}),
       "part.msh: it mixes 1 tet4 and 1 tet10; one order for the whole body, please. Mesh it again."},
  };
  for (const auto& [file, text] : cases) EXPECT_EQ(refusal(file), text);
  EXPECT_EQ(refusal(head + tet_nodes + one), "read");
}

TEST_F(GmshReader, RefusesWhatIsNoFile) {
  const auto refusal_of = [&](const std::string& name) {
    try {
      read_mesh(name, {}, notes_);
    } catch (const MeshError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_EQ(refusal_of("nothing.msh"), "cannot read 'nothing.msh': No such file or directory");
  EXPECT_EQ(refusal_of("."), "cannot read '.': it is a directory");
  EXPECT_EQ(refusal_of("/dev/zero"), "cannot read '/dev/zero': it is a device or a socket, not a file");
  std::ofstream("sparse.msh").put('$');
  std::filesystem::resize_file("sparse.msh", std::uintmax_t{1} << 42);
  EXPECT_TRUE(
      refusal_of("sparse.msh")
          .starts_with(
              "cannot read 'sparse.msh': its 4 194 304 MiB: reading them needs about 1.1e+04 GB of memory, and "));
  ASSERT_EQ(::mkfifo("pipe.msh", 0600), 0);
  EXPECT_EQ(refusal_of("pipe.msh"),
            "cannot read 'pipe.msh': it is a pipe, not a file. Write what comes out of it into a file first");
}

TEST_F(GmshReader, LinesMayEndInTheOtherWay) {
  std::string file = head + tet_nodes + elements({"1 4 0 1 2 3 4"}), other;
  for (const char c : file) other += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read(other).nodes(), 4);
}

TEST_F(GmshReader, EveryTruncationIsRefusedOrRead) {
  const Mesh mesh = two_regions(ElementKind::tet4);
  for (const int version : {2, 4})
    for (const bool binary : {false, true}) {
      const std::string whole = gmsh_file(mesh, {version, binary});
      for (std::size_t n = 0; n < whole.size(); ++n) {
        const std::string text = refusal(whole.substr(0, n));
        // All but the last line feed is needed.
        EXPECT_EQ(text == "read", n == whole.size() - 1) << n << ": " << text;
        if (::testing::Test::HasFailure()) return;
      }
    }
}

}  // namespace
}  // namespace livens
