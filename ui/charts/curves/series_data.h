#pragma once

#include <Qt>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/analysis/tuner_series.h"
#include "core/trial/session_speeds.h"
#include "core/trial/table.h"
#include "ui/charts/curves/passing_rows.h"

namespace kernelscape::charts {

/** A number that a session's tuner reported, with its trials: the data of SeriesChart and PredictionChart. */
struct SeriesData {
  /** For one session trials and series only grow; data of another session replace them. */
  std::int64_t session = 0;
  trial::Snapshot trials = {};  ///< with the machine's speed of each row, if it was read
  std::shared_ptr<const trial::SessionSpeeds> speeds = {};  ///< null: the machine's speed was not read
  analysis::SeriesSnapshot series = {};
  analysis::SeriesFigure figure = {};  ///< the shown figure of the session's series
  double flops = 0;                    ///< FLOPs of the task; 0: unknown, then speeds are calls per second
  std::vector<double> interruption_seconds = {};  ///< session times at which it was paused or interrupted
  double session_seconds = 0;                     ///< so far; 0: the time of the last trial
  /**
   * True: a tuner proposed the trials in batches, based on its predictions. False: the trials are samples
   * that a trained predictor was asked about.
   */
  bool proposed = true;
  PassingRows passing = {};  ///< other trials are left out

  /** Returns the figure's value of a trial; NaN: the trial has none. */
  double value(const trial::Row& trial) const;
  /** Returns the standard deviation of the value; NaN: none. */
  double deviation(const trial::Row& trial) const;
  /**
   * Returns the measured fitness of a trial as the tuner saw it: that of a trial in a slow phase is
   * corrected. NaN: the trial failed or has no time.
   */
  double measured(const trial::Row& trial) const;

  /** Returns true if these are later data of the session, figure and filter of `old`. */
  bool continues(const SeriesData& old) const;
};

/**
 * Reports every trial once it has a value. Values arrive after their trials, a batch at once: a row without a
 * value waits until values of later rows have arrived.
 */
class SeriesArrivals {
 public:
  using Take = std::function<void(const trial::Row& trial, std::int64_t row, double value)>;

  /** Resets the state: no rows were taken and no rows wait. */
  void clear();
  /**
   * Takes the new trials of the data and those that waited. O(new trials and values)
   * @param new_values the data have values that they did not have at the last call
   */
  void take(const SeriesData& data, bool new_values, const Take& take);

 private:
  void take_row(const SeriesData& data, std::int64_t row, const Take& take);

  std::vector<std::uint32_t> waiting_;  ///< rows whose values may still arrive
  std::int64_t taken_ = 0;              ///< number of rows that were read
};

/** Returns true if a chart shows a row. */
using RowShown = std::function<bool(std::int64_t row)>;

/**
 * Returns the row that an arrow key moves to: left and right go to the previous and the next shown row, down
 * and up to the first row of another batch. Returns `row` itself if there is no such row.
 */
std::int64_t stepped_row(const trial::Snapshot& trials, std::int64_t row, Qt::Key direction,
                         const RowShown& shown);

}  // namespace kernelscape::charts
