// The results as text: one row for each record and variant.
#include <algorithm>
#include <cstdio>
#include <map>

#include <livens/laws.hpp>

#include "laws/contact_examples.hpp"
#include "laws/problems.hpp"

namespace livens {
namespace {

struct Column {
  const char *claim, *title;
};

const std::vector<Column>& columns(LawOf of) {
  static const std::vector<Column> of_integrators = {{"order", "order"},
                                                     {"symplectic", "symplectic (defect)"},
                                                     {"symmetric", "symmetric (return)"},
                                                     {"linear momentum", "linear mom. (drift)"},
                                                     {"angular momentum", "angular mom. (drift)"},
                                                     {"energy", "energy (band)"},
                                                     {"explicit steps", "explicit"}};
  static const std::vector<Column> of_contacts = {
      {"gradient", "gradient (error)"},       {"discrete gradient", "discrete gradient (work)"},
      {"symmetric in its ends", "symmetric"}, {"translations", "translations (force)"},
      {"rotations", "rotations (moment)"},    {"convex stand-in", "convex stand-in (eigenvalue)"},
      {"friction", "friction (power)"},       {"friction balance", "its balance"},
      {"restitution", "restitution (work)"}};
  return of == LawOf::integrator ? of_integrators : of_contacts;
}

struct Row {
  std::string record, variant;
  std::vector<const LawResult*> results;
};

std::string text_of(double value, const char* format) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::vector<Row> rows_of(const std::vector<LawResult>& results, LawOf of) {
  std::vector<Row> rows;
  for (const LawResult& r : results) {
    if (r.of != of) continue;
    if (rows.empty() || rows.back().record != r.record || rows.back().variant != r.variant)
      rows.push_back({r.record, r.variant, {}});
    rows.back().results.push_back(&r);
  }
  return rows;
}

// A symmetry of a general Lagrangian stands with the claim it was measured against: shifts with the linear momentum,
// rotations with the angular one.
std::string column_of(const LawResult& r) {
  if (r.claim != "symmetries") return r.claim;
  return r.problem == "vortex" ? "angular momentum" : "linear momentum";
}

std::vector<const LawResult*> in_column(const Row& row, const std::string& claim, bool forced) {
  std::vector<const LawResult*> list;
  for (const LawResult* r : row.results)
    if (column_of(*r) == claim && (r->problem.rfind("damped", 0) == 0) == forced) list.push_back(r);
  return list;
}

std::string range_of(const std::vector<const LawResult*>& list, const char* format) {
  double low = 1e300, high = -1e300;
  for (const LawResult* r : list) low = std::min(low, r->value), high = std::max(high, r->value);
  const std::string first = text_of(low, format), last = text_of(high, format);
  return first == last ? first : first + " ... " + last;
}

// Of what should vanish the largest, of what should not the smallest.
std::string extreme_of(const std::vector<const LawResult*>& list) {
  const bool kept = list.front()->claimed != "no" && list.front()->claimed != "drifting";
  double value = list.front()->value;
  for (const LawResult* r : list) value = kept ? std::max(value, r->value) : std::min(value, r->value);
  return text_of(value, "%.0e");
}

// A force that lags in explicit steps lowers the order.
std::map<std::string, std::vector<const LawResult*>> by_claim(const std::vector<const LawResult*>& list) {
  std::map<std::string, std::vector<const LawResult*>> groups;
  for (const LawResult* r : list) groups[r->claimed].push_back(r);
  return groups;
}

std::string cell_of(const Row& row, const std::string& claim) {
  const auto free = in_column(row, claim, false), forced = in_column(row, claim, true);
  if (free.empty()) return "-";
  if (claim == "explicit steps") return free.front()->claimed;
  if (claim == "order") {
    std::string cell = free.front()->claimed + ": " + range_of(free, "%.2f");
    for (const auto& [claimed, list] : by_claim(forced)) cell += "; forced " + claimed + ": " + range_of(list, "%.2f");
    return cell;
  }
  return free.front()->claimed + " (" + extreme_of(free) + ")";
}

std::string verdict_of(const Row& row) {
  const auto failed =
      std::count_if(row.results.begin(), row.results.end(), [](const LawResult* r) { return !r->holds; });
  return failed == 0 ? "holds (" + std::to_string(row.results.size()) + ")" : std::to_string(failed) + " FAILED";
}

using Cells = std::vector<std::vector<std::string>>;

// Nothing but the titles where nothing of the kind was measured.
Cells cells_of(const std::vector<LawResult>& results, LawOf of) {
  Cells cells{of == LawOf::integrator ? std::vector<std::string>{"integrator", "settings"}
                                      : std::vector<std::string>{"contact", "example"}};
  for (const Column& column : columns(of)) cells.front().push_back(column.title);
  cells.front().push_back("verdict");
  for (const Row& row : rows_of(results, of)) {
    cells.push_back({row.record, row.variant});
    for (const Column& column : columns(of)) cells.back().push_back(cell_of(row, column.claim));
    cells.back().push_back(verdict_of(row));
  }
  return cells;
}

std::string aligned(const Cells& cells) {
  std::vector<std::size_t> width(cells.front().size(), 0);
  for (const auto& row : cells)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += row[c] + std::string(width[c] - row[c].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string markdown(const Cells& cells) {
  std::string text;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    for (const std::string& cell : cells[r]) text += "| " + cell + " ";
    text += "|\n";
    if (r == 0) {
      for (std::size_t c = 0; c < cells[r].size(); ++c) text += "|---";
      text += "|\n";
    }
  }
  return text;
}

std::string failure_text(const LawResult& r) {
  return r.record + (r.variant.empty() ? "" : " (" + r.variant + ")") + ", " + r.claim + " on " + r.problem +
         ": claimed " + r.claimed + ", measured " + r.measured + "; " + r.detail;
}

std::string contact_markdown(const std::vector<LawResult>& results) {
  std::string text =
      "\n## Contacts\n\n"
      "Every kind of `[[contact]]` that is a potential B, by examples in which bodies press; `livens laws bodies` "
      "measures one kind. Eight shapes of each, q and q1 of a step, made by\n"
      "moving all nodes by up to 0.04 and 0.15 of the range or depth of the contact. Layers are for explicit steps, "
      "which need neither a discrete gradient D nor a stand-in.\n\n"
      "| law | how | holds if |\n|---|---|---|\n"
      "| gradient | against central differences of B over 2e-5 of the range, over the largest entry | below 1e-6 |\n"
      "| discrete gradient | D(q, q1).(q1 - q) - (B(q1) - B(q)), over the sum of absolute summands; D(q, q) against "
      "the gradient | below 1e-12 |\n"
      "| symmetric | D(q, q1) - D(q1, q), over the largest entry | below 1e-12 |\n"
      "| translations | sum of the forces of the gradient and of D over the largest of them; change of B when all "
      "nodes move as one | exact: below 1e-12, B within 1e-10; no: both above 1e-3 |\n"
      "| rotations | the same of moments, of D about the middle of the step, and of a turn by 0.7 rad | the same |\n"
      "| convex stand-in | least eigenvalue over the largest of the matrix that minimisers and conjugate gradients "
      "take for the second derivatives; of barriers contact by contact | not below -1e-12, "
      "symmetric, and along the gradient of the gap, within 1e-12 |\n"
      "| friction | of barriers, with coefficient 0.3 and velocities at the end that are up to three times the mean "
      "ones away from these: its work F.(q1 - q) over the sum of absolute summands; its size over mu times the force "
      "that presses | not above 1e-12; not above 1, and above 0.5 somewhere |\n"
      "| its balance | sum of its forces, and of its moments about the middle of the step, over the largest | exact: "
      "below 1e-12 |\n"
      "| restitution | D.(q1 - q) - (B(q1) - B(q)) less what is withheld with e = 0.6; that less 1 - e^2 of what is "
      "withheld with 0; over the energies | below 1e-12; withheld is never negative, and above 1e-3 somewhere |\n\n";
  text += markdown(cells_of(results, LawOf::contact));
  text += "\n| contact | example | what |\n|---|---|---|\n";
  for (const laws::ContactExample& example : laws::contact_examples())
    text += "| `" + example.kind + "` | " + example.name + " | " + example.brief + ": `" + example.keys + "` |\n";
  return text;
}

}  // namespace

std::string laws_table(const std::vector<LawResult>& results) {
  std::string text;
  for (const LawOf of : {LawOf::integrator, LawOf::contact}) {
    const Cells cells = cells_of(results, of);
    if (cells.size() > 1) text += (text.empty() ? "" : "\n") + aligned(cells);
  }
  for (const LawResult& r : results)
    if (!r.holds) text += "FAILED  " + failure_text(r) + "\n";
  return text;
}

std::string laws_markdown(const std::vector<LawResult>& results) {
  std::string text =
      "# Laws: the claims of integrators and contacts, measured\n\n"
      "Made by `livens laws --markdown > docs/laws.md`; `livens laws NAME` measures one integrator or kind of contact "
      "and exits with 0 only if every\n"
      "claim of its record holds. Claims are measured from both sides: a method that claims less than it does fails as "
      "well.\n\n"
      "## Integrators\n\n"
      "| law | how | holds if |\n|---|---|---|\n"
      "| order | slope of the error of q and of p at the middle and end of a span, against Galerkin polynomials of "
      "degree 6 whose Gauss and "
      "Lobatto forms agree to 1e-12. The steps are chosen by the errors alone: the largest ones whose points lie on a "
      "line | to order 4: "
      "five points over four halvings, within 0.1; above, step ratios of 1.08, at least four points between errors of "
      "1e-3 and 100 times the "
      "rounding floor, within 0.4 |\n"
      "| symplectic | largest entry of AᵀJA - J of one step of 0.4 s, A by central differences of order 8 | canonical: "
      "below 1e-10 (rounding over "
      "the difference); no: above 1e-6; named variables: not in (q, p), and below 1e-10 in x = q + βh²M⁻¹∇W(q), p |\n"
      "| symmetric | a step of 0.4 s forward and -0.4 s back | yes: back to 1e-12; no: misses by more than 1e-7 |\n"
      "| momenta | 10 000 steps of 0.1 s (2500 with forces; shorter ones only where the method is unstable), and 2500 "
      "that vary as "
      "h(1 + 0.3 sin t) where the claim is exact; cyclic coordinates count as linear, the rotation of `vortex` as "
      "angular momentum | exact: drift below 1e-11 of the scale; bounded: "
      "below 0.1, and the late trend is below 8 % of the band or twice its error; no: a trend of more than 20 % of the "
      "band |\n"
      "| energy | 8000 steps, the largest whose band is below 10 % of the kinetic energy | bounded: no late trend (as "
      "above) and a band that "
      "shrinks with h; dissipating: lost on every problem; drifting: gained, or lost on some |\n"
      "| explicit | Newton iterations on a separable model | none, or some |\n\n"
      "With forces, order, symmetry, momenta (strain damping) and the loss of symplecticity are measured; energy "
      "claims refer to unforced models.\n"
      "Orders above 6 leave errors above rounding only at steps that are large compared with most motions, so they are "
      "measured near circles, where a\n"
      "single frequency dominates; the problems are still non-linear. These problems were chosen for that: on the "
      "others the\n"
      "slopes of degrees 5 and 6 scatter between 6 and 19, or fewer than four points remain, so that they decide "
      "nothing there.\n"
      "That RK4 is dissipating is measured, not proven: it lost energy wherever its steps resolved the motion, and can "
      "gain\n"
      "where they do not, as in a close passage of a planet.\n\n"
      "### Measured\n\nOrder: claimed, smallest and largest slope. Defects and drifts: the largest of those that "
      "should "
      "vanish, the smallest of those that "
      "should not. The verdict counts the measurements.\n\n";
  text += markdown(cells_of(results, LawOf::integrator));
  text += "\n### Problems\n\n| name | what | span of errors (s) |\n|---|---|---|\n";
  for (const std::string& name : laws::problem_names())
    text +=
        "| `" + name + "` | " + laws::problem(name).brief + " | " + text_of(laws::problem(name).span, "%g") + " |\n";
  return text + contact_markdown(results);
}

}  // namespace livens
