#pragma once

#include <optional>
#include <vector>

#include "ui/charts/chart.h"
#include "ui/charts/qt_plot.h"
#include "ui/charts/view_history.h"

class QTimer;

namespace kernelscape {

/** A row below the x axis for what has no place on the y axis: failures of one category. */
struct Lane {
  QString label;                               ///< short: the letter of the category
  std::optional<ErrorCategory> category = {};  ///< whose colour it has; none: that of muted text
};

/**
 * A chart with two axes. Mouse: drag zooms in, the wheel zooms around the cursor (Ctrl: x only, Alt: y only),
 * middle button or Shift+drag moves, Ctrl+drag selects, Ctrl+click and Alt+click set the cursors A and B.
 * Keys: arrows move the readout, plus and minus zoom, Alt+Left/Right go through the zoom's history, Home
 * resets, F follows new data, L switches linear and logarithmic, A and B set cursors, Esc takes away the last
 * thing.
 *
 * The axes that a subclass sets are *home*. The user's zoom survives new home axes; only at home the view
 * goes along.
 */
class XyChart : public Chart {
  Q_OBJECT

 public:
  explicit XyChart(QWidget* parent = nullptr);

  /** As shown now. */
  Axis x_axis() const;
  /** As shown now. */
  Axis y_axis() const;
  bool at_home() const { return view_.at_home(); }  ///< whether nothing is zoomed or moved
  /** Adds to the zoom's history. */
  void zoom_to(Interval x, Interval y);
  /** The view before this one; nothing at the first one. */
  void zoom_back();
  /** The view that `zoom_back` left; nothing at the latest one. */
  void zoom_forward();
  void reset_view() override;
  QSize minimumSizeHint() const override;

  /** New data stay in sight at the right end, with the zoom's width. */
  void set_follow(bool follow);
  bool follow() const { return follow_; }  ///< false at first

  /** Scales of y that the user may choose; fewer than two: no choice. */
  void set_y_scales(std::vector<AxisScale> scales);
  AxisScale y_scale() const { return home_y_.scale; }  ///< as home has it
  /** Calls `home_changed`. */
  void set_y_scale(AxisScale scale);

  /** Whether home shows all values instead of the robust range. Calls `home_changed`. */
  void set_show_all(bool show_all);
  bool show_all() const { return show_all_; }  ///< false at first

  /** Of charts that stand above each other: the same for all of them; none: as narrow as it goes. */
  void set_left_margin(std::optional<double> pixels);
  /** Logical pixels that the labels of y need as shown now, rounded up to a multiple of 8. */
  double natural_left_margin() const;

  /** The cursors in data coordinates. */
  std::optional<QPointF> cursor_a() const { return cursor_a_; }
  std::optional<QPointF> cursor_b() const { return cursor_b_; }  ///< none: not set
  /** None takes a cursor away; emits `cursors_changed` where one is another. */
  void set_cursors(std::optional<QPointF> a, std::optional<QPointF> b);

  /** Of the widget as it is now. */
  PlotFrame frame() const { return frame_for(body_rect()); }

 signals:
  /** The shown part of an axis changed by zoom, move, history or following. */
  void view_changed();
  /** By `set_follow`, key or menu; only where it is another. */
  void follow_changed(bool follow);
  /** A cursor was set, moved or taken away. */
  void cursors_changed();
  /** Rows of the trial table inside a rectangle drawn with Ctrl, ascending. */
  void rows_selected(const std::vector<qint64>& rows);

 protected:
  /** Both axes with their whole ranges. A scale the user chose stays his: y takes `y_scale()`. */
  void set_home(Axis x, Axis y);
  /** Replaces all lanes, top first; empty: none. */
  void set_lanes(std::vector<Lane> lanes);
  const std::vector<Lane>& lanes() const { return lanes_; }  ///< top first
  /** Whether a robust range exists that `show_all` would widen: adds the menu entry. */
  void set_robust(bool robust) { robust_ = robust; }

  /** Paints the data; the canvas is clipped to the plot. */
  virtual void paint_data(Canvas& canvas, const PlotFrame& frame) = 0;
  /** Lines, areas and bars, for `paint_data`. */
  void paint_series(Canvas& canvas, const PlotFrame& frame, std::span<const PlotSeries> series);
  /** Paints into the lanes and outside of the plot, unclipped. */
  virtual void paint_around(Canvas& canvas, const PlotFrame& frame);
  /** On top of the picture, clipped to the plot; the mouse's things are painted after it. */
  virtual void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame);
  /** Rows inside a rectangle of the plot (widget's pixels), ascending. */
  virtual std::vector<qint64> rows_in(const QRectF& rectangle) const;
  /** Scale or show_all changed: the subclass sets a new home. */
  virtual void home_changed();

  /** While the user drags or turns the wheel, dense layers may be coarse; the exact picture follows by
   * itself. */
  bool interacting() const { return interacting_; }

  /** Words between the title of the y axis and the plot, where points would be in their way: none.
   * @param room for plot and lanes */
  virtual double head_height(QSizeF) const { return 0; }

  /** What the labels and lanes leave of an area, on whole pixels; a plot of at least 1 x 1. */
  PlotFrame frame_for(const QRectF& area) const;

  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  void extend_menu(QMenu& menu) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  enum class Drag { None, Zoom, Pan, Select };

  void paint_lane_labels(Canvas& canvas, const PlotFrame& frame) const;
  void paint_crosshair(Canvas& canvas, const PlotFrame& frame) const;
  void paint_cursors(Canvas& canvas, const PlotFrame& frame) const;
  void paint_band(Canvas& canvas, const PlotFrame& frame) const;
  double label_width(const Axis& y) const;

  void begin_drag(Drag drag, QPointF position);
  void finish_drag(QPointF position);
  void cancel_drag();
  void pan_to(QPointF position);
  void zoom_around(QPointF position, double factor, bool along_x, bool along_y);
  void set_cursor_at(char name, QPointF position);
  bool view_key(QKeyEvent& event);
  bool escape();
  void interact();
  void view_moved();

  QtPlot plot_;
  ViewHistory view_;
  Axis home_x_;
  Axis home_y_;
  std::vector<AxisScale> y_scales_;
  std::vector<Lane> lanes_;
  bool follow_ = false;
  bool show_all_ = false;
  bool robust_ = false;
  std::optional<double> left_margin_;
  std::optional<QPointF> cursor_a_;
  std::optional<QPointF> cursor_b_;
  std::optional<QPointF> mouse_;
  Drag drag_ = Drag::None;
  QPointF drag_start_;
  ChartRange drag_view_;
  bool panned_ = false;
  bool interacting_ = false;
  QTimer* settle_timer_ = nullptr;
};

}  // namespace kernelscape
