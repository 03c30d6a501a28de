#pragma once

#include <optional>
#include <vector>

#include "ui/charts/bars/bar_chart.h"

namespace kernelscape {

/** The time of a layer in a network: all calls together. Seconds are 0 where they are not known. */
struct LayerTime {
  std::size_t layer = 0;  ///< position in the network's study
  QString name;
  std::int64_t multiplicity = 1;
  double tuned_seconds = 0;  ///< 0: it has no kernel
  double vendor_seconds = 0;
  double limit_seconds = 0;  ///< at the machine's limit
  bool confirmed = false;    ///< measured again at the end of its session
  QString missing = {};      ///< why it has no kernel

  /** What tuning could still win at best; all of it where no limit is known. */
  double left_seconds() const;
};

struct LayerTimeData {
  std::vector<LayerTime> layers;  ///< from the top
  QString vendor = {};            ///< "oneDNN 2.6.3"; empty: none
};

/**
 * A bar for each layer of a network: its part up to the machine's limit, and what is left to win beyond it; a
 * tick stands where the vendor's library is. Layers without a kernel have a row that says so.
 */
class LayerTimeChart : public BarChart {
  Q_OBJECT

 public:
  explicit LayerTimeChart(QWidget* parent = nullptr);

  /** Keeps the readout on its layer. */
  void set_data(LayerTimeData data);
  const LayerTimeData& data() const { return data_; }  ///< as last set
  /** The rectangle of a layer's row, by its place in the data. */
  QRectF row_rect(std::size_t row) const { return bar_layout().row(row); }

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** A layer was clicked, or Enter pressed on it: its position in the network's study. */
  void layer_activated(qint64 layer);

 protected:
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;

 private:
  LayerTimeData data_;
};

}  // namespace kernelscape
