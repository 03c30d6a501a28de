#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** What `report` is asked for: sessions, or a study. */
struct ReportOptions {
  std::vector<std::string> sessions;
  std::string study;
  std::string out;
  bool force = false;
  std::string database;
};

/** Writes a report and says where; the exit code. It draws with Qt, which no other command needs. */
using ReportWriter = std::function<Result<int>(const ReportOptions&)>;

}  // namespace kernelscape
