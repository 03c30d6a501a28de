#pragma once

#include <cstdint>
#include <vector>

#include "core/base/int128.h"

namespace kernelscape {

/** Distinct primes of `value` >= 1, ascending. Time: the square root of `value`. */
std::vector<std::int64_t> distinct_primes(std::int64_t value);

/** Divisors of `value` >= 1, ascending. Time: the square root of `value`. */
std::vector<std::int64_t> divisors(std::int64_t value);

/**
 * Number of ordered tuples of `parts` positive integers with this product, whose last one is at most
 * `last_at_most` (0: any): the product over primes p^e of C(e + parts - 1, parts - 1). Saturates.
 */
uint128 count_factorizations(std::int64_t product, int parts, std::int64_t last_at_most);

/** These tuples one after the other, last factor slowest, second fastest, the first being the rest. */
std::vector<std::int64_t> enumerate_factorizations(std::int64_t product, int parts,
                                                   std::int64_t last_at_most);

}  // namespace kernelscape
