// Clocks on levels: every step is a power of two of one base, step = base 2^-level, at most the limit of its stencil.
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

// limits: the longest step of each stencil; infinite where nothing bounds it.
Levels assign_levels(const StencilSystem& system, std::span<const double> limits);

}  // namespace livens
