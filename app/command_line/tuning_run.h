#pragma once

#include <optional>

#include "app/command_line/tuning_options.h"
#include "core/store/store.h"

namespace kernelscape {

/** Measures a session on this machine with live progress, and says at the end what was found. */
struct TuningRun {
  PreparedTuning tuning;
  std::optional<SessionId> resumed;  ///< none: a new session
  bool json = false;
};

/** @return the exit code */
Result<int> run_tuning(Store& store, const TuningRun& run);

}  // namespace kernelscape
