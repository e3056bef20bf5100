#include <algorithm>

#include "mesh/files/inflate.hpp"
#include "mesh/files/vtu_writer.hpp"
#include "mesh_files.hpp"

namespace livens {
namespace {

using VtuReader = MeshFiles;

constexpr VtuFlavour flavours[] = {VtuFlavour::ascii,        VtuFlavour::base64,          VtuFlavour::base64_zlib,
                                   VtuFlavour::appended_raw, VtuFlavour::appended_base64, VtuFlavour::appended_zlib,
                                   VtuFlavour::big_endian};

TEST_F(VtuReader, AllFlavoursAndKindsGiveTheMeshBack) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10})
    for (const VtuFlavour flavour : flavours) {
      SCOPED_TRACE(to_string(kind) + " " + std::to_string(static_cast<int>(flavour)));
      const Mesh mesh = small_mesh(kind);
      const Mesh found = read(vtu_file(mesh, flavour), "part.vtu");
      EXPECT_EQ(found.kind, kind);
      EXPECT_EQ(found.X, mesh.X);
      EXPECT_EQ(found.connectivity, mesh.connectivity);
      EXPECT_EQ(found.regions, std::vector<std::string>{"all"});
    }
}

TEST_F(VtuReader, ReadsWhatTheProgramWrites) {
  for (const ElementKind kind : {ElementKind::tri6, ElementKind::tet10}) {
    const Mesh mesh = small_mesh(kind);
    const std::vector<MeshField> fields{{"u", 3, false, std::vector<double>(3 * at(mesh.nodes()), 1.0)}};
    const Mesh found = read(vtu_bytes(mesh, mesh.X, fields), "part.vtu");
    EXPECT_EQ(found.X, mesh.X);
    EXPECT_EQ(found.connectivity, mesh.connectivity);
  }
}

TEST_F(VtuReader, FaultsHaveTheirPlace) {
  Mesh mesh = small_mesh(ElementKind::tet4);
  std::swap(mesh.connectivity[4], mesh.connectivity[5]);
  EXPECT_EQ(refusal(vtu_file(mesh, VtuFlavour::ascii), "part.vtu"),
            "part.vtu:41: tetrahedron 1 is inverted (volume -0.17 m^3): see part.faults.vtu. Left-handed file? "
            "mesh.repair = [\"flip\"]. Otherwise mesh it again.");
  const std::string raw = refusal(vtu_file(mesh, VtuFlavour::appended_raw), "part.vtu");
  EXPECT_TRUE(raw.starts_with("part.vtu: byte ")) << raw;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

TEST_F(VtuReader, RefusalsNameThePlaceAndWhatIsWrong) {
  const Mesh mesh = small_mesh(ElementKind::tet4);
  const std::string text = vtu_file(mesh, VtuFlavour::ascii), raw = vtu_file(mesh, VtuFlavour::appended_raw);
  const std::string packed = vtu_file(mesh, VtuFlavour::base64_zlib);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& file) {
    return refusal(replaced(file, from, to), "part.vtu");
  };
  EXPECT_EQ(refused("UnstructuredGrid", "PolyData", text),
            "part.vtu:2: the file holds 'PolyData'; 'UnstructuredGrid' is read");
  EXPECT_EQ(refused("vtkZLibDataCompressor", "vtkLZ4DataCompressor", packed),
            "part.vtu:2: the data are packed by 'vtkLZ4DataCompressor'; plain data and vtkZLibDataCompressor are read. "
            "Save it without compression.");
  EXPECT_EQ(refused("NumberOfPoints=\"8\"", "NumberOfPoints=\"9\"", text),
            "part.vtu:7: the array 'Points' holds fewer than the 27 numbers announced");
  EXPECT_EQ(refused("NumberOfPoints=\"8\"", "NumberOfPoints=\"100000000\"", text),
            "part.vtu:7: the array 'Points' holds fewer than the 300 000 000 numbers announced");
  EXPECT_EQ(refused("NumberOfPoints=\"8\"", "NumberOfPoints=\"7\"", text),
            "part.vtu:7: the array 'Points' holds more than the 21 numbers announced");
  EXPECT_EQ(refused("NumberOfPoints=\"8\"", "NumberOfPoints=\"1e9\"", raw),
            "part.vtu:5: expected a number for NumberOfPoints, found '1e9'");
  EXPECT_EQ(
      refused("NumberOfPoints=\"8\"", "NumberOfPoints=\"100000000\"", raw),
      "part.vtu: byte 734: the array 'Points' has 192 bytes; 2400000000 are needed for 300 000 000 numbers of type "
      "Float64");
  EXPECT_EQ(refused("NumberOfPoints=\"8\"", "NumberOfPoints=\"99999999999\"", raw),
            "part.vtu:5: NumberOfPoints is 99 999 999 999: too many to be numbered");
  EXPECT_EQ(refused("NumberOfCells=\"6\"", "NumberOfCells=\"\"", raw),
            "part.vtu:5: expected a number for NumberOfCells, found ''");
  EXPECT_EQ(refused("\"connectivity\"", "\"connected\"", text),
            "part.vtu:5: the piece has no array connectivity: is the file complete?");
  EXPECT_EQ(refused("Float64", "Float16", text),
            "part.vtu:7: the array 'Points' has the type 'Float16', which is not read");
  EXPECT_EQ(refused("Int32", "Float32", text), "part.vtu:36: the array 'connectivity' must hold integers, not Float32");
  EXPECT_EQ(refused("\n20\n", "\n19\n", text), "part.vtu:53: cell 4 of type 10 has 3 nodes, not 4");
}

TEST_F(VtuReader, PiecesMayNotShareTheirBytes) {
  BoxSpec spec;
  spec.cells = {5, 5, 5};
  std::string file = vtu_file(box_mesh(spec), VtuFlavour::appended_raw);
  const std::size_t begin = file.find("<Piece N"), end = file.find("</Piece>") + 9;
  const std::string piece = file.substr(begin, end - begin);
  for (int k = 0; k < 10; ++k) file.insert(begin, piece);
  EXPECT_EQ(refusal(file, "part.vtu"), "part.vtu:17: arrays overlap in the file");
}

TEST_F(VtuReader, EveryTruncationIsRefusedOrRead) {
  const Mesh mesh = small_mesh(ElementKind::tri3);
  for (const VtuFlavour flavour : flavours) {
    const std::string whole = vtu_file(mesh, flavour);
    // The last array decides: behind it there are only closing tags.
    const std::size_t needed = flavour == VtuFlavour::appended_raw || flavour == VtuFlavour::appended_base64 ||
                                       flavour == VtuFlavour::appended_zlib
                                   ? whole.find("\n</AppendedData>")
                                   : whole.find("</Cells>") - std::string("</DataArray>\n").size() + 1;
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const std::string text = refusal(whole.substr(0, n), "part.vtu");
      const bool tags_follow = !whole.ends_with("</AppendedData>\n</VTKFile>\n");
      EXPECT_TRUE(n < needed ? text != "read" : text == "read" || tags_follow)
          << static_cast<int>(flavour) << " " << n << ": " << text;
      if (::testing::Test::HasFailure()) return;
    }
  }
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// 60 lines, packed by zlib 1.2 with dynamic and with fixed codes.
std::string packed_lines() {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "node " + std::to_string(i * 7 % 101) + " of the mesh lies at " + std::to_string(i * i) + "\n";
  return text;
}
const std::string dynamic_codes =
    "78da7595416e04310804ef79859f6030c6e6399132d1464a760fbbff57120d3da7e6dc630cd5a6e7fef8385a6f8fcff6ba1dede778deda"
    "f7d7f16cefafd6dfeeffe2a2a29ca21855ed5455a81aa96e5ed94f794c2aeb3c65532a8f3c6dc11bcbbba753d9b3711f54de39f5e2c0a4"
    "0359c14cf3fce6d4c4f2fa90824c761f05b9c0f09c1cd0891464f3b8f0f2ba611c776668b63f2a6b72fc5178037cc6cd31cbf393bb631b"
    "ee717ba666ffceed992be75f9c9f83dfe6fc1ce737e7b7707f707e0bfdf3f21be3f3ea017ac2ab07e8ab168f17f669141fc0ffc1fd11c1"
    "03b251bc7f109cc502295ef02c36686005bc5ca19c62153b34b184ab8a1f80dcb3f800311005c985188982e4be62a8d863a498f01bb45f"
    "abcc6f50418aaa1759d06126f74a47cf218c7ba5d61383ad224e00721679e4a8e045202df4e05522618a55fc2c021c76914917c9cd490e"
    "8117e155ea2116b93eaed7c075fb7b4ebf62455056";
const std::string fixed_codes =
    "7801cbcb4f49553050c84f5328c94855c84d2dce50c8c94c2d56482c5130e0ca03499a63953484481a9a60953581c81a196295b584ca5a"
    "6037d90c226d6c8a55dac814226d628455da18aadbc412bbc3a0769b9a619536833adccc18abb405d4d7e6d803ccd000166438c2cc08aa"
    "df027ba8199a40adb734c4113250d75be208394b98e7b1871c2ce80c0d71842c54bb2176e38d2c6011873d668c8da0ce37c6153550ef1b"
    "e3881b58f099608f1c1313a87e53ecb16362018b3decd1636a0475bf19f6e8313587fadf1c7bf899c1c2cf027bf899c1f45b600f3f7398"
    "fd96d8c3cf1ce67eecc65bc0bc8fdd744b58e8196237dd1216fa464638122f2cfa8c2c712880c5bf31f6f8313484252013631ce91f1682"
    "a6383290112c059be2c841c6b02c6086330b417d618e230f99c232a139aee207169016a63814c08a014b1c21690e2b462c7184a405bc18"
    "c2918f61a59821761b8c0ce05919bb0d4686b052d4c80c475960008b4cec7165646c00f58409f6b832323180068389398ee2041690a638"
    "ca2333980966380a2473981bcc709548305f98e3a82c2c61e16081a34c8287a405f690343684c585a519ae520f562c62973786a706ecf2"
    "26c0e4040062455056";

TEST(Inflate, UnpacksWhatZlibPacked) {
  const std::string text = packed_lines();
  for (const std::string& hex : {dynamic_codes, fixed_codes}) {
    const std::string packed = from_hex(hex);
    std::string unpacked(text.size(), '\0');
    EXPECT_TRUE(inflate_zlib(packed, unpacked));
    EXPECT_EQ(unpacked, text);
    std::string shorter(text.size() - 1, '\0'), longer(text.size() + 1, '\0');
    EXPECT_FALSE(inflate_zlib(packed, shorter));
    EXPECT_FALSE(inflate_zlib(packed, longer));
    for (std::size_t n = 0; n < packed.size(); ++n) EXPECT_FALSE(inflate_zlib(packed.substr(0, n), unpacked));
    for (std::size_t k = 0; k < 8 * packed.size(); ++k) {
      std::string damaged = packed;
      damaged[k / 8] = static_cast<char>(damaged[k / 8] ^ (1 << k % 8));
      EXPECT_TRUE(!inflate_zlib(damaged, unpacked) || unpacked == text) << k;
    }
  }
}

}  // namespace
}  // namespace livens
