#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

struct FleetScaling;

/** What a report is asked for: sessions, or a study, or a simulated fleet. */
struct ReportOptions {
  std::vector<std::string> sessions;
  std::string study;
  std::shared_ptr<const FleetScaling> fleet = {};
  std::string out;
  bool force = false;
  bool quiet = false;  ///< does not print where it is
  std::string database;
};

/** Writes a report and says where; the exit code. It draws with Qt, which nothing else of the command line
 * needs. */
using ReportWriter = std::function<Result<int>(const ReportOptions&)>;

}  // namespace kernelscape
