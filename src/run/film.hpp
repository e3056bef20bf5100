// A finished run as pictures: some frames of its recording, drawn by the program itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/image.hpp"

namespace livens {

struct FilmOptions {
  int width = 480;        // pixels
  int frames = 24;        // at most
  std::string field;      // "": von Mises stress where it was recorded, else the displacement
  double exaggerate = 1;  // displacements are drawn this many times as large
};

// Evenly over the run, the first and the last included. Nothing if the run has no frames or nothing to draw.
std::vector<Image> film(const std::filesystem::path& run, const FilmOptions& options);

}  // namespace livens
