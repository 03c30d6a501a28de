#pragma once

#include <cstdint>
#include <vector>

#include "core/base/int128.h"

namespace kernelscape::space {

/** Returns the distinct prime factors of `value` >= 1, ascending. Time: the square root of `value`. */
std::vector<std::int64_t> distinct_primes(std::int64_t value);

/** Returns the divisors of `value` >= 1, ascending. Time: the square root of `value`. */
std::vector<std::int64_t> divisors(std::int64_t value);

/**
 * Returns the number of ordered tuples of `parts` positive integers with this product, whose last factor is
 * at most `last_at_most` (0: any): the product over primes p^e of C(e + parts - 1, parts - 1). Saturates.
 */
base::uint128 count_factorizations(std::int64_t product, int parts, std::int64_t last_at_most);

/**
 * Returns these tuples one after the other; the last factor varies slowest, the second fastest, and the first
 * is the remaining quotient.
 */
std::vector<std::int64_t> enumerate_factorizations(std::int64_t product, int parts,
                                                   std::int64_t last_at_most);

}  // namespace kernelscape::space
