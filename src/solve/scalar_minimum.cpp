#include "solve/scalar_minimum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/newton_tuning.hpp"

namespace livens {
namespace {

using Tuning = NewtonTuning;

constexpr double first_length = 1e-3;  // of x: the first step where E is concave and its slope says nothing
constexpr int most_halvings = 60;      // of a step that leads where E is not defined

class ScalarMinimum {
 public:
  ScalarMinimum(RootProblem& problem, const SolverOptions& options)
      : problem_(problem), options_(options), goal_(std::max(options.tolerance, Tuning::rounding_goal)) {}

  SolveResult from(double& x) {
    const bool found = evaluate(x) ? search(x) : fails(FailureCode::not_finite);
    result_.converged = found;
    result_.residual = std::abs(r_);
    result_.scale = scale_;
    result_.worst_coordinate = 0;
    return result_;
  }

 private:
  bool fails(FailureCode code) {
    result_.code = code;
    return false;
  }

  bool evaluate(double x) {
    ++result_.evaluations;
    return problem_.residual(ConstVector(&x, 1), Vector(&r_, 1), scale_) && std::isfinite(r_);
  }

  double slope_at(double x) {
    double slope = 0;
    problem_.jacobian(ConstVector(&x, 1), Vector(&slope, 1));
    return slope;
  }

  bool search(double& x) {
    for (; result_.iterations < options_.max_iterations; ++result_.iterations) {
      const double slope = slope_at(x);
      if (settled(x, slope)) return true;
      (r_ < 0 ? below_ : above_) = x;
      const double next = next_point(x, slope);
      if (next == x) return small_enough(x, slope) || fails(FailureCode::no_convergence);
      result_.trace.push_back({result_.iterations + 1, std::abs(r_), 0, 1});
      before_ = std::abs(r_);
      length_ = std::abs(next - x);
      if (!move(x, next)) return fails(FailureCode::not_finite);
    }
    return fails(FailureCode::no_convergence);
  }

  // Not at a maximum, where r = 0 as well.
  bool settled(double x, double slope) const {
    if (slope < 0) return false;
    if (std::abs(r_) <= goal_ * scale_) return true;
    const bool stalled = std::abs(r_) > Tuning::stall * before_;
    return stalled && small_enough(x, slope);
  }

  bool small_enough(double x, double slope) const {
    const double size = problem_.size_of_unknowns(ConstVector(&x, 1));
    return std::abs(r_) <= std::max(options_.tolerance, Tuning::default_accept) * scale_ ||
           std::abs(r_) <= Tuning::residual_rounding * Tuning::epsilon * std::abs(slope) * size;
  }

  double next_point(double x, double slope) const {
    const double newton = x - r_ / slope;
    if (std::isfinite(below_) && std::isfinite(above_)) {
      const bool gains = std::abs(r_) < 0.5 * before_;
      if (slope > 0 && gains && newton > below_ && newton < above_) return newton;
      const double middle = below_ + 0.5 * (above_ - below_);
      return middle == below_ || middle == above_ ? x : middle;
    }
    if (slope > 0 && std::isfinite(newton)) return newton;
    const double first = std::max(std::abs(r_ / slope), first_length * std::max(std::abs(x), first_length));
    const double length = length_ > 0 ? 2 * length_ : std::isfinite(first) ? first : first_length;
    return r_ < 0 ? x + length : x - length;
  }

  // To the next point, or as far towards it as E is defined; false if that is nowhere.
  bool move(double& x, double next) {
    for (int k = 0; k < most_halvings && next != x; ++k, next = x + 0.5 * (next - x)) {
      if (evaluate(next)) {
        x = next;
        return true;
      }
      ++result_.cuts;
    }
    evaluate(x);
    return false;
  }

  RootProblem& problem_;
  const SolverOptions& options_;
  double goal_;
  SolveResult result_;
  double r_ = 0, scale_ = 0;
  double before_ = std::numeric_limits<double>::infinity();  // |r| at the point before
  double length_ = 0;                                        // of the last step
  double below_ = std::numeric_limits<double>::quiet_NaN();  // the last point with r < 0, left of
  double above_ = std::numeric_limits<double>::quiet_NaN();  // the last one with r > 0
};

}  // namespace

SolveResult minimise_scalar(RootProblem& problem, double& x, const SolverOptions& options) {
  return ScalarMinimum(problem, options).from(x);
}

}  // namespace livens
