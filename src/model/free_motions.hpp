// Rigid motions that nothing in a model resists. A potential that falls along one of them for ever has no minimum:
// there is no equilibrium.
#pragma once

#include <string>
#include <vector>

#include <livens/model.hpp>

namespace livens {

struct FreeMotions {
  // "body 'b' against translation along x, y, z and rotation about x, y, z"; bodies of several pieces name the piece.
  std::vector<std::string> texts;
  // Force (N) with which loads push along free translations, or turn solids of linear elasticity, whose energy knows
  // small rotations only (moment over size). Other rotations end where the load hangs below its axis.
  double push = 0;
  std::string text() const;  // all of them
};

// Of the bodies at q: those that leave supports and constraints where they are and meet no stiffness of springs and the
// like. Loads are sampled at some times from t_begin to t_end. Bodies that a contact may yet stop are never pushed.
FreeMotions free_motions(const Model& model, ConstVector q, double t_begin, double t_end);

// Why there is no equilibrium; "" if there may be one.
std::string no_equilibrium(const Model& model, ConstVector q, double t_begin, double t_end);

}  // namespace livens
