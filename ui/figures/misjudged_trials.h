#pragma once

#include <vector>

#include "ui/charts/courses/series_data.h"
#include "ui/figures/figure.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape {

/** A valid trial beside what the tuner's model expected of it, in the unit of the session's fitness. */
struct MisjudgedTrial {
  std::int64_t row = no_row;
  std::int64_t trial = 0;  ///< its number
  double predicted = 0;
  double measured = 0;
  QString configuration;

  /** How far the two are apart: their difference by the larger of them. 0 is none; 1 or more where speed was
   * expected of nothing, or nothing of speed. */
  double off() const;
  bool operator==(const MisjudgedTrial&) const = default;
};

/** The trials that the model misjudged, worst first. */
struct MisjudgedTrials {
  std::vector<MisjudgedTrial> worst;  ///< of equals the earlier trial first
  std::int64_t judged = 0;            ///< valid trials with a prediction, whether they are among `worst`
  std::int64_t failed = 0;            ///< trials with a prediction that failed: in none of the two
};

/** Of the trials that pass the filters. @param data of the session's series that predicts its fitness */
MisjudgedTrials misjudged_trials(const ShownTrials& shown, const SeriesData& data, std::size_t most,
                                 const JobControl& control);

/** What the session's tuner expected against what was measured; none where it told nothing. */
std::optional<FigureOf<SeriesData>> prediction_figure(const SourceData& source);

}  // namespace kernelscape
