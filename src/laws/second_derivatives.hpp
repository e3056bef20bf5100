// Eigenvalues of the second derivatives of a contact, or of their convex stand-in.
#pragma once

#include <vector>

#include <livens/energy.hpp>

namespace livens::laws {

// Layers are for explicit steps and have none.
bool has_discrete_gradient(const EnergyTerm& term);

// Of matrices: the largest entry of any, the least eigenvalue over the largest, how far they are from symmetric, and,
// of convex ones of a barrier, what of them is not along the gradient C1'r1 of the squared gap at the end, where the
// gap is measured.
struct Spectrum {
  double most = 0, least = 0, skew = 0, stray = 0;
  void take(const Spectrum& other);
};

// Of a barrier contact by contact, of others as they add themselves to a matrix. x, y: ends of a step.
Spectrum spectrum(const EnergyTerm& term, const std::vector<double>& x, const std::vector<double>& y, bool convex);

}  // namespace livens::laws
