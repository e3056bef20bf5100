#include "laws/second_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <Eigen/Eigenvalues>

#include "contact/contact_set.hpp"

namespace livens::laws {
namespace {

class DenseMatrix final : public MatrixSink {
 public:
  explicit DenseMatrix(std::size_t n)
      : values_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n))) {}
  void add_block(std::span<const int> rows, std::span<const int> columns, const double* values) override {
    for (const int row : rows)
      for (const int column : columns) values_(row, column) += *values++;
  }
  BlockAccess blocks(std::span<const int>, int, int) override { throw std::logic_error("dense blocks only"); }
  const Eigen::MatrixXd& values() const { return values_; }

 private:
  Eigen::MatrixXd values_;
};

Spectrum spectrum_of(const Eigen::MatrixXd& H) {
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (H + H.transpose()), Eigen::EigenvaluesOnly).eigenvalues();
  const double size = values.cwiseAbs().maxCoeff();
  if (size == 0) return {};
  if (!std::isfinite(size)) return {size, -1, 0, 0};
  return {size, std::min(0.0, values.minCoeff() / size), (H - H.transpose()).cwiseAbs().maxCoeff() / size, 0};
}

// |H - its part along g| / |H|
double beside(const Eigen::MatrixXd& H, const Eigen::VectorXd& g) {
  return (H - H.trace() / g.squaredNorm() * g * g.transpose()).norm() / H.norm();
}

Spectrum spectrum_of_contacts(const ContactBarrier& barrier, const std::vector<double>& x, const std::vector<double>& y,
                              bool convex) {
  Spectrum all;
  std::vector<double> way(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) way[i] = y[i] - x[i];
  ContactSet set(barrier);
  set.begin(x, way, 0);
  for (const bool stands : {false, true}) {
    stands ? set.stand_at(y) : set.end_at(y);
    for (const Contact& contact : set.contacts()) {
      double matrix[9 * most_contact_points * most_contact_points];
      if (!set.tangent(contact, convex, matrix)) continue;
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::MatrixXd H = Eigen::Map<const Rows>(matrix, 3 * contact.count, 3 * contact.count);
      Spectrum found = spectrum_of(H);
      if (convex && found.most > 0) {
        Eigen::VectorXd g(3 * contact.count);
        for (int i = 0; i < contact.count; ++i)
          g.segment<3>(3 * i) = contact.c1[i] * Eigen::Vector3d(contact.r1.x, contact.r1.y, contact.r1.z);
        found.stray = beside(H, g);
      }
      all.take(found);
    }
  }
  return all;
}

}  // namespace

bool has_discrete_gradient(const EnergyTerm& term) {
  return term.barrier() == nullptr || term.barrier()->form() != BarrierForm::layers;
}

void Spectrum::take(const Spectrum& other) {
  most = std::max(most, other.most);
  least = std::min(least, other.least);
  skew = std::max(skew, other.skew);
  stray = std::max(stray, other.stray);
}

Spectrum spectrum(const EnergyTerm& term, const std::vector<double>& x, const std::vector<double>& y, bool convex) {
  if (term.barrier() != nullptr) return spectrum_of_contacts(*term.barrier(), x, y, convex);
  DenseMatrix matrix(x.size());
  convex ? term.add_convex_hessian(0, x, 1, matrix) : term.add_hessian(0, x, 1, matrix);
  return spectrum_of(matrix.values());
}

}  // namespace livens::laws
