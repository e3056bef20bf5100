// VTU files, read back by the shortest of readers.
#include <cstdint>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "files/failure_vtu.hpp"
#include "files/fake_solid.hpp"
#include "mesh/files/vtu_grid.hpp"

namespace livens {
namespace {

using namespace testing;

std::string attribute(const std::string& element, const std::string& name) {
  const std::string opening = " " + name + "=\"";
  const std::size_t at = element.find(opening);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + opening.size();
  return element.substr(begin, element.find('"', begin) - begin);
}

struct VtuArray {
  std::string type;
  int components = 1;
  std::string bytes;

  template <class T>
  std::vector<T> values() const {
    std::vector<T> result(bytes.size() / sizeof(T));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};

std::map<std::string, VtuArray> arrays_of(const std::string& vtu) {
  std::map<std::string, VtuArray> arrays;
  const std::string marker = "<AppendedData encoding=\"raw\">\n_";
  const std::size_t data = vtu.find(marker) + marker.size();
  for (std::size_t at = vtu.find("<DataArray"); at < data; at = vtu.find("<DataArray", at + 1)) {
    const std::string element = vtu.substr(at, vtu.find('>', at) - at);
    if (attribute(element, "format") != "appended") continue;
    const std::size_t begin = data + std::stoul(attribute(element, "offset"));
    std::uint64_t size = 0;
    std::memcpy(&size, vtu.data() + begin, sizeof size);
    EXPECT_LE(begin + sizeof size + size, vtu.size());
    const std::string components = attribute(element, "NumberOfComponents");
    arrays[attribute(element, "Name")] = {attribute(element, "type"), components.empty() ? 1 : std::stoi(components),
                                          vtu.substr(begin + sizeof size, size)};
  }
  return arrays;
}

TEST(Vtu, HoldsMeshAndFields) {
  const Mesh mesh = small_box();
  std::vector<double> tags;
  for (int a = 0; a < mesh.nodes(); ++a) tags.push_back(a);
  const MeshField fields[] = {
      {"tag & <more>", 1, false, tags},
      {"stress", 6, true, std::vector<double>(6 * static_cast<std::size_t>(mesh.elements()), 2.5)}};
  const std::string vtu = vtu_bytes(mesh, mesh.X, fields, 1.25);
  const auto arrays = arrays_of(vtu);
  EXPECT_EQ(arrays.at("Points").values<double>(), mesh.X);
  EXPECT_EQ(arrays.at("tag &amp; &lt;more&gt;").values<double>(), tags);
  EXPECT_EQ(arrays.at("stress").components, 6);
  EXPECT_EQ(arrays.at("types").values<std::uint8_t>(),
            std::vector<std::uint8_t>(static_cast<std::size_t>(mesh.elements()), 10));
  EXPECT_EQ(arrays.at("offsets").values<std::int64_t>().back(), 4 * mesh.elements());
  const auto connectivity = arrays.at("connectivity").values<std::int64_t>();
  EXPECT_TRUE(std::equal(connectivity.begin(), connectivity.end(), mesh.connectivity.begin(), mesh.connectivity.end()));
  EXPECT_NE(vtu.find("header_type=\"UInt64\""), std::string::npos);
  EXPECT_NE(vtu.find("NumberOfPoints=\"" + std::to_string(mesh.nodes()) + "\""), std::string::npos);
  EXPECT_NE(vtu.find(">1.25</DataArray>"), std::string::npos);
}

TEST(Vtu, TypesAreThoseOfVtk) {
  const std::pair<Mesh, int> cases[] = {{small_rectangle(), 5},
                                        {small_rectangle(ElementKind::tri6), 22},
                                        {small_box(), 10},
                                        {small_box(ElementKind::tet10), 24}};
  for (const auto& [mesh, type] : cases)
    EXPECT_EQ(arrays_of(vtu_bytes(mesh, mesh.X, {})).at("types").values<std::uint8_t>()[0], type);
}

TEST(Vtu, PlaneMeshesLieInZero) {
  const Mesh mesh = small_rectangle();
  const MeshField velocity{"velocity", 2, false, mesh.X};
  const auto arrays = arrays_of(vtu_bytes(mesh, mesh.X, std::span(&velocity, 1)));
  const auto points = arrays.at("Points").values<double>();
  ASSERT_EQ(points.size(), 3 * mesh.nodes());
  for (std::size_t a = 0; a < points.size() / 3; ++a) {
    EXPECT_EQ(points[3 * a], mesh.X[2 * a]);
    EXPECT_EQ(points[3 * a + 2], 0);
  }
  EXPECT_EQ(arrays.at("velocity").components, 3);
  EXPECT_EQ(arrays.at("velocity").values<double>(), points);
}

TEST(Vtu, ElementsCanBeChosen) {
  const Mesh mesh = small_box();
  const int chosen[] = {2, 5};
  const auto connectivity = arrays_of(vtu_bytes(mesh, mesh.X, {}, 0, chosen)).at("connectivity").values<std::int64_t>();
  ASSERT_EQ(connectivity.size(), 8u);
  EXPECT_EQ(connectivity[0], mesh.element(2)[0]);
  EXPECT_EQ(connectivity[7], mesh.element(5)[3]);
}

TEST(Vtu, PointsAreVertices) {
  VtuGrid grid;
  const double positions[] = {1, 2, 3};
  grid.add_points(1, positions);
  const auto arrays = arrays_of(grid.bytes({}, 0));
  EXPECT_EQ(arrays.at("Points").values<double>(), (std::vector<double>{1, 0, 0, 2, 0, 0, 3, 0, 0}));
  EXPECT_EQ(arrays.at("types").values<std::uint8_t>(), (std::vector<std::uint8_t>{1, 1, 1}));
}

TEST(FailureVtu, MarksTheWorstElementAndTheNodeOfTheLargestResidual) {
  const Model model = solid_model(small_box());
  State state = affine_state(model, 0, stretch_x());
  EXPECT_EQ(worst_element(model, state)->body, "block");
  // Pushes one node through the opposite face of its elements.
  const int node = model.bodies()[0].mesh->element(0)[0];
  state.q[3 * node] += 5;
  state.q[3 * node + 1] += 5;
  const auto worst = worst_element(model, state);
  ASSERT_TRUE(worst.has_value());
  EXPECT_LT(worst->volume_ratio, 0);
  EXPECT_EQ(worst->tag, worst->element + 1);
  const auto arrays = arrays_of(failure_vtu(model, state, 3 * node + 2));
  const auto ratio = arrays.at("volume_ratio").values<double>(), inverted = arrays.at("inverted").values<double>(),
             is_worst = arrays.at("worst").values<double>(), residual = arrays.at("largest_residual").values<double>();
  for (std::size_t e = 0; e < ratio.size(); ++e) {
    EXPECT_EQ(inverted[e], ratio[e] <= 0 ? 1 : 0);
    EXPECT_EQ(is_worst[e], static_cast<int>(e) == worst->element ? 1 : 0);
  }
  EXPECT_EQ(inverted[worst->element], 1);
  for (std::size_t a = 0; a < residual.size(); ++a) EXPECT_EQ(residual[a], static_cast<int>(a) == node ? 1 : 0);
  EXPECT_EQ(node_of(model, state, 3 * node + 2)->node, node);
}

}  // namespace
}  // namespace livens
