#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kernelscape {

inline constexpr std::size_t most_permuted_items = 10;

/** Orders of `items` things, at most `most_permuted_items`. */
std::uint32_t count_permutations(std::size_t items);

/** Writes the order of 0, 1, ... at `index` of the lexicographic list of all: Lehmer's code. */
void permutation_at(std::uint32_t index, std::span<std::int64_t> order);

/** Where an order stands in that list; none where it is no order of 0, 1, ... */
std::optional<std::uint32_t> index_of_permutation(std::span<const std::int64_t> order);

}  // namespace kernelscape
