#include "view/bytes.hpp"

#include <bit>

#include "view/description.hpp"

namespace livens {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

std::string mesh_bytes(const Drawing& drawing) {
  std::string bytes;
  const std::vector<double> reference = drawing.reference();
  for (const Drawable& drawable : drawing.drawables) {
    append_bytes(drawn_positions(drawing, drawable, reference), bytes);
    if (drawable.kind != Drawable::Kind::surface) continue;
    append_bytes(drawable.triangles, bytes);
    append_bytes(drawable.edges, bytes);
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
  }
  return bytes;
}

std::string history_bytes(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                          long first) {
  ViewJson head = {{"rows", values.empty() ? 0 : values.front().size()}, {"columns", columns}};
  if (first > 0) head["first"] = first;
  std::string bytes = text_of(head) + "\n";
  for (const auto& column : values) append_bytes(column, bytes);
  return bytes;
}

}  // namespace livens
