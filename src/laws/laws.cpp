// Which claim is measured on which problem.
#include <algorithm>
#include <map>
#include <stdexcept>

#include <livens/assembly.hpp>
#include <livens/laws.hpp>

#include "laws/contact.hpp"
#include "laws/measure.hpp"

namespace livens {
namespace laws {
namespace {

std::vector<const Problem*> accepted(const Method& method, std::initializer_list<const char*> names) {
  std::vector<const Problem*> list;
  for (const char* name : names)
    if (!method.refuses(problem(name).model)) list.push_back(&problem(name));
  return list;
}

// Above order 6 double precision leaves errors only at steps that are large against most motions; near a circle a
// single frequency rules and the leading term of the error shows, though the problem is not linear.
std::initializer_list<const char*> order_problems(int order) {
  static const std::initializer_list<const char*> all = {
      "henon_heiles", "cluster",         "swing",          "double_pendulum",
      "charge",       "damped_pendulum", "damped_cluster", "damped_double_pendulum"};
  static const std::initializer_list<const char*> near_circles = {"orbit", "curved", "gyration", "damped_orbit",
                                                                  "damped_gyration"};
  return order <= 6 ? all : near_circles;
}

void add_orders(const Method& method, std::vector<LawResult>& results) {
  const auto order_on = [&](const Problem& p) { return method.claims(p.model.model_class()).order; };
  const int order = method.claims({}).order;
  for (const Problem* p : accepted(method, order_problems(order)))
    results.push_back(order_law(method, *p, order_on(*p)));
  const Problem& lagged = problem("damped_cluster");
  if (order > 6 && !method.refuses(lagged.model) && order_on(lagged) < order)
    results.push_back(order_law(method, lagged, order_on(lagged)));
}

void add_maps(const Method& method, std::vector<LawResult>& results) {
  for (const Problem* p : accepted(method, {"henon_heiles", "double_pendulum", "charge", "damped_pendulum"}))
    results.push_back(symplectic_law(method, *p, method.claims(p->model.model_class()).symplectic));
  for (const Problem* p : accepted(method, {"henon_heiles", "cluster", "double_pendulum", "charge", "damped_pendulum",
                                            "damped_cluster", "damped_double_pendulum"}))
    results.push_back(symmetric_law(method, *p, method.claims(p->model.model_class()).symmetric));
  const Problem& separable = problem("henon_heiles");
  results.push_back(explicit_law(method, separable, method.claims(separable.model.model_class()).explicit_steps));
}

// Steps that vary are only promised to keep what is kept exactly: bounded errors refer to one modified system.
void add_momenta(const Method& method, std::vector<LawResult>& results) {
  const auto add = [&](const char* name, Map map, Steps steps, Keeps claimed) {
    if (method.refuses(problem(name).model)) return;
    if (steps == Steps::varying && (!method.takes_varying_steps() || claimed != Keeps::exact)) return;
    results.push_back(momentum_law(method, problem(name), map, steps, claimed));
  };
  for (const char* name : {"cluster", "damped_cluster"}) {
    const Claims claims = method.claims(problem(name).model.model_class());
    for (const Steps steps : {Steps::equal, Steps::varying}) {
      add(name, Map::linear, steps, claims.linear_momentum);
      add(name, Map::angular, steps, claims.angular_momentum);
    }
  }
  // A cyclic coordinate is a translation, and its momentum linear in p; the vortex has a rotation.
  for (const Problem* p : accepted(method, {"charge"}))
    results.push_back(
        momentum_law(method, *p, Map::symmetries, Steps::equal, method.claims(p->model.model_class()).linear_momentum));
  for (const Problem* p : accepted(method, {"vortex"}))
    results.push_back(momentum_law(method, *p, Map::symmetries, Steps::equal,
                                   method.claims(p->model.model_class()).angular_momentum));
}

// One law for all problems with the same claim: whether energy is lost or drifts shows on several only.
void add_energies(const Method& method, std::vector<LawResult>& results) {
  std::map<EnergyClaim, std::vector<const Problem*>> by_claim;
  for (const Problem* p : accepted(method, {"henon_heiles", "rotor", "charge"}))
    by_claim[method.claims(p->model.model_class()).energy].push_back(p);
  for (const auto& [claimed, problems] : by_claim) results.push_back(energy_law(method, problems, claimed));
}

// Throws std::out_of_range with a suggestion among integrators and contacts.
const IntegratorRecord& integrator_named(const std::string& name) {
  if (const IntegratorRecord* record = integrator_records().find(name)) return *record;
  std::vector<std::string> known = integrator_records().names();
  for (const std::string& kind : contact_records().names()) known.push_back(kind);
  throw std::out_of_range("no integrator or contact '" + name + "'." + suggestion(name, known, "There are"));
}

}  // namespace

LawResult result_of(const Method& method, const Problem& problem, std::string claim, std::string claimed) {
  LawResult result;
  result.record = method.record();
  result.variant = method.variant();
  result.problem = problem.name;
  result.claim = std::move(claim);
  result.claimed = std::move(claimed);
  return result;
}

std::vector<LawResult> measure_variant(const Method& method) {
  std::vector<LawResult> results;
  add_orders(method, results);
  add_maps(method, results);
  add_momenta(method, results);
  add_energies(method, results);
  return results;
}

}  // namespace laws

std::vector<LawResult> measure_laws(const std::vector<std::string>& names,
                                    const std::function<void(const LawProgress&)>& progress) {
  std::vector<laws::Method> methods;
  std::vector<std::string> contacts;
  const auto add = [&](const IntegratorRecord& record) {
    for (const std::string& variant : record.law_variants) methods.emplace_back(record, variant);
  };
  for (const std::string& name : names)
    if (contact_records().find(name) != nullptr)
      contacts.push_back(name);
    else
      add(laws::integrator_named(name));
  if (names.empty()) {
    for (const IntegratorRecord& record : integrator_records()) add(record);
    contacts = contact_records().names();
  }

  std::vector<LawResult> results;
  const int total = static_cast<int>(methods.size() + contacts.size());
  int done = 0;
  const auto take = [&](const std::string& what, const auto& measured) {
    if (progress) progress({done++, total, what});
    const std::vector<LawResult> more = measured();
    results.insert(results.end(), more.begin(), more.end());
  };
  for (const laws::Method& method : methods)
    take(method.record() + " " + method.variant(), [&] { return laws::measure_variant(method); });
  for (const std::string& kind : contacts) take("contact " + kind, [&] { return laws::measure_contact(kind); });
  return results;
}

bool all_hold(const std::vector<LawResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const LawResult& r) { return r.holds; });
}

}  // namespace livens
