#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/figures/registry.h"
#include "ui/models/comparison_text.h"

namespace kernelscape {

/** All that the charts and the table of a comparison show. */
struct ComparisonNumbers {
  /** One for each kind of FigurePlace::CompareCurves; none where the runs have nothing of the kind. */
  std::vector<std::optional<Figure>> curves;
  std::vector<Figure> costs;            ///< one for each kind of CompareCosts
  std::vector<Figure> over_tasks;       ///< one for each kind of CompareOverTasks
  std::vector<Figure> tasks;            ///< one for each task, whatever is chosen
  JudgedRows judged;                    ///< of all tasks: the correction is for all tests
  bool finals_alike = false;            ///< no final performance can be told apart, on any task
  std::vector<std::string> hindrances;  ///< what hinders verdicts, as sentences
};

/** For background jobs: seconds for big studies. None: the job is cancelled. */
std::optional<ComparisonNumbers> comparison_numbers(const ComparedRuns& runs, const ComparisonChoice& choice,
                                                    const JobControl& control);

}  // namespace kernelscape
