// Scenes: read, checked against the records, written and read again. Includes are out of reach: there is no such file.
#include <livens/scene.hpp>

#include "fuzz/fuzz.hpp"
#include "scene/schema.hpp"

using namespace livens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const Scene scene = parse_scene(std::string(fuzz::text_of(bytes, size)), "scene");
    fuzz::require(parse_scene(scene.to_toml(), "again").to_toml() == scene.to_toml());
    validated(scene);
  } catch (const SceneError&) {}
  return 0;
}
