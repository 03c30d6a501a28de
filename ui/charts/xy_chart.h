#pragma once

#include <optional>
#include <vector>

#include "ui/charts/chart.h"
#include "ui/charts/plot_axes.h"
#include "ui/charts/plot_layout.h"
#include "ui/charts/plot_overlay.h"
#include "ui/charts/qt_plot.h"
#include "ui/charts/shaded_intervals.h"

class QTimer;

namespace kernelscape::charts {

struct Zoom;

/**
 * A chart with two axes. Mouse: drag zooms in, the wheel zooms around the cursor (Ctrl: x only, Alt: y only),
 * middle button or Shift+drag moves, Ctrl+drag selects, Ctrl+click and Alt+click set the cursors A and B.
 * Keys: arrows move the readout, plus and minus zoom (Alt: y only), Alt+Left/Right go through the zoom
 * history, Home resets, F follows new data, L switches between linear and logarithmic, A and B set cursors,
 * Esc cancels a drag, or removes the readout, or the cursors.
 *
 * The axes that a subclass sets are *home*. The user's zoom survives new home axes; only an unzoomed view
 * follows them.
 */
class XyChart : public Chart {
  Q_OBJECT

 public:
  explicit XyChart(QWidget* parent = nullptr);

  /** Returns the x axis with the range shown now. */
  Axis x_axis() const { return axes_.x(); }
  /** Returns the y axis with the range shown now. */
  Axis y_axis() const { return axes_.y(); }
  bool at_home() const { return axes_.history().at_home(); }  ///< Returns true if nothing is zoomed or moved
  /** Zooms to a range and adds it to the zoom history. */
  void zoom_to(Interval x, Interval y);
  /** Shows the previous view; does nothing at the first one. */
  void zoom_back();
  /** Shows the view that `zoom_back` left; does nothing at the latest one. */
  void zoom_forward();
  void reset_view() override;
  QSize minimumSizeHint() const override;

  /**
   * Sets whether the view follows new data: they stay in sight at the right end and the zoom keeps its width.
   */
  void set_follow(bool follow);
  bool follow() const { return follow_; }  ///< false at first

  /** Sets the scales of y that the user may choose; fewer than two: there is no choice. */
  void set_y_scales(std::vector<AxisScale> scales) { axes_.set_y_scales(std::move(scales)); }
  AxisScale y_scale() const { return axes_.home_y().scale; }  ///< Returns the scale of the home y axis
  /** Sets the scale of y. Calls `home_changed`. */
  void set_y_scale(AxisScale scale);

  /** Sets whether home shows all values instead of the robust range. Calls `home_changed`. */
  void set_show_all(bool show_all);
  bool show_all() const { return show_all_; }  ///< false at first

  /**
   * Sets a common left margin for charts that stand above each other; nullopt: as narrow as the labels allow.
   */
  void set_left_margin(std::optional<double> pixels);
  /** Returns the logical pixels that the current labels of y need, rounded up to a multiple of 8. */
  double natural_left_margin() const;

  /** Returns cursor A in data coordinates; nullopt: not set. */
  std::optional<QPointF> cursor_a() const { return cursors_.a; }
  std::optional<QPointF> cursor_b() const { return cursors_.b; }  ///< Returns cursor B; nullopt: not set
  /**
   * Returns the difference of both cursors; an axis with named places, which has none, is left out. Empty
   * without both cursors or without a difference.
   */
  QString cursor_difference() const;
  /** Sets both cursors; nullopt removes a cursor. Emits `cursors_changed` if one of them differs. */
  void set_cursors(std::optional<QPointF> a, std::optional<QPointF> b);

  /** Sets the shaded intervals. @param label names all of them in the legend */
  void set_shaded(const QString& label, std::vector<ShadedInterval> intervals);
  const std::vector<ShadedInterval>& shaded() const { return shaded_.intervals(); }  ///< as last set

  /** Returns the frame of the widget in its current size. */
  PlotFrame frame() const { return frame_for(body_rect()); }

 signals:
  /** Emitted when the visible part of an axis changes by zoom, move, history or following. */
  void view_changed();
  /** Emitted when following changes by `set_follow`, key or menu. */
  void follow_changed(bool follow);
  /** Emitted when a cursor is set, moved or removed. */
  void cursors_changed();
  /** Emitted with the rows of the trial table inside a rectangle drawn with Ctrl, ascending. */
  void rows_selected(const std::vector<qint64>& rows);

 protected:
  /** Sets both axes with their whole ranges. A scale that the user chose is kept: y takes `y_scale()`. */
  void set_home(Axis x, Axis y);
  /**
   * Sets whether the wheel without Alt, the keys, a zoom rectangle and moving change y as well as x; true at
   * first.
   */
  void set_y_moves(bool moves) { y_moves_ = moves; }
  /** Moves the y axis of a zoomed view, which adds no step to the history of the zoom. */
  void move_y(Interval y);
  /** Replaces all lanes, top first; empty: no lanes. */
  void set_lanes(std::vector<Lane> lanes);
  const std::vector<Lane>& lanes() const { return layout_.lanes; }  ///< top first
  /**
   * Sets whether there is a robust range that `show_all` would widen; if so, the menu has an entry for it.
   */
  void set_robust(bool robust) { robust_ = robust; }

  /** Sets the height of the strip below the lanes, for data over the same x axis; 0: no strip. */
  void set_strip_height(double pixels);

  /** Paints the data; the canvas is clipped to the plot. */
  virtual void paint_data(Canvas& canvas, const PlotFrame& frame) = 0;
  /** Paints the strip; the canvas is clipped to it. */
  virtual void paint_strip(Canvas&, const PlotFrame&) {}
  /** Paints lines, areas and bars, for use in `paint_data`. */
  void paint_series(Canvas& canvas, const PlotFrame& frame, std::span<const PlotSeries> series);
  /** Paints the legend: the label of the shaded intervals, if there are any, and these entries. */
  void paint_legend(Canvas& canvas, const PlotFrame& frame, std::vector<LegendEntry> entries) const;
  /** Returns the readout of the shaded interval at a point of the plot, or nullopt. */
  std::optional<Readout> shaded_readout_at(QPointF position) const;
  /** Paints into the lanes and outside of the plot, unclipped. */
  virtual void paint_around(Canvas&, const PlotFrame&) {}
  /** Paints on top of the picture, clipped to the plot, before crosshair, cursors and selection rectangle. */
  virtual void paint_plot_overlay(Canvas&, const PlotFrame&) {}
  /** Returns the rows inside a rectangle of the plot (in the widget's pixels), ascending. */
  virtual std::vector<qint64> rows_in(const QRectF&) const { return {}; }
  /** Called when the scale or `show_all` changed: the subclass sets a new home. */
  virtual void home_changed() {}

  /**
   * Returns true while the user drags or turns the wheel. Dense layers may then be painted coarsely; the
   * exact picture follows automatically.
   */
  bool interacting() const { return interacting_; }

  /**
   * Returns the height, between the title of the y axis and the plot, of a text that points would cover
   * inside the plot; 0: no text.
   * @param room for plot and lanes
   */
  virtual double head_height(QSizeF) const { return 0; }

  /**
   * Returns the frame that labels and lanes leave in an area, on whole pixels; the plot is at least 1 x 1.
   */
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

  void begin_drag(Drag drag, QPointF position);
  void finish_drag(QPointF position);
  void cancel_drag();
  void pan_to(QPointF position);
  void zoom_around(const Zoom& zoom);
  void set_cursor_at(char name, QPointF position);
  QPointF key_place() const;
  bool zoom_key(const QKeyEvent& event, bool along_x, bool along_y);
  bool view_key(QKeyEvent& event);
  bool escape();
  void interact();
  void view_moved();

  QtPlot plot_;
  PlotAxes axes_;
  PlotLayout layout_;
  ShadedIntervals shaded_;
  bool follow_ = false;
  bool show_all_ = false;
  bool robust_ = false;
  bool y_moves_ = true;
  PlotCursors cursors_;
  std::optional<QPointF> mouse_;
  Drag drag_ = Drag::None;
  QPointF drag_start_;
  bool interacting_ = false;
  QTimer* settle_timer_ = nullptr;
};

}  // namespace kernelscape::charts
