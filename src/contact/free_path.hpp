// Continuous collision detection: how far points that move along straight lines stay clear of each other, by additive
// advancement (M. Li, D. M. Kaufman, C. Jiang, Codimensional incremental potential contact, 2021) with a floor.
//
// The distance of two sides changes by at most L = max |dx| of one + max |dx| of the other in a unit of time, so that
// an advance by (1 - eta) distance / L leaves eta of the distance: no collision is missed, as long as distances are
// above the floor, 64 roundings of the coordinates.
#pragma once

#include "contact/point3.hpp"

namespace livens {

constexpr double floor_roundings = 64;  // of the coordinates: gaps below them are none

// The points of a pair and what they move.
struct MovingPoint {
  Point3 x, dx;
};

// The part of the way, between 0 and 1, that is free; 1: all of it. 0: they touch at the start, up to the floor.
// thickness: radii, which are part of the distance, m.
double free_fraction_point_point(const MovingPoint& p, const MovingPoint& a, double thickness);
double free_fraction_point_edge(const MovingPoint& p, const MovingPoint& a, const MovingPoint& b, double thickness = 0);
double free_fraction_point_triangle(const MovingPoint& p, const MovingPoint& a, const MovingPoint& b,
                                    const MovingPoint& g, double thickness = 0);
double free_fraction_edge_edge(const MovingPoint& a, const MovingPoint& b, const MovingPoint& g, const MovingPoint& h);
// Of a distance d that changes by change: to a plane.
double free_fraction_line(double d, double change);

}  // namespace livens
