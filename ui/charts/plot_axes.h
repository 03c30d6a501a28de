#pragma once

#include <QPointF>
#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/view_history.h"

namespace kernelscape::charts {

struct PlotFrame;
struct Zoom;

/**
 * The two axes of a chart: their home, the scales that the user may choose for y, and the part of the axes
 * that is visible, with the history of the user's zoom.
 */
class PlotAxes {
 public:
  /** Sets both axes with their whole ranges. A scale of y that the user may choose is kept. */
  void set_home(Axis x, Axis y);
  const Axis& home_x() const { return home_x_; }           ///< with its whole range
  const Axis& home_y() const { return home_y_; }           ///< with its whole range
  Axis x() const;                                          ///< Returns the x axis with the range shown now.
  Axis y() const;                                          ///< Returns the y axis with the range shown now.
  const ViewHistory& history() const { return history_; }  ///< the views that the user visited

  /** Sets the scales of y that the user may choose; fewer than two: there is no choice. */
  void set_y_scales(std::vector<AxisScale> scales);
  /** Sets the scale of the home y axis. */
  void set_y_scale(AxisScale scale) { home_y_.scale = scale; }
  bool has_y_scales() const { return y_scales_.size() > 1; }  ///< the user has a choice
  /** Returns the first scale of y, or the second if the first one is used; there must be a choice. */
  AxisScale other_y_scale() const { return y_scales_[home_y_.scale == y_scales_.front() ? 1 : 0]; }

  // Each of these returns true if the visible part changed.

  /** Shows a range, which is a new step of the history. */
  bool zoom_to(Interval x, Interval y);
  /** Shows a range of x, and of y what is shown now. */
  bool zoom_x_to(Interval x);
  /** Zooms around a point. @param same_step true: the last step of the history is replaced */
  bool zoom_around(const PlotFrame& shown, const Zoom& zoom, bool same_step);
  bool back();       ///< Shows the previous view of the history.
  bool forward();    ///< Shows the next view of the history.
  bool reset();      ///< Shows home, which is a new step of the history.
  bool show_last();  ///< Moves a zoomed view to the high end of x, as part of the last step.
  /** Moves the y axis, as part of the last step. */
  void move_y(Interval y);

  /** Begins to move the view: `pan` moves it from where it is now. */
  void begin_pan();
  /**
   * Moves the view. The first movement is a new step of the history.
   * @param frame where the axes are @param way from where the movement began, in pixels
   * @param y_moves false: y moves only if it was zoomed before
   */
  void pan(const PlotFrame& frame, QPointF way, bool y_moves);
  bool panned() const { return panned_; }  ///< the view was moved since `begin_pan`

 private:
  Axis home_x_;
  Axis home_y_;
  std::vector<AxisScale> y_scales_;
  ViewHistory history_;
  Range pan_start_;  ///< the view when the movement began
  bool panned_ = false;
};

}  // namespace kernelscape::charts
