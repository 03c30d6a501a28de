#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelscape::analysis {

/** Shares of the optimum for which the time of each run is determined. */
inline constexpr std::array goal_shares{0.90, 0.95, 0.99};

/** The quantity by which arms are compared. */
enum class CompareBy : std::uint8_t {
  FinalPerformance,  ///< at the end of a run; over tasks its share of the optimum
  Score,             ///< against the expected random search: ComparisonRow::score
  SecondsToGoal,     ///< session time to a share of the optimum
  TrialsToGoal       ///< trials to a share of the optimum
};

/** A number by which arms are compared and tested. */
struct ComparedMeasure {
  CompareBy by = CompareBy::FinalPerformance;
  std::size_t goal = 1;  ///< position in goal_shares, for SecondsToGoal and TrialsToGoal

  bool operator==(const ComparedMeasure&) const = default;
};

/** Returns all measures: final performance, score, then seconds and trials to each goal. */
std::vector<ComparedMeasure> compared_measures();

/** Returns "final performance", "score", "seconds to 95 %" or "trials to 95 %". */
std::string measure_name(const ComparedMeasure& measure);

/** Returns true for seconds and trials. */
bool less_is_better(const ComparedMeasure& measure);

}  // namespace kernelscape::analysis
