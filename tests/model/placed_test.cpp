// Coordinates of models whose supports move: each view keeps what it shows, whatever is asked in the meantime.
#include <memory>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <livens/model.hpp>

namespace livens {
namespace {

static_assert(std::is_convertible_v<const Placed&, ConstVector>);
static_assert(!std::is_convertible_v<Placed, ConstVector>);  // the view would outlive what it shows

// W = k/2 (q1 - q0)^2
class Pull : public EnergyTerm {
 public:
  explicit Pull(double stiffness) : EnergyTerm("pull"), stiffness_(stiffness) {}
  double energy(double, ConstVector q) const override { return 0.5 * stiffness_ * (q[1] - q[0]) * (q[1] - q[0]); }
  void add_gradient(double, ConstVector q, double scale, Vector g) const override {
    g[1] += scale * stiffness_ * (q[1] - q[0]);
    g[0] -= scale * stiffness_ * (q[1] - q[0]);
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}

 private:
  double stiffness_;
};

// Coordinate 0 moves as `speed` t.
Model driven(double speed, std::vector<std::shared_ptr<const EnergyTerm>> terms) {
  ModelParts parts;
  parts.mass.diagonal = {1, 1};
  parts.terms = std::move(terms);
  Support support{"drive", {0}, {}};
  if (speed != 0)
    support.motion = [speed](double t, Vector x, Vector v) {
      x[0] = speed * t;
      v[0] = speed;
    };
  parts.supports = {support};
  return Model(std::move(parts));
}

// Asks another model before it looks at its own coordinates.
class Nested final : public Pull {
 public:
  explicit Nested(std::shared_ptr<const Model> other) : Pull(1), other_(std::move(other)) {}
  double energy(double t, ConstVector q) const override {
    const std::vector<double> elsewhere = {50, 60};
    const double inner = other_->potential(t, elsewhere);
    return inner + Pull::energy(t, q);
  }

 private:
  std::shared_ptr<const Model> other_;
};

TEST(Placed, TwoViewsStandSideBySide) {
  const Model model = driven(3, {std::make_shared<Pull>(1)});
  const std::vector<double> q = {0, 7};
  const Placed first = model.placed(1, q), second = model.placed(2, q);
  const ConstVector a = first, b = second;
  EXPECT_EQ(a[0], 3);
  EXPECT_EQ(b[0], 6);
  EXPECT_EQ(a[1], 7);
  EXPECT_EQ(a.size(), 2u);
}

TEST(Placed, IsTheGivenVectorWhereNothingMoves) {
  const Model model = driven(0, {std::make_shared<Pull>(1)});
  const std::vector<double> q = {0, 7};
  const Placed same = model.placed(1, q);
  EXPECT_EQ(ConstVector(same).data(), q.data());
}

// At t = 1: the inner model has 1/2 (60 - 10)^2, the outer one 1/2 (7 - 3)^2.
TEST(Placed, ATermMayAskAnotherModel) {
  const auto inner = std::make_shared<const Model>(driven(10, {std::make_shared<Pull>(1)}));
  const Model model = driven(3, {std::make_shared<Nested>(inner), std::make_shared<Pull>(1)});
  const std::vector<double> q = {0, 7};
  EXPECT_EQ(model.potential(1, q), 1250 + 8 + 8);
}

}  // namespace
}  // namespace livens
