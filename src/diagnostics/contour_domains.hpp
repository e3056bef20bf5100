// Which nodes are inside a contour, what may not be there, and the front of a crack in three dimensions.
#pragma once

#include <string>
#include <vector>

#include "diagnostics/contours.hpp"

namespace livens {

// A crack or another defect: the nodes of its tip, of its front, of a hole, or of an interface of materials.
struct Crack {
  int body = -1;
  std::vector<int> tip;  // nodes, sorted
  std::array<double, 3> direction{};
};

// Why nodes are not the tip of a crack, or the direction is not one of growth; empty if they are.
std::string crack_fault(const Mesh& mesh, const Crack& crack);

// Corners of elements that touch the tip, then of those that touch these, and so on; 0: the nodes of the tip
// alone, without the midsides next to them.
ContourDomain rings_about(const Mesh& mesh, const std::vector<int>& tip, long rings);
// Corners within this distance of a node of the tip.
ContourDomain within_radius(const Mesh& mesh, const std::vector<int>& tip, double radius);
// Corners in a box of the reference shape, its faces included.
ContourDomain within_box(const Mesh& mesh, const std::vector<double>& min, const std::vector<double>& max);

// Why a domain is not valid; empty if it is. It may contain no interface of materials, and no surface through which the
// motion goes, unless they are the defect: all their nodes are the crack's.
std::string interface_inside(const Mesh& mesh, const ContourDomain& domain, const Crack& crack);
bool crosses_surface(const Mesh& mesh, const ContourDomain& domain, const Crack& crack, const DefectMotion& motion);

// Angle in degrees that elements fill around a node of a plane mesh.
double angle_about(const Mesh& mesh, int node);

// A line of corners: the front of a crack, from end to end. Empty if the tip's nodes do not form one.
std::vector<int> front_of(const Mesh& mesh, const std::vector<int>& tip);
// For every node of the front its hat function along the front times the domain, and the integral of the hat.
struct FrontPiece {
  ContourDomain domain;
  double length = 0;
};
std::vector<FrontPiece> front_pieces(const Mesh& mesh, const ContourDomain& domain, const std::vector<int>& front);

}  // namespace livens
