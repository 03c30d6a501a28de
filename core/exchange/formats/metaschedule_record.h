#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/formats/varying_knobs.h"
#include "core/trial/measurement.h"

namespace kernelscape::exchange {

/** The content of a line of MetaSchedule's tuning records for one trial. */
struct MetaScheduleRecord {
  std::uint64_t workload = 0;         ///< line number in the file of workloads, from 0
  std::string target;                 ///< "cuda -arch=sm_80 -max_threads_per_block=1024"
  std::string arguments;              ///< JSON: [["TENSOR", [1, 64], "float32"], ...]; empty: missing
  std::vector<std::string> blocks{};  ///< blocks of the workload in the order in which the trace names them
  VaryingTrial trial{};
  trial::Measurement measurement{};
};

/**
 * Parses a line [workload, [trace, seconds, target, arguments]]. The error says why the line is invalid.
 *
 * Knobs are the trace's decisions, named after their use: `tile_conv2d_0` (the block's first loop),
 * `unroll_explicit`, `compute_at_conv2d`. The instructions before post-processing form the structure.
 */
Result<MetaScheduleRecord> metaschedule_record(const nlohmann::json& line);

}  // namespace kernelscape::exchange
