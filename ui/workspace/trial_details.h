#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/kernel/kernel_family.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** All data of one trial; read on demand. */
struct TrialDetails {
  std::int64_t row = no_row;
  Trial trial;
  std::vector<StoredSeries> series;  ///< values that the tuner reported for the trial
  /**
   * Regenerates the kernels of the session's configurations; null: they can't be regenerated (changed
   * template, import).
   */
  std::shared_ptr<const KernelFamily> family;
  std::string source_text;       ///< of the kernel; empty if it can't be regenerated
  std::string source_problem;    ///< why the source can't be regenerated
  std::string layouts;           ///< "data: NCHW16c; ..."
  Dialect dialect = Dialect::C;  ///< language of the source
  Launch launch;                 ///< of a GPU kernel that has a source
};

/**
 * Reads a trial and regenerates the source of its kernel. Takes milliseconds: to be called in a background
 * job.
 */
Result<TrialDetails> load_trial_details(const std::filesystem::path& database, const Source& source,
                                        std::int64_t row);

}  // namespace kernelscape
