#include "asynchronous/level_chunks.hpp"

#include <algorithm>
#include <numeric>

#include "asynchronous/memory_lists.hpp"
#include "math/finite.hpp"

namespace livens {
namespace {

// About what an element costs, to divide work among threads, ns.
double cost_of(int nodes) { return nodes <= 4 ? 15 : 8.0 * nodes; }

}  // namespace

void LevelChunks::make(const StencilSystem& system, const std::vector<std::uint8_t>& level,
                       const std::vector<double>& steps, std::vector<char>& chosen) {
  *this = LevelChunks();
  system_ = &system;
  steps_ = steps;
  const int levels = static_cast<int>(steps.size());
  std::vector<std::vector<int>> places(steps.size());
  for (int l = 0; l < levels; ++l) {
    level_start_.push_back(chunks_.size());
    for (const Set& set : system.sets()) {
      const SolidBlock* block = set.term == nullptr || !set.damping.empty() ? nullptr : set.term->elements();
      std::vector<int> of_level;
      for (int k = 0; block != nullptr && k < set.stencils->count(); ++k)
        if (chosen[set.first + k] != 0 && level[set.first + k] == l) of_level.push_back(k);
      if (!of_level.empty()) add_set(system, set, l, of_level);
    }
  }
  level_start_.push_back(chunks_.size());
  std::fill(chosen.begin(), chosen.end(), 0);
  for (const Chunk& chunk : chunks_)
    for (const int k : chunk.elements->elements(chunk.number)) chosen[chunk.stencil + k] = 1;
  find_loads(system);
  work_.assign(steps.size() + 1, 0.0);
  for (const Chunk& chunk : chunks_) work_[chunk.level] += chunk.work;
  for (std::size_t l = steps.size(); l > 0; --l) work_[l - 1] += work_[l];
  divide(1);
}

void LevelChunks::add_set(const StencilSystem& system, const Set& set, int level, const std::vector<int>& places) {
  auto elements = set.term->elements()->chunks_of(places);
  if (elements == nullptr) return;
  const Pack* free = system.free_coordinates();
  for (int c = 0; c < elements->count(); ++c) {
    Chunk chunk;
    chunk.elements = elements.get();
    chunk.number = c;
    chunk.level = level;
    chunk.stencil = set.first;
    chunk.first = node_.size();
    bool booked = false;
    const std::vector<int> members = elements->elements(c);
    for (const int k : members) booked = booked || system.booked(set.first + k);
    for (const int first : elements->nodes(c)) {
      const int node = system.node_of(first);
      node_.push_back(node);
      for (int i = 0; free != nullptr && i < system.dimension(); ++i)
        chunk.supported = chunk.supported || free[node][i] == 0;
    }
    chunk.nodes = static_cast<int>(node_.size() - chunk.first);
    chunk.work = cost_of(set.per_stencil) * static_cast<double>(members.size());
    if (booked) {
      chunk.book = static_cast<int>(books_.size());
      books_.emplace_back();
    }
    chunks_.push_back(chunk);
  }
  owned_.push_back(std::move(elements));
}

// The loads of a chunk: at each of its nodes the parts of its elements together.
void LevelChunks::find_loads(const StencilSystem& system) {
  if (chunks_.empty() || system.loads(system.sets().front(), 0) == nullptr) return;
  load_.assign(node_.size(), Pack{});
  std::vector<std::size_t> place(system.node_count());
  for (const Chunk& chunk : chunks_) {
    for (int a = 0; a < chunk.nodes; ++a) place[node_[chunk.first + a]] = chunk.first + a;
    const Set& set = system.set_of(chunk.stencil);
    for (const int k : chunk.elements->elements(chunk.number))
      for (int a = 0; a < set.per_stencil; ++a)
        load_[place[system.nodes(set, set.first + k)[a]]] += system.loads(set, set.first + k)[a];
  }
}

// Chunks of a level are in order in space: each item gets a piece of space with its part of the work.
void LevelChunks::divide(int items) {
  items_ = items;
  int largest = 0;
  for (Chunk& chunk : chunks_) largest = std::max(largest, chunk.nodes);
  rooms_.resize(items);
  look_.x.resize(largest);
  look_.f.resize(largest);
  for (Room& room : rooms_) {
    room.x.resize(largest);
    room.f.resize(largest);
  }
  for (std::size_t l = 0; l + 1 < level_start_.size(); ++l) {
    const double all = work_[l] - work_[l + 1];
    double before = 0;
    for (std::size_t k = level_start_[l]; k < level_start_[l + 1]; ++k) {
      Chunk& chunk = chunks_[k];
      chunk.item = std::min(items - 1, static_cast<int>((before + 0.5 * chunk.work) / all * items));
      before += chunk.work;
    }
  }
  find_slots();
}

void LevelChunks::find_slots() {
  constexpr int nobody = -1, several = -2;
  std::vector<int> owner(system_->node_count(), nobody), finest(system_->node_count(), 0);
  for (const Chunk& chunk : chunks_)
    for (int a = 0; a < chunk.nodes; ++a) {
      const int node = node_[chunk.first + a];
      owner[node] = owner[node] == nobody || owner[node] == chunk.item ? chunk.item : several;
      finest[node] = chunk.level;
    }
  shared_.clear();
  for (int a = 0; a < system_->node_count(); ++a)
    if (owner[a] == several) shared_.push_back({a, finest[a], 0, 0});
  std::stable_sort(shared_.begin(), shared_.end(),
                   [](const Shared& a, const Shared& b) { return a.finest < b.finest; });
  shared_from_.assign(steps_.size() + 1, shared_.size());
  for (std::size_t s = shared_.size(); s-- > 0;)
    for (int l = 0; l <= shared_[s].finest; ++l) shared_from_[l] = s;
  std::vector<std::vector<std::size_t>> places(shared_.size());  // in node_, in the order of the chunks
  std::vector<int> number(system_->node_count(), nobody);
  for (std::size_t s = 0; s < shared_.size(); ++s) number[shared_[s].node] = static_cast<int>(s);
  slot_of_.assign(shared_.empty() ? 0 : node_.size(), -1);
  std::vector<int> level_at(slot_of_.size());
  for (Chunk& chunk : chunks_) {
    chunk.split = false;
    for (int a = 0; a < chunk.nodes && !shared_.empty(); ++a) {
      const int s = number[node_[chunk.first + a]];
      if (s == nobody) continue;
      places[s].push_back(chunk.first + a);
      level_at[chunk.first + a] = chunk.level;
      chunk.split = true;
    }
  }
  slot_level_.clear();
  for (std::size_t s = 0; s < shared_.size(); ++s) {
    shared_[s].first_slot = slot_level_.size();
    for (const std::size_t place : places[s]) {
      slot_of_[place] = static_cast<int>(slot_level_.size());
      slot_level_.push_back(level_at[place]);
    }
    shared_[s].last_slot = slot_level_.size();
  }
  slots_.assign(slot_level_.size(), Pack{});
}

// Positions at t into the room, and -weight load where the impulse will be; returns W after the elements have added to
// it.
double LevelChunks::gather(const Chunk& chunk, double t, double weight, const MovingNode* nodes, Room& room) const {
  const int* of = node_.data() + chunk.first;
  for (int a = 0; a < chunk.nodes; ++a) room.x[a] = nodes[of[a]].position(t);
  if (load_.empty())
    std::fill_n(room.f.begin(), chunk.nodes, Pack{});
  else
    for (int a = 0; a < chunk.nodes; ++a) room.f[a] = -weight * load_[chunk.first + a];
  const double energy = chunk.elements->add_gradient(chunk.number, lanes(room.x.data()), weight, lanes(room.f.data()));
  if (chunk.supported) {
    const Pack* free = system_->free_coordinates();
    for (int a = 0; a < chunk.nodes; ++a) room.f[a] *= free[of[a]];
  }
  return energy;
}

bool LevelChunks::kick_chunk(const Chunk& chunk, const Instant& now, bool slots, MovingNode* nodes, Room& room,
                             int& failed) {
  if (!is_finite(gather(chunk, now.t, now.part * steps_[chunk.level], nodes, room))) {
    failed = failing(chunk, room);
    return false;
  }
  const int* of = node_.data() + chunk.first;
  if (chunk.book >= 0) book(chunk, room, books_[chunk.book]);
  if (!slots || !chunk.split) {
    for (int a = 0; a < chunk.nodes; ++a) {
      nodes[of[a]].x = room.x[a];
      nodes[of[a]].p -= room.f[a];
    }
    return true;
  }
  const int* slot = slot_of_.data() + chunk.first;
  for (int a = 0; a < chunk.nodes; ++a) {
    if (slot[a] >= 0) {
      slots_[slot[a]] = room.f[a];
      continue;
    }
    nodes[of[a]].x = room.x[a];
    nodes[of[a]].p -= room.f[a];
  }
  return true;
}

// The impulses are -f.
void LevelChunks::book(const Chunk& chunk, const Room& room, ImpulseBook& book) const {
  const int* of = node_.data() + chunk.first;
  for (int a = 0; a < chunk.nodes; ++a) system_->book(of[a], room.x[a], -room.f[a], book);
}

int LevelChunks::failing(const Chunk& chunk, const Room& room) const {
  const Set& set = system_->set_of(chunk.stencil);
  std::vector<int> members = chunk.elements->elements(chunk.number);
  std::sort(members.begin(), members.end());
  const int* of = node_.data() + chunk.first;
  Pack x[most_nodes], g[most_nodes];
  for (const int k : members) {
    const int* nodes = system_->nodes(set, set.first + k);
    for (int a = 0; a < set.per_stencil; ++a)
      x[a] = *(room.x.begin() + (std::find(of, of + chunk.nodes, nodes[a]) - of));
    if (!is_finite(set.stencils->evaluate(k, lanes(x), lanes(g)))) return set.first + k;
  }
  return set.first + members.front();
}

bool LevelChunks::kick(const Instant& now, std::vector<MovingNode>& nodes, int& failed) {
  for (std::size_t k = level_start_[now.coarsest]; k < chunks_.size(); ++k)
    if (!kick_chunk(chunks_[k], now, false, nodes.data(), rooms_[0], failed)) return false;
  return true;
}

bool LevelChunks::kick_item(const Instant& now, int item, std::vector<MovingNode>& nodes, int& failed) {
  for (std::size_t k = level_start_[now.coarsest]; k < chunks_.size(); ++k)
    if (chunks_[k].item == item && !kick_chunk(chunks_[k], now, true, nodes.data(), rooms_[item], failed)) return false;
  return true;
}

void LevelChunks::add_slots(const Instant& now, int item, std::vector<MovingNode>& nodes) const {
  const std::size_t first = shared_from_[now.coarsest], count = shared_.size() - first,
                    n = static_cast<std::size_t>(items_), k = static_cast<std::size_t>(item);
  for (std::size_t s = first + count * k / n; s < first + count * (k + 1) / n; ++s) {
    MovingNode& node = nodes[shared_[s].node];
    node.drift_to(now.t);
    for (std::size_t slot = shared_[s].first_slot; slot < shared_[s].last_slot; ++slot)
      if (slot_level_[slot] >= now.coarsest) node.p -= slots_[slot];
  }
}

void LevelChunks::read(std::span<const double> weights, double T, std::vector<MovingNode>& nodes,
                       Ledger& ledger) const {
  for (const Chunk& chunk : chunks_) {
    gather(chunk, T, weights[chunk.level], nodes.data(), look_);
    for (int a = 0; a < chunk.nodes; ++a) nodes[node_[chunk.first + a]].p -= look_.f[a];
    if (chunk.book < 0) continue;
    ImpulseBook sum = books_[chunk.book];
    book(chunk, look_, sum);
    sum.enter(ledger);
  }
}

void LevelChunks::start() { std::fill(books_.begin(), books_.end(), ImpulseBook{}); }

void LevelChunks::visit_memory(MemoryVisitor& visitor) {
  if (!books_.empty()) visit_list(visitor, "level_books", books_);
}

double LevelChunks::memory() const {
  return static_cast<double>(chunks_.capacity() * sizeof(Chunk) +
                             (node_.capacity() + slot_of_.capacity()) * sizeof(int) +
                             (load_.capacity() + slots_.capacity()) * sizeof(Pack));
}

}  // namespace livens
