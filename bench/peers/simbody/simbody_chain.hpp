// The chain in Simbody, in a file of its own: its headers are C++17.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace peers {

class SimbodyChain {
 public:
  // As a tree of pin joints: n links of length 1/n with 1/n kg at their ends, straight and horizontal at the start.
  SimbodyChain(int n, double gravity);
  ~SimbodyChain();

  static constexpr std::array<const char*, 4> methods = {"RungeKuttaMerson", "Verlet", "CPodes (BDF)",
                                                         "CPodes (Adams)"};
  struct Run {
    bool done = false;
    std::vector<double> places;  // x, y of every bead
    double energy_error = 0, seconds = 0;
  };
  Run run(const std::string& method, double accuracy, double end) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace peers
