#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {

/** What to write, and where. */
struct TrialExport {
  workspace::Source source;
  std::vector<std::int64_t> rows;    ///< in the order in which they are written
  std::vector<std::string> columns;  ///< names of TrialColumns, in this order
  std::filesystem::path path;        ///< .json: a list of objects; otherwise CSV
  bool force = false;                ///< replaces a file that is not an earlier export of trials
};

/**
 * Writes the trials; the file appears complete or not at all. Error Occupied: the destination holds something
 * else.
 * @param proceed called every few milliseconds; if it returns false, nothing is written
 * @return true if the file was written; false if `proceed` cancelled
 */
Result<bool> export_trials(const TrialExport& what, const std::function<bool()>& proceed);

}  // namespace kernelscape::views
