#pragma once

#include <memory>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/study/study.h"
#include "ui/report/report_document.h"
#include "ui/workspace/jobs.h"

namespace kernelscape {

/** All that is said of a study in a report, read once. */
struct ReportedStudy {
  StudySummary summary;
  StudyDefinition definition;
  std::vector<StudyRun> runs;
  std::shared_ptr<const ComparedRuns> compared;
  std::size_t baseline = 0;
};

/** Tables of the outcome with how to read them, and NoSE's figures 5 to 8. */
void append_comparison(std::vector<ReportBlock>& blocks, const ReportedStudy& study,
                       const JobControl& control);

}  // namespace kernelscape
