// Unpacks zlib data (RFC 1950, RFC 1951) of known unpacked size.
#pragma once

#include <span>
#include <string_view>

namespace livens {

// Deflate packs no more than 258 bytes into two bits.
inline constexpr std::size_t most_inflation = 1032;

// False unless the data unpack to exactly that many bytes and their checksum is right.
bool inflate_zlib(std::string_view packed, std::span<char> unpacked);

}  // namespace livens
