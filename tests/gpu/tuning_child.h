#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/gpu/child.h"
#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/** A session as `kernelscape tune --json` told of it. */
struct TuningEnded {
  ChildEnded process;
  nlohmann::json summary;  ///< its summary event; null where it came to none
  std::string problem;     ///< what it said went wrong; empty: nothing

  std::int64_t trials() const;
  std::int64_t valid_trials() const;
  double best_gflops() const;    ///< 0: none
  double vendor_gflops() const;  ///< 0: none
  /** Why there is no vendor's number; empty where there is one. */
  std::string vendor_reason() const;
  double session_seconds() const;
  /** Trials by category, the names of those that there were. */
  nlohmann::json categories() const;
};

/** Runs a command of kernelscape that tunes; --json is added. @param seconds after which it is asked to end
 */
TuningEnded run_tuning(const Settings& settings, std::vector<std::string> words, double seconds);

/** The objects that a command of kernelscape prints with --json, or why there are none. */
nlohmann::json json_lines_of(const Settings& settings, std::vector<std::string> words, double seconds,
                             std::string& problem);

/** Minutes as --minutes takes them. */
std::string minutes_text(double seconds);

}  // namespace kernelscape::gpu_proof
