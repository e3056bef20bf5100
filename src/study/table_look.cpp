#include "study/table_look.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <livens/asynchronous.hpp>
#include <livens/solid_block.hpp>

#include "diagnostics/quantities.hpp"
#include "diagnostics/statistics.hpp"
#include "diagnostics/stiffness.hpp"
#include "files/schedule.hpp"
#include "math/expression.hpp"
#include "study/measure.hpp"

namespace livens {
namespace table_look {

constexpr int every_step_limit = 20'000;  // unknowns; above, looks are at the rows of history.csv only
constexpr double time_slack = 1e-9;       // of a step: what times may differ by

// One quantity over a stretch of the run.
struct Stretch {
  Series series;
  double integral = 0, turn = 0, t_last = 0;

  void add(double t, double value) {
    if (std::isnan(value)) return;  // not defined there
    if (series.count() > 0) {
      integral += 0.5 * (t - t_last) * (series.last() + value);
      turn += std::remainder(value - series.last(), 2 * std::numbers::pi);
    }
    series.add(t, value);
    t_last = t;
  }
};

struct Statistic {
  const char* name;
  double (*value)(const Stretch&, double duration);
};

const std::array<Statistic, 11>& statistics() {
  using S = const Stretch&;
  static const std::array<Statistic, 11> all = {{
      {"first", [](S s, double) { return s.series.first(); }},
      {"last", [](S s, double) { return s.series.last(); }},
      {"min", [](S s, double) { return s.series.min(); }},
      {"max", [](S s, double) { return s.series.max(); }},
      {"largest", [](S s, double) { return std::max(std::abs(s.series.min()), std::abs(s.series.max())); }},
      {"range", [](S s, double) { return s.series.max() - s.series.min(); }},
      {"drift", [](S s, double) { return s.series.largest_drift(); }},
      {"mean", [](S s, double duration) { return s.integral / duration; }},
      {"turn", [](S s, double) { return s.turn; }},
      {"slope", [](S s, double) { return s.series.late_trend().slope; }},
      {"slope_error", [](S s, double) { return s.series.late_trend().slope_error; }},
  }};
  return all;
}

std::string identifier(std::string column) {
  std::replace_if(
      column.begin(), column.end(), [](char c) { return c != '_' && std::isalnum(static_cast<unsigned char>(c)) == 0; },
      '_');
  return column;
}

// A name of an expression: which quantity it is about, and what of it.
struct Wanted {
  enum class Of { stretch, start, end, instant };
  std::string name;
  std::size_t quantity = 0;
  Of of = Of::stretch;
  const Statistic* statistic = nullptr;
};

struct LookRow {
  double from = 0, to = 0;
  std::vector<Stretch> stretches;  // by quantity that is watched
  std::vector<double> instant;     // of all quantities, once its time has come
};

}  // namespace table_look

using namespace table_look;

struct TableLook::Impl {
  struct Watched {
    const OwnTable* table;
    std::vector<std::string> names;       // of all quantities: columns of history.csv, then the table's own
    std::vector<Expression> expressions;  // of the table's own
    std::vector<Wanted> wanted;
    std::vector<std::size_t> summed;  // quantities whose statistics are asked for
    std::vector<LookRow> rows;
    std::vector<double> values, start;
    std::size_t next = 0;  // the first instant that has not come
  };

  Impl(const Setup& setup, const std::vector<OwnTable>& given, const Variables& constants)
      : quantities(*setup.model, setup.plan.probes),
        t_begin(setup.start.t),
        t_end(setup.plan.t_end),
        every_step(setup.model->size() <= every_step_limit),
        schedule(t_begin, setup.plan.history_every.value_or((t_end - t_begin) / quantities.default_rows())) {
    for (const Column& column : quantities.columns()) columns.push_back(identifier(column.name));
    for (const OwnTable& table : given) add(table, constants);
  }

  void add(const OwnTable& table, const Variables& constants) {
    Watched w;
    w.table = &table;
    w.names = columns;
    for (const OwnColumn& quantity : table.quantities) {
      w.expressions.push_back(Expression::parse(quantity.value, w.names, constants));
      w.names.push_back(quantity.name);
    }
    w.values.resize(w.names.size(), undefined);
    // Facts of the run have their names first: `step_max` is no statistic of the column `step`.
    const auto is_fact = [](const std::string& name) {
      return std::find(fact_names().begin(), fact_names().end(), name) != fact_names().end();
    };
    for (const std::string& name : table.names_of_columns())
      if (const auto wanted = is_fact(name) ? std::nullopt : resolve(w.names, name)) {
        w.wanted.push_back(*wanted);
        if (wanted->of == Wanted::Of::stretch) w.summed.push_back(wanted->quantity);
      }
    std::sort(w.summed.begin(), w.summed.end());
    w.summed.erase(std::unique(w.summed.begin(), w.summed.end()), w.summed.end());
    add_rows(w);
    tables.push_back(std::move(w));
  }

  void add_rows(Watched& w) const {
    const auto row = [&](double from, double to) {
      w.rows.push_back({from, to, std::vector<Stretch>(w.names.size()), {}});
    };
    switch (w.table->rows) {
      case OwnTable::Rows::cases: row(t_begin, t_end); break;
      case OwnTable::Rows::times:
        for (const double t : w.table->times) row(t, t);
        break;
      case OwnTable::Rows::windows:
        for (double k = 0; t_begin + k * w.table->window < t_end - time_slack * w.table->window; ++k)
          row(t_begin + k * w.table->window, std::min(t_end, t_begin + (k + 1) * w.table->window));
    }
  }

  static std::optional<Wanted> resolve(const std::vector<std::string>& names, const std::string& name) {
    const auto find = [&](const std::string& quantity) { return std::find(names.begin(), names.end(), quantity); };
    const auto wanted = [&](std::size_t suffix, Wanted::Of of, const Statistic* statistic) -> std::optional<Wanted> {
      if (name.size() <= suffix) return std::nullopt;
      const auto place = find(name.substr(0, name.size() - suffix));
      if (place == names.end()) return std::nullopt;
      return Wanted{name, static_cast<std::size_t>(place - names.begin()), of, statistic};
    };
    if (const auto found = wanted(0, Wanted::Of::instant, nullptr)) return found;
    if (name.ends_with("_start")) return wanted(6, Wanted::Of::start, nullptr);
    if (name.ends_with("_end")) return wanted(4, Wanted::Of::end, nullptr);
    for (const Statistic& statistic : statistics())
      if (const std::string suffix = std::string("_") + statistic.name; name.ends_with(suffix))
        if (const auto found = wanted(suffix.size(), Wanted::Of::stretch, &statistic)) return found;
    return std::nullopt;
  }

  void look(const Sample& sample) {
    const auto row = quantities.evaluate(sample);
    const double t = sample.state.t, slack = time_slack * sample.report.h;
    for (Watched& w : tables) {
      std::copy(row.begin(), row.end(), w.values.begin());
      for (std::size_t k = 0; k < w.expressions.size(); ++k)
        w.values[row.size() + k] = w.expressions[k].evaluate(std::span<const double>(w.values));
      if (w.start.empty()) w.start = w.values;
      for (LookRow& r : w.rows) {
        const bool instant = w.table->rows == OwnTable::Rows::times;
        if (instant && r.instant.empty() && t + slack >= r.from) r.instant = w.values;
        if (instant || t < r.from - slack || t > r.to + slack) continue;
        for (const std::size_t k : w.summed) r.stretches[k].add(t, w.values[k]);
      }
    }
    quantities.keep_scales();
    last_look = t;
  }

  // Of quantities that were never defined there is nothing to tell.
  double value_of(const Watched& w, const LookRow& row, const Wanted& wanted) const {
    const std::size_t q = wanted.quantity;
    switch (wanted.of) {
      case Wanted::Of::start: return w.start[q];
      case Wanted::Of::end: return w.values[q];
      case Wanted::Of::instant: return row.instant.empty() ? undefined : row.instant[q];
      case Wanted::Of::stretch: break;
    }
    const Stretch& stretch = row.stretches[q];
    return stretch.series.count() > 0 ? wanted.statistic->value(stretch, row.to - row.from) : undefined;
  }

  std::vector<std::string> columns;
  Quantities quantities;
  double t_begin, t_end;
  bool every_step;
  Schedule schedule;
  std::vector<Watched> tables;
  double last_look = undefined;
  double omega = undefined;
};

TableLook::TableLook(const Setup& setup, const std::vector<OwnTable>& tables, const Variables& constants)
    : impl_(std::make_unique<Impl>(setup, tables, constants)) {}
TableLook::~TableLook() = default;

void TableLook::begin(const Sample& sample) {
  for (const Impl::Watched& w : impl_->tables) {
    const auto names = w.table->names_of_columns();
    if (std::find(names.begin(), names.end(), "omega_max") != names.end())
      impl_->omega = omega_max(sample.model, sample.state).value_or(undefined);
  }
  impl_->quantities.begin(sample);
  impl_->look(sample);
}

void TableLook::observe(const Sample& sample) {
  const bool due = impl_->schedule.due(sample), asked = sample.state.t >= next_instant();
  if (sample.integrator.continuous() && !due && !asked) return;
  impl_->quantities.advance(sample);
  if (impl_->every_step || due || asked) impl_->look(sample);
}

void TableLook::end(const Sample& sample) {
  if (impl_->last_look != sample.state.t) impl_->look(sample);
}

double TableLook::next_time() const { return std::min(impl_->schedule.next_time(), next_instant()); }

double TableLook::next_instant() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Impl::Watched& w : impl_->tables)
    for (const LookRow& row : w.rows) {
      if (w.table->rows == OwnTable::Rows::times && row.instant.empty()) next = std::min(next, row.from);
      if (w.table->rows == OwnTable::Rows::windows && row.to > impl_->last_look) next = std::min(next, row.to);
    }
  return next;
}

std::vector<OwnRows> TableLook::rows() const {
  std::vector<OwnRows> result;
  for (const Impl::Watched& w : impl_->tables) {
    result.emplace_back();
    for (const LookRow& row : w.rows) {
      Variables& variables = result.back().emplace_back();
      variables["from"] = row.from;
      variables["to"] = row.to;
      for (const Wanted& wanted : w.wanted) variables[wanted.name] = impl_->value_of(w, row, wanted);
    }
  }
  return result;
}

const std::vector<std::string>& fact_names() {
  static const std::vector<std::string> names = {"steps",
                                                 "retries",
                                                 "evaluations",
                                                 "newton",
                                                 "linear_iterations",
                                                 "factorisations",
                                                 "convexified",
                                                 "step_min",
                                                 "step_max",
                                                 "t_reached",
                                                 "elements",
                                                 "unknowns",
                                                 "updates",
                                                 "least_updates",
                                                 "most_updates",
                                                 "ideal_speedup",
                                                 "updates_per_second",
                                                 "processor_time",
                                                 "omega_max",
                                                 "linear_momentum_scale",
                                                 "angular_momentum_scale"};
  return names;
}

std::string event_fact(const std::string& event) { return "events_" + identifier(event); }

Variables TableLook::facts(const Sample& sample) const {
  const Integrator& integrator = sample.integrator;
  const Counters& c = integrator.counters();
  const auto number = [](long n) { return static_cast<double>(n); };
  Variables facts = {{"steps", number(c.steps)},
                     {"retries", number(c.retries)},
                     {"evaluations", number(c.evaluations)},
                     {"newton", number(c.newton)},
                     {"linear_iterations", number(c.linear_iterations)},
                     {"factorisations", number(c.factorisations)},
                     {"convexified", number(c.convexified)},
                     {"step_min", c.step_min},
                     {"step_max", c.step_max},
                     {"t_reached", sample.state.t},
                     {"unknowns", number(sample.model.size())},
                     {"omega_max", impl_->omega},
                     {"linear_momentum_scale", impl_->quantities.linear_scale()},
                     {"angular_momentum_scale", impl_->quantities.angular_scale()}};
  for (const auto& [name, count] : integrator.events()) facts[event_fact(name)] = number(count);
  if (integrator.asynchronous() != nullptr) {
    const AsynchronousFacts clocks = integrator.asynchronous()->facts();
    facts["least_updates"] = number(clocks.least_updates);
    facts["most_updates"] = number(clocks.most_updates);
    facts["ideal_speedup"] = clocks.ideal_speedup;
    facts["updates_per_second"] = clocks.updates_per_second;
  }
  return facts;
}

std::vector<std::string> TableLook::names(const OwnTable& table) const {
  std::vector<std::string> all = impl_->columns;
  for (const OwnColumn& quantity : table.quantities) all.push_back(quantity.name);
  const std::size_t plain = all.size();
  for (std::size_t k = 0; k < plain; ++k) {
    for (const char* place : {"_start", "_end"}) all.push_back(all[k] + place);
    for (const Statistic& statistic : statistics()) all.push_back(all[k] + "_" + statistic.name);
  }
  return all;
}

}  // namespace livens
