#include "math/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

namespace livens {
namespace {

constexpr double usable = 0.9;  // of what is available: others live, too
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
std::atomic<bool> any_size = false;

// A number read from a file, after a key if one is given; `unlimited` if there is none.
std::size_t number_in(const char* file, const std::string& key = "") {
  std::ifstream in(file);
  std::string word;
  while (!key.empty() && word != key && in >> word) continue;
  std::size_t number = 0;
  return in >> number ? number : unlimited;
}

std::size_t difference(std::size_t limit, std::size_t used) {
  if (limit == unlimited || used == unlimited) return unlimited;
  return limit > used ? limit - used : 0;
}

std::size_t machine_has() {
  if (const std::size_t kilobytes = number_in("/proc/meminfo", "MemAvailable:"); kilobytes != unlimited)
    return kilobytes << 10;
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size) : unlimited;
}

std::size_t group_has() {
  return std::min(difference(number_in("/sys/fs/cgroup/memory.max"), number_in("/sys/fs/cgroup/memory.current")),
                  difference(number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
                             number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes")));
}

std::size_t process_has() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::size_t pages = number_in("/proc/self/statm");
  const long size = ::sysconf(_SC_PAGE_SIZE);
  return pages == unlimited ? limit.rlim_cur : difference(limit.rlim_cur, pages * static_cast<std::size_t>(size));
}

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
  return text;
}

}  // namespace

std::size_t available_memory() { return std::min({machine_has(), group_has(), process_has()}); }

std::string memory_refusal(double bytes) {
  constexpr double always = 64e6;
  if (any_size || bytes < always) return "";
  const auto available = static_cast<double>(available_memory());
  if (bytes <= usable * available) return "";
  return "needs about " + gigabytes(bytes) + " of memory, and " + gigabytes(available) + " are available";
}

void allow_any_size() { any_size = true; }

}  // namespace livens
