#include "core/analysis/comparison/compared_measure.h"

#include <fmt/format.h>

namespace kernelscape::analysis {

std::vector<ComparedMeasure> compared_measures() {
  std::vector<ComparedMeasure> measures{{CompareBy::FinalPerformance}, {CompareBy::Score}};
  for (const CompareBy by : {CompareBy::SecondsToGoal, CompareBy::TrialsToGoal})
    for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) measures.push_back({by, goal});
  return measures;
}

std::string measure_name(const ComparedMeasure& measure) {
  switch (measure.by) {
    case CompareBy::FinalPerformance:
      return "final performance";
    case CompareBy::Score:
      return "score";
    case CompareBy::SecondsToGoal:
    case CompareBy::TrialsToGoal:
      break;
  }
  return fmt::format("{} to {:.0f} %", measure.by == CompareBy::SecondsToGoal ? "seconds" : "trials",
                     100 * goal_shares.at(measure.goal));
}

bool less_is_better(const ComparedMeasure& measure) {
  return measure.by == CompareBy::SecondsToGoal || measure.by == CompareBy::TrialsToGoal;
}

}  // namespace kernelscape::analysis
