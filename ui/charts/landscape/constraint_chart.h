#pragma once

#include <optional>

#include "ui/charts/chart.h"
#include "ui/charts/landscape/constraint_data.h"
#include "ui/charts/landscape/constraint_layout.h"

namespace kernelscape::charts {

/**
 * The constraints of a space as a graph: the elements of the knobs at the rim, derived variables and
 * constraints inside, with the values of a trial. Left and right go through all nodes, up and down through
 * the constraints; Enter and a click choose a node, which highlights its neighbours.
 */
class ConstraintChart : public Chart {
  Q_OBJECT

 public:
  explicit ConstraintChart(QWidget* parent = nullptr);

  /** Sets the data. The chosen node and the readout stay if the constraints are unchanged. */
  void set_data(ConstraintData data);
  const ConstraintData& data() const { return data_; }  ///< as last set
  /**
   * Returns the rectangle of a node in the widget's logical pixels; empty if there is no room for the graph.
   */
  QRectF box_of(std::size_t node) const;
  /** Returns the node of the readout. */
  std::optional<std::size_t> current_node() const;

  /** Chooses a node, or with nullopt no node. Emits nothing. */
  void choose(std::optional<std::size_t> node);
  std::optional<std::size_t> chosen() const { return chosen_; }  ///< Returns the chosen node

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  void reset_view() override;

 signals:
  /** Emitted on a click or Enter on a node. */
  void node_activated(qint64 node);
  /** Emitted when the user clears the choice (Home). */
  void choice_cleared();

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  /** How strongly a node is highlighted. */
  enum class Emphasis : std::uint8_t { None, Joined, Chosen };
  struct Placed {
    QRectF area;
    double line_height = 0;
    ConstraintLayout layout;
  };

  std::size_t node_count() const { return data_.scene ? data_.scene->net.nodes.size() : 0; }
  const ConstraintLayout& layout_of(const QRectF& area) const;
  Readout readout_of(std::size_t node) const;
  void paint_edge(Canvas& canvas, const ConstraintLayout& layout, std::size_t first, std::size_t second,
                  const Ink& ink, double width) const;
  void paint_node(Canvas& canvas, const ConstraintLayout& layout, std::size_t node, Emphasis emphasis) const;
  void paint_box(Canvas& canvas, const QRectF& box, bool labelled, std::size_t node, Emphasis emphasis) const;
  void paint_joined(Canvas& canvas, const ConstraintLayout& layout, std::size_t node) const;
  void paint_knob_labels(Canvas& canvas, const ConstraintLayout& layout, const QRectF& area) const;
  void paint_status(Canvas& canvas, const QRectF& area) const;
  void paint_key(Canvas& canvas, const QRectF& area) const;

  ConstraintData data_;
  std::optional<std::size_t> chosen_;
  mutable std::optional<Placed> placed_;  ///< placement in the last area
};

}  // namespace kernelscape::charts
