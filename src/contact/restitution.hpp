// Restitution: what a barrier releases comes back in part. While a contact opens with the speed nu = (d1 - d0)/h its
// discrete gradient is multiplied by
//
//   chi = 1 - (1 - e^2) (nu/s)(2 - nu/s) below the speed s, e^2 above,
//
// and (1 - chi)(B0 - B1) is lost. All that an impact stores is released, so that its speed is e times that before,
// whatever speed and stiffness are. Forces at rest stay as they are, and chi falls with d1: it makes the contact
// stiffer.
#pragma once

#include "contact/contact.hpp"

namespace livens {

struct RestitutionLaw {
  double coefficient = 1;  // e
  double speed = 0;        // s, m/s
};

// h: of the step; d: distances at its ends, s of D(s).z = s1 - s0 their squares.
inline void withhold(Contact& contact, const RestitutionLaw& law, double h, double d0, double d1) {
  const double opening = h > 0 ? (d1 - d0) / h : 0;
  if (law.coefficient == 1 || !(opening > 0)) return;
  const double lost = 1 - law.coefficient * law.coefficient, part = opening / law.speed;
  const double chi = part < 1 ? 1 - lost * part * (2 - part) : 1 - lost;
  const double by_d1 = part < 1 ? -2 * lost * (1 - part) / (law.speed * h) : 0;
  contact.withheld = -(1 - chi) * contact.force * (d1 - d0) * (d1 + d0);
  contact.steep = chi * contact.steep + contact.force * by_d1 / d1;
  contact.force *= chi;
  contact.bend.plain_force *= chi;
}

}  // namespace livens
