#pragma once

#include <memory>
#include <string>

#include "core/study/execution.h"

namespace kernelscape::command_line {

/** Data that the displays of a study receive before it runs. */
struct StudyDisplaySetup {
  store::StudyId id = 0;
  const study::Definition* study = nullptr;
  std::string database;
};

/**
 * Makes a display with one line that is overwritten on a terminal; elsewhere with a line for every tenth of
 * the runs.
 */
std::unique_ptr<study::Observer> make_study_text_display(const StudyDisplaySetup& setup);
/** Makes a display that prints one JSON object per line. */
std::unique_ptr<study::Observer> make_study_json_display(const StudyDisplaySetup& setup);

}  // namespace kernelscape::command_line
