#pragma once

#include <optional>

#include "app/command_line/tuning_options.h"
#include "core/store/store.h"

namespace kernelscape::command_line {

/** A session to run on this machine with live progress and a report at the end. */
struct TuningRun {
  session::PreparedTuning tuning;
  std::optional<store::SessionId> resumed;  ///< nullopt: a new session
  bool json = false;
};

/** Runs the session. @return the exit code */
Result<int> run_tuning(store::Store& store, const TuningRun& run);

}  // namespace kernelscape::command_line
