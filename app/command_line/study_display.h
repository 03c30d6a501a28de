#pragma once

#include <memory>
#include <string>

#include "core/study/study_execution.h"

namespace kernelscape {

/** Data that the displays of a study receive before it runs. */
struct StudyDisplaySetup {
  StudyId id = 0;
  const StudyDefinition* study = nullptr;
  std::string database;
};

/**
 * Makes a display with one line that is overwritten on a terminal; elsewhere with a line for every tenth of
 * the runs.
 */
std::unique_ptr<StudyObserver> make_study_text_display(const StudyDisplaySetup& setup);
/** Makes a display that prints one JSON object per line. */
std::unique_ptr<StudyObserver> make_study_json_display(const StudyDisplaySetup& setup);

}  // namespace kernelscape
