#pragma once

#include <optional>
#include <vector>

#include "core/analysis/landscape/parallel_coordinates.h"
#include "ui/charts/chart.h"
#include "ui/charts/landscape/performance_scale.h"

namespace kernelscape {

/** What stands at an axis. */
struct ParallelAxisText {
  QString title;             ///< "tile_oc[3]"
  QStringList labels;        ///< by bin, ascending
  bool logarithmic = false;  ///< of ranges: they have equal ratios
};

/** The part of an axis that the user drew: all values in [low, high]. */
struct Brush {
  double low = 0;
  double high = 0;

  bool operator==(const Brush&) const = default;
};

struct ParallelData {
  ParallelCoordinates coordinates;
  std::vector<ParallelAxisText> axes;  ///< as many as in the coordinates
  QString quantity;                    ///< "speed"
  QString unit;                        ///< "GFLOPS"
  bool higher_is_better = true;
  std::vector<std::size_t> current;  ///< the current trial's place on each axis; empty: none
};

/**
 * Parallel coordinates drawn from counts: a strand for all trials that share the places on two neighbouring
 * axes, as wide as they are many, in the colour of the best of them, by its rank among the strands. Dragging
 * along an axis brushes it, a click brushes one value or takes the brush away, dragging a title moves the
 * axis.
 *
 * Keys: arrows go from value to value, Enter brushes, Delete takes the brush away, Ctrl+Left and Ctrl+Right
 * move the axis.
 */
class ParallelChart : public Chart {
  Q_OBJECT

 public:
  explicit ParallelChart(QWidget* parent = nullptr);

  /** Brushes stay by the position of their axis; set others where axes moved. */
  void set_data(ParallelData data);
  const ParallelData& data() const { return data_; }  ///< as last set
  /** By axis; shown until others are set. */
  void set_brushes(std::vector<std::optional<Brush>> brushes);
  /** By axis; none: not brushed. */
  const std::vector<std::optional<Brush>>& brushes() const { return brushes_; }

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  /** In the widget's pixels: the middle of a place on an axis, the last one for rows without a value. */
  QPointF position_of(std::size_t axis, std::size_t place) const;
  /** Middle of an axis' title in the widget's pixels: where it is dragged. */
  QPointF title_position(std::size_t axis) const;

 signals:
  /** The brushes after the user changed one. */
  void brushed(const std::vector<std::optional<kernelscape::Brush>>& brushes);
  /** A title was dragged, or Ctrl+Left or Ctrl+Right pressed: positions before and after. Only asks. */
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
  struct Layout;
  struct Place {
    std::size_t axis = 0;
    std::size_t place = 0;
    bool operator==(const Place&) const = default;
  };

  Layout layout_of(const QRectF& area) const;
  std::optional<Place> place_at(QPointF position) const;
  std::optional<std::size_t> title_at(QPointF position) const;
  std::size_t nearest_place(std::size_t axis, double y) const;
  Readout readout_of(const Place& place) const;
  QImage strands_image(const Layout& layout, const QRectF& area, double pixel_ratio) const;
  void paint_axis(Canvas& canvas, const Layout& layout, std::size_t axis) const;
  void paint_brush(Canvas& canvas, const Layout& layout, std::size_t axis) const;
  void paint_legend(Canvas& canvas, const Layout& layout, const QRectF& area) const;
  PerformanceScale performance_scale() const;
  bool any_strand(bool (*belongs)(const ParallelStrand&)) const;
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

}  // namespace kernelscape
