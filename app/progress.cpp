#include "progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace livens::app {
namespace {

constexpr double plain_interval = 10;  // s

}  // namespace

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& text, double wall_time) {
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    shown_ = true;
  } else if (wall_time - last_plain_ >= plain_interval) {
    std::fprintf(stderr, "%s\n", text.c_str());
    last_plain_ = wall_time;
  }
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string progress_text(const Progress& progress) {
  const double span = progress.t_end - progress.t_begin;
  const double part = span > 0 ? (progress.t - progress.t_begin) / span : 1;
  const double left = part > 0 ? progress.wall_time * (1 - part) / part : 0;
  return fmt::format("{:3.0f} %  t = {:.5g} s of {:.5g} s  {:.3g} steps/s  {} left", 100 * part, progress.t,
                     progress.t_end, static_cast<double>(progress.steps) / progress.wall_time, duration_text(left));
}

std::string duration_text(double seconds) {
  const long whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace livens::app
