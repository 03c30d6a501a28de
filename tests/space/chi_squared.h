#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace kernelscape::testing {

/** Below this a sample does not come from its distribution: a fresh seed for every run must not cry wolf. */
constexpr double min_p = 1e-9;

/** P(X >= value) of a chi-squared X: the finite sums for even and odd degrees of freedom. */
inline double chi_squared_tail(double value, int freedom) {
  const double half = value / 2;
  const bool even = freedom % 2 == 0;
  double tail = even ? 0 : std::erfc(std::sqrt(half));
  double term = std::exp(-half) * (even ? 1 : 2 * std::sqrt(half / std::numbers::pi));
  for (int i = even ? 2 : 3; i <= freedom; i += 2) {
    tail += term;
    term *= 2 * half / i;
  }
  return tail;
}

/** Pearson's test of counts against their probabilities, of one sample or of several at once. */
class ChiSquared {
 public:
  /** Bins in which fewer than five are expected count as one, with the last other bin if they still are too
   * few. @param probabilities add up to 1 */
  void add(std::span<const std::int64_t> counts, std::span<const double> probabilities) {
    double draws = 0;
    for (const std::int64_t count : counts) draws += static_cast<double>(count);
    std::vector<Bin> bins;
    Bin rest;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (probabilities[i] <= 0 && counts[i] > 0) impossible_ = true;
      const Bin bin{static_cast<double>(counts[i]), draws * probabilities[i]};
      if (bin.expected >= 5) {
        bins.push_back(bin);
      } else {
        rest = {rest.count + bin.count, rest.expected + bin.expected};
      }
    }
    if (rest.expected >= 5 || bins.empty()) {
      bins.push_back(rest);
    } else {
      bins.back() = {bins.back().count + rest.count, bins.back().expected + rest.expected};
    }
    for (const Bin& bin : bins) {
      if (bin.expected > 0) value_ += (bin.count - bin.expected) * (bin.count - bin.expected) / bin.expected;
    }
    freedom_ += static_cast<int>(bins.size()) - 1;
  }

  int freedom() const { return freedom_; }

  /** 0 where something came up that can't. */
  double p() const {
    if (impossible_) return 0;
    return freedom_ == 0 ? 1 : chi_squared_tail(value_, freedom_);
  }

 private:
  struct Bin {
    double count = 0;
    double expected = 0;
  };

  double value_ = 0;
  int freedom_ = 0;
  bool impossible_ = false;
};

inline double chi_squared_p(std::span<const std::int64_t> counts, std::span<const double> probabilities) {
  ChiSquared test;
  test.add(counts, probabilities);
  return test.p();
}

}  // namespace kernelscape::testing
