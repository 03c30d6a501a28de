#include "core/space/factorization.h"

#include <algorithm>

namespace kernelscape::space {
namespace {

std::vector<int> prime_exponents(std::int64_t value) {
  std::vector<int> exponents;
  for (const std::int64_t prime : distinct_primes(value)) {
    int exponent = 0;
    for (; value % prime == 0; value /= prime) ++exponent;
    exponents.push_back(exponent);
  }
  return exponents;
}

/** C(n, k), exact while C(n, k) * n fits into 128 bits: true for n up to 120. */
base::uint128 binomial(int n, int k) {
  base::uint128 result = 1;
  for (int i = 1; i <= k; ++i)
    result = result * static_cast<base::uint128>(n - k + i) / static_cast<base::uint128>(i);
  return result;
}

/** Fills `tuple` from its last position down to its second; the first takes what remains. */
class Enumeration {
 public:
  Enumeration(std::int64_t product, int parts, std::int64_t last_at_most)
      : divisors_(divisors(product)), tuple_(static_cast<std::size_t>(parts)), last_at_most_(last_at_most) {}

  std::vector<std::int64_t> run(std::int64_t product) {
    fill(tuple_.size() - 1, product);
    return std::move(rows_);
  }

 private:
  bool allowed(std::size_t position, std::int64_t factor) const {
    return last_at_most_ == 0 || position + 1 < tuple_.size() || factor <= last_at_most_;
  }

  void fill(std::size_t position, std::int64_t rest) {
    if (position == 0) {
      if (!allowed(0, rest)) return;
      tuple_[0] = rest;
      rows_.insert(rows_.end(), tuple_.begin(), tuple_.end());
      return;
    }
    for (const std::int64_t divisor : divisors_) {
      if (divisor > rest || !allowed(position, divisor)) break;
      if (rest % divisor != 0) continue;
      tuple_[position] = divisor;
      fill(position - 1, rest / divisor);
    }
  }

  std::vector<std::int64_t> divisors_;
  std::vector<std::int64_t> tuple_;
  std::vector<std::int64_t> rows_;
  std::int64_t last_at_most_;
};

}  // namespace

std::vector<std::int64_t> distinct_primes(std::int64_t value) {
  std::vector<std::int64_t> primes;
  for (std::int64_t candidate = 2; candidate <= value / candidate; ++candidate) {
    if (value % candidate != 0) continue;
    primes.push_back(candidate);
    while (value % candidate == 0) value /= candidate;
  }
  if (value > 1) primes.push_back(value);
  return primes;
}

std::vector<std::int64_t> divisors(std::int64_t value) {
  std::vector<std::int64_t> all{1};
  std::int64_t rest = value;
  for (const std::int64_t prime : distinct_primes(value)) {
    const std::size_t before = all.size();
    std::int64_t power = 1;
    for (; rest % prime == 0; rest /= prime) {
      power *= prime;
      for (std::size_t i = 0; i < before; ++i) all.push_back(all[i] * power);
    }
  }
  std::ranges::sort(all);
  return all;
}

base::uint128 count_factorizations(std::int64_t product, int parts, std::int64_t last_at_most) {
  if (last_at_most != 0 && last_at_most < product) {
    if (parts == 1) return 0;
    base::uint128 count = 0;
    for (const std::int64_t last : divisors(product))
      if (last <= last_at_most) count += count_factorizations(product / last, parts - 1, 0);
    return count;
  }
  base::uint128 count = 1;
  for (const int exponent : prime_exponents(product))
    count = base::saturating_multiply(count, binomial(exponent + parts - 1, parts - 1));
  return count;
}

std::vector<std::int64_t> enumerate_factorizations(std::int64_t product, int parts,
                                                   std::int64_t last_at_most) {
  return Enumeration(product, parts, last_at_most).run(product);
}

}  // namespace kernelscape::space
