// Pictures as pixels, and as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace livens {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // rows from the top, not multiplied by the opacity
};

std::string png_bytes(const Image& image);
// An animated PNG of images of one size, which programs without animation show as the first; `seconds` for each, then
// from the start again.
std::string apng_bytes(const std::vector<Image>& images, double seconds);
std::string base64(std::string_view bytes);  // without line ends

}  // namespace livens
