// What normal modes leave behind: a table, numbers, a page, and one recording of a swing for each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <livens/integrator.hpp>
#include <livens/modes.hpp>

#include "report/report.hpp"

namespace livens {

struct ModesFacts {
  std::string scene, title, state;  // state: "the start", "the equilibrium"
  const Model* model = nullptr;
  State at;
  Modes modes;
  double near = 0;       // Hz
  double amplitude = 0;  // of the shapes shown: largest displacement over the size of the scene
  double wall_time = 0;  // s

  // Of mode k: how much of its shape is shown.
  double scale(std::size_t k) const;
  std::string name(std::size_t k) const;   // mode_01_12.3_Hz
  std::vector<std::size_t> shown() const;  // those that are not zero, if there are any
};

std::string modes_csv(const ModesFacts& facts);
std::string modes_json(const ModesFacts& facts);
// pictures: PNG of each mode, moving; empty where there is nothing to draw.
Report modes_report(const ModesFacts& facts, const std::vector<Picture>& pictures);
// A body with one vector field for each mode; largest component as in the recordings.
std::string modes_vtu(const ModesFacts& facts, int body);
// One swing of mode k as a run that can be viewed and exported; 1 s long whatever its frequency.
void write_swing(const ModesFacts& facts, std::size_t k, Integrator& integrator, const std::string& scene_toml,
                 const std::filesystem::path& directory);
std::vector<std::string> sentences(const ModesFacts& facts);  // what a user should know

}  // namespace livens
