#pragma once

#include <memory>
#include <string>

#include "core/study/study_execution.h"

namespace kernelscape {

/** What the displays of a study are told before it runs. */
struct StudyDisplaySetup {
  StudyId id = 0;
  const StudyDefinition* study = nullptr;
  std::string database;
};

/** One line that is drawn over on a terminal; elsewhere a line for every tenth of the runs. */
std::unique_ptr<StudyObserver> make_study_text_display(const StudyDisplaySetup& setup);
/** One JSON object per line. */
std::unique_ptr<StudyObserver> make_study_json_display(const StudyDisplaySetup& setup);

}  // namespace kernelscape
