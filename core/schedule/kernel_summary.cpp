#include "core/schedule/kernel_summary.h"

#include <algorithm>
#include <cmath>

#include "core/schedule/schedule.h"

namespace kernelscape::schedule {
namespace {

bool runs_in_parallel(LoopAnnotation annotation) {
  return annotation <= LoopAnnotation::ThreadZ || annotation == LoopAnnotation::Parallel;
}

/** Returns the product of the lengths of the loops for which `counts` returns true. */
template <typename Counts>
double iterations(std::span<const TouchedLoop> loops, const Counts& counts) {
  double product = 1;
  for (const TouchedLoop& loop : loops)
    if (counts(loop.annotation)) product *= static_cast<double>(loop.length);
  return product;
}

/** Returns the loops inside the innermost loop that is neither unrolled nor vectorized. */
std::span<const TouchedLoop> register_loops(std::span<const TouchedLoop> loops) {
  std::size_t first = loops.size();
  while (first > 0) {
    const TouchedLoop& loop = loops[first - 1];
    const bool in_registers = loop.length == 1 || loop.annotation == LoopAnnotation::Unrolled ||
                              loop.annotation == LoopAnnotation::Vectorized;
    if (!in_registers) break;
    --first;
  }
  return loops.subspan(first);
}

}  // namespace

const std::array<const char*, KernelSummary::columns> KernelSummary::names{
    "log2 wasted iterations",    "log2 parallel iterations",
    "log2 imbalance of cores",   "log2 lanes",
    "log2 unrolled iterations",  "log2 elements in registers",
    "share of registers",        "log2 operands per multiply-add",
    "log2 bytes from beyond L1", "share of L1",
    "log2 bytes from beyond L2", "share of L2",
    "log2 bytes from beyond L3", "share of L3"};

KernelSummary::KernelSummary(const ScheduledKernel& kernel, std::span<const std::string> tensor_names)
    : multiply_adds_(kernel.schedule().op().flops() / 2),
      cores_(static_cast<double>(std::max<std::int64_t>(kernel.target().cores, 1))),
      lanes_(static_cast<double>(std::max<std::int64_t>(kernel.target().vector_lanes_f32(), 1))),
      registers_(static_cast<double>(std::max<std::int64_t>(kernel.target().vector_registers, 1))),
      dots_(kernel.schedule().dot_group().has_value()),
      cache_bytes_{kernel.target().l1_bytes, kernel.target().l2_bytes, kernel.target().l3_bytes} {
  const task::TensorOperator& op = kernel.schedule().op();
  for (std::size_t i = 0; i < touched_tensors; ++i) {
    const auto* tensor = &op.output;
    for (const task::TensorAccess& input : op.inputs)
      if (input.tensor == tensor_names[i]) tensor = &input;
    if (tensor == &op.output) output_ = i;
    element_bytes_[i] = static_cast<double>(task::bytes_of(tensor->type));
  }
}

double KernelSummary::footprint(const TouchedLoop& loop) const {
  double bytes = 0;
  for (std::size_t i = 0; i < touched_tensors; ++i)
    bytes += static_cast<double>(loop.touches[i].count) * element_bytes_[i];
  return bytes;
}

KernelSummary::CacheUse KernelSummary::use_of_cache(std::span<const TouchedLoop> loops,
                                                    std::int64_t bytes) const {
  const auto room = static_cast<double>(bytes);
  std::size_t first = loops.size() - 1;
  while (first > 0 && footprint(loops[first - 1]) <= room) --first;
  CacheUse use{0, footprint(loops[first]) / room};
  for (std::size_t i = 0; i < touched_tensors; ++i) {
    double times = 1;
    if (first > 0) {
      const TouchedLoop& around = loops[first - 1];
      times = static_cast<double>(around.topdown);
      // Data that the next loop does not index stay in the cache.
      if (around.touches[i].stride == 0) times /= static_cast<double>(around.length);
    }
    use.bytes += times * static_cast<double>(loops[first].touches[i].count) * element_bytes_[i];
  }
  return use;
}

void KernelSummary::write(std::span<const TouchedLoop> loops, std::span<float> row) const {
  // The loop of a dot product's group belongs to an intrinsic and is not a loop of lanes.
  const std::span<const TouchedLoop> lane_loops = loops.first(loops.size() - (dots_ ? 1 : 0));
  const double all = static_cast<double>(loops.back().topdown);
  const double parallel = iterations(loops, runs_in_parallel);
  const double slowest = std::ceil(parallel / cores_) * cores_;
  const std::span<const TouchedLoop> innermost = register_loops(loops);
  double held = 1;
  double operands = touched_tensors - 1;
  double inner_iterations = 1;
  if (!innermost.empty()) {
    held = static_cast<double>(innermost.front().touches[output_].count);
    operands = 0;
    for (std::size_t i = 0; i < touched_tensors; ++i)
      if (i != output_) operands += static_cast<double>(innermost.front().touches[i].count);
    for (const TouchedLoop& loop : innermost) inner_iterations *= static_cast<double>(loop.length);
  }
  std::size_t next = 0;
  const auto put = [&](double number) { row[next++] = static_cast<float>(number); };
  put(std::log2(all / multiply_adds_));
  put(std::log2(parallel));
  put(std::log2(slowest / parallel));
  put(std::log2(iterations(lane_loops, [](LoopAnnotation a) { return a == LoopAnnotation::Vectorized; })));
  put(std::log2(iterations(loops, [](LoopAnnotation a) { return a == LoopAnnotation::Unrolled; })));
  put(std::log2(held));
  put(held / lanes_ / registers_);
  put(std::log2(operands / inner_iterations));
  for (const std::int64_t bytes : cache_bytes_) {
    const CacheUse use = bytes > 0 ? use_of_cache(loops, bytes) : CacheUse{all, 0};
    put(std::log2(use.bytes / all));
    put(std::min(use.share, 8.0));
  }
}

}  // namespace kernelscape::schedule
