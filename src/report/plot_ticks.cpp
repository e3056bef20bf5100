#include "report/plot_ticks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace livens::plot_parts {
namespace {

std::string superscript(int n) {
  static constexpr std::array<const char*, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) result += digits[c - '0'];
  return result;
}

std::string with_true_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return with_true_minus(text.data());
}

// 100000000 as 10⁸, 2.5e-7 as 2.5×10⁻⁷, 613.125 as it is.
std::string number_text(double value) {
  if (value == 0) return "0";
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific).ptr;
  const std::string text(digits.data(), end);
  const auto e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  if (exponent >= -3 && exponent <= 5) {
    const auto plain = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr;
    return with_true_minus({digits.data(), plain});
  }
  const std::string mantissa = text.substr(0, e);
  std::string ten = "10" + superscript(exponent);
  if (mantissa == "1") return ten;
  return mantissa == "-1" ? "−" + ten : with_true_minus(mantissa) + "×" + ten;
}

double rounded(double value, int significant) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*e", std::clamp(significant, 1, 17) - 1, value);
  return std::strtod(text.data(), nullptr);
}

struct Step {
  int mantissa, exponent;
  double size() const { return mantissa * std::pow(10.0, exponent); }
};

Step nice_step(double raw) {
  const int exponent = static_cast<int>(std::floor(std::log10(raw)));
  const double fraction = raw / std::pow(10.0, exponent);
  if (fraction >= 7.5) return {1, exponent + 1};
  return {fraction < 1.5 ? 1 : fraction < 3.5 ? 2 : 5, exponent};
}

// When a small variation rides on a large value, ticks count from a round number near it.
double offset_of(Range range) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (range.span() >= 3e-4 * largest) return 0;
  return rounded((range.low + range.high) / 2,
                 static_cast<int>(std::floor(std::log10(largest)) - std::floor(std::log10(range.span()))));
}

Ticks linear_ticks(Range range, int count) {
  Ticks ticks;
  const double offset = offset_of(range), a = range.low - offset, b = range.high - offset, span = b - a;
  const Step step = nice_step(span / count);
  const int exponent = static_cast<int>(std::floor(std::log10(std::max(std::abs(a), std::abs(b))) + 1e-9));
  const int power = exponent > 4 || exponent < -3 ? exponent : 0;
  const int decimals = std::clamp(power - step.exponent, 0, 17);
  for (double k = std::ceil(a / step.size() - 1e-6); k <= std::floor(b / step.size() + 1e-6); ++k) {
    const double value = k * step.size();
    ticks.major.push_back(
        {(value - a) / span, offset + value, k == 0 ? "0" : fixed(value / std::pow(10.0, power), decimals)});
  }
  const int parts = step.mantissa == 2 ? 4 : 5;
  const double fine = step.size() / parts;
  for (double k = std::ceil(a / fine); k <= std::floor(b / fine); ++k)
    if (std::fmod(k, parts) != 0) ticks.minor.push_back((k * fine - a) / span);
  const std::string scale = power == 0 ? "" : "× 10" + superscript(power);
  ticks.note = offset == 0 ? scale : number_text(offset) + " + tick" + (power == 0 ? "" : " " + scale);
  return ticks;
}

Ticks log_ticks(Range range, int count) {
  const auto place = [&](double value) { return (std::log10(value) - range.low) / range.span(); };
  if (range.span() < 0.5) {
    Ticks ticks = linear_ticks({std::pow(10.0, range.low), std::pow(10.0, range.high)}, count);
    for (Tick& tick : ticks.major) tick.place = place(tick.value);
    ticks.minor.clear();
    return ticks;
  }
  Ticks ticks;
  constexpr double most = 400;  // decades; doubles have no more
  const int first = static_cast<int>(std::clamp(std::floor(range.low), -most, most));
  const int last = static_cast<int>(std::clamp(std::ceil(range.high), -most, most));
  const bool narrow = range.span() < 2, plain = first >= -3 && last <= 4;
  const int stride = std::max(1, (last - first + count - 1) / count);
  for (int k = first; k <= last; ++k) {
    for (int m = 1; m < 10; ++m) {
      const double value = m * std::pow(10.0, k), at = place(value);
      if (at < -1e-9 || at > 1 + 1e-9) continue;
      const bool labelled = m == 1 ? k % stride == 0 : narrow && (m == 2 || m == 5);
      const std::string power = "10" + superscript(k);
      if (labelled && narrow && plain)
        ticks.major.push_back({at, value, fixed(value, std::max(0, -k))});
      else if (labelled)
        ticks.major.push_back({at, value, m == 1 ? power : std::to_string(m) + "×" + power});
      else if (stride == 1 || m == 1)
        ticks.minor.push_back(at);
    }
  }
  return ticks;
}

}  // namespace

Ticks ticks_of(Scale scale, Range range, int count) {
  return scale == Scale::log ? log_ticks(range, std::max(count, 2)) : linear_ticks(range, std::max(count, 2));
}

double text_width(std::string_view text) {
  double width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) == 0x80) continue;
    const bool raised = text.substr(i).starts_with("\xE2\x81") || (byte == 0xC2 && i + 1 < text.size());
    width += raised ? 4.6 : byte == '.' || byte == ',' ? 3.6 : 7;
  }
  return width;
}

double widest(const Ticks& ticks) {
  double width = 0;
  for (const Tick& tick : ticks.major) width = std::max(width, text_width(tick.label));
  return width;
}

Ticks fitting_ticks(Scale scale, Range range, double length) {
  for (int count = std::clamp(static_cast<int>(length / 65), 2, 10);; --count) {
    Ticks ticks = ticks_of(scale, range, count);
    if (count <= 2 || (widest(ticks) + 14) * static_cast<double>(ticks.major.size()) < length) return ticks;
  }
}

}  // namespace livens::plot_parts
