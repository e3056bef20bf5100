#include "files/deflate.hpp"

#include <algorithm>
#include <new>

#include <zlib.h>

namespace livens {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;

constexpr int zlib_window = 15, gzip_window = zlib_window + 16;

std::string compressed(std::string_view bytes, int level, int strategy, int window = zlib_window) {
  constexpr int memory = 8;  // the default of the library
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window, memory, strategy) != Z_OK) throw std::bad_alloc();
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  // The library counts in 32 bits, so large inputs go in pieces; the output may be as large.
  std::size_t taken = 0, written = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in = std::min(bytes.size() - taken, piece), out = std::min(result.size() - written, piece);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + written);
    stream.avail_out = static_cast<uInt>(out);
    status = deflate(&stream, taken + in == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    taken += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::bad_alloc();  // with room for the bound, nothing else can go wrong
  result.resize(written);
  return result;
}

}  // namespace

std::string gzipped(std::string_view bytes) { return compressed(bytes, 6, Z_DEFAULT_STRATEGY, gzip_window); }

std::string deflated(std::string_view bytes) { return compressed(bytes, 6, Z_DEFAULT_STRATEGY); }

std::string deflated_fast(std::string_view bytes) { return compressed(bytes, 1, Z_RLE); }

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace livens
