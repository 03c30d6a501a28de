#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kernelscape {

/** What brings data to the registers, from the nearest to the farthest. The numbers are places in PerLevel.
 */
enum class MemoryLevel : std::uint8_t { L1, L2, L3, Memory };
inline constexpr std::size_t memory_level_count = 4;

/** One value for each level, by the number of MemoryLevel. */
template <typename Value>
using PerLevel = std::array<Value, memory_level_count>;

/** All levels, nearest first. */
inline constexpr PerLevel<MemoryLevel> memory_levels{MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::L3,
                                                     MemoryLevel::Memory};

/** Where a level's value stands in a PerLevel. */
constexpr std::size_t place_of(MemoryLevel level) { return static_cast<std::size_t>(level); }

/** "L1", "L2", "L3", "memory": as people read it and as JSON has it. */
constexpr std::string_view to_string(MemoryLevel level) {
  constexpr PerLevel<std::string_view> names{"L1", "L2", "L3", "memory"};
  return names[place_of(level)];
}

}  // namespace kernelscape
