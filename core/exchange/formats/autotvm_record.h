#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/int128.h"
#include "core/base/result.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/trial/measurement.h"

namespace kernelscape::exchange {

/** The content of a line of AutoTVM's log for one trial. */
struct AutotvmRecord {
  std::string target;                    ///< "cuda -model=titanx"
  std::string task;                      ///< "conv2d_nchw.cuda"
  std::string args_json;                 ///< arguments of the task
  std::string template_key{};            ///< "direct", "winograd": version 0.1 only
  std::optional<base::uint128> index{};  ///< nullopt if the index is too large for a JSON reader
  std::vector<LoggedChoice> entities{};
  std::vector<double> costs_seconds{};  ///< positive; empty on errors
  trial::ErrorCategory category = trial::ErrorCategory::NoError;
  std::string message{};         ///< of an error that has its own error number
  double all_cost_seconds = 0;   ///< building, waiting and running
  double timestamp_seconds = 0;  ///< Unix time
  std::string tvm_version{};     ///< version 0.2 only
};

/** Parses a line of an AutoTVM log of version 0.1 or 0.2. The error says why the line is invalid. */
Result<AutotvmRecord> autotvm_record(const nlohmann::json& line);

}  // namespace kernelscape::exchange
