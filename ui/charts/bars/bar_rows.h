#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "ui/charts/qt_plot.h"

namespace kernelscape {

/** A part of a bar; it begins where the one before it ends. */
struct BarPart {
  double value = 0;                   ///< its length; what is not a positive number is 0
  Fill fill = {};                     ///< colour and hatch
  QString letter = {};                ///< tells it apart without colour, where there is room; empty: none
  std::optional<Stroke> border = {};  ///< around it; none: a thin gap to the part before
};

/** A bar that begins at zero. */
struct Bar {
  std::vector<BarPart> parts;
  QString text = {};                ///< behind its end
  std::optional<double> mark = {};  ///< what it is compared with: a tick across the row; none: nothing
};

/** What has a row: a name, and a bar in each of the panels. */
struct BarRow {
  QString label;
  Ink ink = text_ink();  ///< of label and letter
  QString letter = {};   ///< stays where there is no room for labels
  std::vector<Bar> bars;
};

/** The bars of all rows on one scale, below each other. */
struct BarPanel {
  QString heading = {};  ///< in each panel or in none
  double most = 0;       ///< value at the right end; 0: of the longest bar
};

/** What the ticks across bars are. */
struct BarMarks {
  QString name = {};  ///< in the legend
  Stroke stroke = {};
};

/** What a chart of level bars shows. All bars have as many parts, and all rows a bar for each panel. */
struct BarRows {
  std::vector<BarPanel> panels = {BarPanel{}};
  std::vector<BarRow> rows = {};
  QStringList part_names = {};    ///< the legend above has those in use; empty: none
  BarMarks marks = {};            ///< of bars that have one
  std::optional<Axis> axis = {};  ///< title and unit of what stands below the bars; none: numbers say it all
  QString note = {};              ///< below all; broken into lines
  bool all = true;  ///< rows become as low as they must; else those without room are left out and counted
};

/** A part of a row, in all panels. */
struct BarPlace {
  std::size_t row = 0;
  std::size_t part = 0;
};

/**
 * Where the bars of a chart stand in an area: legend, headings, rows, axis and note below each other; in a
 * row label, letter and panels beside each other, each with room for the texts behind its bars. Labels are
 * whole wherever bars keep a least length beside them. Lengths in logical pixels.
 */
class BarLayout {
 public:
  BarLayout(BarRows content, const QRectF& area);

  /** That all rows need, without the chart's title; 0 where rows may be left out. */
  static double least_height(const BarRows& content);

  std::size_t shown() const { return shown_; }  ///< rows that are not left out
  std::size_t parts() const { return parts_; }  ///< of each bar; at least 1
  /** Those that any row has in the first panel, ascending; a single one always. */
  std::vector<std::size_t> used_parts() const;
  /** All of a row, from label to texts. */
  QRectF row(std::size_t row) const;
  /** Where a part is painted; empty for one without length. */
  QRectF part(BarPlace place, std::size_t panel = 0) const;
  /** The part that is pointed at in the first panel; the row where bars have a single part. */
  std::optional<BarPlace> at(QPointF position) const;
  /**
   * Where an arrow key goes: along the parts in use or from row to row, where there are both, else each key
   * along what there is. None: nothing is shown.
   */
  std::optional<BarPlace> step(const std::optional<BarPlace>& from, Qt::Key direction) const;

  /** Everything but what follows the mouse; the bars by `plot`. */
  void paint(Canvas& canvas, QtPlot& plot) const;

 private:
  void place_legend();
  bool has_marks() const;
  void place_rows();
  void place_panels();
  double texts_width(std::size_t panel) const;
  PlotBar plot_bar(BarPlace place, std::size_t panel) const;
  QString left_out() const;
  void paint_panel(Canvas& canvas, QtPlot& plot, std::size_t panel) const;
  void paint_legend(Canvas& canvas) const;
  void paint_row(Canvas& canvas, std::size_t row) const;
  void paint_mark(Canvas& canvas, std::size_t row, std::size_t panel) const;
  void paint_on_part(Canvas& canvas, BarPlace place, std::size_t panel) const;

  BarRows content_;
  QRectF area_;
  double line_;  ///< height of one of text
  std::size_t parts_ = 1;
  std::size_t shown_ = 0;
  std::vector<QPointF> legend_;    ///< left ends, middle of the line
  double top_ = 0;                 ///< of what is placed next; in the end of the first row
  QStringList below_;              ///< lines of text
  double row_height_ = 1;          ///< with the gaps between bars
  double labels_ = 0;              ///< width
  double letters_ = 0;             ///< width, between labels and bars
  std::vector<PlotFrame> frames_;  ///< of the shown rows' bars, by panel
};

}  // namespace kernelscape
