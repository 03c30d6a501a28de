#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/kernel/family.h"
#include "ui/workspace/source.h"

namespace kernelscape::workspace {

/** All data of one trial; read on demand. */
struct TrialDetails {
  std::int64_t row = analysis::no_row;
  trial::Trial trial;
  std::vector<store::StoredSeries> series;  ///< values that the tuner reported for the trial
  /**
   * Regenerates the kernels of the session's configurations; null: they can't be regenerated (changed
   * template, import).
   */
  std::shared_ptr<const kernel::Family> family;
  std::string source_text;                         ///< of the kernel; empty if it can't be regenerated
  std::string source_problem;                      ///< why the source can't be regenerated
  std::string layouts;                             ///< "data: NCHW16c; ..."
  codegen::Dialect dialect = codegen::Dialect::C;  ///< language of the source
  codegen::Launch launch;                          ///< of a GPU kernel that has a source
};

/**
 * Reads a trial and regenerates the source of its kernel. Takes milliseconds: to be called in a background
 * job.
 */
Result<TrialDetails> load_trial_details(const std::filesystem::path& database, const Source& source,
                                        std::int64_t row);

}  // namespace kernelscape::workspace
