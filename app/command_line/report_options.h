#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

struct FleetScaling;

/** Options of a report of sessions, a study, or a simulated fleet. */
struct ReportOptions {
  std::vector<std::string> sessions;
  std::string study;
  std::shared_ptr<const FleetScaling> fleet = {};
  std::string out;
  bool force = false;
  bool quiet = false;  ///< does not print the path
  std::string database;
};

/**
 * Writes a report, prints its path and returns the exit code. It draws with Qt, which no other part of the
 * command line needs.
 */
using ReportWriter = std::function<Result<int>(const ReportOptions&)>;

}  // namespace kernelscape
