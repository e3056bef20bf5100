// Frequency and damping ratio of a free vibration, out of a curve of samples.
//
// Turning points y_k at t_k, of a vibration exp(-g t) cos(w t + c) about any middle: the swings |y_(k+1) - y_k| decay
// as exp(-g t), and the turning points are pi/w apart, so that g is the slope of a line through the logarithms of the
// swings, and the damping ratio g / sqrt(g^2 + w^2).
#pragma once

#include <vector>

namespace livens {

struct Decay {
  bool clear = false;      // one frequency, and swings that lie on a line
  bool decays = false;     // and the line falls, by more than its uncertainty
  double frequency = 0;    // Hz, of the damped vibration
  double ratio = 0;        // damping ratio
  double ratio_error = 0;  // standard error
  double scatter = 0;      // of the logarithms of the swings about the line
};

Decay measure_decay(const std::vector<double>& t, const std::vector<double>& y);
// Of the kinetic energy of a vibration: its peaks are pi/w apart, and their roots decay as exp(-g t).
Decay measure_decay_of_energy(const std::vector<double>& t, const std::vector<double>& kinetic);

}  // namespace livens
