#pragma once

#include <optional>
#include <vector>

#include "core/analysis/landscape/believed_cell.h"
#include "core/analysis/landscape/heat_map.h"
#include "ui/charts/chart.h"

namespace kernelscape::charts {

enum class HeatMeasure : std::uint8_t { Best, Mean, ShareValid, Count, Predicted };

/** Returns true if the measure is a speed or a time, which needs a valid trial. */
inline bool is_performance(HeatMeasure measure) {
  return measure != HeatMeasure::ShareValid && measure != HeatMeasure::Count;
}

struct HeatMapData {
  QString x_column;  ///< "tile_oc[3]"
  QString y_column;
  QString quantity;  ///< "speed"
  QString unit;      ///< "GFLOPS"
  bool higher_is_better = true;
  HeatMeasure measure = HeatMeasure::Best;
  std::vector<QString> x_labels;  ///< by bin
  std::vector<QString> y_labels;
  std::vector<analysis::HeatCell>
      cells;  ///< row by row: one row of `x_labels` for each of `y_labels`, both ascending
  std::vector<analysis::BelievedCell> beliefs;  ///< by cell; only for HeatMeasure::Predicted
  /** By cell: its best trial is of a slow phase, and its times are corrected; empty: none is. */
  std::vector<bool> corrected = {};
  std::vector<std::int64_t> highlighted;  ///< selected trials, by cell; empty: no selection
  std::optional<std::size_t> current;     ///< the current trial's cell
};

/**
 * Two columns against each other in viridis (after figure 11 of Heron). A cell without trials is empty, a
 * cell of failures only is crossed out, and a mean of fewer than five trials is dotted. With predictions, all
 * cells that contain a feasible configuration are coloured, and cells with measurements have a dot.
 */
class HeatMapChart : public Chart {
  Q_OBJECT

 public:
  explicit HeatMapChart(QWidget* parent = nullptr);

  /** Replaces all cells and removes the readout. */
  void set_data(HeatMapData data);
  const HeatMapData& data() const { return data_; }  ///< as last set

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted when a cell is activated, with its position in the data's labels. */
  void cell_activated(int x, int y);

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  std::optional<std::size_t> cell_at(QPointF position) const;
  Readout readout_of(std::size_t cell) const;
  QStringList measured_lines(std::size_t cell) const;
  QStringList predicted_lines(std::size_t cell) const;

  HeatMapData data_;
};

}  // namespace kernelscape::charts
