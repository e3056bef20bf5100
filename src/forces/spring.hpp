// Springs between nodes, W = k/2 e^2 + c/3 e^3 + q/4 e^4 with e = |d| - rest, d = q_j - q_i + shift, and the dashpot of
// K06's strain damping along them, f_j = -kD k (d/|d| . (v_j - v_i)) d/|d|.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/energy.hpp>

namespace livens {

struct SpringLaw {
  double stiffness = 0, cubic = 0, quartic = 0;
};

struct SpringElement {
  int i, j;         // first coordinates of the two nodes
  double rest;      // rest length
  double shift[3];  // added to q_j - q_i: the image of a periodic body
};

// Springs sorted and cut into chunks of nodes, so that chunks can be summed at once, in an order that does not depend
// on the number of threads.
class SpringSet {
 public:
  SpringSet(std::vector<SpringElement> springs, int dimension);

  int dimension() const { return dimension_; }
  bool shifted() const { return shifted_; }
  const std::vector<SpringElement>& springs() const { return springs_; }

  struct Chunk {
    std::size_t inner_begin, inner_end;             // springs with both ends inside
    std::size_t outer_begin, outer_end;             // springs with the second end outside
    std::size_t first_coordinate, last_coordinate;  // it adds to these
    std::size_t outer_offset;                       // of its leaving contributions in their buffer
    std::vector<std::size_t> incoming;              // outer springs of other chunks that end here
  };
  const std::vector<Chunk>& chunks() const { return chunks_; }
  std::size_t outer_count() const { return outer_count_; }

  // Compact arrays for the kernels.
  std::vector<int> i, j;
  std::vector<double> rest;  // one for all if they are equal
  bool uniform_rest = true;
  std::vector<double> shift;  // dimension numbers per spring; empty if none is shifted

 private:
  int dimension_;
  bool shifted_ = false;
  std::vector<SpringElement> springs_;
  std::vector<Chunk> chunks_;
  std::size_t outer_count_ = 0;
};

std::shared_ptr<const EnergyTerm> make_springs(std::string name, std::shared_ptr<const SpringSet> springs,
                                               SpringLaw law);
// The same about a reference shape: e = n.(d - d0) + |d0| - rest with the fixed direction n = d0/|d0|.
std::shared_ptr<const EnergyTerm> make_linearised_springs(std::string name, std::shared_ptr<const SpringSet> springs,
                                                          SpringLaw law, ConstVector reference);
std::shared_ptr<const Force> make_spring_damping(std::string name, std::shared_ptr<const SpringSet> springs,
                                                 double coefficient, DampingForm form);

}  // namespace livens
