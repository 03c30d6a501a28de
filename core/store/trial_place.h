#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/trial/measure_options.h"

namespace kernelscape::store {

struct Connection;

/** Where the trials of a session are stored. */
struct TrialPlace {
  SessionKind kind = SessionKind::Measured;
  RecordingId recording = 0;   ///< 0: the trials are stored as rows
  bool of_gpu = false;         ///< stored trials may have resources and build logs
  bool has_checksums = false;  ///< all rows have checksums, because the session was created after checksums
                               ///< were introduced
  /** Measure options of a replay that takes fewer samples than were recorded; nullopt: all samples. */
  std::optional<trial::MeasureOptions> sampling = {};

  bool stored() const { return recording == 0; }  ///< not rows of a recording
};

/** Returns the place of a session's trials; the kind is Measured if the session does not exist. */
Result<TrialPlace> trial_place(Connection& connection, SessionId id);

}  // namespace kernelscape::store
