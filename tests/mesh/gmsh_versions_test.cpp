// The older versions of Gmsh's files, written down as its manual has them; what is no mesh; sizes before they are
// taken.
#include "math/memory_budget.hpp"
#include "mesh_files.hpp"

namespace livens {
namespace {

using GmshVersions = MeshFiles;

// Two tetrahedra on a common face, the second in the physical group 7 "tip"; a point in the group 5.
const std::vector<double> places{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
const std::vector<std::vector<int>> tets{{1, 2, 3, 4}, {2, 3, 4, 5}};

void expect_two_tets(const Mesh& mesh) {
  EXPECT_EQ(mesh.X, places);
  EXPECT_EQ(mesh.connectivity, (std::vector<int>{0, 1, 2, 3, 1, 2, 3, 4}));
  ASSERT_EQ(mesh.regions.size(), 2u);
  EXPECT_EQ(mesh.regions[at(mesh.region[1])], "tip");
  ASSERT_EQ(mesh.groups.count("physical_5"), 1u);
  EXPECT_EQ(mesh.groups.at("physical_5"), std::vector<int>{0});
}

const std::string names = "$PhysicalNames\n1\n3 7 \"tip\"\n$EndPhysicalNames\n";

TEST_F(GmshVersions, Version40Text) {
  expect_two_tets(read("$MeshFormat\n4 0 8\n$EndMeshFormat\n" + names +
                       "$Entities\n1 0 0 2\n1 0 0 0 0 0 0 1 5\n"
                       "1 0 0 0 1 1 1 0 0\n2 0 0 0 1 1 1 1 7 0\n$EndEntities\n"
                       "$Nodes\n2 5\n1 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n2 3 0 1\n5 1 1 1\n$EndNodes\n"
                       "$Elements\n3 3\n1 0 15 1\n1 1\n1 3 4 1\n2 1 2 3 4\n2 3 4 1\n3 2 3 4 5\n$EndElements\n"));
}

TEST_F(GmshVersions, Version40Binary) {
  const auto integer = [](int x) { return bytes_of(x); };
  const auto count = [](std::int64_t x) { return bytes_of(x); };
  std::string file = "$MeshFormat\n4 1 8\n" + integer(1) + "\n$EndMeshFormat\n" + names + "$Entities\n";
  file += count(1) + count(0) + count(0) + count(2);
  const auto entity = [&](int tag, std::vector<int> physicals, bool bounded) {
    file += integer(tag);
    for (int c = 0; c < 6; ++c) file += bytes_of(0.0);
    file += count(static_cast<std::int64_t>(physicals.size()));
    for (const int p : physicals) file += integer(p);
    if (bounded) file += count(0);
  };
  entity(1, {5}, false);
  entity(1, {}, true);
  entity(2, {7}, true);
  file += "\n$EndEntities\n$Nodes\n" + count(1) + count(5) + integer(1) + integer(3) + integer(0) + count(5);
  for (int a = 0; a < 5; ++a) {
    file += integer(a + 1);
    for (int c = 0; c < 3; ++c) file += bytes_of(places[at(3 * a + c)]);
  }
  file += "\n$EndNodes\n$Elements\n" + count(3) + count(3);
  file += integer(1) + integer(0) + integer(15) + count(1) + integer(1) + integer(1);
  for (int e = 0; e < 2; ++e) {
    file += integer(e + 1) + integer(3) + integer(4) + count(1) + integer(e + 2);
    for (const int node : tets[at(e)]) file += integer(node);
  }
  expect_two_tets(read(file + "\n$EndElements\n"));
}

TEST_F(GmshVersions, Version41BinaryWithCountsOfFourBytes) {
  const auto integer = [](int x) { return bytes_of(x); };
  std::string file = "$MeshFormat\n4.1 1 4\n" + integer(1) + "\n$EndMeshFormat\n$Nodes\n";
  file += integer(1) + integer(5) + integer(1) + integer(5) + integer(3) + integer(1) + integer(0) + integer(5);
  for (int a = 0; a < 5; ++a) file += integer(a + 1);
  for (const double x : places) file += bytes_of(x);
  file += "\n$EndNodes\n$Elements\n" + integer(1) + integer(2) + integer(1) + integer(2) + integer(3) + integer(1) +
          integer(4) + integer(2);
  for (int e = 0; e < 2; ++e) {
    file += integer(e + 1);
    for (const int node : tets[at(e)]) file += integer(node);
  }
  const Mesh mesh = read(file + "\n$EndElements\n");
  EXPECT_EQ(mesh.X, places);
  EXPECT_EQ(mesh.elements(), 2);
}

TEST_F(GmshVersions, Version1) {
  const std::string nodes = "$NOD\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$ENDNOD\n";
  const Mesh mesh = read(nodes + "$ELM\n3\n1 15 5 1 1 1\n2 4 0 1 4 1 2 3 4\n3 4 7 2 4 2 3 4 5\n$ENDELM\n");
  EXPECT_EQ(mesh.X, places);
  EXPECT_EQ(mesh.elements(), 2);
  EXPECT_EQ(mesh.regions[at(mesh.region[1])], "physical_7");
  EXPECT_EQ(refusal(nodes + "$ELM\n1\n1 4 0 1 3 1 2 3\n$ENDELM\n"),
            "part.msh:11: element 1 has 3 nodes; its type has 4");
  EXPECT_EQ(refusal(nodes), "part.msh:9: the file has no $Elements: is it complete?");
}

TEST_F(GmshVersions, APointerOfGitLfsIsNamed) {
  write("part.msh", "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 12345\n");
  try {
    read_mesh("part.msh", {}, notes_);
    ADD_FAILURE() << "it was read";
  } catch (const MeshError& error) {
    EXPECT_STREQ(error.what(),
                 "cannot read 'part.msh': it is a pointer of Git LFS, not the file itself. Fetch that with: "
                 "git lfs pull");
  }
}

// By its first bytes: 16 TB could not be read.
TEST_F(GmshVersions, AHugeFileThatIsNoMeshIsRefusedAtOnce) {
  write("part.msh", "PK archive");
  std::filesystem::resize_file("part.msh", std::uintmax_t{1} << 43);
  std::string text = "read";
  try {
    read_mesh("part.msh", {}, notes_);
  } catch (const MeshError& error) {
    text = error.what();
  }
  EXPECT_TRUE(text.starts_with(
      "part.msh: it is neither Gmsh (1, 2.2, 4.0, 4.1), VTU, VTK, Abaqus (.inp) nor MEDIT (.mesh): it begins with"))
      << text;
}

TEST(MemoryBudget, SaysHowMuchIsNeededAndHowMuchThereIs) {
  const auto available = static_cast<double>(available_memory());
  ASSERT_GT(available, 1e8);
  EXPECT_EQ(memory_refusal(0.5 * available), "");
  const std::string refusal = memory_refusal(4e15);
  EXPECT_TRUE(refusal.starts_with("needs about 4e+06 GB of memory, and ")) << refusal;
}

TEST(MemoryBudget, MeshesAreRefusedBeforeTheyAreMade) {
  const auto refusal = [](const auto& make) {
    try {
      make();
    } catch (const MeshError& error) {
      return std::string(error.what());
    }
    return std::string("made");
  };
  // 0.2 thousand million elements cannot be numbered twice over, fewer do not fit.
  EXPECT_TRUE(refusal([] {
                box_mesh({.cells = {700, 700, 700}});
              }).starts_with("box: a solid of 2058 million tet4 elements has more nodes than can be numbered"));
}

}  // namespace
}  // namespace livens
