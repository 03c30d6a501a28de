#pragma once

#include <memory>
#include <string>

#include "core/study/training_run.h"

namespace kernelscape {

/** One line that is drawn over on a terminal; elsewhere a line for every tenth of the epochs.
 * @param database its path */
std::unique_ptr<TrainingObserver> make_training_text_display(const std::string& database);
/** One JSON object per line. */
std::unique_ptr<TrainingObserver> make_training_json_display(const std::string& database);

}  // namespace kernelscape
