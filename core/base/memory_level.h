#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kernelscape::base {

/**
 * Levels of the memory hierarchy, from the nearest to the farthest. The numbers are indices into PerLevel.
 */
enum class MemoryLevel : std::uint8_t { L1, L2, L3, Memory };
inline constexpr std::size_t memory_level_count = 4;

/** One value per level, indexed by MemoryLevel. */
template <typename Value>
using PerLevel = std::array<Value, memory_level_count>;

/** All levels, nearest first. */
inline constexpr PerLevel<MemoryLevel> memory_levels{MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::L3,
                                                     MemoryLevel::Memory};

/** Returns the index of a level in a PerLevel. */
constexpr std::size_t place_of(MemoryLevel level) { return static_cast<std::size_t>(level); }

/** Returns "L1", "L2", "L3" or "memory", for users and JSON. */
constexpr std::string_view to_string(MemoryLevel level) {
  constexpr PerLevel<std::string_view> names{"L1", "L2", "L3", "memory"};
  return names[place_of(level)];
}

}  // namespace kernelscape::base
