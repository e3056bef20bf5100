// The order: the slope of log(error at the end of the span) over log(h), of q and of p.
//
// Up to order 4: over four halvings. Above, errors fall to rounding within a few halvings, so closer step ratios are
// taken and all points between `largest_error` and 100 x the rounding floor count. Which steps are fitted is decided by
// the errors alone, never by the claim: the first window of steps in which the points lie on a line. Errors are those
// at the middle and at the end of the span together, since the error of a single coordinate may change sign there.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include <livens/run.hpp>

#include "laws/measure.hpp"

namespace livens::laws {
namespace {

constexpr double low_tolerance = 0.1, high_tolerance = 0.4;
constexpr double largest_error = 1e-3;  // above, the leading term of the error does not yet rule
constexpr double least_floor = 2e-15;   // rounding of a state of size one over some hundred steps
constexpr double above_floor = 100;
constexpr double straight = 0.08;          // spread of the slopes within a window of halvings
constexpr double straight_decades = 0.02;  // distance of a point from the line, closer ratios
constexpr long most_steps = 1 << 17;
constexpr double step_ratio = 1.08;
constexpr std::size_t least_points = 4;

struct Path {
  State middle, end;
};

struct Reference {
  Path path;
  double floor;  // what methods of order 12 disagree by, or rounding
};

double norm(const std::vector<double>& a) {
  double sum = 0;
  for (const double value : a) sum += value * value;
  return std::sqrt(sum);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return norm(d);
}

using Errors = std::array<double, 2>;  // of q, of p

// Over the size of the reference.
Errors distance(const Path& reference, const Path& b) {
  return {std::hypot(distance(reference.middle.q, b.middle.q), distance(reference.end.q, b.end.q)) /
              std::hypot(norm(reference.middle.q), norm(reference.end.q)),
          std::hypot(distance(reference.middle.p, b.middle.p), distance(reference.end.p, b.end.p)) /
              std::hypot(norm(reference.middle.p), norm(reference.end.p))};
}

std::optional<Path> path_of(const Method& method, const Problem& problem, long steps) {
  const double h = problem.span / static_cast<double>(steps);
  State state = problem.start;
  Path path;
  const auto integrator = method.make(problem.model, h);
  for (const double share : {0.5, 1.0}) {
    const double end = problem.start.t + share * problem.span;
    if (!advance_observed(problem.model, state, *integrator, end, {}).converged) return std::nullopt;
    (share < 1 ? path.middle : path.end) = state;
  }
  return path;
}

// Gauss and Lobatto polynomials of degree 6, at different steps: their common error would have to be a coincidence. Two
// of them may agree by chance, of three the largest difference counts.
Reference make_reference(const Problem& problem) {
  const Method gauss(integrator_records().at("galerkin"), "degree = 6");
  const Method lobatto(integrator_records().at("galerkin"), "degree = 6, quadrature = 'lobatto'");
  const long steps = 6 * std::lround(problem.span / 0.24);
  const auto first = path_of(gauss, problem, steps), second = path_of(lobatto, problem, steps / 3 * 4),
             third = path_of(gauss, problem, steps / 3 * 5);
  if (!first || !second || !third) throw std::runtime_error("no reference solution of " + problem.name);
  double difference = 0;
  for (const auto* other : {&second, &third})
    for (const double error : distance(*first, **other)) difference = std::max(difference, error);
  if (!(difference < 1e-12)) throw std::runtime_error("reference solutions of " + problem.name + " disagree");
  return {*first, std::max(difference, least_floor)};
}

const Reference& reference(const Problem& problem) {
  static std::map<std::string, Reference> made;
  const auto found = made.find(problem.name);
  return found != made.end() ? found->second : made.emplace(problem.name, make_reference(problem)).first->second;
}

struct Point {
  double h;
  Errors error;
};

std::optional<Point> point(const Method& method, const Problem& problem, long steps) {
  const auto path = path_of(method, problem, steps);
  if (!path) return std::nullopt;
  return Point{problem.span / static_cast<double>(steps), distance(reference(problem).path, *path)};
}

double larger(const Point& p) { return std::max(p.error[0], p.error[1]); }
double smaller(const Point& p) { return std::min(p.error[0], p.error[1]); }

struct Fit {
  Errors slope{0, 0};
  double scatter = 0;  // largest distance of a point from its line, in decades
};

Fit fit(const std::vector<Point>& points) {
  Fit result;
  const double n = static_cast<double>(points.size());
  for (std::size_t k = 0; k < 2; ++k) {
    double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
    for (const Point& p : points) x_mean += std::log10(p.h) / n, y_mean += std::log10(p.error[k]) / n;
    for (const Point& p : points) {
      const double x = std::log10(p.h) - x_mean;
      xx += x * x;
      xy += x * (std::log10(p.error[k]) - y_mean);
    }
    result.slope[k] = xy / xx;
    for (const Point& p : points)
      result.scatter = std::max(
          result.scatter, std::abs(std::log10(p.error[k]) - y_mean - result.slope[k] * (std::log10(p.h) - x_mean)));
  }
  return result;
}

double spread_of_slopes(const std::vector<Point>& window) {
  double low = 1e9, high = -1e9;
  for (std::size_t i = 1; i < window.size(); ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const double slope = std::log2(window[i - 1].error[k] / window[i].error[k]);
      low = std::min(low, slope);
      high = std::max(high, slope);
    }
  return high - low;
}

// Five points at h, h/2, ..., h/16, moved towards smaller h until the slopes agree.
std::vector<Point> halvings(const Method& method, const Problem& problem) {
  const double floor = above_floor * reference(problem).floor;
  std::vector<Point> window;
  for (long steps = 2 * std::lround(problem.span * 2); steps <= most_steps; steps *= 2) {
    const auto next = point(method, problem, steps);
    if (!next || larger(*next) > 20 * largest_error) {
      window.clear();
      continue;
    }
    if (smaller(*next) < floor) break;
    window.push_back(*next);
    if (window.size() > 5) window.erase(window.begin());
    if (window.size() == 5 && spread_of_slopes(window) < straight) break;
  }
  return window;
}

// All points between the largest error and the floor; the coarsest go until the rest lies on a line.
std::vector<Point> close_ratios(const Method& method, const Problem& problem) {
  const double floor = above_floor * reference(problem).floor;
  std::vector<Point> points;
  long last = 0;
  for (double wanted = 4; wanted < static_cast<double>(most_steps); wanted *= step_ratio) {
    const long steps = std::max(last + 2, 2 * std::lround(wanted / 2));
    last = steps;
    const auto next = point(method, problem, steps);
    if (!next || larger(*next) > largest_error) {
      points.clear();
      continue;
    }
    if (smaller(*next) < floor) break;
    points.push_back(*next);
  }
  while (points.size() > least_points && fit(points).scatter > straight_decades) points.erase(points.begin());
  return points;
}

std::string describe(const std::vector<Point>& points) {
  if (points.empty()) return "no step gives an error between rounding and " + number_text(largest_error, "%.0e");
  return std::to_string(points.size()) + " steps from h = " + number_text(points.front().h, "%.3g") + " to " +
         number_text(points.back().h, "%.3g") + " s, errors " + number_text(larger(points.front()), "%.1e") + " to " +
         number_text(smaller(points.back()), "%.1e");
}

}  // namespace

LawResult order_law(const Method& method, const Problem& problem, int claimed) {
  LawResult result = result_of(method, problem, "order", std::to_string(claimed));
  const bool low = claimed <= 4;
  const std::vector<Point> points = low ? halvings(method, problem) : close_ratios(method, problem);
  result.detail = describe(points);
  if (points.size() < (low ? 5 : least_points)) {
    result.measured = "too few points";
    return result;
  }
  const Fit line = fit(points);
  const auto away = [&](std::size_t k) { return std::abs(line.slope[k] - claimed); };
  const std::size_t worst = away(0) > away(1) ? 0 : 1;
  result.value = line.slope[worst];
  result.measured = number_text(line.slope[0], "%.2f") + " (q), " + number_text(line.slope[1], "%.2f") + " (p)";
  result.holds = away(worst) <= (low ? low_tolerance : high_tolerance);
  return result;
}

}  // namespace livens::laws
