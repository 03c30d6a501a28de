#pragma once

#include <string>

#include "core/tuner/tuner.h"
#include "tests/gui/chart_support.h"
#include "ui/charts/curves/series_data.h"

namespace kernelscape::chart_tests {

inline double number_in(const charts::Table& table, std::size_t row, std::size_t column) {
  return std::get<double>(table.rows[row][column]);
}

/** What a session reads, step by step. */
struct SeriesSession {
  trial::Table trials{0};
  analysis::SeriesTable series = {};

  void predict(std::int64_t trial, double mean, double deviation) {
    series.set(trial, "predicted_mean", mean);
    series.set(trial, "predicted_deviation", deviation);
  }

  /** Of the first figure there is, or of the one with this name. */
  charts::SeriesData data(const std::string& name = {}) const {
    charts::SeriesData data{
        .session = 1, .trials = trials.snapshot(), .series = series.snapshot(), .flops = flops};
    for (const analysis::SeriesFigure& figure :
         analysis::series_figures(tuner::described_series(), data.series, true, flops)) {
      if (!name.empty() && figure.name != name) continue;
      data.figure = figure;
      break;
    }
    return data;
  }
};

/** A first batch without a model, then one of predictions: 200, 220 (failed), none (random), 100. */
inline SeriesSession small_session() {
  SeriesSession session;
  for (std::int64_t number = 0; number < 4; ++number) session.trials.append(valid_row(number, 50), {});
  session.trials.append(valid_row(4, 180), {});
  session.trials.append(failed_row(5, trial::ErrorCategory::CompileHost), {});
  session.trials.append(valid_row(6, 300), {});
  session.trials.append(valid_row(7, 125), {});
  session.predict(4, 200, 20);
  session.predict(5, 220, 10);
  session.predict(7, 100, 30);
  for (std::int64_t number = 0; number < 8; ++number)
    session.series.set(number, "epsilon", number < 4 ? 0.05 : 0.25);
  return session;
}

}  // namespace kernelscape::chart_tests
