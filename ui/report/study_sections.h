#pragma once

#include <memory>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/study/study.h"
#include "ui/report/report_document.h"
#include "ui/workspace/jobs.h"

namespace kernelscape {

/** The data of a study that its report needs, read once. */
struct ReportedStudy {
  StudySummary summary;
  StudyDefinition definition;
  std::vector<StudyRun> runs;
  std::shared_ptr<const ComparedRuns> compared;
  std::size_t baseline = 0;
};

/** Appends tables of the results, an explanation of how to read them, and NoSE's figures 5 to 8. */
void append_comparison(std::vector<ReportBlock>& blocks, const ReportedStudy& study,
                       const JobControl& control);

}  // namespace kernelscape
