// Eigenvalues and eigenvectors of dense symmetric matrices, by Eigen. Compiled once: in every file that calls Eigen
// itself they cost some seconds.
#pragma once

#include <Eigen/Core>

namespace livens {

struct SymmetricEigen {
  Eigen::VectorXd values;   // in rising order
  Eigen::MatrixXd vectors;  // one per column
};

// A x = lambda x; only the lower triangle is read.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);
// A x = lambda B x, B positive definite, x'Bx = 1.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
// Of the tridiagonal matrix.
SymmetricEigen tridiagonal_eigen(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& off_diagonal);

}  // namespace livens
