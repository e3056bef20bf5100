// Damping in proportion to stiffness, of solids and along springs, alone and with damping in proportion to mass.
#include <livens/forces.hpp>

#include "bodies/solid.hpp"
#include "model/assembly.hpp"
#include "model/part_records.hpp"

namespace livens {
namespace {

std::vector<Parameter> strain_keys() {
  return {
      key("body", ValueType::name, "-", "", "body it acts on; default: all bodies"),
      required(bounded(
          number_key("damping_time", "s", "", "kD: a mode of omega rad/s decays as exp(-kD omega^2 t / 2)"), 0)),
      one_of(
          key("damping_form", ValueType::name, "-", "exact",
              "exact: keeps momenta and takes energy at any step, first order; second_order: half at each end of "
              "implicit steps, for h damping_time omega^2 < 2; published: of the strain of the step, as K06 prints it"),
          {"exact", "second_order", "published"})};
}

DampingForm form_of(const Settings& settings) {
  const std::string& form = settings.text("damping_form");
  if (form == "published") return DampingForm::published;
  return form == "second_order" ? DampingForm::second_order : DampingForm::exact;
}

}  // namespace

void add(Assembly& assembly, const StrainDamping& damping, const std::string& name) {
  const double time = damping.damping_time;
  check_range(force_records().at("strain_damping"), "damping_time", time);
  auto& forces = assembly.parts.forces;
  const std::size_t before = forces.size();
  for (const int k : bodies_of(assembly, damping.body)) {
    for (const auto& block : assembly.springs)
      if (block.body == k) forces.push_back(block.make_damping(name, time, damping.damping_form));
    if (const SolidBody* solid = solid_of(assembly, k))
      for (const auto& block : solid->blocks) forces.push_back(block->make_damping(name, time, damping.damping_form));
  }
  if (forces.size() == before) throw AssemblyError("", "nothing can be strained: no solid, and no spring on that body");
}

void add(Assembly& assembly, const RayleighDamping& damping, const std::string& name) {
  add(assembly, StrainDamping{damping.body, damping.damping_time, damping.damping_form}, name);
  add(assembly, MassDamping{damping.body, damping.damping_rate}, name);
}

ForceRecord strain_damping_record() {
  ForceRecord record;
  record.after_springs = true;
  record.name = "strain_damping";
  record.brief = "damping proportional to stiffness, of solids and along springs; keeps momenta";
  record.citation = "K06 5.2";
  record.parameters = strain_keys();
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly, StrainDamping{given_text(s, "body"), s.number("damping_time"), form_of(s)}, name);
  };
  return record;
}

ForceRecord rayleigh_damping_record() {
  ForceRecord record;
  record.after_springs = true;
  record.name = "rayleigh_damping";
  record.brief = "strain_damping and mass_damping together";
  record.parameters = strain_keys();
  record.parameters.push_back(
      required(bounded(number_key("damping_rate", "1/s", "", "of the part proportional to mass"), 0)));
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly,
        RayleighDamping{given_text(s, "body"), s.number("damping_time"), form_of(s), s.number("damping_rate")}, name);
  };
  return record;
}

}  // namespace livens
