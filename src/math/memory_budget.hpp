// How much memory may still be taken, asked before something large is allocated.
#pragma once

#include <cstddef>
#include <string>

namespace livens {

// Bytes that this process can still have: what the machine has available, within the limits of its group of processes
// and its own.
std::size_t available_memory();

// "needs about 38.2 GB of memory, and 11.9 GB are available" if that many bytes do not fit; "" if they do.
std::string memory_refusal(double bytes);

// From now on nothing is refused for its size.
void allow_any_size();

}  // namespace livens
