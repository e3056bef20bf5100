// Selections of nodes by their places in the reference shape; sorted.
#pragma once

#include <array>
#include <vector>

#include <livens/mesh.hpp>

namespace livens {

std::vector<int> select_box(const Mesh& mesh, const std::array<double, 3>& min, const std::array<double, 3>& max,
                            double within);
std::vector<int> select_plane(const Mesh& mesh, const std::array<double, 3>& point, const std::array<double, 3>& normal,
                              double within);
std::vector<int> select_sphere(const Mesh& mesh, const std::array<double, 3>& centre, double radius, double within);
std::vector<int> select_nearest(const Mesh& mesh, const std::array<double, 3>& point);
std::vector<int> select_boundary(const Mesh& mesh);

}  // namespace livens
