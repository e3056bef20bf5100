// The binary parts of docs/view_protocol.md.
#pragma once

#include <string>
#include <vector>

#include "draw/drawing.hpp"

namespace livens {

template <class T>
void append_bytes(const T* values, std::size_t count, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}
template <class T>
void append_bytes(const std::vector<T>& values, std::string& bytes) {
  append_bytes(values.data(), values.size(), bytes);
}

// Per drawable the reference positions of its vertices; of surfaces their triangles and edges, padded to 4 bytes.
std::string mesh_bytes(const Drawing& drawing);

// { "rows": R, "columns": [...] } on a line, then float64[C][R].
std::string history_bytes(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                          long first);

}  // namespace livens
