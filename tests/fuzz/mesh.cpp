// Meshes and surfaces of all formats. The last byte chooses repairs and the extension.
#include <livens/meshes.hpp>

#include "fuzz/fuzz.hpp"

using namespace livens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = bytes[size - 1];
  const std::string_view content = fuzz::text_of(bytes, size - 1);
  MeshFileOptions options;
  options.repair = {(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0, (choice & 8) != 0, false};
  options.plane = (choice & 16) != 0;
  try {
    if ((choice & 32) != 0) {
      const Mesh mesh = read_mesh(fuzz::file_of(content, "part.msh"), options);
      for (const int node : mesh.connectivity) fuzz::require(node >= 0 && node < mesh.nodes());
    } else {
      const char* names[] = {"part.obj", "part.stl", "part.ply", "part"};
      read_closed_surface(fuzz::file_of(content, names[choice >> 6]), options.repair);
    }
  } catch (const MeshError&) {}
  return 0;
}
