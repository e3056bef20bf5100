#include "outputs/deflate.hpp"

#include <new>

#include <zlib.h>

namespace livens {

std::string deflated(std::string_view bytes, int level) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level);
  if (status != Z_OK) throw std::bad_alloc();  // with room for the bound, nothing else can go wrong
  result.resize(size);
  return result;
}

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace livens
