// Springs and dampers between points of two bodies, each a weighted sum of nodes.
#include <algorithm>
#include <array>
#include <cmath>

#include <livens/forces.hpp>

#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"
#include "forces/spring_law.hpp"
#include "model/part_records.hpp"

namespace livens {
namespace {

// d = b - a as forms, and the coordinates they use.
class Span {
 public:
  Span(const AffinePoint& a, const AffinePoint& b) : forms_(b - a) {
    for (const AffineForm& form : forms_)
      for (const auto& term : form.terms) coordinates.push_back(term.first);
    std::sort(coordinates.begin(), coordinates.end());
    coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
  }
  using Vector3 = std::array<double, 3>;
  Vector3 value(ConstVector q) const {
    Vector3 d{0, 0, 0};
    for (std::size_t c = 0; c < forms_.size(); ++c) d[c] = forms_[c].value(q);
    return d;
  }
  Vector3 rate(ConstVector v) const {
    Vector3 d{0, 0, 0};
    for (std::size_t c = 0; c < forms_.size(); ++c) d[c] = forms_[c].rate(v);
    return d;
  }
  static double length(const Vector3& d) { return std::hypot(d[0], d[1], d[2]); }
  // out += scale * (dd/dq)' by
  void add(const Vector3& by, double scale, Vector out) const {
    for (std::size_t c = 0; c < forms_.size(); ++c)
      for (const auto& [i, weight] : forms_[c].terms) out[i] += scale * weight * by[c];
  }
  // sink += (dd/dq)' K dd/dq
  void add_block(const double (&K)[3][3], bool symmetric, MatrixSink& sink) const {
    const std::size_t n = coordinates.size();
    std::vector<double> block(n * n, 0.0);
    const auto place = [&](int i) {
      return static_cast<std::size_t>(std::lower_bound(coordinates.begin(), coordinates.end(), i) -
                                      coordinates.begin());
    };
    for (std::size_t r = 0; r < forms_.size(); ++r)
      for (std::size_t c = 0; c < forms_.size(); ++c)
        for (const auto& [i, wi] : forms_[r].terms)
          for (const auto& [j, wj] : forms_[c].terms)
            block[place(i) * n + place(j)] += (symmetric ? 0.5 * (K[r][c] + K[c][r]) : K[r][c]) * wi * wj;
    sink.add_block(coordinates, coordinates, block.data());
  }
  std::vector<int> coordinates;

 private:
  AffinePoint forms_;
};

// W = k/2 e^2 + c/3 e^3 + q/4 e^4, e = |b - a| - rest
class JointSpring final : public EnergyTerm {
 public:
  JointSpring(std::string name, const AffinePoint& a, const AffinePoint& b, SpringLaw law, double rest,
              Invariance invariance)
      : EnergyTerm(std::move(name)), link_{{a, b}}, span_(a, b), law_(law), rest_(rest), invariance_(invariance) {}

  std::span<const Link> links() const override { return {&link_, 1}; }
  bool depends_on_time() const override { return false; }
  std::vector<int> coordinates() const override { return span_.coordinates; }

  double energy(double, ConstVector q) const override {
    const double e = Span::length(span_.value(q)) - rest_;
    return e * e * (law_.stiffness / 2 + e * (law_.cubic / 3 + e * law_.quartic / 4));
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    add_discrete_gradient(t, q, q, scale, gradient);
  }
  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    add(q, q, scale, 1, false, sink);
  }
  // Divided difference of W in e, and of e in d.d: 2 dm / (l0 + l1).
  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const override {
    const auto d0 = span_.value(x), d1 = span_.value(y);
    const double l0 = Span::length(d0), l1 = Span::length(d1);
    if (!(l0 + l1 > 0)) return true;  // no direction: a spring of length 0 pulls nowhere
    const double f = mean_slope(law_, l0 - rest_, l1 - rest_) / (l0 + l1);
    span_.add({d0[0] + d1[0], d0[1] + d1[1], d0[2] + d1[2]}, scale * f, gradient);
    return true;
  }
  void add_discrete_hessian(double, ConstVector x, ConstVector y, double scale, bool symmetric,
                            MatrixSink& sink) const override {
    add(x, y, scale, 0.5, symmetric, sink);
  }
  Invariance invariance() const override { return invariance_; }

 private:
  // By the end y of the discrete derivative (share 1/2), or by both ends at once where x = y (share 1).
  void add(ConstVector x, ConstVector y, double scale, double share, bool symmetric, MatrixSink& sink) const {
    const auto d0 = span_.value(x), d1 = span_.value(y);
    const double l0 = Span::length(d0), l1 = Span::length(d1), both = l0 + l1;
    double K[3][3] = {};
    if (both > 0 && l1 > 0) {
      const double f = mean_slope(law_, l0 - rest_, l1 - rest_) / both;
      const double slope = (mean_curvature(law_, l0 - rest_, l1 - rest_) - f) / both;
      for (std::size_t i = 0; i < 3; ++i) {
        K[i][i] += scale * 2 * share * f;
        for (std::size_t j = 0; j < 3; ++j) K[i][j] += scale * 2 * share * slope * (d0[i] + d1[i]) * d1[j] / l1;
      }
    }
    span_.add_block(K, symmetric, sink);
  }

  Link link_;
  Span span_;
  SpringLaw law_;
  double rest_;
  Invariance invariance_;
};

// f_b = -coefficient (n.(v_b - v_a)) n, n = (b - a) / |b - a|, and the opposite at a
class JointDamper final : public Force {
 public:
  JointDamper(std::string name, const AffinePoint& a, const AffinePoint& b, double coefficient, Invariance invariance)
      : Force(std::move(name)), span_(a, b), coefficient_(coefficient), invariance_(invariance) {}

  void add_force(double, ConstVector q, ConstVector v, double scale, Vector force) const override {
    const auto d = span_.value(q), w = span_.rate(v);
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (square > 0) span_.add(d, -scale * coefficient_ * (d[0] * w[0] + d[1] * w[1] + d[2] * w[2]) / square, force);
  }
  // f = -c (d.w) d / d.d
  void add_jacobian(double, ConstVector q, ConstVector v, double by_q, double by_v, MatrixSink& sink) const override {
    const auto d = span_.value(q), w = span_.rate(v);
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], dw = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
    double K[3][3] = {};
    for (std::size_t i = 0; i < 3 && square > 0; ++i) {
      K[i][i] -= by_q * coefficient_ * dw / square;
      for (std::size_t j = 0; j < 3; ++j)
        K[i][j] -= coefficient_ / square * (by_v * d[i] * d[j] + by_q * (d[i] * w[j] - 2 * dw * d[i] * d[j] / square));
    }
    span_.add_block(K, false, sink);
  }
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  bool linear_in_velocity() const override { return true; }
  Invariance invariance() const override { return invariance_; }
  std::vector<int> coordinates() const override { return span_.coordinates; }

 private:
  Span span_;
  double coefficient_;
  Invariance invariance_;
};

struct SpringEnds {
  AffinePoint a, b;
  Invariance invariance;
  double length;  // m, at the start
};

SpringEnds spring_ends(const Assembly& assembly, const std::array<std::string, 2>& bodies,
                       const std::array<Vec3, 2>& places) {
  const auto ends = joint_ends(assembly, bodies);
  const AffinePoint a = point_of(assembly, ends[0], places[0], "ends"),
                    b = point_of(assembly, ends[1], places[1], "ends");
  const bool free = !ends[0].ground() && !ends[1].ground();
  double square = 0;
  for (const AffineForm& form : b - a) square += form.value(assembly.q) * form.value(assembly.q);
  return {a, b, {free, free}, std::sqrt(square)};
}

}  // namespace

void add(Assembly& assembly, const Spring& spring, const std::string& name) {
  const Record& record = force_records().at("spring");
  check_range(record, "stiffness", spring.stiffness);
  if (spring.rest_length) check_range(record, "rest_length", *spring.rest_length);
  const SpringEnds ends = spring_ends(assembly, spring.bodies, spring.ends);
  const SpringLaw law{spring.stiffness, spring.cubic, spring.quartic};
  assembly.parts.terms.push_back(std::make_shared<JointSpring>(
      name, ends.a, ends.b, law, spring.rest_length.value_or(ends.length), ends.invariance));
}

void add(Assembly& assembly, const Damper& damper, const std::string& name) {
  check_range(force_records().at("damper"), "coefficient", damper.coefficient);
  const SpringEnds ends = spring_ends(assembly, damper.bodies, damper.ends);
  assembly.parts.forces.push_back(
      std::make_shared<JointDamper>(name, ends.a, ends.b, damper.coefficient, ends.invariance));
}

ForceRecord damper_record() {
  ForceRecord record;
  record.name = "damper";
  record.brief = "dashpot between points of two bodies: -c times the rate of its length";
  Parameter bodies = bodies_key(), ends = ends_key("its ends at the start, one on each body");
  record.parameters = {bodies, ends,
                       required(bounded(number_key("coefficient", "kg/s", "", "c: force over rate of length"), 0))};
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    const auto connected = bodies_of_joint<2>(s);
    add(assembly, Damper{connected, ends_of_joint<2>(s, assembly), s.number("coefficient")}, name);
  };
  return record;
}

}  // namespace livens
