#include "model/rigid_motions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include <livens/solid_block.hpp>

#include "math/disjoint_sets.hpp"

namespace livens {
namespace {

// Which piece every node belongs to: nodes of one element are in one piece. Bodies without elements are one piece.
std::vector<int> pieces_of(const Body& body, int& count) {
  DisjointSets pieces(body.nodes);
  const int elements = body.mesh == nullptr ? 0 : body.mesh->elements();
  for (int e = 0; e < elements; ++e)
    for (int k = 1; k < nodes_of(body.mesh->kind); ++k) pieces.join(body.mesh->element(e)[k], body.mesh->element(e)[0]);
  for (int a = 1; a < body.nodes && body.mesh == nullptr; ++a) pieces.join(a, 0);
  return pieces.numbers(count);
}

bool is_linear(const Model& model, const Body& body) {
  const auto& terms = model.parts().terms;
  return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
    const SolidBlock* block = term->elements();
    return block != nullptr && block->part().first == body.first && block->at_fixed_displacement();
  });
}

using Direction = std::array<double, 3>;

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", std::abs(x) < 1e-6 ? 0.0 : x);
  return text;
}

std::string direction_text(const Direction& d) {
  const double length = std::hypot(d[0], d[1], d[2]);
  for (std::size_t c = 0; c < 3; ++c)
    if (std::abs(d[c]) > (1 - 1e-9) * length) return std::string(1, "xyz"[c]);
  return "(" + number_text(d[0] / length) + ", " + number_text(d[1] / length) + ", " + number_text(d[2] / length) + ")";
}

// A basis of the span of some directions, of axes where it can be.
std::vector<Direction> plain_basis(const std::vector<Direction>& directions) {
  std::vector<Direction> basis;
  const auto add = [&](Direction d) {
    const double before = std::hypot(d[0], d[1], d[2]);
    for (const Direction& b : basis) {
      const double along = std::inner_product(d.begin(), d.end(), b.begin(), 0.0);
      for (std::size_t c = 0; c < 3; ++c) d[c] -= along * b[c];
    }
    const double length = std::hypot(d[0], d[1], d[2]);
    if (before < 1e-6 || length < 1e-6 * before) return false;
    for (double& x : d) x /= length;
    basis.push_back(d);
    return true;
  };
  for (const Direction& d : directions) add(d);
  std::vector<Direction> axes;
  const std::vector<Direction> span = basis;
  for (std::size_t c = 0; c < 3; ++c) {
    Direction axis{0, 0, 0};
    axis[c] = 1;
    basis = span;
    if (!add(axis)) axes.push_back(axis);
  }
  return axes.size() == span.size() ? axes : span;
}

std::string listed_directions(const std::vector<Direction>& directions) {
  std::string text;
  for (const Direction& d : directions) text += (text.empty() ? "" : ", ") + direction_text(d);
  return text;
}

}  // namespace

RigidMotions::RigidMotions(const Model& model, ConstVector q) : place_of_(q.size(), -1) {
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    const Body& body = model.bodies()[b];
    names_.push_back(body.name);
    if (body.dimension == 0 || body.periodic || body.nodes == 0) continue;
    const bool linear = is_linear(model, body);
    add_body(model, static_cast<int>(b), linear ? ConstVector(body.reference) : q.subspan(body.first, body.size()),
             linear);
  }
}

// x: positions of the body's nodes.
void RigidMotions::add_body(const Model& model, int b, ConstVector x, bool linear) {
  const Body& body = model.bodies()[b];
  int count = 0;
  const std::vector<int> piece_of = pieces_of(body, count);
  const std::size_t before = pieces_.size(), dim = body.dimension;
  std::vector<double> nodes(count, 0.0);
  for (int k = 0; k < count; ++k) {
    pieces_.push_back({b, k + 1, count, count_, dim, {0, 0, 0}, 0, linear});
    count_ += dim == 3 ? 6 : dim == 2 ? 3 : 1;
    for (std::size_t m = returns_.size(); m < count_; ++m)
      returns_.push_back(m >= pieces_.back().first + dim && !linear);
  }
  for (int a = 0; a < body.nodes; ++a) {
    nodes[piece_of[a]] += 1;
    for (std::size_t c = 0; c < dim; ++c) pieces_[before + piece_of[a]].centre[c] += x[a * dim + c];
  }
  for (int k = 0; k < count; ++k)
    for (double& c : pieces_[before + k].centre) c /= nodes[k];
  for (int a = 0; a < body.nodes; ++a) {
    Piece& piece = pieces_[before + piece_of[a]];
    for (std::size_t c = 0; c < dim; ++c) piece.size = std::max(piece.size, std::abs(x[a * dim + c] - piece.centre[c]));
  }
  for (int a = 0; a < body.nodes; ++a) {
    const Piece& piece = pieces_[before + piece_of[a]];
    Place place{before + piece_of[a], 0, {0, 0, 0}};
    for (std::size_t c = 0; c < dim; ++c)
      place.arm[c] = piece.size > 0 ? (x[a * dim + c] - piece.centre[c]) / piece.size : 0;
    for (place.axis = 0; place.axis < dim; ++place.axis) {
      place_of_[body.first + a * dim + place.axis] = static_cast<int>(places_.size());
      places_.push_back(place);
    }
  }
}

double RigidMotions::turned(const Place& p, std::size_t w) {
  const std::size_t next = (w + 1) % 3, last = (w + 2) % 3;  // e_w x e_next = e_last
  return p.axis == last ? p.arm[next] : -p.arm[last];
}

std::vector<std::string> RigidMotions::describe(const Subspace& space) const {
  std::vector<std::string> texts;
  for (const Piece& piece : pieces_)
    if (std::string text = describe(piece, space); !text.empty()) texts.push_back(std::move(text));
  return texts;
}

std::string RigidMotions::describe(const Piece& piece, const Subspace& space) const {
  Subspace still = space;  // motions without rotation
  const std::size_t dim = piece.dimension, rotations = dim == 3 ? 3 : dim == 2 ? 1 : 0;
  for (std::size_t w = 0; w < rotations; ++w) still.require_zero(piece.first + dim + w);
  std::vector<Direction> along, about;
  for (const auto& y : still.basis()) {
    Direction d{0, 0, 0};
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(piece.first), dim, d.begin());
    along.push_back(d);
  }
  for (const auto& y : space.basis()) {
    Direction w{0, 0, 0};
    if (dim == 2) w[2] = y[piece.first + 2];
    for (std::size_t c = 0; dim == 3 && c < 3; ++c) w[c] = y[piece.first + 3 + c];
    about.push_back(w);
  }
  along = plain_basis(along);
  about = plain_basis(about);
  if (along.empty() && about.empty()) return "";
  std::string text = "body '" + names_[piece.body] + "'";
  if (piece.of > 1) text += " (piece " + std::to_string(piece.number) + " of " + std::to_string(piece.of) + ")";
  text += " against ";
  if (!along.empty()) text += "translation along " + listed_directions(along);
  if (!about.empty()) text += (along.empty() ? "" : " and ") + ("rotation about " + listed_directions(about));
  return text;
}

}  // namespace livens
