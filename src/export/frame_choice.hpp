// Which frames of a recording an export takes, and how fast they are played.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace livens {

struct FrameChoice {
  int every = 0;                   // every n-th frame; 0: not asked for
  std::optional<double> from, to;  // s
  double fps = 0;                  // frames a second of the simulated time; 0: as recorded
};

// The frames that the choice asks for, each once. Throws RunError if there is no frame between the times.
std::vector<int> select_frames(const std::vector<double>& t, const FrameChoice& choice);

// An animation.
struct ChosenFrames {
  std::vector<int> frames;  // of the recording; with fps one may occur again
  double fps = 0;           // to play them at
  double speed = 1;         // simulated seconds for one second of playing
  std::vector<std::string> notes;
};

// With fps: the frame nearest to each time. Otherwise each frame once, played at its own rate if that is between 10 and
// 120 a second, else at 30; a recording with unevenly spaced times is also taken at 30 a second.
ChosenFrames choose_frames(const std::vector<double>& t, const FrameChoice& choice);

// At most that many, evenly spaced, with the first and the last.
std::vector<int> thinned_frames(const std::vector<int>& frames, std::size_t most);

}  // namespace livens
