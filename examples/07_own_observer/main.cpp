// An observer of your own beside those that write the files: it finds the turning points of a pendulum and stops the
// run at the fifth. Observers change nothing, so the run has the same bits with and without it.
#include <cstdio>
#include <vector>

#include <livens/livens.hpp>

namespace {

class TurningPoints final : public livens::Observer {
 public:
  explicit TurningPoints(std::size_t wanted) : wanted_(wanted) {}

  void begin(const livens::Sample& sample) override { v_ = sample.state.v[0]; }
  void observe(const livens::Sample& sample) override {
    const double v = sample.state.v[0];
    if (v_ * v < 0) times.push_back(sample.state.t - sample.report.h * v / (v - v_));  // where the chord is zero
    v_ = v;
  }
  bool stop() const override { return times.size() >= wanted_; }

  std::vector<double> times;  // s

 private:
  std::size_t wanted_;
  double v_ = 0;
};

}  // namespace

int main() {
  const livens::Scene scene = livens::parse_scene(R"(
    title      = "A swing"
    time       = { end = 100 }
    system     = { kind = "pendulum", gravity = 9.81, angle = 1.0 }
    integrator = { kind = "stormer_verlet", step = 0.001 }
  )",
                                                  "swing");
  TurningPoints turning(5);
  livens::RunOptions options;
  options.out = "swing";
  options.observers = {&turning};
  const livens::RunResult result = livens::run(scene, options);
  std::printf("%s after %zu turning points; files in %s\n", result.status.c_str(), turning.times.size(),
              result.directory.c_str());
  const double period = turning.times[4] - turning.times[2];
  std::printf("period %.5f s (elliptic integral: 2.13914 s)\n", period);
  return std::abs(period - 2.13914) < 1e-4 ? 0 : 1;
}
