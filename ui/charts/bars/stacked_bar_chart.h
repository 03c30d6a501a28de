#pragma once

#include <set>
#include <vector>

#include "ui/charts/axis.h"
#include "ui/charts/chart.h"

namespace kernelscape {

/** A bar: a tuner with settings, and its parts from the left. */
struct StackedBar {
  std::size_t arm = 0;  ///< position in the study: its colour
  QString name;
  std::vector<double> values;  ///< by part; what is not a positive number is 0
};

/**
 * The base of charts with a stacked bar for each arm, that begins at zero on a linear axis. Parts are told
 * apart by colour, hatch and, where they have one, a letter. Up and down go from bar to bar, left and right
 * from part to part.
 */
class StackedBarChart : public Chart {
  Q_OBJECT

 public:
  using Chart::Chart;  ///< without bars at first

  /** Arms that are not drawn. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Bars of the arms that are not hidden, from the top; valid until bars are set anew. */
  std::vector<const StackedBar*> shown() const;
  /** The rectangle of a part of the nth bar that is shown. */
  QRectF part_rect(std::size_t bar, std::size_t part) const;

  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  QSize minimumSizeHint() const override;

 signals:
  /** A bar was clicked, or Enter pressed on it: its arm's position in the study. */
  void arm_activated(qint64 arm);

 protected:
  /** All bars, from the top, hidden ones included; the readout is taken away. */
  void set_bars(std::vector<StackedBar> bars);

  /** How many parts a bar may have; at least 1. */
  virtual std::size_t part_count() const = 0;
  /** Stands in the legend and in the readout. */
  virtual QString part_name(std::size_t part) const = 0;
  /** Tells the part apart without colour; empty: none. */
  virtual QString part_letter(std::size_t) const { return {}; }
  /** Colour and hatch, read while painting. */
  virtual Fill part_fill(std::size_t part) const = 0;
  /** Title and unit; the range is the base's. */
  virtual Axis value_axis() const = 0;
  /** A part's length in words, with its unit. */
  virtual QString value_text(double value) const = 0;
  /** Lines of the readout behind name, value and share. */
  virtual QStringList details(const StackedBar&, std::size_t) const { return {}; }
  /** What stands behind a bar. */
  virtual QString bar_text(const StackedBar&) const { return {}; }

  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  struct Layout {
    std::vector<QPointF> legend;  ///< left ends, of the parts in use
    QRectF bars;
    double row_height = 0;
    Axis axis;
  };
  Layout layout_for(const QRectF& area) const;
  QRectF part_in(const Layout& layout, std::size_t bar, std::size_t part) const;
  /** Parts that any shown bar has. */
  std::vector<std::size_t> used_parts() const;
  double value_of(const StackedBar& bar, std::size_t part) const;
  double total_of(const StackedBar& bar) const;
  double label_width(const QRectF& area) const;
  double legend_width(std::size_t part) const;
  Readout readout_of(std::size_t bar, std::size_t part) const;
  void paint_legend(Canvas& canvas, const Layout& layout) const;
  void paint_axis(Canvas& canvas, const Layout& layout) const;
  void paint_bar(Canvas& canvas, const Layout& layout, std::size_t bar, double left) const;

  std::vector<StackedBar> bars_;
  std::set<std::size_t> hidden_;
};

}  // namespace kernelscape
