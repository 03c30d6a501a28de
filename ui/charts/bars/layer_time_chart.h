#pragma once

#include <optional>
#include <vector>

#include "ui/charts/bars/bar_chart.h"

namespace kernelscape::charts {

/** The time of a layer in a network, over all calls. Unknown seconds are 0. */
struct LayerTime {
  std::size_t layer = 0;  ///< position in the network's study
  QString name;
  std::int64_t multiplicity = 1;
  double tuned_seconds = 0;  ///< 0: the layer has no kernel
  double vendor_seconds = 0;
  double limit_seconds = 0;  ///< time at the machine's limit
  bool confirmed = false;    ///< the time was measured again at the end of the layer's session
  QString missing = {};      ///< why the layer has no kernel

  /**
   * Returns the time that tuning could still save at best: the time beyond the limit, or all of it if no
   * limit is known.
   */
  double left_seconds() const;
};

struct LayerTimeData {
  std::vector<LayerTime> layers;  ///< layers from the top
  QString vendor = {};            ///< "oneDNN 2.6.3"; empty: none
};

/**
 * A bar for each layer of a network: the part up to the machine's limit, and the part beyond it that could
 * still be saved. A tick marks the time of the vendor's library. Layers without a kernel have a row with the
 * reason.
 */
class LayerTimeChart : public BarChart {
  Q_OBJECT

 public:
  explicit LayerTimeChart(QWidget* parent = nullptr);

  /** Sets the data. The readout stays at its layer. */
  void set_data(LayerTimeData data);
  const LayerTimeData& data() const { return data_; }  ///< as last set
  /** Returns the rectangle of a layer's row, by its position in the data. */
  QRectF row_rect(std::size_t row) const { return bar_layout().row(row); }

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted when a layer is clicked or Enter is pressed on it, with its position in the network's study. */
  void layer_activated(qint64 layer);

 protected:
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;

 private:
  QString cut_note(double cut) const;

  LayerTimeData data_;
};

}  // namespace kernelscape::charts
