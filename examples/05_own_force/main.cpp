// A force of your own: a potential with its gradient and second derivatives, registered under a name, so that scenes
// can use it. The well W = k/4 (|x|^2 - r^2)^2 holds every particle near a sphere.
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>

namespace {

class SphericalWell final : public livens::EnergyTerm {
 public:
  SphericalWell(std::string name, double stiffness, double radius, int nodes)
      : EnergyTerm(std::move(name)), k_(stiffness), r_(radius), nodes_(nodes) {}

  double energy(double, livens::ConstVector q) const override {
    double sum = 0;
    for (int a = 0; a < nodes_; ++a) sum += k_ / 4 * depth(q, a) * depth(q, a);
    return sum;
  }
  // dW/dx = k (|x|^2 - r^2) x
  void add_gradient(double, livens::ConstVector q, double scale, livens::Vector gradient) const override {
    for (int a = 0; a < nodes_; ++a)
      for (int c = 0; c < 3; ++c) gradient[3 * a + c] += scale * k_ * depth(q, a) * q[3 * a + c];
  }
  // d2W/dx2 = k (|x|^2 - r^2) 1 + 2 k x x'
  void add_hessian(double, livens::ConstVector q, double scale, livens::MatrixSink& sink) const override {
    for (int a = 0; a < nodes_; ++a) {
      double block[9];
      const int rows[3] = {3 * a, 3 * a + 1, 3 * a + 2};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          block[3 * i + j] = scale * k_ * ((i == j ? depth(q, a) : 0) + 2 * q[rows[i]] * q[rows[j]]);
      sink.add_block(rows, rows, block);
    }
  }
  // It keeps the angular momentum about the origin, and no other.
  livens::Invariance invariance() const override { return {false, true}; }

 private:
  double depth(livens::ConstVector q, int a) const {
    return q[3 * a] * q[3 * a] + q[3 * a + 1] * q[3 * a + 1] + q[3 * a + 2] * q[3 * a + 2] - r_ * r_;
  }
  double k_, r_;
  int nodes_;
};

livens::ForceRecord spherical_well_record() {
  livens::ForceRecord record;
  record.name = "spherical_well";
  record.brief = "holds particles near a sphere about the origin";
  record.parameters = {livens::required(livens::positive(livens::number_key("stiffness", "N/m^3", "", "k"))),
                       livens::positive(livens::number_key("radius", "m", "1", "of the sphere"))};
  record.add = [](const livens::Settings& s, const std::string& name, livens::Assembly& assembly) {
    const livens::Body& body = assembly.parts.bodies.front();
    if (body.dimension != 3) throw livens::AssemblyError("", "is for particles in space");
    add(assembly, std::shared_ptr<const livens::EnergyTerm>(
                      std::make_shared<SphericalWell>(name, s.number("stiffness"), s.number("radius"), body.nodes)));
  };
  return record;
}

}  // namespace

int main() {
  livens::force_records().add(spherical_well_record());
  livens::Setup setup = livens::make_setup(livens::parse_scene(R"toml(
    time       = { end = 20 }
    integrator = { kind = "implicit_midpoint", step = 0.02 }

    [[body]]
    name    = "bead"
    kind    = "particles"
    mass    = 1
    layout  = { kind = "points", points = [[1, 0, 0]] }
    initial = { velocities = [[0, 0.8, 0.3]] }

    [[force]]
    kind      = "spherical_well"
    stiffness = 50
  )toml"));
  livens::State state = setup.start;
  const livens::Momenta before = livens::momenta(*setup.model, state.q, state.p);
  const livens::StepReport report = setup.integrator->advance(*setup.model, state, setup.plan.t_end);
  const livens::Momenta after = livens::momenta(*setup.model, state.q, state.p);
  double drift = 0;
  for (int c = 0; c < 3; ++c) drift = std::max(drift, std::abs(after.angular[c] - before.angular[c]));
  std::printf("after %g s at distance %.4f m: angular momentum changed by %.1e\n", state.t,
              std::hypot(state.q[0], state.q[1], state.q[2]), drift);
  return report.converged && drift < 1e-10 ? 0 : 1;
}
