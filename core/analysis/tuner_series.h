#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/series_table.h"
#include "core/trial/series.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** A series and what is drawn with it. */
struct SeriesFigure {
  std::string name;            ///< of the series, unique among a session's figures
  std::string title;           ///< "Predicted performance"
  std::string unit = {};       ///< "GFLOPS", "samples"; empty: none
  std::string deviation = {};  ///< the series that is its standard deviation; empty: none
  SeriesRelation relation = SeriesRelation::None;
  bool steps = false;        ///< a state of the tuner, which holds until it changes: a line
  bool share = false;        ///< in [0, 1]
  bool from_trials = false;  ///< of the trial rows: samples that were not needed
  std::string meaning = {};  ///< what it is and where it comes from; empty: nobody knows
  std::string group = {};    ///< of figures that differ in one thing only: "Lengthscales"; empty: none
  std::string member = {};   ///< that thing: "tile_oc[3]"

  bool operator==(const SeriesFigure&) const = default;
};

/** Name of the figure of the samples that the adaptive evaluator did not need; no tuner's series. */
constexpr std::string_view saved_samples_figure = "samples saved";

/**
 * What can be drawn of a session's series: those that are described, in the order of their descriptions and
 * within a family by member, then the others by name, then the saved samples. A deviation belongs to its
 * mean's figure where there is one.
 * @param described by the tuners
 * @param flops of the task; 0: unknown, then fitness is calls per second
 */
std::vector<SeriesFigure> series_figures(std::span<const SeriesDescription> described,
                                         const SeriesSnapshot& series, bool with_saved_samples, double flops);

/** The figure's value for a trial; NaN: none. */
double figure_value(const SeriesFigure& figure, const SeriesColumn* column, const TrialRow& trial);

/** How well predictions order what was measured. */
struct PredictionQuality {
  double tau = 0;           ///< Kendall's tau-b: 1 the same order, 0 none, -1 the reverse
  std::int64_t trials = 0;  ///< that it rests on, the latest ones
  bool all = true;          ///< there were no more

  bool operator==(const PredictionQuality&) const = default;
};

/** What was predicted beside what was measured, in the order of the trials. Keeps the latest pairs only. */
class PredictionPairs {
 public:
  static constexpr std::size_t most_pairs = 5'000;
  static constexpr std::size_t fewest_pairs = 10;  ///< fewer say nothing

  /** A pair with a number that is not finite is left out. */
  void add(double predicted, double measured);
  /** None for too few pairs, and where all of one side are equal. */
  std::optional<PredictionQuality> quality() const;

 private:
  std::vector<double> predicted_;
  std::vector<double> measured_;
  std::int64_t added_ = 0;
};

}  // namespace kernelscape
