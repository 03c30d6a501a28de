#pragma once

#include <set>
#include <vector>

#include "ui/charts/bars/bar_chart.h"

namespace kernelscape::charts {

/** A bar: a tuner with settings, and the bar's parts from the left. */
struct StackedBar {
  std::size_t arm = 0;  ///< position in the study: its colour
  QString name;
  std::vector<double> values;  ///< by part; a value that is not a positive number is drawn as 0
  double all = 0;              ///< the total that the parts are shares of, for the table
};

/** Name and style of a part of every bar. */
struct StackedPart {
  QString name;  ///< in the legend and in the readout
  Fill fill;
  QString letter = {};      ///< distinguishes the part without colour; empty: none
  std::string column = {};  ///< name of the table's column
};

/**
 * The base of charts with a stacked bar for each arm, which begins at zero on a linear axis. Parts are
 * distinguished by colour, hatch and, if set, a letter. Up and down go from bar to bar, left and right from
 * part to part.
 */
class StackedBarChart : public BarChart {
  Q_OBJECT

 public:
  /**
   * Makes a chart without bars.
   * @param axis title and unit of the bars' lengths
   * @param value_text writes a part's length with its unit
   */
  StackedBarChart(Axis axis, QString (*value_text)(double), QWidget* parent);

  /** Sets the arms that are not drawn. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Returns the bars of the arms that are not hidden, from the top; valid until new bars are set. */
  std::vector<const StackedBar*> shown() const;
  /** Returns the rectangle of a part of the nth bar that is shown. */
  QRectF part_rect(std::size_t bar, std::size_t part) const { return bar_layout().part({bar, part}); }

  /** Returns a row for each bar that is shown: its values and their total. */
  Table table() const override;
  QString summary() const override;

 signals:
  /** Emitted when a bar is clicked or Enter is pressed on it, with its arm's position in the study. */
  void arm_activated(qint64 arm);

 protected:
  /** Sets all bars, from the top, including hidden ones, and removes the readout. */
  void set_bars(std::vector<StackedBar> bars);

  /** Returns all parts that a bar may have, from the left; read while painting. */
  virtual std::vector<StackedPart> parts() const = 0;
  /** Returns the title of the table's column of totals; empty: the subclass has its own table. */
  virtual std::string all_column() const { return {}; }
  /** Returns the lines of the readout after name, value and share. */
  virtual QStringList details(const StackedBar&, std::size_t) const { return {}; }
  /** Returns the text behind a bar. */
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

}  // namespace kernelscape::charts
