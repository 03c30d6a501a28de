#pragma once

#include <memory>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/study/study.h"
#include "ui/report/document.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::report {

/** The data of a study that its report needs, read once. */
struct ReportedStudy {
  store::StudySummary summary;
  study::Definition definition;
  std::vector<store::StudyRun> runs;
  std::shared_ptr<const analysis::ComparedRuns> compared;
  std::size_t baseline = 0;
};

/** Appends tables of the results, an explanation of how to read them, and NoSE's figures 5 to 8. */
void append_comparison(std::vector<Block>& blocks, const ReportedStudy& study,
                       const workspace::JobControl& control);

}  // namespace kernelscape::report
