#pragma once

#include <vector>

#include "core/analysis/landscape/column_relevance.h"
#include "ui/charts/chart.h"

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
class RelevanceChart : public Chart {
  Q_OBJECT

 public:
  explicit RelevanceChart(QWidget* parent = nullptr);

  /** Does nothing where the data are the same; also sets the title. */
  void set_data(RelevanceData data);
  const RelevanceData& data() const { return data_; }  ///< as last set

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** A bar was clicked: "tile_oc[3]". */
  void column_activated(const QString& column);

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  struct Layout;
  Layout layout_of(const QRectF& area) const;
  std::optional<std::size_t> bar_at(QPointF position) const;
  Readout readout_of(std::size_t bar) const;
  bool has_other_column_of(std::size_t bar) const;
  void paint_bar(Canvas& canvas, const QRectF& area, const Layout& layout, std::size_t bar) const;

  RelevanceData data_;
};

}  // namespace kernelscape
