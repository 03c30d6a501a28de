#pragma once

#include <vector>

#include "core/analysis/landscape/column_relevance.h"
#include "ui/charts/bars/bar_chart.h"

namespace kernelscape {

struct RelevanceData {
  std::vector<ColumnRelevance> columns;  ///< descending
  std::int64_t trial = -1;               ///< when whose batch was proposed the model had it so; -1: none yet

  bool operator==(const RelevanceData&) const = default;
};

/**
 * Which columns of the space matter to a tuner's Gaussian process: for each a bar from zero, how much of the
 * similarity of two configurations a move across its whole range takes away. Up and down go through the bars;
 * Enter or a click asks for the lengthscale's course.
 */
class RelevanceChart : public BarChart {
  Q_OBJECT

 public:
  explicit RelevanceChart(QWidget* parent = nullptr);

  /** Does nothing where the data are the same; also sets the title. */
  void set_data(RelevanceData data);
  const RelevanceData& data() const { return data_; }  ///< as last set

  ChartTable table() const override;
  QString explanation() const override;

 signals:
  /** A bar was clicked: "tile_oc[3]". */
  void column_activated(const QString& column);

 protected:
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override;

 private:
  RelevanceData data_;
};

}  // namespace kernelscape
