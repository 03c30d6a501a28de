#pragma once

#include <Qt>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/analysis/tuner_series.h"
#include "core/trial/trial_table.h"
#include "ui/charts/courses/passing_rows.h"

namespace kernelscape {

/** A number that a session's tuner reported, with its trials: what SeriesChart and PredictionChart show. */
struct SeriesData {
  std::int64_t session = 0;  ///< its trials and series only grow; another session starts anew
  TrialSnapshot trials = {};
  SeriesSnapshot series = {};
  SeriesFigure figure = {};  ///< which of them
  double flops = 0;          ///< of the task; 0: unknown, then speeds are calls per second
  std::vector<double> interruption_seconds = {};  ///< session times at which it was paused or interrupted
  double session_seconds = 0;                     ///< so far; 0: that of the last trial
  /** A tuner drew the trials, batch after batch, by what it expected of them. Else they are samples that a
   * trained predictor was asked about. */
  bool proposed = true;
  PassingRows passing = {};  ///< the others are left out

  /** Of the figure; NaN: the trial has none. */
  double value(const TrialRow& trial) const;
  /** The standard deviation that belongs to the value; NaN: none. */
  double deviation(const TrialRow& trial) const;
  /** The fitness; NaN: it failed, or has no time. */
  double measured(const TrialRow& trial) const;

  /** Whether these are later data of the same session, figure and filter. */
  bool continues(const SeriesData& old) const;
};

/**
 * Tells of every trial once it has a value. Values come after their trials, a batch at once: a row without
 * one waits until later ones have come.
 */
class SeriesArrivals {
 public:
  using Take = std::function<void(const TrialRow& trial, std::int64_t row, double value)>;

  /** Starts anew: nothing was taken, nothing waits. */
  void clear();
  /**
   * Takes the trials that are new in the data, and those that waited. O(new trials and values)
   * @param new_values the data have values that they had not at the last call
   */
  void take(const SeriesData& data, bool new_values, const Take& take);

 private:
  void take_row(const SeriesData& data, std::int64_t row, const Take& take);

  std::vector<std::uint32_t> waiting_;  ///< rows whose values may still come
  std::int64_t taken_ = 0;              ///< rows that were looked at
};

/** Whether a chart shows a row. */
using RowShown = std::function<bool(std::int64_t row)>;

/**
 * Where an arrow key goes from a row: left and right to the previous and the next shown row, down and up to
 * the first of another batch; the row itself where there is none.
 */
std::int64_t stepped_row(const TrialSnapshot& trials, std::int64_t row, Qt::Key direction,
                         const RowShown& shown);

}  // namespace kernelscape
