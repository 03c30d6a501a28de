#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelscape {

/** Shares of the optimum that runs are timed to. */
inline constexpr std::array goal_shares{0.90, 0.95, 0.99};

/** What arms are compared by. */
enum class CompareBy : std::uint8_t {
  FinalPerformance,  ///< at the end of a run; over tasks its share of the optimum
  Score,             ///< against the expected random search: ComparisonRow::score
  SecondsToGoal,     ///< session time to a share of the optimum
  TrialsToGoal       ///< trials to it
};

/** A number that arms are compared by and tested on. */
struct ComparedMeasure {
  CompareBy by = CompareBy::FinalPerformance;
  std::size_t goal = 1;  ///< position in goal_shares, of the last two

  bool operator==(const ComparedMeasure&) const = default;
};

/** All of them: final performance, score, then seconds and trials to each goal. */
std::vector<ComparedMeasure> compared_measures();

/** "final performance", "score", "seconds to 95 %", "trials to 95 %". */
std::string measure_name(const ComparedMeasure& measure);

/** Seconds and trials: less is better. */
bool less_is_better(const ComparedMeasure& measure);

}  // namespace kernelscape
