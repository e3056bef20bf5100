#include "export/frame_choice.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <livens/run.hpp>

namespace livens {
namespace {

constexpr double usual_rate = 30, slowest_rate = 10, fastest_rate = 120;  // frames a second
constexpr double largest_gap = 2.5;                                       // of the usual one, in an even recording
constexpr double most_samples = 100'000;
constexpr double almost = 1e-9;  // of a gap: times are sums of steps

// Between the times, every n-th.
std::vector<int> frames_of(const std::vector<double>& t, const FrameChoice& choice) {
  const double slack = t.size() > 1 ? almost * (t.back() - t.front()) : 0;
  std::vector<int> frames;
  int within = 0;
  for (std::size_t k = 0; k < t.size(); ++k)
    if ((!choice.from || t[k] >= *choice.from - slack) && (!choice.to || t[k] <= *choice.to + slack) &&
        within++ % std::max(1, choice.every) == 0)
      frames.push_back(static_cast<int>(k));
  if (frames.empty())
    throw RunError(
        fmt::format("no frame of the run is between --from and --to: it has {} from t = {:.6g} s to {:.6g} s", t.size(),
                    t.front(), t.back()));
  return frames;
}

bool is_even(const std::vector<double>& t, const std::vector<int>& frames) {
  std::vector<double> gaps;
  for (std::size_t k = 1; k < frames.size(); ++k) gaps.push_back(t[frames[k]] - t[frames[k - 1]]);
  if (gaps.size() < 2) return true;
  std::sort(gaps.begin(), gaps.end());
  return gaps.back() <= largest_gap * gaps[gaps.size() / 2];
}

// The nearest frame at each time of a clock.
ChosenFrames by_clock(const std::vector<double>& t, const std::vector<int>& frames, double fps) {
  const auto time = [&](std::size_t k) { return t[frames[k]]; };
  const double begin = time(0), duration = time(frames.size() - 1) - begin;
  if (duration * fps > most_samples)
    throw RunError(fmt::format("{:.6g} s at {:.6g} frames per second are more than {:.0f} frames: use a smaller --fps",
                               duration, fps, most_samples));
  ChosenFrames chosen{{}, fps, 1, {}};
  const auto samples = static_cast<long>(std::floor(duration * fps * (1 + almost) + almost)) + 1;
  std::size_t k = 0;
  for (long n = 0; n < samples; ++n) {
    const double wanted = begin + static_cast<double>(n) / fps;
    while (k + 1 < frames.size() && std::abs(time(k + 1) - wanted) <= std::abs(time(k) - wanted)) ++k;
    chosen.frames.push_back(frames[k]);
  }
  if (samples > static_cast<long>(frames.size()))
    chosen.notes.push_back(
        fmt::format("the recording has {} frames for {} pictures: some are shown again. Record more "
                    "with output = [{{ kind = \"frames\", every = {:.4g} }}]",
                    frames.size(), samples, 1 / fps));
  return chosen;
}

}  // namespace

std::vector<int> thinned_frames(const std::vector<int>& frames, std::size_t most) {
  if (frames.size() <= most || most < 2) return frames;
  std::vector<int> kept;
  for (std::size_t k = 0; k < most; ++k) kept.push_back(frames[k * (frames.size() - 1) / (most - 1)]);
  return kept;
}

std::vector<int> select_frames(const std::vector<double>& t, const FrameChoice& choice) {
  if (choice.fps <= 0) return frames_of(t, choice);
  std::vector<int> frames = by_clock(t, frames_of(t, choice), choice.fps).frames;
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

ChosenFrames choose_frames(const std::vector<double>& t, const FrameChoice& choice) {
  const std::vector<int> frames = frames_of(t, choice);
  if (choice.fps > 0) return by_clock(t, frames, choice.fps);
  if (!is_even(t, frames)) {
    ChosenFrames chosen = by_clock(t, frames, usual_rate);
    chosen.notes.push_back(
        fmt::format("the run has its states at uneven times: the nearest is used, {:.0f} per second", usual_rate));
    return chosen;
  }
  ChosenFrames chosen{frames, usual_rate, 1, {}};
  if (frames.size() < 2) return chosen;
  const double duration = t[frames.back()] - t[frames.front()];
  const double rate = static_cast<double>(frames.size() - 1) / duration;
  if (rate >= slowest_rate && rate <= fastest_rate) {
    chosen.fps = std::round(rate * 100) / 100;
    if (std::abs(rate - std::round(rate)) < 0.02 * rate) chosen.fps = std::round(rate);
  } else {
    chosen.speed = usual_rate / rate;
    chosen.notes.push_back(
        fmt::format("played at {:.3g} of the real speed, so that each recorded frame is one; --fps "
                    "takes as many frames of a simulated second",
                    chosen.speed));
  }
  return chosen;
}

}  // namespace livens
