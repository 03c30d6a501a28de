#pragma once

#include <vector>

#include "ui/charts/bars/bar_chart.h"

namespace kernelscape {

/** One bar: a knob, or two knobs together. */
struct ImportanceBar {
  QString label;  ///< "tile_oc", "tile_oc with tile_ow"
  double share = 0;
  int first = -1;   ///< knob
  int second = -1;  ///< -1: a single knob
};

struct ImportanceData {
  QString of_what;                  ///< "performance", "validity"
  std::vector<ImportanceBar> bars;  ///< knobs first, then pairs, each descending
  QString basis;                    ///< what it was learnt from: sample, out-of-bag R2, share of all pairs
};

/**
 * Which knobs decide: shares of the variance as bars from zero, single knobs above, pairs beyond the two
 * alone below (functional analysis of variance). What it rests on stands under the bars.
 */
class ImportanceChart : public BarChart {
  Q_OBJECT

 public:
  using BarChart::BarChart;  ///< without bars at first

  /** Bars in the order given; the readout is taken away. */
  void set_data(ImportanceData data);
  const ImportanceData& data() const { return data_; }  ///< as last set

  ChartTable table() const override;
  QString explanation() const override;

 signals:
  /** A bar was clicked; `second` is -1 for a single knob. */
  void knobs_activated(int first, int second);

 protected:
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override;

 private:
  ImportanceData data_;
};

}  // namespace kernelscape
