// d DB / d q1 of one contact (contact.hpp) by what it makes of changes dx of its points, with X_v = sum_j v_j dx_j:
//
//   dDB_i = c1_i U + D_i V + sum_k C_k,i W_k,   V = f dtheta m - (1 - theta) U,   W_k = f part_k dt_k m,
//   U = k' b_1 du1 m + f { X_c + sum_k part_k dt_k C_k (q0 + q1) + dtheta D (q0 + q1) },   f = k' b[]
//
// (part_k is theta, or 0 where the closest point does not begin to move). Its matrix would have 9 count^2 numbers, all
// of which a product reads. It does not refer to the contact, which may go.
#pragma once

#include "contact/contact.hpp"

namespace livens {

class ContactTangent {
 public:
  // x0, x1: of all points of the surfaces at both ends of the step. False, and without points, if there is nothing.
  bool begin(const Contact& contact, bool symmetric, const Point3* x0, const Point3* x1);
  int count() const { return count_; }
  int point(int i) const { return point_[i]; }
  // y: of the points of the contact, as is dx.
  void multiply(const Point3* dx, Point3* y) const;

 private:
  // The part of edges that are nearly parallel, on a = x_1 - x_0 and b = x_3 - x_2.
  struct Bent {
    Point3 Dc_a, Dc_b, c_a, c_b;  // Dc; dc1
    Point3 a1, b1, am, bm;        // at q1, and of the middle
    double aa = 0, bb = 0, ab = 0;
    Point3 by_c, by_r1;  // dDB = C'm by_c dc1 + 1/2 m[] Dc (by_r1.X_c1) + by_slope dc1 Dc + energy dDc
    double slope = 0, by_slope = 0, energy = 0;
  };

  bool begin_symmetric(const Contact& contact);
  bool begin_plane(const Contact& contact);
  void begin_general(const Contact& contact, const Point3* y0, const Point3* y1);
  void take_parameters(const Contact& contact, const Point3* y0, const Point3* y1);
  void begin_bent(const Contact& contact, const Point3* y0, const Point3* y1);
  void add_bent(const Point3* dx, const Point3& X_c1, Point3& U, Point3* y) const;

  int count_ = 0, parameters_ = 0;
  std::array<int, most_contact_points> point_{};
  bool general_ = false, bent_ = false;
  Coefficients c1_{}, D_{};
  double theta_ = 1, force_ = 0;         // f
  Point3 steep_, r1_, mean_;             // k' b_1 du1 m = steep (r1.X_c1); f m
  std::array<int, 2> plus_{}, minus_{};  // the places of 1 and -1 in C_k
  std::array<Point3, 2> at1_, turned_;   // C_k q1; f part_k C_k (q0 + q1)
  std::array<double, 2> part_{}, by_t_{};
  double inverse_[3] = {0, 0, 0};  // f_tt^-1: 00, 01, 11
  Point3 slid_, by_c0_, by_D_;     // f D (q0 + q1); dtheta = by_c0.X_c0 + by_D.X_D + sum_k by_t_k dt_k
  Bent bend_;
};

}  // namespace livens
