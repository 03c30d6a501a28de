#pragma once

#include <set>
#include <vector>

#include "ui/charts/bars/bar_chart.h"

namespace kernelscape {

/** A bar: a tuner with settings, and its parts from the left. */
struct StackedBar {
  std::size_t arm = 0;  ///< position in the study: its colour
  QString name;
  std::vector<double> values;  ///< by part; what is not a positive number is 0
  double all = 0;              ///< what they are of, for the table
};

/** What a part of every bar looks like. */
struct StackedPart {
  QString name;  ///< in the legend and in the readout
  Fill fill;
  QString letter = {};      ///< tells it apart without colour; empty: none
  std::string column = {};  ///< of the table
};

/**
 * The base of charts with a stacked bar for each arm, that begins at zero on a linear axis. Parts are told
 * apart by colour, hatch and, where they have one, a letter. Up and down go from bar to bar, left and right
 * from part to part.
 */
class StackedBarChart : public BarChart {
  Q_OBJECT

 public:
  /**
   * Without bars at first.
   * @param axis title and unit of the bars' lengths
   * @param value_text a part's length in words, with its unit
   */
  StackedBarChart(Axis axis, QString (*value_text)(double), QWidget* parent);

  /** Arms that are not drawn. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Bars of the arms that are not hidden, from the top; valid until bars are set anew. */
  std::vector<const StackedBar*> shown() const;
  /** The rectangle of a part of the nth bar that is shown. */
  QRectF part_rect(std::size_t bar, std::size_t part) const { return bar_layout().part({bar, part}); }

  /** A row for each bar that is shown: its values and what they are of. */
  ChartTable table() const override;
  QString summary() const override;

 signals:
  /** A bar was clicked, or Enter pressed on it: its arm's position in the study. */
  void arm_activated(qint64 arm);

 protected:
  /** All bars, from the top, hidden ones included; the readout is taken away. */
  void set_bars(std::vector<StackedBar> bars);

  /** All parts that a bar may have, from the left; read while painting. */
  virtual std::vector<StackedPart> parts() const = 0;
  /** Of what the parts are of; empty: a subclass has a table of its own. */
  virtual std::string all_column() const { return {}; }
  /** Lines of the readout behind name, value and share. */
  virtual QStringList details(const StackedBar&, std::size_t) const { return {}; }
  /** What stands behind a bar. */
  virtual QString bar_text(const StackedBar&) const { return {}; }

  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override;

 private:
  Axis axis_;
  QString (*value_text_)(double);
  std::vector<StackedBar> bars_;
  std::set<std::size_t> hidden_;
};

}  // namespace kernelscape
