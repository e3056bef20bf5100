// Rows in which something is extreme, of a stream of any length.
#include "diagnostics/extreme_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

namespace livens {
namespace {

std::vector<double> row(int k) {
  return {k * 1.0, std::sin(0.7 * k) * k, k == 777 ? 1e3 : std::cos(k * 1.0), std::nan("")};
}

// Carries memory through a checkpoint.
class Copy final : public MemoryVisitor {
 public:
  explicit Copy(bool reads) : reads_(reads) {}
  void visit(const char* name, double& value) override { one(doubles_[name], value); }
  void visit(const char* name, long& value) override { one(longs_[name], value); }
  void visit(const char* name, std::vector<double>& values) override { one(lists_[name], values); }
  void read() { reads_ = true; }

 private:
  template <class T>
  void one(T& kept, T& value) {
    (reads_ ? value : kept) = reads_ ? kept : value;
  }
  bool reads_;
  std::map<std::string, double> doubles_;
  std::map<std::string, long> longs_;
  std::map<std::string, std::vector<double>> lists_;
};

TEST(ExtremeRows, KeepTheExtremesAndStayFew) {
  for (const int n : {1, 2, 7, 1000, 100'000}) {
    ExtremeRows extremes({1, 2, 3});
    double low = 0, high = 0;
    for (int k = 0; k < n; ++k) {
      extremes.add(row(k));
      low = std::min(low, row(k)[1]), high = std::max(high, row(k)[1]);
    }
    const auto rows = extremes.rows();
    EXPECT_LE(rows.size(), 1000u) << n;
    EXPECT_EQ(extremes.count(), n);
    ASSERT_FALSE(rows.empty());
    double low_kept = 0, high_kept = 0;
    bool spike = false;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      low_kept = std::min(low_kept, rows[k][1]), high_kept = std::max(high_kept, rows[k][1]);
      spike = spike || rows[k][0] == 777;
      if (k > 0) {
        EXPECT_GT(rows[k][0], rows[k - 1][0]);
      }
    }
    EXPECT_EQ(low_kept, low) << n;
    EXPECT_EQ(high_kept, high) << n;
    EXPECT_EQ(spike, n > 777) << n;
  }
}

TEST(ExtremeRows, GoOnAfterACheckpointAsIfNothingHadHappened) {
  ExtremeRows whole({1, 2, 3}), before({1, 2, 3}), after({1, 2, 3});
  for (int k = 0; k < 5000; ++k) whole.add(row(k));
  for (int k = 0; k < 1234; ++k) before.add(row(k));
  Copy copy(false);
  before.visit_memory(copy);
  copy.read();
  after.visit_memory(copy);
  for (int k = 1234; k < 5000; ++k) {
    before.add(row(k));
    after.add(row(k));
  }
  const auto same = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end() - 1, y.begin()); });
  };
  EXPECT_TRUE(same(whole.rows(), after.rows()));
  EXPECT_TRUE(same(whole.rows(), before.rows())) << "looking at the memory changes nothing";
}

}  // namespace
}  // namespace livens
