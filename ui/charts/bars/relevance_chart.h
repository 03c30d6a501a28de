#pragma once

#include <vector>

#include "core/analysis/landscape/column_relevance.h"
#include "ui/charts/bars/bar_chart.h"

namespace kernelscape::charts {

struct RelevanceData {
  std::vector<analysis::ColumnRelevance> columns;  ///< descending
  /** First trial of the batch for which the model had these relevances; -1: none yet. */
  std::int64_t trial = -1;

  bool operator==(const RelevanceData&) const = default;
};

/**
 * The relevance of the space's columns to a tuner's Gaussian process: a bar from zero for each column, which
 * shows how much of the similarity of two configurations a move across the column's whole range removes. Up
 * and down go through the bars; Enter or a click asks for the curve of the lengthscale.
 */
class RelevanceChart : public BarChart {
  Q_OBJECT

 public:
  explicit RelevanceChart(QWidget* parent = nullptr);

  /** Sets the data and the title; does nothing if the data are unchanged. */
  void set_data(RelevanceData data);
  const RelevanceData& data() const { return data_; }  ///< as last set

  Table table() const override;

 signals:
  /** Emitted when a bar is clicked, with the name of the column: "tile_oc[3]". */
  void column_activated(const QString& column);

 protected:
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override;

 private:
  RelevanceData data_;
};

}  // namespace kernelscape::charts
