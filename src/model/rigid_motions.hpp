// The rigid motions of all pieces of all bodies, as displacements of their coordinates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <livens/model.hpp>

#include "model/subspace.hpp"

namespace livens {

class RigidMotions {
 public:
  // About the positions q, of linear elasticity about the reference shape.
  RigidMotions(const Model& model, ConstVector q);

  std::size_t count() const { return count_; }  // of motions
  // visit(motion, displacement) for every motion of the piece that a coordinate belongs to; rotations are measured in
  // the size of the piece, so that all displacements are alike.
  template <class Visit>
  void for_each(int coordinate, const Visit& visit) const {
    const int place = place_of_[coordinate];
    if (place < 0) return;
    const Place& p = places_[place];
    const Piece& piece = pieces_[p.piece];
    visit(piece.first + p.axis, 1.0);
    if (piece.dimension == 2) visit(piece.first + 2, p.axis == 0 ? -p.arm[1] : p.arm[0]);
    for (std::size_t w = 0; piece.dimension == 3 && w < 3; ++w)
      if (w != p.axis) visit(piece.first + 3 + w, turned(p, w));
  }
  // Whether a motion is a rotation of a body that is not of linear elasticity: turned by the same load for ever it
  // would come back.
  bool returns(std::size_t motion) const { return returns_[motion]; }

  // "body 'b': translation along x and rotation about y", of every piece that the space moves.
  std::vector<std::string> describe(const Subspace& space) const;

 private:
  struct Piece {
    int body = 0, number = 0, of = 1;  // number 1 ... of
    std::size_t first = 0, dimension = 0;
    std::array<double, 3> centre{0, 0, 0};
    double size = 0;
    bool linear = false;
  };
  struct Place {
    std::size_t piece = 0, axis = 0;
    std::array<double, 3> arm{0, 0, 0};  // from the centre, in sizes
  };
  static double turned(const Place& p, std::size_t w);  // component of e_w x arm
  void add_body(const Model& model, int body, ConstVector q, bool linear);
  std::string describe(const Piece& piece, const Subspace& space) const;

  std::vector<std::string> names_;
  std::vector<Piece> pieces_;
  std::vector<Place> places_;
  std::vector<int> place_of_;  // of each coordinate; -1: none
  std::vector<bool> returns_;
  std::size_t count_ = 0;
};

}  // namespace livens
