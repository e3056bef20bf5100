// Compression for frames and pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace livens {

std::string gzipped(std::string_view bytes);  // in the gzip format

// Both in the zlib format.
std::string deflated(std::string_view bytes);  // small
// Fast: repeats of one byte and frequent bytes only. Of shuffled floating-point numbers the lower bytes are noise: a
// search for longer repeats takes two to five times as long, and saves a tenth at most (regular meshes) or nothing.
std::string deflated_fast(std::string_view bytes);
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace livens
