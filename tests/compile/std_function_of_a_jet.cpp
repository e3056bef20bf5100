// expect: a jet is not a number: write `using std::cos; cos(x)`, not `std::cos(x)`
#include <cmath>

#include <livens/lagrangian.hpp>

int main() {
  const auto model = livens::mechanical_model<1>({"theta"}, {1.0}, [](auto, const auto& q) {
#ifdef WRONG
    return 1 - std::cos(q[0]);
#else
    using std::cos;
    return 1 - cos(q[0]);
#endif
  });
  return model.size();
}
