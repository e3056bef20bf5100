// Numbers as bytes, little-endian, as they are in memory here.
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace livens {

static_assert(std::endian::native == std::endian::little, "files are little-endian: swap bytes here");

template <class T>
void append_bytes(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace livens
