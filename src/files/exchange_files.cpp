#include "files/exchange_files.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "files/bytes.hpp"
#include "mesh/files/xml_text.hpp"

namespace livens {

std::string ply_bytes(std::span<const float> positions, std::span<const int> triangles, const std::string& comment) {
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment {}\nelement vertex {}\nproperty float x\nproperty float y\n"
      "property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      comment, positions.size() / 3, triangles.size() / 3);
  bytes.append(reinterpret_cast<const char*>(positions.data()), positions.size_bytes());
  for (std::size_t f = 0; f + 2 < triangles.size(); f += 3) {
    bytes += '\3';
    bytes.append(reinterpret_cast<const char*>(triangles.data() + f), 3 * sizeof(std::int32_t));
  }
  return bytes;
}

std::string pc2_header(int points, int samples, float first_frame) {
  constexpr std::int32_t version = 1;
  constexpr float frames_a_sample = 1;
  std::string bytes("POINTCACHE2\0", 12);
  append_bytes(bytes, version);
  append_bytes(bytes, static_cast<std::int32_t>(points));
  append_bytes(bytes, first_frame);
  append_bytes(bytes, frames_a_sample);
  append_bytes(bytes, static_cast<std::int32_t>(samples));
  return bytes;
}

void PvdList::add(double t, int part, const std::string& name, const std::string& file) {
  entries_ += fmt::format("    <DataSet timestep=\"{:.17g}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", t, part,
                          escaped(name), escaped(file));
}

std::string PvdList::text() const {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n" + entries_ +
         "  </Collection>\n</VTKFile>\n";
}

}  // namespace livens
