#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/kernel/kernel_family.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** All that is known of one trial; read on demand. */
struct TrialDetails {
  std::int64_t row = no_row;
  Trial trial;
  std::vector<StoredSeries> series;  ///< what the tuner reported for it
  /** Makes kernels of the session's configurations again; null: nothing can (changed template, import). */
  std::shared_ptr<const KernelFamily> family;
  std::string source_text;       ///< of the kernel; empty where it can't be made again
  std::string source_problem;    ///< why not
  std::string layouts;           ///< "data: NCHW16c; ..."
  Dialect dialect = Dialect::C;  ///< of the source
  Launch launch;                 ///< of a GPU's kernel that has a source
};

/** Reads a trial and makes its kernel's source again. Takes milliseconds: for a background job. */
Result<TrialDetails> load_trial_details(const std::filesystem::path& database, const Source& source,
                                        std::int64_t row);

}  // namespace kernelscape
