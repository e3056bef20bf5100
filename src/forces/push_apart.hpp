// Starts that intersect, repaired: bodies that are free to move are pushed apart as they are, without turning them.
#pragma once

#include <livens/assembly.hpp>

#include "contact/contact_barrier.hpp"

namespace livens {

// Moves assembly.q, and notes what it moved; gives up after some rounds, and where both of two bodies are held.
void push_apart(Assembly& assembly, const ContactBarrier& barrier, const std::string& name);

}  // namespace livens
