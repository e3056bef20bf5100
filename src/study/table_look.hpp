// The observer behind tables of a study's own: statistics over stretches of a run, and values at instants.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/run.hpp>

#include "study/own_table.hpp"

namespace livens {

// Names of the facts that runs have, besides events_NAME.
const std::vector<std::string>& fact_names();
std::string event_fact(const std::string& event);  // events_NAME

// Looks at a run for the tables of a study.
class TableLook final : public Observer {
 public:
  // `constants`: numbers that the tables' own quantities may name.
  TableLook(const Setup& setup, const std::vector<OwnTable>& tables, const Variables& constants);
  ~TableLook() override;

  void begin(const Sample& sample) override;
  void observe(const Sample& sample) override;
  void end(const Sample& sample) override;
  double next_time() const override;

  std::vector<OwnRows> rows() const;  // by table
  Variables facts(const Sample& sample) const;

  // Names of quantities as expressions have them, with and without statistics.
  std::vector<std::string> names(const OwnTable& table) const;

 private:
  struct Impl;
  double next_instant() const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace livens
