#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** What is written, and where to. */
struct TrialExport {
  Source source;
  std::vector<std::int64_t> rows;    ///< in the order in which they are written
  std::vector<std::string> columns;  ///< names of TrialColumns, in their order
  std::filesystem::path path;        ///< .json: a list of objects; else CSV
  bool force = false;                ///< replaces what is no earlier table of trials
};

/**
 * The file appears whole or not at all. Occupied: something else stands there.
 * @param proceed asked every few milliseconds; false: nothing is written
 * @return whether it was written; false: `proceed` said no
 */
Result<bool> export_trials(const TrialExport& what, const std::function<bool()>& proceed);

}  // namespace kernelscape
