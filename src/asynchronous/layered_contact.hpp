// Contact in layers on clocks: the discrete action has one more sum for every pair and layer, over the ticks of that
// layer [L04 4.2; D. Harmon et al., Asynchronous contact mechanics, 2009].
//
//   at multiples of h_l = h_0 2^-l:   p -= h_l dPhi_l/dx at the positions of that instant
//   h_0 = unit 2^-j <= 2 f / omega_0,   omega_0^2 = K (1/m_a + max 1/m_i),   f = 0.1
//
// The unit is that of the steps of the elements. All layers of all pairs tick for ever; a tick of a layer that the gap
// is not within does nothing, and leaving it out changes no bit: positions are looked at in copies, and nodes are
// brought along only where something pushes. What may be left out: at gap d the next look is the next multiple of h_L,
// L the smallest with d_(L+1) <= d - U h_L, U a bound of the closing speed. Every node has a bound of its own speed; a
// kick that passes it raises it, and the pairs of that node are looked at again at that instant. Lists of pairs serve
// until a point may have used up its margin. None of this is part of a state: clocks, bounds and lists are found anew
// from positions, momenta and the time.
//
// Order at one instant: elements, terms that act as a whole, pairs by kind and numbers.
//
// Friction acts at ticks: with J the normal impulse of the tick, V = G v (src/contact/friction.hpp, with the spin of
// the facet) and m_t = 1/(V'G M^-1 G'V / |V|^2), the impulse -min(mu J, m_t |V|) G'V/|V|: mu times the normal impulse
// in slip, a stop in stick. The kinetic energy falls, and what it loses is booked; momenta are kept.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "asynchronous/activations.hpp"
#include "asynchronous/instant_buckets.hpp"
#include "contact/layered_pairs.hpp"

namespace livens {

class LayeredContact {
 public:
  LayeredContact(const Model& model, const StencilSystem& system);

  bool empty() const { return surfaces_.empty(); }
  // The longest step that layers 0 of all points would allow: for runs in which nothing else has a step.
  double own_step() const { return own_step_; }
  // All clocks begin at the time of the nodes, with half a tick; unit: s.
  void start(double unit, double origin, const Activations& activations);
  // Speeds that nodes may have until somebody has to notice, as squares of momenta.
  const std::vector<double>& limits() const { return limits_; }

  // Of the next tick, or look; infinite if there is none.
  double next_time() const;
  // What comes then. False if surfaces touch; failed() says which.
  bool act(Activations& activations);
  // Nodes have been kicked by others at t: all of them, or these.
  void notice(double t, const Activations& activations);
  void notice(double t, const std::vector<int>& nodes, const Activations& activations);
  // Everything up to T is done.
  void pass(double T) { now_.time = T; }
  // Adds to nodes that are all at T the parts of the impulses that belong to the time up to it, and all books.
  void read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const;

  const std::string& failed() const { return failed_; }
  double failed_time() const { return failed_time_; }
  long ticks() const { return now_.ticks; }
  long looks() const { return looks_; }
  long lists() const { return lists_; }

  // For those who measure what leaving ticks out saves: every pair is looked at 2^depth times in a unit.
  void look_always(int depth) { always_ = depth; }

  void keep() { kept_ = now_; }
  void put_back();
  void visit_memory(MemoryVisitor& visitor);
  // Lists and bounds are those of the nodes as they are at now_.time.
  void renew() { current_ = false; }
  // Makes them so; does nothing if they are.
  void make_current(const Activations& activations);

 private:
  using Pair = LayeredPairs::Pair;

  // One barrier of the model.
  struct Surface {
    explicit Surface(const ContactBarrier& barrier) : pairs(barrier) {}
    LayeredPairs pairs;
    std::string name;               // of the term
    int force = -1;                 // of the model: its friction; -1: none
    double margin = 0;              // m, of lists
    double range = 0;               // m, the shortest
    std::vector<int> nodes;         // that its points are made of
    std::vector<double> lightest;   // 1/kg, of the points of each body
    std::vector<char> held, moves;  // of the points: by supports; by those that move
    std::vector<char> supported;    // of the points: whether supports have a part in them
    std::vector<int> node;          // of the points that are nodes which coast; -1: of others
    bool has_moving = false;
    std::vector<Point3> x, listed, forces;  // of the points: now; when the list was made; scratch
    std::vector<double> placed;             // s, of the points: when they are at x; not a number: never
    std::vector<double> bound;              // m/s, of the points
    std::vector<double> next;               // of the pairs: instant of the next look
    double list_until = 0;                  // instant
    struct Seen {
      double t = 0;
      Point3 x;
    };
    std::vector<Seen> seen;  // of points that move as given: where they were last
  };
  struct Entry {
    int surface, pair;
    auto operator<=>(const Entry&) const = default;
  };
  struct Progress {
    double time = 0, unit = 0, origin = 0;
    long ticks = 0;
    std::vector<ImpulseBook> books;  // of the surfaces; dissipated: by friction
  };

  void add_surface(const Model& model, const EnergyTerm& term);
  void measure_masses(Surface& surface);
  double time_of(double instant) const { return now_.origin + instant * now_.unit; }
  double first_after(double t, int clock) const;
  double last_until(double t, int clock) const;
  double step(int clock) const { return now_.unit * power_of_two(-clock); }
  int clock_of(const Surface& surface, const Pair& pair, const LayerLaw& law) const;
  double inverse_mass(const Surface& surface, int point) const;

  // Nodes that move as given in all coordinates: pairs of one instant ask for the same.
  struct Placed {
    double t[2] = {std::nan(""), std::nan("")};
    Pack x[2], v[2];
    int last = 0;
  };
  int placed(int node, double t) const;
  Pack node_at(int node, double t, const MovingNodes& nodes) const;
  Pack velocity_at(int node, double t, const MovingNodes& nodes) const;
  Point3 point_at(const Surface& surface, int point, double t, const MovingNodes& nodes) const;
  Point3 point_velocity(const Surface& surface, int point, double t, const MovingNodes& nodes) const;
  void place_points(Surface& surface, const Pair& pair, double t, const MovingNodes& nodes) const;

  double bound_of(int node, const MovingNodes& nodes) const;
  void bound_moving(Surface& surface, int point, double t, const MovingNodes& nodes);
  bool moved_as_bounded(Surface& surface, const Pair& pair, double t);
  void raise(int node, double t, const MovingNodes& nodes);
  double closing_speed(const Surface& surface, const Pair& pair) const;
  double next_look(const Surface& surface, const Pair& pair, double t) const;
  double next_look(const LayeredPairs::Part& part, double gap, double speed, double t) const;
  void look(int surface, int pair, double t, const MovingNodes& nodes);
  void schedule(int surface, int pair, double instant);

  void make_list(int surface, double t, const MovingNodes& nodes);
  bool renew_list(int surface, double t, const MovingNodes& nodes);
  void set_list_end(Surface& surface, double t, const MovingNodes& nodes);

  bool tick(int surface, int pair, double instant, Activations& activations);
  bool kick(Surface& surface, const Pair& pair, double instant, double t, Activations& activations);
  // The points that friction of a tick acts on, with their coefficients, and what friction does to each.
  struct Rubbed {
    static constexpr int most = 8;
    int count = 0, held = 0;  // held: of the places, those whose spin takes the moment of the gap
    std::array<int, most> point{}, held_place{};
    std::array<double, most> c{}, inverse_mass{};
    std::array<Point3, most> x, v, along;  // along: G't of each, t the direction of slip
    int place(int a) {
      for (int i = 0; i < count; ++i)
        if (point[i] == a) return i;
      point[count] = a;
      return count++;
    }
  };
  void rub(Surface& surface, const Pair& pair, double normal, double t, Activations& activations, ImpulseBook& book);
  Rubbed rubbed_points(const Surface& surface, const Pair& pair, const LayeredPairs::Term& nearest, double t,
                       const MovingNodes& nodes) const;
  Point3 surface_velocity(const Surface& surface, int ball, const Point3& normal, double t,
                          const MovingNodes& nodes) const;
  void apply(const Surface& surface, std::span<const int> points, bool booked, double t, Activations& activations,
             ImpulseBook& book);
  bool is_booked(const Surface& surface, std::span<const int> points) const;
  Pack own_part(int node, Pack impulse, const Pack& velocity, ImpulseBook& book) const;
  void read_pair(Surface& surface, const Pair& pair, double T, std::vector<MovingNode>& nodes, ImpulseBook& book) const;
  bool fail(const Surface& surface, const Pair& pair, double t, const std::string& what);

  const StencilSystem* system_;
  mutable std::vector<Surface> surfaces_;                         // reading uses their places for positions and forces
  std::vector<std::vector<std::pair<int, int>>> points_of_node_;  // surface and point, of points that are nodes
  std::vector<double> node_bound_, limits_;
  std::vector<int> contact_nodes_;
  InstantBuckets<Entry> queue_;  // entries that are not those of `next` are stale
  std::vector<Entry> due_;       // of one instant
  std::vector<double> q_;
  mutable NodeBooks scratch_;
  mutable std::vector<Placed> placed_;
  std::vector<int> place_of_node_;  // -1: it does not move as given, or not in all coordinates
  mutable LayeredPairs::Sight sight_;
  Progress now_, kept_;
  bool current_ = false;
  int always_ = -1;
  double own_step_ = std::numeric_limits<double>::infinity();
  long looks_ = 0, lists_ = 0;  // since the lists were made anew
  std::string failed_;
  double failed_time_ = 0;
};

}  // namespace livens
