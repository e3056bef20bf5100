// The bar of K06 5.4: the own minimiser and root finder against PETSc's TAO nls and SNES newtonls, in one process and
// alternating, on the same steps, with the same elements and the same stop. Values go straight into PETSc's rows.
//   build/bench/bench_bar_petsc [vertices: 325, 2025, 3751, 19855; default all] [rounds, default 3] [Pa, default all]
#include <cstdlib>
#include <stdexcept>

#include <link.h>
#include <petscsnes.h>
#include <petsctao.h>

#include "../bar.hpp"

// PETSc's MUMPS and the sequential one must not meet in a process. Nothing here factorises: this stands in for the
// library's own, so that the linker leaves that out.
namespace livens {
std::unique_ptr<LinearSolver> make_mumps(const SparsePattern&, MatrixKind) {
  throw std::logic_error("this benchmark has no factorisation");
}
}  // namespace livens

extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace {

void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc error " + std::to_string(code));
}

// A vector of PETSc's on the memory of another.
class View {
 public:
  explicit View(std::size_t n) : n_(static_cast<PetscInt>(n)) {
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n_, nullptr, &vec_));
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() { VecDestroy(&vec_); }
  Vec on(double* data) {
    check(VecPlaceArray(vec_, data));
    return vec_;
  }
  void off() { check(VecResetArray(vec_)); }
  operator Vec() const { return vec_; }

 private:
  PetscInt n_;
  Vec vec_ = nullptr;
};

template <class Body>
PetscErrorCode with_arrays(Vec x, Vec y, const Body& body) {
  const double* from = nullptr;
  double* to = nullptr;
  PetscInt n = 0;
  check(VecGetSize(x, &n));
  check(VecGetArrayRead(x, &from));
  if (y != nullptr) check(VecGetArrayWrite(y, &to));
  const auto size = static_cast<std::size_t>(n);
  body(bar::ConstVector(from, size), bar::Vector(to, y != nullptr ? size : 0));
  if (y != nullptr) check(VecRestoreArrayWrite(y, &to));
  check(VecRestoreArrayRead(x, &from));
  return 0;
}

// What TAO and SNES share: the problem, the matrix in compressed rows (the pattern is symmetric), callbacks.
class PetscSolver : public bar::StepSolver {
 public:
  PetscSolver(const bar::Bar& bar, const std::string& name)
      : StepSolver(name), problem_(bar), x_(bar.q.size()), work_(bar.q.size()), residual_(work_.size()) {
    const livens::SparsePattern& pattern = linearisation(*bar.model).pattern();
    start_.assign(pattern.column_start.begin(), pattern.column_start.end());
    column_.assign(pattern.row.begin(), pattern.row.end());
    values_.resize(column_.size());
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, pattern.n, pattern.n, start_.data(), column_.data(),
                                    values_.data(), &matrix_));
    check(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
    check(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    check(VecPlaceArray(residual_, work_.data()));
  }
  ~PetscSolver() override { MatDestroy(&matrix_); }

 protected:
  static std::string describe(KSP ksp) {
    PC pc = nullptr;
    KSPType ksp_type = nullptr;
    PCType pc_type = nullptr;
    double rtol = 0;
    check(KSPGetPC(ksp, &pc));
    check(KSPGetType(ksp, &ksp_type));
    check(PCGetType(pc, &pc_type));
    check(KSPGetTolerances(ksp, &rtol, nullptr, nullptr, nullptr));
    char text[100];
    std::snprintf(text, sizeof text, "%s + %s, last rtol %.0e", ksp_type, pc_type != nullptr ? pc_type : "none", rtol);
    return text;
  }

  PetscErrorCode fill_matrix(Vec x) {
    double* values = nullptr;
    check(MatSeqAIJGetArray(matrix_, &values));
    std::fill(values, values + values_.size(), 0.0);
    with_arrays(x, nullptr, [&](auto v, auto) { problem_.jacobian(v, bar::Vector(values, values_.size())); });
    check(MatSeqAIJRestoreArray(matrix_, &values));
    check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
    return 0;
  }

  bar::StepProblem problem_;
  View x_;
  std::vector<double> work_, values_;
  View residual_;
  std::vector<PetscInt> start_, column_;
  Mat matrix_ = nullptr;
};

class TaoSolver final : public PetscSolver {
 public:
  TaoSolver(const bar::Bar& bar, const std::string& name, const char* type, bool cg_icc)
      : PetscSolver(bar, name), zero_(bar.q.size()) {
    check(TaoCreate(PETSC_COMM_SELF, &tao_));
    check(TaoSetType(tao_, type));
    check(TaoSetSolution(tao_, x_.on(zero_.data())));
    check(TaoSetObjective(tao_, objective, this));
    check(TaoSetObjectiveAndGradient(tao_, residual_, evaluate, this));
    check(TaoSetHessian(tao_, matrix_, matrix_, hessian, this));
    TaoLineSearch search = nullptr;
    check(TaoGetLineSearch(tao_, &search));
    check(TaoLineSearchSetType(search, TAOLINESEARCHARMIJO));
    KSP ksp = nullptr;
    check(TaoGetKSP(tao_, &ksp));
    if (cg_icc) {
      PC pc = nullptr;
      check(KSPGetPC(ksp, &pc));
      check(PCSetType(pc, PCICC));
    }
    check(TaoSetMaximumIterations(tao_, 200));
    x_.off();
  }
  ~TaoSolver() override { TaoDestroy(&tao_); }

  bar::Outcome solve(const bar::Step& step, double bound, bar::Vector v) override {
    problem_.begin(step, 0);
    evaluations_ = 0;
    check(TaoSetTolerances(tao_, bound, 0, 0));
    x_.on(v.data());
    check(TaoSolve(tao_));
    x_.off();
    bar::Outcome outcome;
    TaoConvergedReason reason = TAO_CONTINUE_ITERATING;
    check(TaoGetConvergedReason(tao_, &reason));
    PetscInt iterations = 0, linear = 0;
    check(TaoGetSolutionStatus(tao_, &iterations, nullptr, nullptr, nullptr, nullptr, nullptr));
    check(TaoGetLinearSolveIterations(tao_, &linear));
    outcome.converged = reason > 0;
    reason_ = reason;
    outcome.newton = iterations;
    outcome.linear = linear;
    outcome.evaluations = evaluations_;
    return outcome;
  }
  std::string inner() const override {
    KSP ksp = nullptr;
    TaoLineSearch search = nullptr;
    TaoLineSearchType type = nullptr;
    check(TaoGetKSP(tao_, &ksp));
    check(TaoGetLineSearch(tao_, &search));
    check(TaoLineSearchGetType(search, &type));
    return describe(ksp) + ", line search " + type + ", last reason " + std::to_string(reason_);
  }

 private:
  static PetscErrorCode objective(Tao, Vec x, double* value, void* context) {
    auto& self = *static_cast<TaoSolver*>(context);
    ++self.evaluations_;
    with_arrays(x, nullptr, [&](auto v, auto) { *value = self.problem_.objective(v); });
    if (!std::isfinite(*value)) *value = PETSC_INFINITY;
    return 0;
  }
  static PetscErrorCode evaluate(Tao, Vec x, double* value, Vec g, void* context) {
    auto& self = *static_cast<TaoSolver*>(context);
    ++self.evaluations_;
    double scale = 0;
    with_arrays(x, g, [&](auto v, auto r) {
      if (!self.problem_.evaluate(v, r, scale, *value)) *value = PETSC_INFINITY;
    });
    return 0;
  }
  static PetscErrorCode hessian(Tao, Vec x, Mat, Mat, void* context) {
    return static_cast<TaoSolver*>(context)->fill_matrix(x);
  }

  std::vector<double> zero_;
  Tao tao_ = nullptr;
  long evaluations_ = 0;
  int reason_ = 0;
};

class SnesSolver final : public PetscSolver {
 public:
  SnesSolver(const bar::Bar& bar, const std::string& name, bool cg_icc, bool eisenstat_walker)
      : PetscSolver(bar, name) {
    check(SNESCreate(PETSC_COMM_SELF, &snes_));
    check(SNESSetType(snes_, SNESNEWTONLS));
    check(SNESSetFunction(snes_, residual_, evaluate, this));
    check(SNESSetJacobian(snes_, matrix_, matrix_, jacobian, this));
    KSP ksp = nullptr;
    PC pc = nullptr;
    check(SNESGetKSP(snes_, &ksp));
    check(KSPGetPC(ksp, &pc));
    check(KSPSetType(ksp, cg_icc ? KSPCG : KSPGMRES));
    check(PCSetType(pc, cg_icc ? PCICC : PCILU));
    check(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
    check(SNESKSPSetUseEW(snes_, eisenstat_walker ? PETSC_TRUE : PETSC_FALSE));
    // Conjugate gradients end at negative curvature; what they have by then is taken as the direction, instead of
    // giving up the step as is the default.
    check(SNESSetMaxLinearSolveFailures(snes_, PETSC_MAX_INT));
  }
  ~SnesSolver() override { SNESDestroy(&snes_); }

  bar::Outcome solve(const bar::Step& step, double bound, bar::Vector v) override {
    problem_.begin(step, 0);
    check(SNESSetTolerances(snes_, bound, 0, 0, 200, 100000));
    x_.on(v.data());
    check(SNESSolve(snes_, nullptr, x_));
    x_.off();
    bar::Outcome outcome;
    SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
    check(SNESGetConvergedReason(snes_, &reason));
    PetscInt iterations = 0, linear = 0, evaluations = 0;
    check(SNESGetIterationNumber(snes_, &iterations));
    check(SNESGetLinearSolveIterations(snes_, &linear));
    check(SNESGetNumberFunctionEvals(snes_, &evaluations));
    outcome.converged = reason > 0;
    reason_ = reason;
    outcome.newton = iterations;
    outcome.linear = linear;
    outcome.evaluations = evaluations;
    return outcome;
  }
  std::string inner() const override {
    KSP ksp = nullptr;
    SNESLineSearch search = nullptr;
    SNESLineSearchType type = nullptr;
    check(SNESGetKSP(snes_, &ksp));
    check(SNESGetLineSearch(snes_, &search));
    check(SNESLineSearchGetType(search, &type));
    return describe(ksp) + ", line search " + type + ", last reason " + std::to_string(reason_);
  }

 private:
  static PetscErrorCode evaluate(SNES, Vec x, Vec f, void* context) {
    auto& self = *static_cast<SnesSolver*>(context);
    double scale = 0;
    return with_arrays(x, f, [&](auto v, auto r) { self.problem_.residual(v, r, scale); });
  }
  static PetscErrorCode jacobian(SNES, Vec x, Mat, Mat, void* context) {
    return static_cast<SnesSolver*>(context)->fill_matrix(x);
  }

  SNES snes_ = nullptr;
  int reason_ = 0;
};

void measure(const bar::Case& setting, int rounds) {
  const bar::Bar bar = bar::make_bar(setting);
  const std::vector<bar::Step> steps = bar::make_trajectory(bar, setting.steps);
  const int vertices = bar.mesh->nodes();
  std::vector<std::unique_ptr<bar::StepSolver>> solvers;
  solvers.push_back(std::make_unique<bar::OwnSolver>(bar, true));
  solvers.push_back(std::make_unique<bar::OwnSolver>(bar, false));
  solvers.push_back(std::make_unique<TaoSolver>(bar, "TAO nls", TAONLS, false));
  solvers.push_back(std::make_unique<SnesSolver>(bar, "SNES newtonls", true, false));
  solvers.push_back(std::make_unique<SnesSolver>(bar, "SNES, E.-W.", true, true));
  if (vertices < 3000) solvers.push_back(std::make_unique<SnesSolver>(bar, "SNES, default", false, false));
  std::vector<bar::Record> records(solvers.size()), strict(solvers.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < solvers.size(); ++k) bar::run_once(bar, steps, *solvers[k], 1e-6, records[k]);
  std::vector<std::string> inner;
  for (const auto& solver : solvers) inner.push_back(solver->inner());
  for (std::size_t k = 0; k < solvers.size(); ++k) bar::run_once(bar, steps, *solvers[k], 1e-10, strict[k]);

  std::printf("%d vertices, %d tetrahedra, %g Pa, %zu steps, best of %d rounds\n", vertices, bar.mesh->elements(),
              setting.young, steps.size(), rounds);
  // Ratios: the time of a solver over that of the own minimiser and of the own root finder, on the steps both solve.
  std::printf("  %-14s %9s %8s %8s %8s %7s %7s %7s %7s\n", "", "ms/step", "Newton", "linear", "evals", "failed",
              "1e-10", "/ min.", "/ root");
  for (std::size_t k = 0; k < solvers.size(); ++k) {
    const bar::Record& r = records[k];
    const auto n = static_cast<double>(steps.size());
    std::printf("  %-14s %9.2f %8.1f %8.1f %8.1f %7d %7d %7.2f %7.2f   %s\n", solvers[k]->name().c_str(), r.cpu_ms(),
                static_cast<double>(r.newton) / n, static_cast<double>(r.linear) / n,
                static_cast<double>(r.evaluations) / n, r.failures, strict[k].failures, bar::ratio(records[0], r),
                bar::ratio(records[1], r), inner[k].c_str());
  }
  std::fflush(stdout);
}

int find_sequential_mumps(dl_phdr_info* info, std::size_t, void* found) {
  if (std::strstr(info->dlpi_name, "mumps_seq") != nullptr) *static_cast<bool*>(found) = true;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool sequential = false;
  dl_iterate_phdr(find_sequential_mumps, &sequential);
  if (sequential) {
    std::fprintf(stderr, "libdmumps_seq is loaded next to PETSc: link with --as-needed and the static library\n");
    return 2;
  }
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 0;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const double stiffness = argc > 3 ? std::atof(argv[3]) : 0;
  check(PetscInitializeNoArguments());
  check(PetscPopSignalHandler());
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  for (const auto& [cells, steps] : {std::pair{12, 20}, {24, 20}, {30, 20}, {54, 8}}) {
    const int side = cells / 3, vertices = (cells + 1) * (side + 1) * (side + 1);
    if (wanted != 0 && wanted != vertices) continue;
    for (const double young : {1e5, 2.5e5, 5e5})
      if (stiffness == 0 || stiffness == young) measure({{cells, side, side}, young, steps}, rounds);
  }
  check(PetscFinalize());
  return 0;
}
