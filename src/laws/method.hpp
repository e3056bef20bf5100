// A record under settings of its own, ready to be stepped on any problem.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <livens/registry.hpp>
#include <livens/scene.hpp>

#include "laws/problems.hpp"

namespace livens::laws {

class Method {
 public:
  Method(const IntegratorRecord& record, std::string variant);

  const std::string& record() const { return record_.name; }
  const std::string& variant() const { return variant_; }
  bool refuses(const Model& model) const;
  bool takes_varying_steps() const;  // prescribed as functions of time
  Claims claims(const ModelClass& model) const { return record_.claims(settings_, model); }
  // A parameter of the variant; nothing if the record has none of that name.
  std::optional<double> number(const std::string& key) const;

  // With fixed steps, also for methods that would choose them.
  std::unique_ptr<Integrator> make(const Model& model, double step) const;
  std::unique_ptr<Integrator> make(const Model& model, const std::string& step_expression) const;

  // One step of any sign, by a fresh integrator: nothing remembered from other steps. Nothing if it failed.
  std::optional<State> mapped(const Model& model, const State& state, double h) const;

 private:
  std::string table(const std::string& step) const;

  const IntegratorRecord& record_;
  std::string variant_;
  Settings settings_;
};

std::string number_text(double value, const char* format = "%.17g");

}  // namespace livens::laws
