// Clocks on levels: every step is a power of two of one base, step = base 2^-level, at most the limit of its stencil.
//
// Two levels, stiffness S with steps H and F with h = H/2, in units of mass: over H the motion is
//   q+ + q- = 2 (2 C^2 - 1) q - 2 H h C S q,   C = 1 - h^2 F/2,
// which is stable, without any resonance, if C > 0 and H^2 S <= 4 C, that is
//   H^2 S + 2 h^2 F <= 4.                                                                                       (1)
// Where C < 0, h omega > sqrt(2), a fast mode answers the slow kicks with the wrong sign, and with any slow mode of the
// same cosine it grows. Given limits tau with sum tau_e^2 K_e <= 4, (1) asks for h <= tau / sqrt(2) beside a coarser
// level. Modes that go faster than that farther inside a finer level fall off from layer to layer of the elements in
// between; how far they may reach decides the factor. Hence the rules, within `buffer` layers of elements around each
// stencil:
//   no two levels are more than one apart; whoever has a coarser level there has a step below tau / interface.
// Stencils go to a finer level until they hold. bench/asynchronous_resonance.cpp measures one layer and 1.6 to be
// enough.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "asynchronous/stencil_system.hpp"

namespace livens {

struct Levels {
  double base = 0;                  // s; the step of level 0, the longest
  std::vector<std::uint8_t> level;  // of each stencil

  double step(int stencil) const { return std::ldexp(base, -level[stencil]); }
};

struct LevelRules {
  int buffer = 1;          // layers; 0: steps are rounded down, no more
  double interface = 1.6;  // limit over step at least, beside a coarser level; sqrt(2) by (1)
};

// limits: the longest step of each stencil; infinite where nothing bounds it.
Levels assign_levels(const StencilSystem& system, std::span<const double> limits, const LevelRules& rules = {});

// The largest over the stencils within so many layers: sharing a node is one.
void spread_largest(const StencilSystem& system, int layers, std::vector<double>& values);

}  // namespace livens
