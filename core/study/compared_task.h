#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/comparison/compared_runs.h"
#include "core/store/store.h"

namespace kernelscape {

/** What a session's row tells of the task it is a run of. */
struct ComparedTaskFacts {
  ComparedTask task;  ///< without name; `optimum` of replays only
  double flops = 0;   ///< 0: not known
  /** Members of a measured space, where they can be counted: a run with as many trials has visited it. */
  std::optional<std::int64_t> member_count = {};
};

/** @param record of any session of the task */
Result<ComparedTaskFacts> compared_task_facts(const Store& store, const SessionRecord& record);

}  // namespace kernelscape
