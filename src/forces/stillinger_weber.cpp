// Pairs and triples of Stillinger and Weber, Phys. Rev. B 31, 5262 (1985).
//
//   W = sum over pairs v2(r) + sum over triples v3(r1, r2, theta), theta at the middle particle
//   v2 = A epsilon (B (s/r)^p - (s/r)^q) exp(s/(r - a s))
//   v3 = lambda epsilon (cos theta - cosine)^2 exp(gamma s/(r1 - a s)) exp(gamma s/(r2 - a s))
//
// All derivatives go to 0 at the cut-off a s. Every particle sums the triples that it is in the middle of, and those
// that it is an end of: no two threads write to one place.
#include "forces/interacting.hpp"
#include "forces/pair_term.hpp"
#include "model/part_records.hpp"

namespace livens {
namespace {

class StillingerWeberTerm final : public EnergyTerm {
 public:
  StillingerWeberTerm(std::string name, std::shared_ptr<const NeighbourLists> lists, const StillingerWeber& law,
                      bool periodic)
      : EnergyTerm(std::move(name)), lists_(std::move(lists)), law_(law), periodic_(periodic) {
    range_ = law.a * law.sigma;
  }

  double energy(double, ConstVector q) const override {
    const auto lease = lists_->at(q);
    return sum_over_particles(count(), [&](std::size_t i) {
      double unused[3] = {};
      return in_the_middle(lease, q, i, unused);
    });
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    add_gradient_and_energy(t, q, scale, gradient);
  }
  double add_gradient_and_energy(double, ConstVector q, double scale, Vector gradient) const override {
    const auto lease = lists_->at(q);
    return sum_over_particles(count(), [&](std::size_t i) {
      double g[3] = {};
      const double energy = in_the_middle(lease, q, i, g);
      at_an_end(lease, q, i, g);
      for (std::size_t c = 0; c < 3; ++c) gradient[first(i) + c] += scale * g[c];
      return energy;
    });
  }
  std::string no_hessian() const override {
    return "its equations would need second derivatives of '" + name() +
           "', whose triples change as particles move; use an explicit method: stormer_verlet, symplectic_euler_b, "
           "composition";
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  Invariance invariance() const override { return {true, !periodic_}; }
  bool depends_on_time() const override { return false; }

 private:
  // From one particle to another: direction, length, and the decay exp(gamma s/(r - a s)) with its logarithmic slope.
  struct Arm {
    double n[3], r, decay, slope;
  };

  std::size_t count() const { return lists_->nodes().size(); }
  std::size_t first(std::size_t i) const { return static_cast<std::size_t>(lists_->nodes()[i]); }

  // False beyond the cut-off.
  bool arm(ConstVector q, std::size_t i, std::size_t j, Arm& arm) const {
    double r2 = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      arm.n[c] = lists_->box().nearest(q[first(j) + c] - q[first(i) + c], c);
      r2 += arm.n[c] * arm.n[c];
    }
    if (!(r2 < range_ * range_)) return false;
    arm.r = std::sqrt(r2);
    for (double& n : arm.n) n /= arm.r;
    const double gap = arm.r - range_;
    arm.decay = std::exp(law_.gamma * law_.sigma / gap);
    arm.slope = -law_.gamma * law_.sigma / (gap * gap);
    return true;
  }

  // v2, and its slope by r.
  double pair(double r, double& slope) const {
    const double s = law_.sigma, gap = r - range_, decay = std::exp(s / gap);
    const double repulsion = law_.B * std::pow(s / r, law_.p), attraction = std::pow(s / r, law_.q);
    const double front = law_.A * law_.epsilon * decay;
    const double well = repulsion - attraction;
    slope = front * ((-law_.p * repulsion + law_.q * attraction) / r - well * s / (gap * gap));
    return front * well;
  }

  // v3, and g += its derivative by the place of the end of `end`.
  double triple(const Arm& end, const Arm& other, double* g) const {
    const double cosine = end.n[0] * other.n[0] + end.n[1] * other.n[1] + end.n[2] * other.n[2];
    const double off = cosine - law_.cosine, front = law_.lambda * law_.epsilon * end.decay * other.decay;
    for (std::size_t c = 0; c < 3; ++c)
      g[c] += front * (2 * off * (other.n[c] - cosine * end.n[c]) / end.r + off * off * end.slope * end.n[c]);
    return front * off * off;
  }

  // Half of the pairs of i and the triples with i in the middle; g += their derivatives by x_i, those of pairs whole.
  double in_the_middle(const NeighbourLists::Lease& lease, ConstVector q, std::size_t i, double* g) const {
    double energy = 0;
    const auto near = lease.of(i);
    Arm one, two;
    for (std::size_t a = 0; a < near.size(); ++a) {
      if (!arm(q, i, static_cast<std::size_t>(near[a]), one)) continue;
      double slope = 0;
      energy += 0.5 * pair(one.r, slope);
      for (std::size_t c = 0; c < 3; ++c) g[c] -= slope * one.n[c];
      for (std::size_t b = a + 1; b < near.size(); ++b) {
        if (!arm(q, i, static_cast<std::size_t>(near[b]), two)) continue;
        double ends[3] = {};  // the middle moves against both ends
        energy += triple(one, two, ends);
        triple(two, one, ends);
        for (std::size_t c = 0; c < 3; ++c) g[c] -= ends[c];
      }
    }
    return energy;
  }

  // g += derivatives by x_i of the triples that i is an end of.
  void at_an_end(const NeighbourLists::Lease& lease, ConstVector q, std::size_t i, double* g) const {
    Arm own, other;
    for (const int j : lease.of(i)) {
      const auto middle = static_cast<std::size_t>(j);
      if (!arm(q, middle, i, own)) continue;
      for (const int k : lease.of(middle))
        if (static_cast<std::size_t>(k) != i && arm(q, middle, static_cast<std::size_t>(k), other))
          triple(own, other, g);
    }
  }

  std::shared_ptr<const NeighbourLists> lists_;
  StillingerWeber law_;
  bool periodic_;
  double range_ = 0;
};

}  // namespace

void add(Assembly& assembly, const StillingerWeber& law, const std::string& name) {
  const Record& record = force_records().at("stillinger_weber");
  for (const auto& [key, value] : {std::pair{"epsilon", law.epsilon},
                                   {"sigma", law.sigma},
                                   {"a", law.a},
                                   {"A", law.A},
                                   {"B", law.B},
                                   {"p", law.p},
                                   {"q", law.q},
                                   {"lambda", law.lambda},
                                   {"gamma", law.gamma},
                                   {"cosine", law.cosine}})
    check_range(record, key, value);
  if (law.skin) check_range(record, "skin", *law.skin);
  const double cutoff = law.a * law.sigma;
  InteractingParticles particles;
  try {
    particles = interacting_particles(assembly, law.body, {}, cutoff);
  } catch (const AssemblyError& error) {
    throw AssemblyError(error.key == "cutoff" ? "sigma" : error.key,
                        (error.key == "cutoff" ? "times a, the cut-off " : "") + std::string(error.what()));
  }
  if (particles.dimension != 3) throw AssemblyError("", "acts in three dimensions.");
  const auto lists = std::make_shared<const NeighbourLists>(particles.nodes, particles.group, false, 3, particles.box,
                                                            cutoff, law.skin.value_or(0.12 * cutoff));
  assembly.parts.terms.push_back(std::make_shared<StillingerWeberTerm>(name, lists, law, particles.periodic));
}

ForceRecord stillinger_weber_record() {
  ForceRecord record;
  record.name = "stillinger_weber";
  record.brief = "pairs and triples of Stillinger and Weber (1985) between particles; the defaults are silicon";
  record.citation = "L04 4.1";
  record.parameters = {
      key("body", ValueType::name, "-", "", "body of particles it acts within; default: all particles"),
      positive(number_key("epsilon", "J", "3.4740e-19", "depth of the pair potential")),
      positive(number_key("sigma", "m", "2.0951e-10", "length")),
      bounded(number_key("a", "-", "1.80", "cut-off over sigma"), 1),
      bounded(number_key("A", "-", "7.049556277", "strength of pairs"), 0),
      bounded(number_key("B", "-", "0.6022245584", "repulsion over attraction"), 0),
      bounded(number_key("p", "-", "4", "exponent of the repulsion"), 0),
      bounded(number_key("q", "-", "0", "exponent of the attraction"), 0),
      bounded(number_key("lambda", "-", "21.0", "strength of triples"), 0),
      positive(number_key("gamma", "-", "1.20", "decay of triples")),
      bounded(number_key("cosine", "-", "-1/3", "of the angle without energy"), -1, 1),
      positive(number_key("skin", "m", "0.12 a sigma",
                          "how much further lists of neighbours reach; results do not "
                          "depend on it"))};
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    StillingerWeber law;
    law.body = given_text(s, "body");
    law.epsilon = s.number("epsilon");
    law.sigma = s.number("sigma");
    law.a = s.number("a");
    law.A = s.number("A");
    law.B = s.number("B");
    law.p = s.number("p");
    law.q = s.number("q");
    law.lambda = s.number("lambda");
    law.gamma = s.number("gamma");
    law.cosine = s.number("cosine");
    law.skin = given_number(s, "skin");
    add(assembly, law, name);
  };
  return record;
}

}  // namespace livens
