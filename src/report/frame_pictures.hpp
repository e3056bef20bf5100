// Pictures of the first, middle and last frame of a recording, for the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <livens/model.hpp>

#include "report/report.hpp"

namespace livens {

// Nothing if the model has no solids or the file no frames. Colours: von Mises stress, or the displacement where no
// material gives a stress.
std::optional<ReportSection> frame_pictures(const Model& model, const std::filesystem::path& frames,
                                            int width = 640);  // pixels of a picture

// The last frame, with the elements coloured by numbers between low and high, the same for every body in the order of
// the model's elements: `values` has those of each body of the model, empty for bodies without.
std::optional<Picture> element_picture(const Model& model, const std::filesystem::path& frames,
                                       const std::vector<std::vector<double>>& values, double low, double high,
                                       int width = 960);
std::vector<std::string> picture_colours();
// Means over the elements around each node.
std::vector<double> at_nodes(const Mesh& mesh, const std::vector<double>& of_elements);

}  // namespace livens
