#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/importer.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange {

// Validation of imported data. Everything that comes from a file passes it once before it is stored or used,
// and later code relies on it:
// - every text that will be parsed again was parsed by its reader, and is written again by its writer;
// - times and their sums are possible (gate_values.h); configurations are in their space;
// - derived values are recomputed from the trials: their number, the best trial, and its time;
// - names, notes and messages are UTF-8 without control characters, of bounded length.
// Invalid data that would change a result is refused; invalid text that is only displayed is cleaned, with a
// notice. Names and values of knobs distinguish configurations: they are refused.

/**
 * Validates and normalizes what a reader of any format returned for a file; read_import() calls it for every
 * format. The notices report changes. InvalidArgument names the file, the trial (by its position in the file,
 * from 0), the member and the reason.
 */
Result<ImportedFile> validated(ImportedFile file);

/** A validated recorded space. */
struct ValidatedRecording {
  std::shared_ptr<const trial::Recording> recording;  ///< unchanged, or recreated if texts had to be cleaned
  trial::RecordingHeader header;     ///< header of the recording, with texts as their own writers
                                     ///< write them
  std::vector<std::string> notices;  ///< reported changes
};

/** Validates a recorded space, whose rows are its trials. @param name the name in errors */
Result<ValidatedRecording> validated(std::shared_ptr<const trial::Recording> recording,
                                     std::string_view name);

/**
 * Opens a recorded space's file with Recording::open() and validates it. All parts of the program read such
 * files with this function.
 */
Result<ValidatedRecording> open_recording(const std::filesystem::path& path);

/** The first trial with the smallest time. */
struct BestTrial {
  std::int64_t trial = -1;  ///< Returns the best of trials in the order of the file.
  double seconds = 0;
};
/** Of trials in the file's order. */
BestTrial best_trial_of(std::span<const ImportedTrial> trials);

}  // namespace kernelscape::exchange
