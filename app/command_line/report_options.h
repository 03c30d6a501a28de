#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::simulation {
struct FleetScaling;
}  // namespace kernelscape::simulation

namespace kernelscape::command_line {

/** Options of a report of sessions, a study, or a simulated fleet. */
struct ReportOptions {
  std::vector<std::string> sessions;
  std::string study;
  std::shared_ptr<const simulation::FleetScaling> fleet = {};
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

}  // namespace kernelscape::command_line
