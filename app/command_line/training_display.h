#pragma once

#include <memory>
#include <string>

#include "core/study/training_run.h"

namespace kernelscape::command_line {

/**
 * Makes a display with one line that is overwritten on a terminal; elsewhere with a line for every tenth of
 * the epochs.
 * @param database its path
 */
std::unique_ptr<study::TrainingObserver> make_training_text_display(const std::string& database);
/** Makes a display that prints one JSON object per line. */
std::unique_ptr<study::TrainingObserver> make_training_json_display(const std::string& database);

}  // namespace kernelscape::command_line
