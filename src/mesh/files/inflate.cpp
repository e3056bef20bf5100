#include "mesh/files/inflate.hpp"

#include <algorithm>

#include <zlib.h>

namespace livens {

bool inflate_zlib(std::string_view packed, std::span<char> unpacked) {
  constexpr std::size_t piece = std::size_t{1} << 30;  // zlib counts in 32 bits, so large data go in pieces
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  char beyond = 0;  // zlib wants a place for its output even where none is left
  std::size_t taken = 0, written = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in = std::min(packed.size() - taken, piece), out = std::min(unpacked.size() - written, piece);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out > 0 ? unpacked.data() + written : &beyond);
    stream.avail_out = static_cast<uInt>(out);
    status = inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR where it can neither read nor write on
    taken += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && written == unpacked.size();
}

}  // namespace livens
