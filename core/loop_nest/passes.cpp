#include "core/loop_nest/passes.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace kernelscape::loop_nest {

std::span<const Pass> cpu_passes() {
  static const std::array<Pass, 7> passes{{
      {"vectorize", vectorize},
      {"partition loops", partition_loops},
      {"unroll undecided loops", unroll_undecided},
      {"unroll", unroll},
      {"decide conditions", decide_conditions},
      {"drop unread registers", drop_unread_registers},
      {"hoist conditions", hoist_conditions},
  }};
  return passes;
}

std::span<const Pass> gpu_passes() {
  static const std::array<Pass, 2> passes{{{"unroll", unroll}, {"decide conditions", decide_conditions}}};
  return passes;
}

Result<LoopNest> run_passes(LoopNest nest, std::span<const Pass> passes, const PassObserver& observer,
                            std::int64_t max_operations) {
  for (const Pass& pass : passes) {
    if (!nest.body) break;
    if (const std::int64_t operations = count_operations(nest); operations > max_operations)
      return fail(ErrorCode::Refused,
                  fmt::format("the unrolled kernel has {} operations, more than the limit of {}", operations,
                              max_operations),
                  "choose smaller tiles");
    const auto start = std::chrono::steady_clock::now();
    nest = pass.run(nest);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (observer) observer(pass.name, nest, elapsed.count());
  }
  return nest;
}

}  // namespace kernelscape::loop_nest
