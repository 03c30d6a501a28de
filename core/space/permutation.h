#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kernelscape::space {

inline constexpr std::size_t max_permuted_items = 10;

/** Returns the number of permutations of `items` items, at most `max_permuted_items`. */
std::uint32_t count_permutations(std::size_t items);

/** Writes the permutation of 0, 1, ... at `index` in lexicographic order (Lehmer code). */
void permutation_at(std::uint32_t index, std::span<std::int64_t> order);

/** Returns the lexicographic index of a permutation, or nullopt if it is not a permutation of 0, 1, ... */
std::optional<std::uint32_t> index_of_permutation(std::span<const std::int64_t> order);

}  // namespace kernelscape::space
