// MUMPS, a multifrontal direct solver, sequential, ordered by METIS.
// P. R. Amestoy, I. S. Duff, J. Koster, J.-Y. L'Excellent, SIAM J. Matrix Anal. Appl. 23 (2001).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <string>

#include <dmumps_c.h>
#include <metis.h>

#include "solve/linear_solver.hpp"

extern "C" {
void openblas_set_num_threads(int count);
// Not there where OpenBLAS was built for one processor.
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
}

namespace livens {
namespace {

// MUMPS keeps state of its own between calls: one call at a time in the whole program.
std::mutex& mumps_mutex() {
  static std::mutex mutex;
  return mutex;
}

// OpenBLAS takes the kernel of the processor that it finds, and the last bits of a factor depend on the kernel: here it
// is that of the instruction set which Livens was compiled for. Whoever uses OpenBLAS in the same program has it, too.
void pin_kernel() {
  if (gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr) return;
#if defined(__AVX2__) && defined(__FMA__)
  constexpr const char* core = "Haswell";
#elif defined(__SSE4_2__)
  constexpr const char* core = "Nehalem";
#else
  constexpr const char* core = "Prescott";
#endif
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  const char* given = std::getenv(variable);
  const std::string before = given != nullptr ? given : "";
  ::setenv(variable, core, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  if (given != nullptr)
    ::setenv(variable, before.c_str(), 1);
  else
    ::unsetenv(variable);
}

void prepare_blas() {
  static std::once_flag once;
  std::call_once(once, [] {
    pin_kernel();
    openblas_set_num_threads(1);  // the loops around are threaded; two layers of threads only hinder each other
  });
}

// Nested dissection of the graph of the nodes; the unknowns of a node stay together.
std::vector<int> fill_reducing_positions(const SparsePattern& pattern) {
  const int block = pattern.block;
  idx_t nodes = pattern.n / block;
  std::vector<idx_t> start{0}, neighbour;
  for (idx_t node = 0; node < nodes; ++node) {
    const auto column = static_cast<std::size_t>(node * block);
    for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; k += block) {
      const int other = pattern.row[k] / block;
      if (other != node) neighbour.push_back(other);
    }
    start.push_back(static_cast<idx_t>(neighbour.size()));
  }
  std::vector<idx_t> order(nodes), position(nodes);
  if (neighbour.empty()) neighbour.push_back(0);  // METIS wants an address
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  METIS_NodeND(&nodes, start.data(), neighbour.data(), nullptr, options, order.data(), position.data());
  std::vector<int> result(pattern.n);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto b = static_cast<std::size_t>(block);
    result[i] = static_cast<int>(position[i / b]) * block + static_cast<int>(i % b) + 1;
  }
  return result;
}

class Mumps final : public LinearSolver {
 public:
  Mumps(const SparsePattern& pattern, MatrixKind kind) : kind_(kind) {
    const bool half = kind != MatrixKind::general;
    for (int c = 0; c < pattern.n; ++c)
      for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) {
        const int r = pattern.row[k];
        if (half && r < c) continue;
        row_.push_back(r + 1);
        column_.push_back(c + 1);
        slot_.push_back(k);
      }
    value_.assign(slot_.size(), 1.0);
    position_ = fill_reducing_positions(pattern);

    const std::lock_guard lock(mumps_mutex());
    prepare_blas();
    call(-1, kind == MatrixKind::positive_definite ? 1 : kind == MatrixKind::symmetric ? 2 : 0);
    for (int k : {1, 2, 3}) control(k) = -1;  // no output streams
    control(4) = 0;
    control(6) = 0;  // no column permutation to bring large entries to the diagonal: the pattern decides
    control(7) = 1;  // the order is ours
    control(8) = kind == MatrixKind::positive_definite ? 0 : 7;
    control(12) = 1;
    control(14) = 30;  // room for pivots that are put off, in per cent
    id_.n = pattern.n;
    id_.nnz = static_cast<MUMPS_INT8>(slot_.size());
    id_.irn = row_.data();
    id_.jcn = column_.data();
    id_.a = value_.data();
    id_.perm_in = position_.data();
    call(1);
    analysed_ = id_.infog[0] >= 0;
  }
  ~Mumps() override {
    const std::lock_guard lock(mumps_mutex());
    call(-2);
  }
  Mumps(const Mumps&) = delete;
  Mumps& operator=(const Mumps&) = delete;

  bool factorise(ConstVector values) override {
    if (!analysed_) return false;
    for (std::size_t k = 0; k < slot_.size(); ++k) {
      value_[k] = values[slot_[k]];
      if (!std::isfinite(value_[k])) return false;
    }
    const std::lock_guard lock(mumps_mutex());
    for (int attempt = 0; attempt < 8; ++attempt) {
      give_room();
      call(2);
      const int code = id_.infog[0];
      if (code != -8 && code != -9 && code != -11 && code != -14 && code != -15) break;
      control(14) *= 2;  // more pivots were put off than there was room for
    }
    if (id_.infog[0] < 0) return false;
    return kind_ != MatrixKind::positive_definite || id_.infog[11] == 0;  // number of negative pivots
  }

  // Sylvester: as many as there are negative pivots in L D L'.
  int negative_eigenvalues() const override { return kind_ == MatrixKind::general ? -1 : id_.infog[11]; }

  void solve(Vector x) const override { solve_all(x, 1); }

  void solve_all(Vector x, int count) const override {
    const std::lock_guard lock(mumps_mutex());
    id_.rhs = x.data();
    id_.nrhs = count;
    id_.lrhs = id_.n;
    call(3);
  }

 private:
  // The factor lives in memory of ours, which stays from one factorisation to the next.
  void give_room() {
    const double need = id_.infog[8] < 0 ? -1e6 * id_.infog[8] : id_.infog[8];  // entries of the factor, estimated
    const double peak = id_.info[7] < 0 ? -1e6 * id_.info[7] : id_.info[7];     // and of the workspace in core
    const auto room = static_cast<std::size_t>(std::max(need, peak) * (1 + 0.01 * control(14))) + 1000;
    if (room > room_.size()) room_.resize(room);
    id_.wk_user = room_.data();
    id_.lwk_user = room_.size() < 2000000000 ? static_cast<MUMPS_INT>(room_.size())
                                             : -static_cast<MUMPS_INT>(room_.size() / 1000000);
  }
  MUMPS_INT& control(int k) const { return id_.icntl[k - 1]; }
  void call(int job, int symmetry = -1) const {
    id_.job = job;
    if (job == -1) {
      id_.par = 1;
      id_.sym = symmetry;
      id_.comm_fortran = -987654;  // the one process
    }
    dmumps_c(&id_);
  }

  MatrixKind kind_;
  bool analysed_ = false;
  std::vector<int> row_, column_, slot_, position_;
  std::vector<double> value_, room_;
  mutable DMUMPS_STRUC_C id_{};
};

}  // namespace

std::unique_ptr<LinearSolver> make_mumps(const SparsePattern& pattern, MatrixKind kind) {
  return std::make_unique<Mumps>(pattern, kind);
}

}  // namespace livens
