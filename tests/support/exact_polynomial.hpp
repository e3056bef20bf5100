// Polynomials with whole coefficients of any length, and their real roots, decided exactly: numbers of roots and signs
// of other polynomials at them by the sequences of Sturm and Tarski.
//
//   sum over roots a of f in (lo, hi) of sign(g(a)) = V(lo) - V(hi),   V: changes of sign in (f, f'g, -rem, ...)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace livens::testing {

// Sign and magnitude.
class Integer {
 public:
  Integer(std::int64_t value = 0) : sign_(value > 0 ? 1 : value < 0 ? -1 : 0), count_(value == 0 ? 0 : 1) {
    limb_[0] = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  }
  Integer(const Integer& other) { *this = other; }
  Integer& operator=(const Integer& other) {
    sign_ = other.sign_;
    count_ = other.count_;
    std::copy(other.limb_.begin(), other.limb_.begin() + static_cast<std::ptrdiff_t>(count_), limb_.begin());
    return *this;
  }
  ~Integer() = default;
  int sign() const { return sign_; }

  friend Integer operator-(Integer a) {
    a.sign_ = -a.sign_;
    return a;
  }
  friend Integer operator+(const Integer& a, const Integer& b) {
    if (a.sign_ == 0) return b;
    if (b.sign_ == 0) return a;
    if (a.sign_ == b.sign_) return sum(a, b);
    const int order = compare(a, b);
    if (order == 0) return {};
    return order > 0 ? rest(a, b) : rest(b, a);
  }
  friend Integer operator-(const Integer& a, const Integer& b) { return a + -b; }
  friend Integer operator*(const Integer& a, const Integer& b) {
    Integer c;
    c.sign_ = a.sign_ * b.sign_;
    if (c.sign_ == 0) return c;
    c.reserve(a.count_ + b.count_);
    for (std::size_t i = 0; i < a.count_; ++i) {
      Long carry = 0;
      for (std::size_t j = 0; j < b.count_; ++j) {
        carry += c.limb_[i + j] + Long(a.limb_[i]) * b.limb_[j];
        c.limb_[i + j] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
      c.limb_[i + b.count_] = static_cast<std::uint64_t>(carry);
    }
    c.trim();
    return c;
  }
  Integer shifted(int bits) const {
    Integer c = *this;
    for (; bits >= 62; bits -= 62) c = c * Integer(std::int64_t(1) << 62);
    return c * Integer(std::int64_t(1) << bits);
  }

 private:
  __extension__ using Long = unsigned __int128;
  static constexpr std::size_t most = 64;  // 4096 bits

  void reserve(std::size_t count) {
    if (count > most) throw std::length_error("a whole number of more than 4096 bits");
    for (std::size_t i = 0; i < count; ++i) limb_[i] = 0;
    count_ = count;
  }
  void trim() {
    while (count_ > 0 && limb_[count_ - 1] == 0) --count_;
    if (count_ == 0) sign_ = 0;
  }
  static int compare(const Integer& a, const Integer& b) {  // of magnitudes
    if (a.count_ != b.count_) return a.count_ > b.count_ ? 1 : -1;
    for (std::size_t i = a.count_; i-- > 0;)
      if (a.limb_[i] != b.limb_[i]) return a.limb_[i] > b.limb_[i] ? 1 : -1;
    return 0;
  }
  static Integer sum(const Integer& a, const Integer& b) {
    Integer c;
    c.sign_ = a.sign_;
    c.reserve(std::max(a.count_, b.count_) + 1);
    Long carry = 0;
    for (std::size_t i = 0; i < c.count_; ++i) {
      carry += (i < a.count_ ? a.limb_[i] : 0);
      carry += (i < b.count_ ? b.limb_[i] : 0);
      c.limb_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    c.trim();
    return c;
  }
  static Integer rest(const Integer& a, const Integer& b) {  // |a| > |b|, with the sign of a
    Integer c;
    c.sign_ = a.sign_;
    c.reserve(a.count_);
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < a.count_; ++i) {
      const Long take = Long(i < b.count_ ? b.limb_[i] : 0) + borrow;
      borrow = a.limb_[i] < take ? 1 : 0;
      c.limb_[i] = static_cast<std::uint64_t>(a.limb_[i] - take);
    }
    c.trim();
    return c;
  }

  int sign_;
  std::size_t count_;
  std::array<std::uint64_t, most> limb_;
};

// k / 2^m
struct Dyadic {
  Integer k;
  int m = 0;
};
inline Dyadic middle(const Dyadic& a, const Dyadic& b) {
  const int m = std::max(a.m, b.m);
  return {a.k.shifted(m - a.m) + b.k.shifted(m - b.m), m + 1};
}

class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(std::initializer_list<Integer> ascending) : c_(ascending) { trim(); }
  bool zero() const { return c_.empty(); }
  int degree() const { return static_cast<int>(c_.size()) - 1; }

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial sum = a.c_.size() < b.c_.size() ? b : a;
    const Polynomial& less = a.c_.size() < b.c_.size() ? a : b;
    for (std::size_t i = 0; i < less.c_.size(); ++i) sum.c_[i] = sum.c_[i] + less.c_[i];
    sum.trim();
    return sum;
  }
  friend Polynomial operator-(Polynomial a) {
    for (Integer& c : a.c_) c = -c;
    return a;
  }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + -b; }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    if (a.zero() || b.zero()) return product;
    product.c_.resize(a.c_.size() + b.c_.size() - 1);
    for (std::size_t i = 0; i < a.c_.size(); ++i)
      for (std::size_t j = 0; j < b.c_.size(); ++j) product.c_[i + j] = product.c_[i + j] + a.c_[i] * b.c_[j];
    return product;
  }
  Polynomial derivative() const {
    Polynomial result;
    for (std::size_t i = 1; i < c_.size(); ++i) result.c_.push_back(c_[i] * Integer(static_cast<std::int64_t>(i)));
    return result;
  }
  // The remainder of |leading coefficient|^n times this: of the sign of the remainder.
  Polynomial remainder(const Polynomial& by) const {
    Polynomial left = *this;
    const Integer lead = by.c_.back().sign() > 0 ? by.c_.back() : -by.c_.back();
    while (left.degree() >= by.degree()) {
      const std::size_t shift = left.c_.size() - by.c_.size();
      const Integer top = by.c_.back().sign() > 0 ? left.c_.back() : -left.c_.back();
      for (Integer& c : left.c_) c = c * lead;
      for (std::size_t i = 0; i < by.c_.size(); ++i) left.c_[i + shift] = left.c_[i + shift] - top * by.c_[i];
      left.trim();
    }
    return left;
  }
  int sign_at(const Dyadic& t) const {
    Integer value;
    for (int i = degree(); i >= 0; --i) value = value * t.k + c_[i].shifted(t.m * (degree() - i));
    return value.sign();
  }
  // Divided by t - root as often as it has that root; times a positive number.
  Polynomial without(const Dyadic& root) const {
    Polynomial left = *this;
    while (left.degree() >= 1 && left.sign_at(root) == 0) {
      const int n = left.degree();
      Polynomial quotient;
      quotient.c_.resize(static_cast<std::size_t>(n));
      Integer value;
      for (int i = n; i >= 1; --i) {
        value = value * root.k + left.c_[i].shifted(root.m * (n - i));
        quotient.c_[i - 1] = value.shifted(root.m * (i - 1));
      }
      left = quotient;
    }
    return left;
  }

 private:
  void trim() {
    while (!c_.empty() && c_.back().sign() == 0) c_.pop_back();
  }
  std::vector<Integer> c_;
};

inline Polynomial common_divisor(Polynomial a, Polynomial b) {
  while (!b.zero()) {
    Polynomial rest = a.degree() < b.degree() ? a : a.remainder(b);
    a = std::move(b);
    b = std::move(rest);
  }
  return a;
}

// Sum of the signs of g at the roots of f in (lo, hi), which are no roots.
inline int sum_of_signs(const Polynomial& f, const Polynomial& g, const Dyadic& lo, const Dyadic& hi) {
  std::vector<Polynomial> chain{f};
  const Polynomial start = f.derivative() * g;
  if (start.zero()) return 0;
  chain.push_back(start.degree() < f.degree() ? start : start.remainder(f));
  while (!chain.back().zero()) chain.push_back(-chain[chain.size() - 2].remainder(chain.back()));
  const auto changes = [&](const Dyadic& t) {
    int count = 0, last = 0;
    for (const Polynomial& p : chain) {
      const int sign = p.zero() ? 0 : p.sign_at(t);
      if (sign != 0 && last != 0 && sign != last) ++count;
      if (sign != 0) last = sign;
    }
    return count;
  };
  return changes(lo) - changes(hi);
}

// What has to be so at a root.
struct Condition {
  Polynomial g;
  bool strict = false;  // positive, else not negative
  bool holds(int sign) const { return strict ? sign > 0 : sign >= 0; }
};

// Whether f, which is not zero, has a root in [lo, hi] at which all conditions hold.
inline bool has_root(Polynomial f, const std::vector<Condition>& conditions, const Dyadic& lo, const Dyadic& hi) {
  const auto all_at = [&](const Dyadic& t) {
    for (const Condition& condition : conditions)
      if (!condition.holds(condition.g.sign_at(t))) return false;
    return true;
  };
  for (const Dyadic* end : {&lo, &hi}) {
    if (f.sign_at(*end) != 0) continue;
    if (all_at(*end)) return true;
    f = f.without(*end);
  }
  const int roots = sum_of_signs(f, {1}, lo, hi);
  if (roots == 0) return false;
  if (roots == 1) {
    for (const Condition& condition : conditions)
      if (!condition.holds(sum_of_signs(f, condition.g, lo, hi))) return false;
    return true;
  }
  const Dyadic half = middle(lo, hi);
  return has_root(f, conditions, lo, half) || has_root(f, conditions, half, hi);
}

}  // namespace livens::testing
