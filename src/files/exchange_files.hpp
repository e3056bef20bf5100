// Bytes of the simple files that other programs open: PLY surfaces, PC2 point caches, PVD lists.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace livens {

// A surface, binary little-endian. positions: 3 numbers per vertex; triangles: 3 vertices each, may be empty.
std::string ply_bytes(std::span<const float> positions, std::span<const int> triangles, const std::string& comment);

// What stands before the frames of a point cache; each of these is 3 float32 a point.
std::string pc2_header(int points, int samples, float first_frame);

// The files of a series with their times, which ParaView opens.
class PvdList {
 public:
  void add(double t, int part, const std::string& name, const std::string& file);
  std::string text() const;

 private:
  std::string entries_;
};

}  // namespace livens
