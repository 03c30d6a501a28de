#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/measure/gpu/cuda_architecture.h"
#include "core/measure/gpu/gpu_target.h"

namespace kernelscape::measure {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t register_granularity = 256;  ///< registers are allocated to warps in multiples of this
constexpr std::int64_t partitions = 4;              ///< schedulers with separate register files

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

/** The allocation rules of a multiprocessor's resources, by its capability (NVIDIA's cuda_occupancy.h). */
struct AllocationRules {
  std::int64_t shared_granularity = 128;
  std::int64_t reserved_shared_bytes = 1024;  ///< per block, reserved for the system
};

AllocationRules rules_of(const schedule::TargetDescription& target) {
  AllocationRules rules;
  const std::optional<int> capability = capability_of(target.isa);
  if (capability && *capability < 80) {
    rules.shared_granularity = 256;
    rules.reserved_shared_bytes = 0;
  }
  return rules;
}

/** Returns the number of blocks whose registers fit: whole warps in each partition's register file. */
std::int64_t blocks_by_registers(const trial::KernelResources& resources, std::int64_t warps,
                                 const schedule::TargetDescription& target) {
  if (resources.registers == 0 || target.registers_per_multiprocessor == 0) return unlimited;
  const std::int64_t of_warp = round_up(resources.registers * target.warp_threads, register_granularity);
  const std::int64_t of_partition = target.registers_per_multiprocessor / partitions;
  // A launch is checked as if every partition held as many warps as the fullest.
  if (of_warp * round_up(warps, partitions) > target.registers_per_multiprocessor) return 0;
  return of_partition / of_warp * partitions / warps;
}

std::int64_t blocks_by_shared_memory(const trial::KernelResources& resources, const AllocationRules& rules,
                                     const schedule::TargetDescription& target) {
  if (target.shared_bytes_per_multiprocessor == 0) return unlimited;
  const std::int64_t of_block =
      round_up(resources.shared_bytes + rules.reserved_shared_bytes, rules.shared_granularity);
  return of_block == 0 ? unlimited : target.shared_bytes_per_multiprocessor / of_block;
}

}  // namespace

trial::KernelResources with_occupancy(trial::KernelResources resources, std::int64_t threads,
                                      const schedule::TargetDescription& target) {
  resources.threads = static_cast<std::int32_t>(threads);
  resources.occupancy = 0;
  resources.limited_by = trial::OccupancyLimit::Unknown;
  if (threads <= 0 || target.warp_threads <= 0 || target.threads_per_multiprocessor <= 0) return resources;
  const AllocationRules rules = rules_of(target);
  const std::int64_t warps = (threads + target.warp_threads - 1) / target.warp_threads;
  const std::int64_t max_warps = target.threads_per_multiprocessor / target.warp_threads;
  struct Limit {
    trial::OccupancyLimit by;
    std::int64_t blocks;
  };
  const std::array limits{
      Limit{trial::OccupancyLimit::Threads, max_warps / warps},
      Limit{trial::OccupancyLimit::Blocks,
            target.blocks_per_multiprocessor > 0 ? target.blocks_per_multiprocessor : unlimited},
      Limit{trial::OccupancyLimit::Registers, blocks_by_registers(resources, warps, target)},
      Limit{trial::OccupancyLimit::SharedMemory, blocks_by_shared_memory(resources, rules, target)}};
  const Limit least = *std::ranges::min_element(limits, {}, &Limit::blocks);
  resources.limited_by = least.by;
  resources.occupancy = static_cast<double>(least.blocks * warps) / static_cast<double>(max_warps);
  return resources;
}

}  // namespace kernelscape::measure
