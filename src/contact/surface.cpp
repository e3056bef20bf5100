#include "contact/surface.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace livens {

void ContactSurface::add_point(std::span<const Part> parts, const Point3& reference, int body) {
  plain_ = plain_ && parts.size() == 1 && parts.front().weight == 1;
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  part_start_.push_back(static_cast<int>(parts_.size()));
  body_of_point_.push_back(body);
  reference_.push_back(reference);
  samples_.push_back({});
}

void ContactSurface::add_body(std::string name, std::span<const int> first, std::span<const Point3> reference,
                              std::span<const Facet> facets, double thickness, double bare_area) {
  Body body;
  body.name = std::move(name);
  body.points_begin = points();
  for (std::size_t a = 0; a < first.size(); ++a) {
    const Part part{first[a], 1};
    add_point({&part, 1}, reference[a], static_cast<int>(bodies_.size()));
  }
  finish_body(std::move(body), facets, thickness, bare_area, {});
}

void ContactSurface::add_body(const NewBody& added) {
  Body body;
  body.name = added.name;
  body.radius = added.radius;
  body.points_begin = points();
  for (std::size_t a = 0; a < added.points.size(); ++a)
    add_point(added.points[a], added.reference[a], static_cast<int>(bodies_.size()));
  finish_body(std::move(body), added.facets, added.thickness, std::numbers::pi * added.radius * added.radius,
              added.carriers);
}

void ContactSurface::add_fixed_ball(std::string name, const Point3& center, double radius) {
  Body body;
  body.name = std::move(name);
  body.radius = radius;
  body.fixed = true;
  body.points_begin = points();
  add_point({}, center, static_cast<int>(bodies_.size()));
  finish_body(std::move(body), {}, 1, std::numbers::pi * radius * radius, {});
}

void ContactSurface::finish_body(Body body, std::span<const Facet> facets, double thickness, double bare_area,
                                 std::span<const std::vector<Part>> carriers) {
  const int number = static_cast<int>(bodies_.size());
  body.facets_begin = static_cast<int>(facets_.size());
  body.edges_begin = static_cast<int>(edges_.size());
  for (Facet facet : facets) {
    for (int k = 0; k < dimension_; ++k) facet[k] += body.points_begin;
    facets_.push_back(facet);
    body_of_facet_.push_back(number);
  }
  area_.resize(reference_.size());
  body.points_end = body.samples_end = points();
  body.facets_end = static_cast<int>(facets_.size());
  add_edges(body);
  for (int e = body.edges_begin; e < body.edges_end; ++e) body_of_edge_.push_back(number);
  measure(body, thickness, bare_area);
  pushing_area_.insert(pushing_area_.end(), area_.begin() + body.points_begin, area_.end());
  mark_inner(body);
  for (const auto& parts : carriers) {
    add_point(parts, {}, number);
    facets_at_point_start_.push_back(facets_at_point_start_.back());
    inner_point_.push_back(0);
  }
  area_.resize(reference_.size());
  pushing_area_.resize(area_.size());
  body.carriers_end = points();
  if (facets.empty()) body.edge = body.radius;
  bodies_.push_back(std::move(body));
}

void ContactSurface::add_samples(int each) {
  const int number = static_cast<int>(bodies_.size()) - 1;
  Body& body = bodies_.back();
  if (each < 1 || body.facets_begin == body.facets_end) return;
  const double squares = static_cast<double>(each) * each, share = 1 / (dimension_ * squares + 1);
  for (int a = body.points_begin; a < body.points_end; ++a) pushing_area_[a] *= share;
  std::vector<Part> parts;
  const auto add = [&](int f, const std::array<double, 3>& weight, double area) {
    Point3 at;
    parts.clear();
    for (int k = 0; k < dimension_; ++k) {
      const int corner = facets_[f][k];
      at += weight[k] * reference_[corner];
      for (const Part& part : this->parts(corner)) {
        const auto found =
            std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.first == part.first; });
        if (found != parts.end())
          found->weight += weight[k] * part.weight;
        else
          parts.push_back({part.first, weight[k] * part.weight});
      }
    }
    add_point(parts, at, number);
    samples_.back() = {f, weight};
    area_.push_back(area);
    pushing_area_.push_back(area);
    facets_at_point_start_.push_back(facets_at_point_start_.back());
    inner_point_.push_back(0);
  };
  for (int f = body.facets_begin; f < body.facets_end; ++f) {
    if (dimension_ == 2) {
      for (int i = 0; i < each; ++i) {
        const double t = (i + 0.5) / each;
        add(f, {1 - t, t, 0}, (1 - share) * facet_area_[f] / each);
      }
      continue;
    }
    // Triangles (i, j), (i + 1, j), (i, j + 1), and (i + 1, j), (i + 1, j + 1), (i, j + 1) between them.
    for (int i = 0; i < each; ++i)
      for (int j = 0; i + j < each; ++j)
        for (int between = 0; between < (i + j + 1 < each ? 2 : 1); ++between) {
          const double s = (i + (1 + between) / 3.0) / each, t = (j + (1 + between) / 3.0) / each;
          add(f, {1 - s - t, s, t}, (1 - share) * facet_area_[f] / squares);
        }
  }
  body.samples_end = body.carriers_end = points();
  has_samples_ = true;
}

bool ContactSurface::adjoins(int point, int facet) const {
  const auto &corner = facets_[facet], &own = samples_[point].facet >= 0 ? facets_[samples_[point].facet] : corner;
  const auto has = [&](int a) {
    return std::find(corner.begin(), corner.begin() + dimension_, a) != corner.begin() + dimension_;
  };
  return is_sample(point) ? std::any_of(own.begin(), own.begin() + dimension_, has) : has(point);
}

void ContactSurface::take_to_corners(std::vector<Point3>& forces) const {
  for (std::size_t a = 0; has_samples_ && a < forces.size(); ++a) {
    const Sample& sample = samples_[a];
    for (int k = 0; sample.facet >= 0 && k < dimension_; ++k)
      forces[facets_[sample.facet][k]] += sample.weight[k] * forces[a];
    if (sample.facet >= 0) forces[a] = {};
  }
}

// Edges in order of their points, and the facets at each.
void ContactSurface::add_edges(Body& body) {
  struct Side {
    Edge edge;
    int facet, place;
  };
  edges_of_facet_.resize(facets_.size());
  std::vector<Side> sides;
  for (int f = body.facets_begin; f < body.facets_end && dimension_ == 3; ++f)
    for (int k = 0; k < 3; ++k) {
      const int a = facets_[f][k], b = facets_[f][(k + 1) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, f, k});
    }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return a.edge != b.edge ? a.edge < b.edge : a.facet < b.facet; });
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool begins = i == 0 || sides[i].edge != sides[i - 1].edge;
    if (begins && i > 0) facets_at_edge_start_.push_back(static_cast<int>(facets_at_edge_.size()));
    if (begins) edges_.push_back(sides[i].edge);
    facets_at_edge_.push_back(sides[i].facet);
    edges_of_facet_[sides[i].facet][sides[i].place] = static_cast<int>(edges_.size()) - 1;
  }
  if (!sides.empty()) facets_at_edge_start_.push_back(static_cast<int>(facets_at_edge_.size()));
  body.edges_end = static_cast<int>(edges_.size());

  std::vector<std::vector<int>> at_point(body.points_end - body.points_begin);
  for (int f = body.facets_begin; f < body.facets_end; ++f)
    for (int k = 0; k < dimension_; ++k) at_point[facets_[f][k] - body.points_begin].push_back(f);
  for (const std::vector<int>& own : at_point) {
    facets_at_point_.insert(facets_at_point_.end(), own.begin(), own.end());
    facets_at_point_start_.push_back(static_cast<int>(facets_at_point_.size()));
  }
  double sum = 0;
  int count = 0;
  for (int e = body.edges_begin; e < body.edges_end; ++e, ++count)
    sum += livens::length(reference_[edges_[e][1]] - reference_[edges_[e][0]]);
  for (int f = body.facets_begin; f < body.facets_end && dimension_ == 2; ++f, ++count)
    sum += livens::length(reference_[facets_[f][1]] - reference_[facets_[f][0]]);
  body.edge = count > 0 ? sum / count : 0;
}

void ContactSurface::measure(const Body& body, double thickness, double bare_area) {
  std::vector<Point3> normal(body.facets_end - body.facets_begin);  // of the length of the area
  std::vector<double> of_facet(normal.size());
  for (int f = body.facets_begin; f < body.facets_end; ++f) {
    const int own = f - body.facets_begin;
    const Facet& facet = facets_[f];
    const Point3 u = reference_[facet[1]] - reference_[facet[0]];
    normal[own] = thickness * Point3{u.y, -u.x, 0};
    if (dimension_ == 3) normal[own] = 0.5 * cross(u, reference_[facet[2]] - reference_[facet[0]]);
    of_facet[own] = livens::length(normal[own]);
    facet_area_.push_back(of_facet[own]);
  }
  for (int a = body.points_begin; a < body.points_end; ++a) {
    double most = 0;
    for (const int f : facets_at_point(a)) {
      double seen = 0;  // of all of them, along the normal of f and times its area
      for (const int g : facets_at_point(a))
        seen += std::max(0.0, dot(normal[g - body.facets_begin], normal[f - body.facets_begin]));
      if (seen > 0) most = std::max(most, seen / of_facet[f - body.facets_begin]);
    }
    area_[a] = most > 0 ? most / dimension_ : bare_area;
  }
  for (int e = body.edges_begin; e < body.edges_end; ++e) {
    double area = 0;
    for (const int f : facets_at_edge(e)) area += of_facet[f - body.facets_begin] / 3;
    edge_area_.push_back(area);
    edge_length_.push_back(livens::length(reference_[edges_[e][1]] - reference_[edges_[e][0]]));
  }
}

void ContactSurface::mark_inner(const Body& body) {
  inner_point_.resize(area_.size(), 0);
  for (int a = body.points_begin; a < body.points_end; ++a) {
    const std::size_t count = facets_at_point(a).size();
    inner_point_[a] = count >= (dimension_ == 2 ? 2u : 1u);
  }
  for (int e = body.edges_begin; e < body.edges_end; ++e) {
    inner_edge_.push_back(facets_at_edge(e).size() >= 2);
    if (!inner_edge_.back())
      for (const int a : edges_[e]) inner_point_[a] = 0;
  }
}

void ContactSurface::positions(ConstVector q, std::vector<Point3>& x) const {
  movements(q, x);
  for (const Body& body : bodies_)
    if (body.fixed) x[body.points_begin] = reference_[body.points_begin];
}

void ContactSurface::movements(ConstVector q, std::vector<Point3>& x) const {
  x.resize(area_.size());
  for (std::size_t a = 0; a < x.size() && plain_; ++a) {
    const double* at = q.data() + parts_[a].first;
    x[a] = {at[0], at[1], dimension_ == 3 ? at[2] : 0};
  }
  for (std::size_t a = 0; a < x.size() && !plain_; ++a) {
    Point3 sum;
    for (const Part& part : parts(static_cast<int>(a))) {
      const double* at = q.data() + part.first;
      sum += part.weight * Point3{at[0], at[1], dimension_ == 3 ? at[2] : 0};
    }
    x[a] = sum;
  }
}

void ContactSurface::add_back(std::span<const Point3> forces, double scale, Vector gradient) const {
  for (std::size_t a = 0; a < forces.size(); ++a) {
    const Point3& f = forces[a];
    if (f.x == 0 && f.y == 0 && f.z == 0) continue;
    for (const Part& part : parts(static_cast<int>(a))) {
      double* at = gradient.data() + part.first;
      at[0] += scale * part.weight * f.x;
      at[1] += scale * part.weight * f.y;
      if (dimension_ == 3) at[2] += scale * part.weight * f.z;
    }
  }
}

}  // namespace livens
