#pragma once

#include <string>

#include "core/analysis/pareto.h"
#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape::command_line {

/** What `show --pareto` asks for. */
struct FrontOptions {
  std::string column;  ///< name of a column of the trials; empty: no front is wanted
  std::string better;  ///< "less" or "more"; empty: the usual direction of the column
  bool json = false;
};

/**
 * Prints the Pareto front of the time and a column of a session's trials, fastest first. Returns NotFound
 * with similar names if the trials have no such column of numbers.
 */
Status print_front(const store::Store& store, store::SessionId session, const FrontOptions& options);

}  // namespace kernelscape::command_line
