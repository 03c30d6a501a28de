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

namespace kernelscape {

// All that comes from outside passes here, once, before it is stored or used; what lies behind may rely on
// it:
// - every text that is read again was understood by its reader, and is written anew as that one writes it;
// - times are possible (gate_values.h), and their sum too; configurations are of their space;
// - what follows from the trials is counted from them: how many there are, the best one, and its time;
// - names, notes and messages are UTF-8 without control characters, of bounded length.
// Refused is what would change a result; cleaned, with a notice, what is only shown. Names and values of
// knobs tell configurations apart: they are refused.

/**
 * What a reader of any format made of a file; read_import() asks it for every format. Its notices say what
 * was changed. InvalidArgument names the file, the trial (by its place in the file, from 0), the member and
 * the reason.
 */
Result<ImportedFile> admitted(ImportedFile file);

/** A recorded space that passed. */
struct AdmittedRecording {
  std::shared_ptr<const Recording> recording;  ///< as it was, or made anew where texts had to be cleaned
  RecordingHeader header;                      ///< of it, its texts as their own writers write them
  std::vector<std::string> notices;            ///< what was changed
};

/** The same of a recorded space, whose rows are its trials. @param name what errors call it */
Result<AdmittedRecording> admitted(std::shared_ptr<const Recording> recording, std::string_view name);

/** Recording::open(), and through the gate: how a recorded space's file is read anywhere. */
Result<AdmittedRecording> open_recording(const std::filesystem::path& path);

/** The first trial with the smallest time. */
struct BestTrial {
  std::int64_t trial = -1;  ///< -1: none has a time
  double seconds = 0;
};
/** Of trials in the file's order. */
BestTrial best_trial_of(std::span<const ImportedTrial> trials);

}  // namespace kernelscape
