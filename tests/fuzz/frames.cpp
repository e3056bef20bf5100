// frames.h5, read as viewer and exports read it. Checksums of headers are not looked at in this build.
#include "draw/drawing.hpp"
#include "files/frames_reader.hpp"
#include "fuzz/fuzz.hpp"
#include "run/finished_run.hpp"

using namespace livens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const FramesFile file(fuzz::file_of(fuzz::text_of(bytes, size), "frames.h5"));
    std::vector<Body> bodies;
    int first = 0;
    for (const FrameBody& recorded : file.bodies()) {
      Body body;
      body.name = recorded.name;
      body.first = first;
      body.nodes = recorded.nodes;
      body.dimension = recorded.dimension;
      body.reference = recorded.reference;
      body.mesh = recorded_mesh(recorded);
      first += body.size();
      bodies.push_back(body);
      for (int frame = 0; frame < std::min(file.frames(), 4); ++frame) {
        fuzz::require(file.positions(recorded, frame).size() == recorded.reference.size());
        for (const std::string& field : recorded.fields) file.values(recorded, field, frame);
      }
    }
    const Drawing drawing = draw(bodies);
    if (!bodies.empty()) drawn_positions(drawing, drawing.reference());
  } catch (const RunError&) {}
  return 0;
}
