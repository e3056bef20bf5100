// A solid without a scene: a mesh whose elements have the stress E sym(grad u), an integrator that only counts, and
// samples of prescribed motions.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Dense>

#include <livens/energy.hpp>
#include <livens/meshes.hpp>
#include <livens/observer.hpp>
#include <livens/solid_block.hpp>

namespace livens::testing {

class FakeBlock final : public SolidBlock {
 public:
  static constexpr double stiffness = 200;
  explicit FakeBlock(const SolidPart& part) : SolidBlock(part) {}

  double energy(double, ConstVector) const override { return 0; }
  void add_gradient(double, ConstVector, double, Vector) const override {}
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  Invariance invariance() const override { return {true, true}; }

  void fields(ConstVector q, Vector stress, Vector density) const override {
    for (std::size_t k = 0; k < part().elements.size(); ++k) {
      const Eigen::Matrix3d strain = 0.5 * (gradient(q, k) + gradient(q, k).transpose()) - Eigen::Matrix3d::Identity();
      const double values[] = {strain(0, 0), strain(1, 1), strain(2, 2), strain(0, 1), strain(1, 2), strain(2, 0)};
      for (std::size_t i = 0; i < 6; ++i) stress[6 * k + i] = stiffness * values[i];
      density[k] = 0.5 * stiffness * strain.squaredNorm();
    }
  }
  void volume_ratio(ConstVector q, Vector smallest) const override {
    for (std::size_t k = 0; k < smallest.size(); ++k) smallest[k] = gradient(q, k).determinant();
  }
  double grad_u_squared(ConstVector) const override { return 0; }
  bool survives_inversion() const override { return true; }
  void add_configurational(ConstVector, double, Vector) const override {}
  std::shared_ptr<const SolidBlock> on_mesh(std::shared_ptr<const Mesh> mesh) const override {
    return std::make_shared<FakeBlock>(part_on(std::move(mesh)));
  }
  std::shared_ptr<Force> make_damping(const std::string&, double, DampingForm) const override { return nullptr; }

 private:
  // F of the straight element.
  Eigen::Matrix3d gradient(ConstVector q, std::size_t k) const {
    const Mesh& mesh = *part().mesh;
    const int d = mesh.dimension();
    const int* nodes = mesh.element(part().elements[k]);
    Eigen::MatrixXd reference(d, d), current(d, d);
    for (int a = 0; a < d; ++a)
      for (int i = 0; i < d; ++i) {
        const auto at = [&](int node) { return static_cast<std::size_t>(node * d + i); };
        reference(i, a) = mesh.X[at(nodes[a + 1])] - mesh.X[at(nodes[0])];
        const auto first = static_cast<std::size_t>(part().first);
        current(i, a) = q[first + at(nodes[a + 1])] - q[first + at(nodes[0])];
      }
    Eigen::Matrix3d result = Eigen::Matrix3d::Identity();
    result.topLeftCorner(d, d) = current * reference.inverse();
    return result;
  }
};

// Pushes every node up with one newton.
class FakeContact final : public EnergyTerm {
 public:
  FakeContact(int size, int dimension) : EnergyTerm("contact"), size_(size), dimension_(dimension) {
    Obstacle &ground = obstacles_[0], &ball = obstacles_[1];
    ground.name = "ground";
    ground.point[dimension_ - 1] = -0.1;
    ground.normal[2] = 0;
    ground.normal[dimension_ - 1] = 1;
    ball.name = "ball";
    ball.kind = Obstacle::Kind::sphere;
    ball.radius = 0.25;
  }
  double energy(double, ConstVector) const override { return 0; }
  void add_gradient(double, ConstVector, double scale, Vector gradient) const override {
    for (int i = dimension_ - 1; i < size_; i += dimension_) gradient[i] -= scale;
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  std::span<const Obstacle> obstacles() const override { return obstacles_; }

 private:
  int size_, dimension_;
  std::array<Obstacle, 2> obstacles_;
};

class CountingIntegrator final : public Integrator {
 public:
  StepReport advance(const Model&, State&, double, const OnStep&) override { return {}; }
  void count(long steps) { counters_.steps = steps; }
};

// One body "block" of the mesh with a fake material and a fake contact.
inline Model solid_model(Mesh mesh) {
  ModelParts parts;
  Body body;
  body.name = "block";
  body.dimension = mesh.dimension();
  body.nodes = mesh.nodes();
  body.reference = mesh.X;
  body.mesh = std::make_shared<const Mesh>(std::move(mesh));
  SolidPart part;
  part.name = body.name;
  part.mesh = body.mesh;
  for (int e = 0; e < body.mesh->elements(); ++e) part.elements.push_back(e);
  parts.mass.diagonal.assign(body.size(), 1.0);
  parts.terms = {std::make_shared<FakeBlock>(part), std::make_shared<FakeContact>(body.size(), body.dimension)};
  parts.bodies = {std::move(body)};
  return Model(std::move(parts));
}

// x = X + t A X, v = A X.
inline State affine_state(const Model& model, double t, const Eigen::Matrix3d& a) {
  const Body& body = model.bodies()[0];
  State state;
  state.t = t;
  state.q = body.reference;
  state.v.assign(state.q.size(), 0.0);
  state.p = state.v;
  for (int node = 0; node < body.nodes; ++node)
    for (int i = 0; i < body.dimension; ++i)
      for (int j = 0; j < body.dimension; ++j) {
        const auto at = [&](int k) { return static_cast<std::size_t>(node * body.dimension + k); };
        state.q[at(i)] += t * a(i, j) * body.reference[at(j)];
        state.v[at(i)] += a(i, j) * body.reference[at(j)];
      }
  return state;
}

inline Eigen::Matrix3d stretch_x() {
  Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
  a(0, 0) = 0.1;
  return a;
}

inline Mesh small_box(ElementKind kind = ElementKind::tet4) {
  BoxSpec spec;
  spec.size = {2, 0.5, 0.5};
  spec.cells = {4, 1, 1};
  spec.kind = kind;
  return box_mesh(spec);
}

inline Mesh small_rectangle(ElementKind kind = ElementKind::tri3) {
  RectangleSpec spec;
  spec.size = {2, 0.5};
  spec.cells = {4, 1};
  spec.kind = kind;
  return rectangle_mesh(spec);
}

// Lets an output see steps first ... last of 0.1 s each; what is in the file is then X + t A X.
inline void observe_steps(Observer& output, const Model& model, long first, long last,
                          const Eigen::Matrix3d& a = stretch_x()) {
  CountingIntegrator integrator;
  StepReport report;
  report.h = 0.1;
  for (long step = first; step <= last; ++step) {
    integrator.count(step);
    const State state = affine_state(model, 0.1 * static_cast<double>(step), a);
    if (step == 0)
      output.begin({model, state, StepReport{}, integrator});
    else
      output.observe({model, state, report, integrator});
  }
}

inline void end_at(Observer& output, const Model& model, long step, const Eigen::Matrix3d& a = stretch_x()) {
  CountingIntegrator integrator;
  integrator.count(step);
  const State state = affine_state(model, 0.1 * static_cast<double>(step), a);
  output.end({model, state, StepReport{}, integrator});
}

}  // namespace livens::testing
