#pragma once

#include <optional>
#include <vector>

#include "core/analysis/landscape/parallel_coordinates.h"
#include "ui/charts/chart.h"
#include "ui/charts/landscape/parallel_layout.h"

namespace kernelscape::charts {

/** The texts of an axis. */
struct ParallelAxisText {
  QString title;             ///< "tile_oc[3]"
  QStringList labels;        ///< by bin, ascending
  bool logarithmic = false;  ///< the ranges have equal ratios
};

/** The part of an axis that the user selected: all values in [low, high]. */
struct Brush {
  double low = 0;
  double high = 0;

  bool operator==(const Brush&) const = default;
};

struct ParallelData {
  analysis::ParallelCoordinates coordinates;
  std::vector<ParallelAxisText> axes;  ///< one for each axis of the coordinates
  QString quantity;                    ///< "speed"
  QString unit;                        ///< "GFLOPS"
  bool higher_is_better = true;
  std::vector<std::size_t> current;  ///< the current trial's place on each axis; empty: no current trial
};

/**
 * Parallel coordinates. Each selected trial, or each trial if none is selected, is a line in the colour of
 * its performance, by rank; if these are too many, a band stands for all of them that share the places on two
 * neighbouring axes, with a width proportional to their number, in the colour of the best of them. Trials
 * that are not selected are pale bands. Dragging along an axis brushes it, a click brushes one value or
 * removes the brush, dragging a title moves the axis.
 *
 * Keys: arrows go from value to value, Enter brushes, Delete removes the brush, Ctrl+Left and Ctrl+Right move
 * the axis.
 */
class ParallelChart : public Chart {
  Q_OBJECT

 public:
  explicit ParallelChart(QWidget* parent = nullptr);

  /** Sets the data. Brushes stay at the position of their axis; set new brushes if axes moved. */
  void set_data(ParallelData data);
  const ParallelData& data() const { return data_; }  ///< as last set
  /** Sets the brushes by axis; they are shown until others are set. */
  void set_brushes(std::vector<std::optional<Brush>> brushes);
  /** Returns the brushes by axis; nullopt: not brushed. */
  const std::vector<std::optional<Brush>>& brushes() const { return brushes_; }

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  /**
   * Returns the centre of a place on an axis in the widget's pixels; the last place is for rows without a
   * value.
   */
  QPointF position_of(std::size_t axis, std::size_t place) const;
  /** Returns the centre of an axis' title in the widget's pixels, where it can be dragged. */
  QPointF title_position(std::size_t axis) const;

 signals:
  /** Emitted with all brushes after the user changed one. */
  void brushed(const std::vector<std::optional<kernelscape::charts::Brush>>& brushes);
  /**
   * Emitted when a title is dragged or Ctrl+Left or Ctrl+Right is pressed: positions before and after. The
   * chart itself does not move the axis.
   */
  void axis_moved(int from, int to);

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  enum class Drag { None, Brush, Title };
  struct Place {
    std::size_t axis = 0;
    std::size_t place = 0;
    bool operator==(const Place&) const = default;
  };

  ParallelLayout shown_layout() const;
  std::optional<Place> place_at(QPointF position) const;
  std::optional<std::size_t> title_at(QPointF position) const;
  std::size_t nearest_place(std::size_t axis, double y) const;
  Readout readout_of(const Place& place) const;
  void set_brush(std::size_t axis, std::optional<Brush> brush);
  void toggle_place(const Place& place);
  Brush brush_between(std::size_t axis, std::size_t first, std::size_t last) const;

  ParallelData data_;
  std::vector<std::optional<Brush>> brushes_;
  Drag drag_ = Drag::None;
  std::size_t drag_axis_ = 0;
  QPointF drag_start_;
  QPointF drag_now_;
};

}  // namespace kernelscape::charts
