// Programs that are run as such: in a folder of their own, pinned where this one is, one thread.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace peers {

inline bool installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

inline std::filesystem::path folder(const std::string& name) {
  const auto path = std::filesystem::temp_directory_path() / ("livens_peers_" + name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

inline bool run_in(const std::filesystem::path& folder, const std::string& command) {
  return std::system(
             ("cd '" + folder.string() + "' && OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 " + command + " >out.txt 2>&1")
                 .c_str()) == 0;
}

inline std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The number behind the last occurrence of a text.
inline std::optional<double> number_behind(const std::string& all, const std::string& text) {
  const auto at = all.rfind(text);
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(all.c_str() + at + text.size(), nullptr);
}

inline std::string exact(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

}  // namespace peers
