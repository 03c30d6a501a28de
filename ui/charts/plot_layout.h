#pragma once

#include <QSize>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "core/trial/measurement.h"
#include "ui/charts/plot_frame.h"

namespace kernelscape::charts {

/** A row below the x axis for trials without a value on the y axis: failures of one category. */
struct Lane {
  QString label;  ///< short: the letter of the category
  /** The category whose colour the lane has; nullopt: the colour of muted text. */
  std::optional<trial::ErrorCategory> category = {};
};

/** What shares the area of a chart with its plot: labels of y, lanes and a strip below the plot. */
struct PlotLayout {
  std::vector<Lane> lanes = {};            ///< top first
  double strip_height = 0;                 ///< height of the strip below the lanes; 0: no strip
  std::optional<double> left_margin = {};  ///< nullopt: as narrow as the labels of y allow

  /**
   * Returns the pixels that the labels of y need, rounded up to a multiple of 8. @param height of the chart's
   * body, on which the number of labels depends
   */
  double label_width(const Axis& y, double height) const;
  /** Returns the size that labels, lanes and strip need. @param height as for `label_width` */
  QSize minimum_size(const Axis& y, double height) const;
  /**
   * Returns the frame that labels and lanes leave in an area, on whole pixels; the plot is at least 1 x 1.
   * @param height as for `label_width`
   * @param head_height returns the height of a text above the plot, from the room for plot and lanes
   */
  PlotFrame frame(const QRectF& area, const Axis& x, const Axis& y, double height,
                  const std::function<double(QSizeF)>& head_height) const;
  /** Paints the labels of the lanes and the lines between them. */
  void paint_lane_labels(Canvas& canvas, const PlotFrame& frame) const;
};

}  // namespace kernelscape::charts
