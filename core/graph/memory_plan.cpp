#include "core/graph/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace kernelscape::graph {
namespace {

std::int64_t rounded_up(std::int64_t bytes, std::int64_t alignment) {
  return bytes <= 0 ? 0 : (bytes + alignment - 1) / alignment * alignment;
}

bool in_use_together(const BufferUse& a, const BufferUse& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

/** Places buffers one by one, each into the tightest gap between those that are in use with it. */
MemoryPlan place_in_order(std::span<const BufferUse> buffers, const std::vector<std::size_t>& order,
                          std::int64_t alignment) {
  MemoryPlan plan{.offsets = std::vector<std::int64_t>(buffers.size(), 0), .arena_bytes = 0};
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t buffer : order) {
    const std::int64_t bytes = rounded_up(buffers[buffer].bytes, alignment);
    if (bytes == 0) continue;
    std::int64_t end = 0;  // of the buffers that were passed
    std::int64_t best = -1;
    std::int64_t tightest = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t other : placed) {
      if (!in_use_together(buffers[buffer], buffers[other])) continue;
      const std::int64_t gap = plan.offsets[other] - end;
      if (gap >= bytes && gap < tightest) {
        tightest = gap;
        best = end;
      }
      end = std::max(end, plan.offsets[other] + rounded_up(buffers[other].bytes, alignment));
    }
    plan.offsets[buffer] = best >= 0 ? best : end;
    plan.arena_bytes = std::max(plan.arena_bytes, plan.offsets[buffer] + bytes);
    const auto by_offset = [&](std::size_t a, std::size_t b) { return plan.offsets[a] < plan.offsets[b]; };
    placed.insert(std::ranges::upper_bound(placed, buffer, by_offset), buffer);
  }
  return plan;
}

}  // namespace

std::int64_t arena_bytes_at_least(std::span<const BufferUse> buffers, std::int64_t alignment) {
  std::vector<std::pair<std::size_t, std::int64_t>> changes;  // of the bytes in use; what ends comes first
  for (const BufferUse& buffer : buffers) {
    const std::int64_t bytes = rounded_up(buffer.bytes, alignment);
    changes.emplace_back(buffer.first_step, bytes);
    changes.emplace_back(buffer.last_step + 1, -bytes);
  }
  std::ranges::sort(changes);
  std::int64_t now = 0;
  std::int64_t largest = 0;
  for (const auto& [step, bytes] : changes) largest = std::max(largest, now += bytes);
  return largest;
}

MemoryPlan plan_memory(std::span<const BufferUse> buffers, std::int64_t alignment) {
  const auto size = [&](std::size_t i) { return buffers[i].bytes; };
  const auto length = [&](std::size_t i) { return buffers[i].last_step - buffers[i].first_step + 1; };
  const auto area = [&](std::size_t i) {
    return static_cast<double>(size(i)) * static_cast<double>(length(i));
  };
  const std::int64_t bound = arena_bytes_at_least(buffers, alignment);
  MemoryPlan best;
  const auto try_order = [&](const auto& comes_before) {
    if (!best.offsets.empty() && best.arena_bytes == bound) return;
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, comes_before);
    MemoryPlan plan = place_in_order(buffers, order, alignment);
    if (best.offsets.empty() || plan.arena_bytes < best.arena_bytes) best = std::move(plan);
  };
  try_order([&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  try_order([&](std::size_t a, std::size_t b) { return area(a) > area(b); });
  try_order([&](std::size_t a, std::size_t b) {
    return std::pair(length(a), size(a)) > std::pair(length(b), size(b));
  });
  try_order([&](std::size_t a, std::size_t b) { return buffers[a].first_step < buffers[b].first_step; });
  return best;
}

}  // namespace kernelscape::graph
