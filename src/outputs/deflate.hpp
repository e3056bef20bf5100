// Compression for frames and pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace livens {

// Both in the zlib format.
std::string deflated(std::string_view bytes);  // small
// Fast: repeats of one byte and frequent bytes only. On shuffled floating-point numbers, whose lower bytes are noise,
// a search for longer repeats costs five times as much and finds none.
std::string deflated_fast(std::string_view bytes);
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace livens
