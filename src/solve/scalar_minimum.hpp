// The minimum of a function E(x) of one variable by its derivative r alone. Every r(x) is the derivative of such a
// function, its integral, which need not be known: downhill is where r points, and r changes from - to + at a minimum.
#pragma once

#include "solve/problem.hpp"

namespace livens {

// Goes downhill from x, by Newton's steps where E is convex and by ever longer ones where it is not, until r changes
// its sign, and then stays between the two sides: by Newton's method, by bisection where that does not gain. It neither
// stops where |r| is least and not zero, nor at a maximum of E, as the search for a root of r may. Fails with
// no_convergence if E falls without end.
SolveResult minimise_scalar(RootProblem& problem, double& x, const SolverOptions& options);

}  // namespace livens
