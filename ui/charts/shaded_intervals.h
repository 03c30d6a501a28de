#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/legend_line.h"

namespace kernelscape::charts {

class Canvas;
struct PlotFrame;

/** An interval of x whose data are to be read with care. It is shaded over the height of the plot. */
struct ShadedInterval {
  Interval x;
  QString text;  ///< what happened, for the readout

  bool operator==(const ShadedInterval&) const = default;
};

/** The shaded intervals of a plot. */
class ShadedIntervals {
 public:
  /** Sets the intervals. @param label names all of them in the legend @return false: nothing changed */
  bool set(const QString& label, std::vector<ShadedInterval> intervals);
  const std::vector<ShadedInterval>& intervals() const { return intervals_; }  ///< as last set

  /** Paints the intervals over the plot and the strip; each is at least one pixel wide. */
  void paint(Canvas& canvas, const PlotFrame& frame) const;
  /** Returns the entry of the legend; nullopt: there are no intervals. */
  std::optional<LegendEntry> legend_entry() const;
  /** Returns the interval at a value of x; null: there is none. */
  const ShadedInterval* find(double x) const;

 private:
  QString label_;
  std::vector<ShadedInterval> intervals_;
};

}  // namespace kernelscape::charts
