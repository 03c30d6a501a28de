#pragma once

#include <optional>
#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/landscape/performance_scale.h"
#include "ui/charts/landscape/topology_chart.h"

namespace kernelscape::charts {

/** Places and paints the values of a knob and the moves between them in an area, with legend and key. */
class TopologyPainter {
 public:
  /** Makes a painter of data with at least one value; they outlive it. */
  TopologyPainter(const TopologyData& data, const QRectF& area);

  /** Paints the chart. */
  void paint(Canvas& canvas) const;
  /** Paints over the chart: a node with its neighbours, highlighted. */
  void paint_read(Canvas& canvas, std::size_t node) const;
  /** Returns the centre of a node; throws std::out_of_range for a node that does not exist. */
  QPointF centre_of(std::size_t node) const { return layout_.nodes.at(node); }
  /** Returns the node at a point; nullopt: no node is near. */
  std::optional<std::size_t> node_at(QPointF position) const;

 private:
  struct Layout {
    QRectF plot;
    QRectF legend;
    double title_y = 0;
    double further_y = 0;
    double key_y = 0;
    double scale = 1;  ///< pixels per unit of the graph
    double radius = 1;
    QPointF origin;  ///< origin of the graph, in pixels
    std::vector<QPointF> nodes;
  };
  /** The meaning of the colours. */
  struct Scale {
    Axis axis;                     ///< axis of probabilities
    PerformanceScale performance;  ///< scale of the best measured performances
    bool any = false;

    /** Returns the position of a probability on the colour scale, clamped to [0, 1]. */
    double fraction_of_probability(double value) const;
  };

  Scale scale() const;
  Layout layout_of(const QRectF& area) const;
  /** Returns the position of a node on the colour scale, 0 to 1; nullopt if the node has no value. */
  std::optional<double> colour_of(std::size_t node) const;
  double radius_of(std::size_t node) const;
  QString scale_text(double value) const;
  QString scale_title() const;
  void paint_edges(Canvas& canvas) const;
  void paint_node(Canvas& canvas, std::size_t node) const;
  void paint_labels(Canvas& canvas) const;
  void paint_legend(Canvas& canvas) const;
  void paint_key(Canvas& canvas) const;

  const TopologyData& data_;
  Scale scale_;
  Layout layout_;
};

}  // namespace kernelscape::charts
