// livens mesh: what is in a file of elements, or of a surface.
#include <filesystem>

#include <fmt/format.h>

#include "adapt/mesh_description.hpp"
#include "command.hpp"

namespace livens::app {
namespace {

bool is_surface(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".obj" || extension == ".stl" || extension == ".ply";
}

double scale_of(const Arguments& arguments) {
  if (!arguments.has("--scale")) return 1;
  char* end = nullptr;
  const std::string text = arguments.text("--scale");
  const double scale = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(scale > 0)) throw UsageError("--scale needs a positive number");
  return scale;
}

int mesh(const Arguments& arguments) {
  const std::string file = arguments.text("FILE");
  MeshNotes notes;
  std::vector<std::string> lines;
  if (is_surface(file)) {
    Surface surface = read_surface(file, notes);
    for (double& x : surface.X) x *= scale_of(arguments);
    lines = described(surface, file, notes);
  } else {
    MeshFileOptions options;
    options.plane = arguments.has("--plane");
    options.scale = scale_of(arguments);
    lines = described(read_mesh(file, options, notes), notes);
  }
  fmt::print("{}\n", file);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  return done;
}

}  // namespace

Command mesh_command() {
  return {
      "mesh",
      "Say what is in a file of elements, or of a surface",
      "Examples:\n"
      "  livens mesh part.msh                 counts, regions, groups, quality, explicit steps\n"
      "  livens mesh part.inp --scale 0.001   a file in millimetres\n"
      "  livens mesh bunny.obj                whether a surface is closed, and what it holds\n"
      "Gmsh, VTU, VTK, Abaqus and CalculiX (.inp), MEDIT (.mesh); OBJ, STL, PLY. Faults are told with their line, and\n"
      "written to NAME.faults.vtu.",
      {{"FILE", "", "file of a mesh or a surface", true, false},
       {"--scale", "F", "multiply positions", false, false},
       {"--plane", "", "a plane body: take triangles", false, false}},
      mesh};
}

}  // namespace livens::app
