// Orbits: error at the end against time, for Livens, Boost.odeint, SUNDIALS and
// GSL, whichever were found. Kepler (e = 0.6, 50 revolutions), Henon-Heiles (E
// = 1/12, t = 300) and Pleiades (t = 3, seven stars that pass near each other).
// Every program gets the same right side, written by hand and inlined; Livens
// gets the potential as a C++ lambda and differentiates it. Error: largest
// difference of a coordinate from the reference, an extrapolation in long
// double (what halved steps change is printed).
//   taskset -c 0 build/peers/bench_peers_orbits > orbits.csv
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <livens/livens.hpp>

#include "table.hpp"

#ifdef PEERS_ODEINT
#include <boost/numeric/odeint.hpp>
#endif
#ifdef PEERS_SUNDIALS
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif
#ifdef PEERS_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#endif

namespace {

constexpr int rounds = 3;

// ---- problems
// -------------------------------------------------------------------------------------------------------

struct Kepler {
  static constexpr const char* name = "kepler";
  static constexpr std::size_t n = 2;
  static constexpr double end = 50 * 2 * 3.14159265358979323846, step = 0.1;
  static constexpr std::array<double, n> q = {0.4, 0}, v = {0, 2}, mass = {1, 1};
  template <class T>
  static void acceleration(const T* x, T* a) {
    const T r2 = x[0] * x[0] + x[1] * x[1], f = 1 / (r2 * std::sqrt(r2));
    a[0] = -f * x[0];
    a[1] = -f * x[1];
  }
  template <class Q>
  static auto potential(const Q& x) {
    using std::sqrt;
    return -1.0 / sqrt(x[0] * x[0] + x[1] * x[1]);
  }
};

struct HenonHeiles {
  static constexpr const char* name = "henon_heiles";
  static constexpr std::size_t n = 2;
  static constexpr double end = 300, step = 0.5;
  static constexpr std::array<double, n> q = {0.1, 0.2}, v = {0.3, 0.1}, mass = {1, 1};
  template <class T>
  static void acceleration(const T* x, T* a) {
    a[0] = -x[0] - 2 * x[0] * x[1];
    a[1] = -x[1] - x[0] * x[0] + x[1] * x[1];
  }
  template <class Q>
  static auto potential(const Q& x) {
    return 0.5 * (x[0] * x[0] + x[1] * x[1]) + x[0] * x[0] * x[1] - x[1] * x[1] * x[1] / 3.0;
  }
};

// Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.10; x,
// then y.
struct Pleiades {
  static constexpr const char* name = "pleiades";
  static constexpr std::size_t n = 14, stars = 7;
  static constexpr double end = 3, step = 0.01;
  static constexpr std::array<double, n> q = {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4},
                                         v = {0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0},
                                         mass = {1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7};
  template <class T>
  static void acceleration(const T* x, T* a) {
    const T* y = x + stars;
    for (std::size_t i = 0; i < n; ++i) a[i] = 0;
    for (std::size_t i = 0; i < stars; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const T dx = x[i] - x[j], dy = y[i] - y[j], r2 = dx * dx + dy * dy, f = 1 / (r2 * std::sqrt(r2));
        a[i] -= static_cast<T>(j + 1) * f * dx;
        a[stars + i] -= static_cast<T>(j + 1) * f * dy;
        a[j] += static_cast<T>(i + 1) * f * dx;
        a[stars + j] += static_cast<T>(i + 1) * f * dy;
      }
  }
  template <class Q>
  static auto potential(const Q& x) {
    using std::sqrt;
    auto W = 0.0 * x[0];
    for (std::size_t i = 0; i < stars; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const auto dx = x[i] - x[j], dy = x[stars + i] - x[stars + j];
        W -= static_cast<double>((i + 1) * (j + 1)) / sqrt(dx * dx + dy * dy);
      }
    return W;
  }
};

template <class P, class T>
void right_side(const T* y, T* dy) {
  for (std::size_t i = 0; i < P::n; ++i) dy[i] = y[P::n + i];
  P::acceleration(y, dy + P::n);
}

template <class P>
std::array<double, 2 * P::n> start() {
  std::array<double, 2 * P::n> y;
  for (std::size_t i = 0; i < P::n; ++i) {
    y[i] = P::q[i];
    y[P::n + i] = P::v[i];
  }
  return y;
}

template <class P>
double energy(const double* y) {
  std::array<double, P::n> x;
  std::copy_n(y, P::n, x.begin());
  double sum = P::potential(x);
  for (std::size_t i = 0; i < P::n; ++i) sum += 0.5 * P::mass[i] * y[P::n + i] * y[P::n + i];
  return sum;
}

// ---- reference
// ------------------------------------------------------------------------------------------------------

template <class P>
using Long = std::array<long double, 2 * P::n>;

// The midpoint sequence of Gragg with an even number of parts, smoothed.
template <class P>
Long<P> gragg(const Long<P>& y, long double H, std::size_t parts) {
  const long double h = H / static_cast<long double>(parts);
  Long<P> before = y, now, slope;
  right_side<P>(y.data(), slope.data());
  for (std::size_t i = 0; i < y.size(); ++i) now[i] = y[i] + h * slope[i];
  for (std::size_t m = 1; m < parts; ++m) {
    right_side<P>(now.data(), slope.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double next = before[i] + 2 * h * slope[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  right_side<P>(now.data(), slope.data());
  for (std::size_t i = 0; i < y.size(); ++i) now[i] = (now[i] + before[i] + h * slope[i]) / 2;
  return now;
}

// Extrapolation in h^2 of ten such sequences of 2, 4, ... 20 parts: order 20.
template <class P>
std::array<double, 2 * P::n> extrapolated(long steps) {
  using Y = Long<P>;
  constexpr std::size_t columns = 10;
  Y y;
  const auto from = start<P>();
  std::copy(from.begin(), from.end(), y.begin());
  const long double H = static_cast<long double>(P::end) / static_cast<long double>(steps);
  for (long k = 0; k < steps; ++k) {
    std::array<Y, columns> before, row;  // of Aitken and Neville's triangle
    for (std::size_t j = 0; j < columns; ++j) {
      row[0] = gragg<P>(y, H, 2 * (j + 1));
      for (std::size_t m = 1; m <= j; ++m) {
        const long double ratio = static_cast<long double>(j + 1) / static_cast<long double>(j + 1 - m);
        for (std::size_t i = 0; i < y.size(); ++i)
          row[m][i] = row[m - 1][i] + (row[m - 1][i] - before[m - 1][i]) / (ratio * ratio - 1);
      }
      before = row;
    }
    y = row[columns - 1];
  }
  std::array<double, 2 * P::n> result;
  std::copy(y.begin(), y.end(), result.begin());
  return result;
}

// ---- measurement
// ----------------------------------------------------------------------------------------------------

template <class P>
class Measure {
 public:
  using Y = std::array<double, 2 * P::n>;

  // solve(y): from the start to the end.
  template <class Solve>
  void operator()(const char* program, const std::string& method, double setting, const Solve& solve) const {
    Y y = start<P>();
    if (!solve(y)) return;  // gave up
    double error = 0;
    for (std::size_t i = 0; i < P::n; ++i) error = std::max(error, std::abs(y[i] - reference_[i]));
    const double E = energy<P>(start<P>().data());
    const double energy_error = std::abs(energy<P>(y.data()) - E) / std::abs(E);
    const double seconds = peers::best_seconds(rounds, [&] {
      Y again = start<P>();
      solve(again);
      return again[0];
    });
    peers::print_row(P::name, program, method, setting, error, energy_error, seconds);
  }

  Measure() {
    // Until halved steps no longer come closer: that is rounding.
    long steps = std::lround(P::end / (4 * P::step));
    double least = 1e300;
    Y coarse = extrapolated<P>(steps);
    for (int k = 0; k < 7 && least > 1e-15; ++k) {
      const Y fine = extrapolated<P>(steps *= 2);
      double difference = 0;
      for (std::size_t i = 0; i < P::n; ++i) difference = std::max(difference, std::abs(coarse[i] - fine[i]));
      coarse = fine;
      if (difference < least) reference_ = fine;
      least = std::min(least, difference);
    }
    std::fprintf(stderr, "%s: halved steps change the reference by %.1e\n", P::name, least);
  }

 private:
  Y reference_;
};

// ---- programs
// -------------------------------------------------------------------------------------------------------

// Steps of half the length, again and again, from `from` times the step of the
// problem.
template <class Each>
void halve(double from, int times, const Each& each) {
  for (int k = 0; k < times; ++k) each(from / (1 << k));
}

template <class Each>
void tolerances(const Each& each) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14}) each(tolerance);
}

std::string text(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

template <class P>
void livens_methods(const Measure<P>& measure) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < P::n; ++i) names.push_back("q" + std::to_string(i));
  const auto model = livens::mechanical_model<static_cast<int>(P::n)>(
      names, std::vector<double>(P::mass.begin(), P::mass.end()), [](const auto& q) { return P::potential(q); });
  const auto solve = [&](const std::string& integrator) {
    return [&model, integrator](auto& y) {
      livens::State state = livens::make_state(model, 0, {y.begin(), y.begin() + P::n}, {y.begin() + P::n, y.end()});
      auto made = livens::make_integrator(integrator, model);
      const auto report = made->advance(model, state, P::end);
      // Whole steps pass the end where they choose their lengths; the others
      // are within rounding of it.
      if (std::abs(state.t - P::end) > 1e-9) made->apply_step(model, state, P::end - state.t);
      std::copy(state.q.begin(), state.q.end(), y.begin());
      std::copy(state.v.begin(), state.v.end(), y.begin() + P::n);
      return report.converged;
    };
  };
  const auto step = [](double part) { return P::end / std::ceil(P::end / (part * P::step)); };
  const auto fixed = [&](const char* method, const std::string& settings, double from, int times) {
    halve(from, times, [&](double part) {
      const double h = step(part);
      measure("livens", method, h, solve(settings + ", step = " + text(h)));
    });
  };
  fixed("stormer_verlet", "kind = 'stormer_verlet'", 0.5, 8);
  fixed("composition order 4", "kind = 'composition'", 2, 8);
  fixed("composition order 6", "kind = 'composition', order = 6", 4, 7);
  fixed("composition order 8", "kind = 'composition', order = 8", 8, 8);
  fixed("galerkin degree 4", "kind = 'galerkin', degree = 4", 4, 5);
  tolerances([&](double tolerance) {
    measure("livens", "dormand_prince 5(4)", tolerance,
            solve("kind = 'dormand_prince', accuracy = " + text(tolerance)));
  });
}

#ifdef PEERS_ODEINT
template <class P>
void odeint_methods(const Measure<P>& measure) {
  namespace od = boost::numeric::odeint;
  using Y = std::array<double, 2 * P::n>;
  using Half = std::array<double, P::n>;
  const auto f = [](const Y& y, Y& dy, double) { right_side<P>(y.data(), dy.data()); };
  const auto of_q = [](const Half& q, Half& a) { P::acceleration(q.data(), a.data()); };
  const auto steps_of = [](double part) { return static_cast<std::size_t>(std::ceil(P::end / (part * P::step))); };
  const auto halves = [](const Y& y) {
    std::pair<Half, Half> qv;
    std::copy_n(y.begin(), P::n, qv.first.begin());
    std::copy_n(y.begin() + P::n, P::n, qv.second.begin());
    return qv;
  };
  const auto whole = [](const std::pair<Half, Half>& qv, Y& y) {
    std::copy(qv.second.begin(), qv.second.end(), std::copy(qv.first.begin(), qv.first.end(), y.begin()));
  };
  halve(0.5, 8, [&](double part) {
    const std::size_t n = steps_of(part);
    measure("odeint", "velocity_verlet", P::end / static_cast<double>(n), [&](Y& y) {
      auto qv = halves(y);
      od::velocity_verlet<Half> stepper;
      const auto acceleration = [&](const Half& q, const Half&, Half& a, double) { of_q(q, a); };
      od::integrate_n_steps(stepper, acceleration, std::make_pair(std::ref(qv.first), std::ref(qv.second)), 0.0,
                            P::end / static_cast<double>(n), n);
      whole(qv, y);
      return true;
    });
  });
  halve(2, 8, [&](double part) {
    const std::size_t n = steps_of(part);
    measure("odeint", "symplectic_rkn_sb3a_mclachlan", P::end / static_cast<double>(n), [&](Y& y) {
      auto qv = halves(y);
      od::symplectic_rkn_sb3a_mclachlan<Half> stepper;
      od::integrate_n_steps(stepper, of_q, std::make_pair(std::ref(qv.first), std::ref(qv.second)), 0.0,
                            P::end / static_cast<double>(n), n);
      whole(qv, y);
      return true;
    });
  });
  tolerances([&](double tolerance) {
    const auto adaptive = [&](const char* method, auto make) {
      measure("odeint", method, tolerance, [&](Y& y) {
        od::integrate_adaptive(make(), f, y, 0.0, P::end, 1e-3);
        return true;
      });
    };
    adaptive("dopri5", [&] { return od::make_controlled<od::runge_kutta_dopri5<Y>>(tolerance, tolerance); });
    adaptive("fehlberg78", [&] { return od::make_controlled<od::runge_kutta_fehlberg78<Y>>(tolerance, tolerance); });
    adaptive("bulirsch_stoer", [&] { return od::bulirsch_stoer<Y>(tolerance, tolerance, 1.0, 1.0); });
  });
}
#endif

#ifdef PEERS_SUNDIALS
template <class P>
int sundials_right_side(realtype, N_Vector y, N_Vector dy, void*) {
  right_side<P>(N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
  return 0;
}

template <class P>
void sundials_methods(const Measure<P>& measure) {
  using Y = std::array<double, 2 * P::n>;
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  const auto adaptive = [&](double tolerance, ARKODE_ERKTableID table) {
    return [&, tolerance, table](Y& y) {
      N_Vector at = N_VMake_Serial(2 * P::n, y.data(), context);
      void* memory = ERKStepCreate(sundials_right_side<P>, 0, at, context);
      ERKStepSetTableNum(memory, table);
      ERKStepSStolerances(memory, tolerance, tolerance);
      ERKStepSetMaxNumSteps(memory, 100'000'000);
      ERKStepSetStopTime(memory, P::end);
      realtype t = 0;
      const int flag = ERKStepEvolve(memory, P::end, at, &t, ARK_NORMAL);
      ERKStepFree(&memory);
      N_VDestroy(at);
      return flag >= 0;
    };
  };
  const auto multistep = [&](double tolerance) {
    return [&, tolerance](Y& y) {
      N_Vector at = N_VMake_Serial(2 * P::n, y.data(), context);
      void* memory = CVodeCreate(CV_ADAMS, context);
      CVodeInit(memory, sundials_right_side<P>, 0, at);
      CVodeSStolerances(memory, tolerance, tolerance);
      CVodeSetMaxNumSteps(memory, 100'000'000);
      CVodeSetStopTime(memory, P::end);
      SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(at, 0, context);
      CVodeSetNonlinearSolver(memory, solver);
      realtype t = 0;
      const int flag = CVode(memory, P::end, at, &t, CV_NORMAL);
      SUNNonlinSolFree(solver);
      CVodeFree(&memory);
      N_VDestroy(at);
      return flag >= 0;
    };
  };
  tolerances([&](double tolerance) {
    measure("sundials", "ARKODE dormand_prince 5(4)", tolerance, adaptive(tolerance, ARKODE_DORMAND_PRINCE_7_4_5));
    measure("sundials", "ARKODE fehlberg 8(7)", tolerance, adaptive(tolerance, ARKODE_FEHLBERG_13_7_8));
    measure("sundials", "CVODE adams", tolerance, multistep(tolerance));
  });
  SUNContext_Free(&context);
}
#endif

#ifdef PEERS_GSL
template <class P>
void gsl_methods(const Measure<P>& measure) {
  using Y = std::array<double, 2 * P::n>;
  gsl_set_error_handler_off();
  gsl_odeiv2_system system{[](double, const double* y, double* dy, void*) {
                             right_side<P>(y, dy);
                             return static_cast<int>(GSL_SUCCESS);
                           },
                           nullptr, 2 * P::n, nullptr};
  tolerances([&](double tolerance) {
    measure("gsl", "rk8pd", tolerance, [&](Y& y) {
      gsl_odeiv2_driver* driver =
          gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, tolerance, tolerance);
      double t = 0;
      const int status = gsl_odeiv2_driver_apply(driver, &t, P::end, y.data());
      gsl_odeiv2_driver_free(driver);
      return status == GSL_SUCCESS;
    });
  });
}
#endif

template <class P>
void compare() {
  const Measure<P> measure;
  livens_methods(measure);
#ifdef PEERS_ODEINT
  odeint_methods(measure);
#endif
#ifdef PEERS_SUNDIALS
  sundials_methods(measure);
#endif
#ifdef PEERS_GSL
  gsl_methods(measure);
#endif
}

}  // namespace

// With a name: that problem alone.
int main(int argc, char** argv) {
  peers::print_header();
  const std::string only = argc > 1 ? argv[1] : "";
  if (only.empty() || only == Kepler::name) compare<Kepler>();
  if (only.empty() || only == HenonHeiles::name) compare<HenonHeiles>();
  if (only.empty() || only == Pleiades::name) compare<Pleiades>();
  return 0;
}
