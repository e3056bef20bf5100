#include "asynchronous/stencil_system.hpp"

#include <algorithm>

#include "asynchronous/term_stencil.hpp"
#include "math/disjoint_sets.hpp"
#include "model/system.hpp"

namespace livens {
namespace {

// A node that only a load acts on.
class LoadedNodes final : public Stencils {
 public:
  explicit LoadedNodes(std::vector<int> nodes) : Stencils(std::move(nodes), 1) {}
  double evaluate(int, const double*, double* g) const override {
    std::fill(g, g + 4, 0.0);
    return 0;
  }
};

}  // namespace

std::string StencilSystem::refusal(const Model& model) {
  const ModelParts& parts = model.parts();
  if (model.dimension() == 0 || system_of(model) != nullptr || !parts.lagrangians.empty())
    return "it needs bodies of nodes, each of which can be at a time of its own; the kinetic energy of generalised "
           "coordinates is no sum over nodes";
  if (!model.diagonal_mass())
    return "it needs a diagonal mass matrix, with which every node moves on its own between impulses; set mass_matrix "
           "= "
           "\"lumped\"";
  return "";
}

bool StencilSystem::covers(const Model& model, const EnergyTerm& term) {
  if (term.barrier() != nullptr) return true;  // layered_contact.hpp
  if (const auto stencils = term.stencils()) return is_node_count(stencils->per_stencil());
  std::vector<double> load(model.size());
  return term.add_constant_load(load) || is_one_stencil(model, term);
}

bool StencilSystem::covers(const Model& model, const Force& force) {
  std::vector<double> drag(model.size());
  return force.friction_of() != nullptr || force.stencils() != nullptr || force.add_constant_drag(drag);
}

StencilSystem::StencilSystem(const Model& model) : dimension_(model.dimension()) {
  const ModelParts& parts = model.parts();
  node_of_coordinate_.assign(model.size(), -1);
  for (const Body& body : parts.bodies)
    for (int a = 0; a < body.nodes; ++a) {
      const int first = body.first + a * body.dimension;
      node_of_coordinate_[first] = node_count();
      coordinate_.push_back(first);
      mass_.push_back(parts.mass.diagonal[first]);
      periodic_.push_back(body.periodic);
    }
  for (const auto& term : parts.terms) {
    auto stencils = term->stencils();
    if (stencils == nullptr && is_one_stencil(model, *term)) stencils = make_term_stencil(model, term);
    if (stencils == nullptr || stencils->count() == 0 || !is_node_count(stencils->per_stencil())) continue;
    const Invariance keeps = term->invariance();
    Set set;
    set.stencils = std::move(stencils);
    set.invariant = keeps.translations && keeps.rotations;
    set.name = term->name();
    set.term = term.get();
    add_set(std::move(set));
  }
  add_damping(model);
  share_masses();
  share_loads(model);
  if (model.supported_count() > 0) hold_supports(model);
  if (model.has_moving_supports()) move_supports(model);
  slow_nodes(model);
  if (model.constraint_count() > 0) find_clusters(model);
  classify(model);
}

int StencilSystem::node_of(int coordinate) const {
  while (node_of_coordinate_[coordinate] < 0) --coordinate;
  return node_of_coordinate_[coordinate];
}

void StencilSystem::hold_supports(const Model& model) {
  for (const int first : coordinate_) {
    Pack free{};
    for (int c = 0; c < dimension_; ++c) free[c] = model.supported(first + c) ? 0 : 1;
    free_.push_back(free);
  }
}

void StencilSystem::move_supports(const Model& model) {
  std::vector<std::vector<Moving>> of_node(coordinate_.size());
  for (const Support& support : model.parts().supports) {
    if (!support.motion) continue;
    for (std::size_t k = 0; k < support.coordinates.size(); ++k) {
      const int node = node_of(support.coordinates[k]), lane = support.coordinates[k] - coordinate_[node];
      of_node[node].push_back({static_cast<int>(supports_.size()), static_cast<int>(k), lane});
    }
    supports_.push_back(support);
  }
  moving_at_ = {0};
  for (const auto& list : of_node) {
    moving_.insert(moving_.end(), list.begin(), list.end());
    moving_at_.push_back(static_cast<int>(moving_.size()));
  }
}

void StencilSystem::place(int node, double t, Pack& x, Pack* velocity) const {
  static thread_local std::vector<double> position, rate;  // of supports that cannot be asked for one coordinate
  for (int k = moving_at_[node]; k < moving_at_[node + 1]; ++k) {
    const Moving& moving = moving_[k];
    const Support& support = supports_[moving.support];
    std::array<double, 2> now{};
    if (support.motion_of) {
      now = support.motion_of(t, static_cast<std::size_t>(moving.at));
    } else {
      position.resize(support.coordinates.size());
      rate.resize(support.coordinates.size());
      support.motion(t, position, rate);
      now = {position[moving.at], rate[moving.at]};
    }
    x[moving.lane] = now[0];
    if (velocity != nullptr) (*velocity)[moving.lane] = now[1];
  }
}

void StencilSystem::slow_nodes(const Model& model) {
  const auto& forces = model.parts().forces;
  std::vector<double> total(model.size(), 0.0);
  std::vector<std::vector<double>> each;
  for (std::size_t f = 0; f < forces.size(); ++f) {
    std::vector<double> drag(model.size(), 0.0);
    if (!forces[f]->add_constant_drag(drag)) continue;
    for (std::size_t i = 0; i < drag.size(); ++i) total[i] += drag[i];
    each.push_back(std::move(drag));
    drags_.push_back({f, {}});
  }
  if (drags_.empty()) return;
  const auto at_nodes = [&](const auto& value) {
    std::vector<Pack> packs;
    for (const int first : coordinate_) {
      Pack pack{};
      for (int c = 0; c < dimension_; ++c) pack[c] = value(first + c);
      packs.push_back(pack);
    }
    return packs;
  };
  drag_rate_ = at_nodes([&](int i) { return total[i] / model.parts().mass.diagonal[i]; });
  for (std::size_t k = 0; k < drags_.size(); ++k)
    drags_[k].share = at_nodes([&](int i) { return total[i] > 0 ? each[k][i] / total[i] : 0; });
  for (const Pack& rate : drag_rate_) slows_.push_back(rate[0] > 0 || rate[1] > 0 || rate[2] > 0);
}

void StencilSystem::find_clusters(const Model& model) {
  DisjointSets sets(node_count());
  std::vector<char> held(coordinate_.size(), 0);
  for (const auto& constraint : model.parts().constraints) {
    const std::vector<int> coordinates = constraint->coordinates();
    for (const int i : coordinates) {
      held[node_of(i)] = 1;
      sets.join(node_of(i), node_of(coordinates.front()));
    }
  }
  std::vector<int> number_of_root(coordinate_.size(), -1);
  cluster_of_.assign(coordinate_.size(), -1);
  for (int a = 0; a < node_count(); ++a) {
    if (held[a] == 0) continue;
    int& number = number_of_root[sets.root(a)];
    if (number < 0) number = cluster_count_++;
    cluster_of_[a] = number;
  }
}

void StencilSystem::classify(const Model& model) {
  for (const Set& set : sets_)
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int stencil = set.first + k;
      bool supported = false, loaded = false, slowed = false;
      for (int a = 0; a < set.per_stencil; ++a) {
        const int node = nodes(set, stencil)[a];
        slowed = slowed || slows(node);
        for (int c = 0; c < dimension_; ++c) {
          supported = supported || model.supported(coordinate(node) + c);
          loaded = loaded || (!load_.empty() && loads(set, stencil)[a][c] != 0);
        }
      }
      booked_.push_back(!set.invariant || supported || loaded);
      plain_.push_back(!booked_.back() && !slowed && set.damping.empty());
    }
}

void StencilSystem::add_set(Set set) {
  set.first = size();
  set.per_stencil = set.stencils->per_stencil();
  set.first_node = nodes_.size();
  for (int k = 0; k < set.stencils->count(); ++k) {
    set_of_.push_back(static_cast<std::uint16_t>(sets_.size()));
    for (const int first : set.stencils->nodes(k)) nodes_.push_back(node_of_coordinate_[first]);
  }
  sets_.push_back(std::move(set));
}

void StencilSystem::add_damping(const Model& model) {
  const auto& forces = model.parts().forces;
  for (std::size_t f = 0; f < forces.size(); ++f) {
    const auto damping = forces[f]->stencils();
    if (damping == nullptr) continue;
    for (Set& set : sets_)
      if (damping->belongs_to(*set.stencils)) {
        set.damping.push_back({damping, f});
        break;
      }
  }
}

// A node that only a load acts on gets a stencil of its own. Contact comes and goes; it carries no load.
void StencilSystem::add_loaded_nodes(const std::vector<double>& load) {
  std::vector<char> touched(coordinate_.size(), 0);
  for (const Set& set : sets_)
    if (set.per_stencil > 1)
      for (int i = 0; i < set.stencils->count() * set.per_stencil; ++i) touched[nodes_[set.first_node + i]] = 1;
  std::vector<int> alone;
  for (int a = 0; a < node_count(); ++a)
    for (int c = 0; c < dimension_ && touched[a] == 0; ++c)
      if (load[coordinate_[a] + c] != 0) {
        alone.push_back(coordinate_[a]);
        break;
      }
  if (alone.empty()) return;
  Set set;
  set.stencils = std::make_shared<LoadedNodes>(std::move(alone));
  set.name = "load";
  add_set(std::move(set));
  share_masses();
}

// Loads go to the stencils of their node, in proportion to the mass that each brings.
void StencilSystem::share_loads(const Model& model) {
  std::vector<double> load(model.size(), 0.0);
  bool any = false;
  for (const auto& term : model.parts().terms) any = term->add_constant_load(load) || any;
  if (!any) return;
  add_loaded_nodes(load);
  std::vector<double> total(coordinate_.size(), 0.0);
  const auto carries = [](const Set& set) { return set.per_stencil > 1 || set.term == nullptr; };
  for (const Set& set : sets_)
    for (int k = 0; carries(set) && k < set.stencils->count(); ++k)
      for (int a = 0; a < set.per_stencil; ++a) total[nodes(set, set.first + k)[a]] += masses(set, set.first + k)[a];
  load_.assign(nodes_.size(), Pack{});
  for (const Set& set : sets_)
    for (int k = 0; carries(set) && k < set.stencils->count(); ++k)
      for (int a = 0; a < set.per_stencil; ++a) {
        const int stencil = set.first + k, node = nodes(set, stencil)[a];
        const double part = masses(set, stencil)[a] / total[node];
        Pack& to = load_[place(set, stencil) + a];
        for (int c = 0; c < dimension_; ++c) to[c] = part * load[coordinate_[node] + c];
      }
}

// Elements bring their own mass. What is left of a node's mass is divided evenly among springs, contacts and loads;
// where nothing is left, each of these counts as one of equal parts of the whole.
void StencilSystem::share_masses() {
  share_.assign(nodes_.size(), 0.0);
  std::vector<double> brought(coordinate_.size(), 0.0);
  std::vector<int> others(coordinate_.size(), 0);
  for (const Set& set : sets_)
    for (int k = 0; k < set.stencils->count(); ++k)
      for (int a = 0; a < set.per_stencil; ++a) {
        const int node = nodes(set, set.first + k)[a];
        const double own = set.stencils->mass(k, a);
        share_[place(set, set.first + k) + a] = own;
        brought[node] += own;
        others[node] += own == 0;
      }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (share_[i] > 0) continue;
    const int node = nodes_[i];
    const double left = mass_[node] - brought[node];
    const int parts = others[node] + (brought[node] > 0 ? 1 : 0);
    share_[i] = left > 1e-6 * mass_[node] ? left / others[node] : mass_[node] / parts;
  }
}

std::vector<std::vector<int>> StencilSystem::stencils_at_nodes() const {
  std::vector<std::vector<int>> result(coordinate_.size()), of_cluster(static_cast<std::size_t>(cluster_count_));
  for (const Set& set : sets_)
    for (int k = 0; k < set.stencils->count(); ++k)
      for (int a = 0; a < set.per_stencil; ++a) {
        const int node = nodes(set, set.first + k)[a], cluster = cluster_of(node);
        std::vector<int>& list = cluster < 0 ? result[node] : of_cluster[cluster];
        if (list.empty() || list.back() != set.first + k) list.push_back(set.first + k);
      }
  for (int a = 0; a < node_count(); ++a)
    if (cluster_of(a) >= 0) result[a] = of_cluster[cluster_of(a)];
  return result;
}

}  // namespace livens
