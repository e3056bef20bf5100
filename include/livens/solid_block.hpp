// A block of like elements of one material: the potential energy of a part of a solid.
//
//   W(q) = sum_K sum_g V_g w(F_g(q)),   F_g = sum_a x_a (x) grad N_a(X_g)
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <livens/energy.hpp>
#include <livens/mesh.hpp>

namespace livens {

// Which elements of which body.
struct SolidPart {
  std::string name;  // of the body
  std::shared_ptr<const Mesh> mesh;
  int first = 0;              // first coordinate of the body; node a has first + a * dimension ...
  std::vector<int> elements;  // of the mesh, all of one material
  double thickness = 1;       // of 2D solids (plane strain)
  double density = 0;         // kg/m^3, of the reference shape
  // Of materials that vary with the place X in the reference shape: stiffness and density there over those above.
  std::function<double(const double*X)> stiffness_factor = {}, density_factor = {};
  bool homogeneous() const { return !stiffness_factor && !density_factor; }
};

// Elements in chunks of a few hundred at most, each with the nodes that it touches: for methods that take many elements
// at one instant, but not all. Positions and gradients have four numbers a node of the chunk, aligned to 32 bytes.
class ElementChunks {
 public:
  virtual ~ElementChunks() = default;
  virtual int count() const = 0;
  virtual std::span<const int> nodes(int chunk) const = 0;  // their first coordinates
  virtual std::vector<int> elements(int chunk) const = 0;   // places in SolidPart::elements
  // g += scale * dW/dx of a chunk; returns its W, which is not finite where there is none.
  virtual double add_gradient(int chunk, const double* x, double scale, double* g) const = 0;
};

class SolidBlock : public EnergyTerm {
 public:
  explicit SolidBlock(const SolidPart& part) : EnergyTerm(part.name), part_(part) {}
  const SolidPart& part() const { return part_; }
  const SolidBlock* elements() const final { return this; }

  // --- per element of the part, in the order of part().elements ---
  // Mean Cauchy stress (xx yy zz xy yz zx), 6 each, and mean energy per reference volume.
  virtual void fields(ConstVector q, Vector stress, Vector density) const = 0;
  // Smallest J = det F over the quadrature points.
  virtual void volume_ratio(ConstVector q, Vector smallest_j) const = 0;
  // Integral of |grad u|^2 over the part, u = x - X.
  virtual double grad_u_squared(ConstVector q) const = 0;
  // Whether w is defined for J <= 0.
  virtual bool survives_inversion() const = 0;
  // The rate of strain damping: f = -time * K(q) v, K the linear-elastic stiffness of the shape q taken as stress-free,
  // with the small-strain moduli of the material [K06 5.2].
  virtual std::shared_ptr<Force> make_damping(const std::string& name, double time, DampingForm form) const = 0;
  // G += scale * dW/dX in the layout of q: the configurational forces of the nodes, derivatives of the energy by their
  // reference positions, at fixed x [L04 5]; for linear elasticity, whose w is one of grad u, at fixed u = x - X.
  virtual void add_configurational(ConstVector q, double scale, Vector G) const = 0;
  virtual bool at_fixed_displacement() const { return false; }  // whether that is meant
  // The same block, to the last slot of its matrix, of a mesh that differs in reference positions only. Throws
  // std::invalid_argument where an element is inverted.
  virtual std::shared_ptr<const SolidBlock> on_mesh(std::shared_ptr<const Mesh> mesh) const = 0;
  // Some of the elements, by their places in part().elements, in chunks; null: there are only stencils().
  virtual std::shared_ptr<const ElementChunks> chunks_of(std::span<const int> /*places*/) const { return nullptr; }

 protected:
  SolidPart part_on(std::shared_ptr<const Mesh> mesh) const {
    SolidPart part = part_;
    part.mesh = std::move(mesh);
    return part;
  }

 private:
  SolidPart part_;
};

}  // namespace livens
