// Damaged files: bytes changed, cut out, doubled, numbers forged. Whatever comes in, a Mesh or a MeshError comes out.
#include <random>

#include "mesh/core/shape.hpp"
#include "mesh_files.hpp"

namespace livens {
namespace {

class MeshFuzz : public MeshFiles {
 protected:
  using Random = std::mt19937;

  static std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

  static std::string mutated(std::string file, Random& random) {
    static const std::vector<std::string> forged{"-1",
                                                 "0",
                                                 "4294967295",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "nan",
                                                 "inf",
                                                 "1e308",
                                                 "18446744073709551616",
                                                 "1e-320",
                                                 "$",
                                                 "<",
                                                 "\"",
                                                 "=",
                                                 "\n"};
    const std::size_t changes = 1 + below(random, 4);
    for (std::size_t k = 0; k < changes && !file.empty(); ++k) {
      const std::size_t place = below(random, file.size());
      switch (random() % 7) {
        case 0: file[place] = static_cast<char>(random()); break;
        case 1: file[place] = static_cast<char>(file[place] ^ (1 << random() % 8)); break;
        case 2: file.erase(place, 1 + below(random, 16)); break;
        case 3: file.insert(place, file.substr(place, 1 + below(random, 40))); break;
        case 4: file.resize(place); break;
        case 5: {  // a number in text
          const std::size_t begin = file.find_first_of("0123456789", place);
          if (begin == std::string::npos) break;
          const std::size_t end = std::min(file.find_first_not_of("0123456789.", begin), file.size());
          file.replace(begin, end - begin, forged[below(random, forged.size())]);
          break;
        }
        default:  // a number in binary
          for (std::size_t b = 0; b < 4 + 4 * (random() % 2) && place + b < file.size(); ++b)
            file[place + b] = static_cast<char>(random() % 2 ? 0xff : 0x7f);
      }
    }
    return file;
  }

  void expect_an_answer(const std::vector<std::string>& files, const std::string& name, int rounds) {
    Random random(20240229);
    int meshes = 0, errors = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::string file = mutated(files[round % files.size()], random);
      MeshFileOptions options;
      const auto repairs = static_cast<unsigned>(random());
      options.repair = {(repairs & 1) != 0, (repairs & 2) != 0, (repairs & 4) != 0, (repairs & 8) != 0, false};
      options.plane = (repairs & 48) == 0;
      try {
        const Mesh mesh = read(file, name, options);
        ++meshes;
        ASSERT_GT(mesh.elements(), 0);
        for (const int a : mesh.connectivity) ASSERT_TRUE(a >= 0 && a < mesh.nodes());
        for (int e = 0; e < mesh.elements(); ++e) ASSERT_GT(signed_volume(mesh, e), 0);
        for (const auto& [group, nodes] : mesh.groups)
          for (const int a : nodes) ASSERT_TRUE(a >= 0 && a < mesh.nodes());
      } catch (const MeshError& error) {
        ++errors;
        ASSERT_TRUE(std::string(error.what()).starts_with(name)) << error.what();
      }
    }
    // Guards: the mutations really did harm, and not only that.
    EXPECT_GT(meshes, rounds / 100);
    EXPECT_GT(errors, rounds / 4);
  }

  static Mesh body(ElementKind kind) {
    Mesh mesh;
    if (dimension_of(kind) == 3) {
      BoxSpec spec;
      spec.kind = kind;
      mesh = box_mesh(spec);
    } else {
      RectangleSpec spec;
      spec.kind = kind;
      mesh = rectangle_mesh(spec);
    }
    mesh.regions = {"one", "two"};
    mesh.region.back() = 1;
    mesh.groups = {{"fixed", {0, 1}}};
    return mesh;
  }
};

constexpr ElementKind kinds[] = {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10};

TEST_F(MeshFuzz, GmshText) {
  std::vector<std::string> files;
  for (const ElementKind kind : kinds)
    for (const int version : {2, 4}) files.push_back(gmsh_file(body(kind), {version, false}));
  expect_an_answer(files, "part.msh", 3000);
}

TEST_F(MeshFuzz, GmshBinary) {
  std::vector<std::string> files;
  for (const ElementKind kind : kinds)
    for (const int version : {2, 4}) files.push_back(gmsh_file(body(kind), {version, true}));
  expect_an_answer(files, "part.msh", 3000);
}

TEST_F(MeshFuzz, Vtu) {
  std::vector<std::string> files;
  for (const ElementKind kind : kinds)
    for (const VtuFlavour flavour :
         {VtuFlavour::ascii, VtuFlavour::base64, VtuFlavour::base64_zlib, VtuFlavour::appended_raw,
          VtuFlavour::appended_base64, VtuFlavour::appended_zlib, VtuFlavour::big_endian})
      files.push_back(vtu_file(body(kind), flavour));
  expect_an_answer(files, "part.vtu", 5000);
}

}  // namespace
}  // namespace livens
