#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/series_table.h"
#include "core/trial/series.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

/** A series and how it is drawn. */
struct SeriesFigure {
  std::string name;            ///< name of the series, unique among a session's figures
  std::string title;           ///< "Predicted performance"
  std::string unit = {};       ///< "GFLOPS", "samples"; empty: none
  std::string deviation = {};  ///< name of the series that is its standard deviation; empty: none
  trial::SeriesRelation relation = trial::SeriesRelation::None;
  bool steps = false;        ///< a state of the tuner, which holds until it changes: drawn as a line
  bool share = false;        ///< in [0, 1]
  bool from_trials = false;  ///< computed from the trial rows: samples that were not needed
  std::string meaning = {};  ///< description and origin of the series; empty: not known
  std::string group =
      {};  ///< common title of figures that differ in one aspect only: "Lengthscales"; empty: none
  std::string member = {};  ///< that aspect: "tile_oc[3]"

  bool operator==(const SeriesFigure&) const = default;
};

/** Name of the figure of the samples that the adaptive evaluator saved, which is not a series of a tuner. */
constexpr std::string_view saved_samples_figure = "samples saved";

/**
 * Returns the figures of a session's series: those with a description, in the order of their descriptions and
 * within a group by member, then the others by name, then the saved samples. A deviation belongs to the
 * figure of its mean if there is one.
 * @param described by the tuners
 * @param flops of the task; 0: unknown, then fitness is calls per second
 */
std::vector<SeriesFigure> series_figures(std::span<const trial::SeriesDescription> described,
                                         const SeriesSnapshot& series, bool with_saved_samples, double flops);

/** Returns the figure's value for a trial, or NaN if it has none. */
double figure_value(const SeriesFigure& figure, const SeriesColumn* column, const trial::Row& trial);

/** How well predictions order the measured values. */
struct PredictionQuality {
  double tau = 0;           ///< Kendall's tau-b: 1 for the same order, 0 for none, -1 for the reverse
  std::int64_t trials = 0;  ///< number of trials it is based on, the latest ones
  bool all = true;          ///< all trials were used

  bool operator==(const PredictionQuality&) const = default;
};

/** Pairs of predicted and measured values, in the order of the trials. Keeps only the latest pairs. */
class PredictionPairs {
 public:
  static constexpr std::size_t max_pairs = 5'000;
  static constexpr std::size_t fewest_pairs = 10;  ///< fewer pairs give no quality

  /** Adds a pair. Ignores it if a number is not finite. */
  void add(double predicted, double measured);
  /** Returns the quality, or nullopt for too few pairs and if all values of one side are equal. */
  std::optional<PredictionQuality> quality() const;

 private:
  std::vector<double> predicted_;
  std::vector<double> measured_;
  std::int64_t added_ = 0;
};

}  // namespace kernelscape::analysis
