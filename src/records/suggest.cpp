#include "records/suggest.hpp"

#include <algorithm>

namespace livens {

int edit_distance(std::string_view a, std::string_view b) {
  // d[i][j]: distance of the first i letters of a and the first j of b; swaps look two rows back.
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
  // Words of one or two letters are all alike; a word much longer than any name is no misspelling, and its table of
  // distances could be large.
  if (word.size() < 3 || word.size() > 64) return "";
  std::string best;
  int best_distance = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

std::string listed(std::span<const std::string> words, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? last : ", ") + words[i];
  return text;
}

std::string suggestion(std::string_view word, std::span<const std::string> known, const std::string& known_as) {
  const std::string near = nearest(word, known);
  if (!near.empty()) return " Did you mean '" + near + "'?";
  return known.empty() ? "" : " " + known_as + " " + listed(known, ", ") + ".";
}

}  // namespace livens
