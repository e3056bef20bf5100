// frames.h5, for whoever shows or exports a run. The layout is in docs/frames.md. What comes out is consistent,
// whatever is in the file: indices lie within their bodies, sizes agree, numbers are finite; all else is a RunError
// that names file and dataset. Frames may be read by several threads.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <livens/energy.hpp>

#include "files/hdf5_reader.hpp"

namespace livens {

struct FrameBody {
  std::string name;
  std::string kind;  // of its elements: tri3, ..., or points
  int nodes = 0, dimension = 0;
  std::vector<double> reference;  // nodes x dimension
  std::vector<int> elements;      // in the order of the mesh; empty for points
  std::vector<int> region;        // of each element, an index of regions
  std::vector<std::string> regions;
  std::vector<int> surface;         // triangles to draw, nodes x 3
  std::vector<std::string> fields;  // recorded besides the displacement
};

class FramesFile {
 public:
  explicit FramesFile(const std::filesystem::path& path);  // throws RunError if it cannot be read

  int frames() const { return static_cast<int>(t_.size()); }
  const std::vector<double>& t() const { return t_; }
  const std::vector<long>& steps() const { return steps_; }
  const std::vector<FrameBody>& bodies() const { return bodies_; }
  const std::vector<Obstacle>& obstacles() const { return obstacles_; }
  // Corners of the box that holds all bodies in all frames: least x y z, largest x y z; empty if there is none.
  const std::vector<double>& box() const { return box_; }

  std::vector<double> positions(const FrameBody& body, int frame) const;  // nodes x dimension
  std::vector<float> values(const FrameBody& body, const std::string& field, int frame) const;

  // Where things are in the file, for the writer that continues it.
  std::uint64_t address(const FrameBody& body, const std::string& dataset) const;
  std::vector<Hdf5Chunk> chunks(const FrameBody& body, const std::string& field) const;

 private:
  void read_times(const Hdf5Object& root);
  const Hdf5Stored& moving(const FrameBody& body, const std::string& field) const;

  Hdf5Reader file_;
  std::vector<double> t_, box_;
  std::vector<long> steps_;
  std::vector<FrameBody> bodies_;
  std::vector<Obstacle> obstacles_;
  std::map<std::string, Hdf5Stored> moving_;  // by path
};

inline constexpr const char* frames_format = "livens.frames";
inline constexpr long frames_version = 1;

}  // namespace livens
