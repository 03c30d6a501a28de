#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/formats/varying_knobs.h"
#include "core/trial/measurement.h"

namespace kernelscape::exchange {

/** The content of a line of Ansor's log for one trial. */
struct AnsorRecord {
  std::string workload;  ///< workload key: a JSON list of a function's name or a hash, and arguments
  std::string target;    ///< "cuda -keys=cuda,gpu -arch=sm_75 ..."
  std::string version;   ///< version of the log: "v0.6"
  VaryingTrial trial{};
  trial::Measurement measurement{};  ///< without a message, because Ansor logs none
  double timestamp_seconds = 0;      ///< Unix time
};

/**
 * Parses a line of a log of Ansor (TVM's auto_scheduler), versions v0.1 to v0.6. The error says why the line
 * is invalid.
 *
 * Knobs are the choices of Ansor's transformation steps. They are named after the stage and the loop to which
 * a step is applied, as numbered at that time: `split_3_0` (the lengths, outermost first), `annotate_3_0`,
 * `auto_unroll_max_step_3_0`, and, if trials differ in them, `fuse_3_0` (number of loops) and `compute_3`
 * (location). All other steps form the structure.
 */
Result<AnsorRecord> ansor_record(const nlohmann::json& line);

}  // namespace kernelscape::exchange
