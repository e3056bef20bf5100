#include <algorithm>
#include <cmath>

#include <livens/affine.hpp>

namespace livens {

double AffineForm::magnitude(std::span<const double> q) const {
  double sum = std::abs(constant);
  for (const auto& [i, weight] : terms) sum += std::abs(weight * q[i]);
  return sum;
}

AffineForm operator-(const AffineForm& a, const AffineForm& b) {
  AffineForm result = a;
  result.constant -= b.constant;
  for (const auto& [i, weight] : b.terms) {
    const auto same =
        std::find_if(result.terms.begin(), result.terms.end(), [&](const auto& t) { return t.first == i; });
    if (same != result.terms.end())
      same->second -= weight;
    else
      result.terms.push_back({i, -weight});
  }
  std::erase_if(result.terms, [](const auto& t) { return t.second == 0; });
  return result;
}

AffinePoint operator-(const AffinePoint& a, const AffinePoint& b) {
  AffinePoint result;
  for (std::size_t c = 0; c < a.size(); ++c) result.push_back(a[c] - b[c]);
  return result;
}

}  // namespace livens
