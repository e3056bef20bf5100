// Compression for frames and pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace livens {

std::string deflated(std::string_view bytes, int level);  // zlib format; level 1 (fast) to 9 (small)
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace livens
