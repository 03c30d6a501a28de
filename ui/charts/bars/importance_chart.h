#pragma once

#include <vector>

#include "ui/charts/bars/bar_chart.h"

namespace kernelscape::charts {

/** One bar: a knob, or two knobs together. */
struct ImportanceBar {
  QString label;  ///< "tile_oc", "tile_oc with tile_ow"
  double share = 0;
  int first = -1;   ///< the knob
  int second = -1;  ///< second knob; -1: the bar is of a single knob
};

struct ImportanceData {
  QString of_what;                  ///< "performance", "validity"
  std::vector<ImportanceBar> bars;  ///< knobs first, then pairs, each descending
  QString basis;                    ///< data of the estimate: sample, out-of-bag R2, share of all pairs
};

/**
 * The importance of knobs: shares of the variance as bars from zero. Single knobs stand above; below are
 * pairs, with the share beyond that of the two knobs alone (functional analysis of variance). The data of the
 * estimate are named under the bars.
 */
class ImportanceChart : public BarChart {
  Q_OBJECT

 public:
  explicit ImportanceChart(QWidget* parent = nullptr);

  /** Sets bars in the order given and removes the readout. */
  void set_data(ImportanceData data);
  const ImportanceData& data() const { return data_; }  ///< as last set

  Table table() const override;

 signals:
  /** Emitted when a bar is clicked; `second` is -1 for a single knob. */
  void knobs_activated(int first, int second);

 protected:
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override;

 private:
  ImportanceData data_;
};

}  // namespace kernelscape::charts
