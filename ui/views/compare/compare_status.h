#pragma once

#include <QString>
#include <optional>

#include "ui/workspace/study_runner.h"
#include "ui/workspace/study_watch.h"

namespace kernelscape::views {

/** The progress of a study. */
struct StudyProgress {
  QString text = {};       ///< "12 of 40 runs, 1 failed, running"; empty: there is no study
  bool ours = false;       ///< the study runs or waits in this process
  bool stopping = false;   ///< the study was asked to stop, and runs until its measurements end
  bool resumable = false;  ///< runs are missing, and no process runs the study
};

/** Returns the progress of a study. */
StudyProgress study_progress(const store::StudySummary& study, const workspace::StudyRunner& runner);

/** The state of a comparison: what was read and computed, and what the user has hidden. */
struct CompareStatus {
  bool chosen = false;                           ///< a study or sessions are chosen
  QString failure = {};                          ///< why the source can't be read; empty: it can
  const analysis::ComparedRuns* runs = nullptr;  ///< null: not read yet
  bool ours = false;                             ///< see StudyProgress
  std::size_t hidden_arms = 0;
  std::size_t hidden_runs = 0;
  bool computed = false;  ///< the numbers are computed
};

/** A text in place of the numbers of a comparison. */
struct CompareNotice {
  QString headline;
  QString text = {};    ///< empty: none
  QString action = {};  ///< text of the button; empty: no button
};

/** Returns the text that is shown in place of the numbers; nullopt: the numbers can be shown. */
std::optional<CompareNotice> compare_notice(const CompareStatus& status);

}  // namespace kernelscape::views
