#pragma once

#include <vector>

#include "ui/charts/curves/series_data.h"
#include "ui/figures/figure.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape::figures {

/** A valid trial with the prediction of the tuner's model, in the unit of the session's fitness. */
struct MisjudgedTrial {
  std::int64_t row = analysis::no_row;
  std::int64_t trial = 0;  ///< number of the trial
  double predicted = 0;
  double measured = 0;
  QString configuration;

  /**
   * Returns the relative error: the difference of both values divided by the larger one. 0 means no error; 1
   * or more means that one of the values is zero or negative.
   */
  double off() const;
  bool operator==(const MisjudgedTrial&) const = default;
};

/** The trials with the largest prediction errors, worst first. */
struct MisjudgedTrials {
  std::vector<MisjudgedTrial> worst;  ///< of equal errors, the earlier trial first
  std::int64_t judged = 0;  ///< number of valid trials with a prediction, including those in `worst`
  /** Number of failed trials with a prediction; they are in no other field. */
  std::int64_t failed = 0;
};

/**
 * Returns the misjudged trials among those that pass the filters. @param data of the session's series that
 * predicts its fitness
 */
MisjudgedTrials misjudged_trials(const ShownTrials& shown, const charts::SeriesData& data, std::size_t most,
                                 const workspace::JobControl& control);

/** Returns the tuner's predictions against the measured values; nullopt if the tuner reported none. */
std::optional<FigureOf<charts::SeriesData>> prediction_figure(const workspace::SourceData& source);

}  // namespace kernelscape::figures
