#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "ui/charts/qt_plot.h"

namespace kernelscape::charts {

/** A part of a bar; it begins where the previous part ends. */
struct BarPart {
  double value = 0;     ///< length of the part; a value that is not a positive number is drawn as 0
  Fill fill = {};       ///< colour and hatch
  QString letter = {};  ///< distinguishes the part without colour, if there is room; empty: none
  std::optional<Stroke> border = {};  ///< border of the part; nullopt: a thin gap to the previous part
};

/** A bar that begins at zero. */
struct Bar {
  std::vector<BarPart> parts;
  QString text = {};                ///< text behind the bar's end
  std::optional<double> mark = {};  ///< reference value, drawn as a tick across the row; nullopt: none
};

/** A row: a name, and one bar in each panel. */
struct BarRow {
  QString label;
  Ink ink = text_ink();  ///< ink of label and letter
  QString letter = {};   ///< stays if there is no room for labels
  std::vector<Bar> bars;
};

/** The bars of all rows on one scale, below each other. */
struct BarPanel {
  QString heading = {};  ///< set in all panels or in none
  /**
   * Value at the right end; 0: that of the longest bar. A longer bar ends there, with a break painted across
   * it; a longer mark is not painted.
   */
  double most = 0;
};

/** The meaning of the ticks across bars. */
struct BarMarks {
  QString name = {};  ///< name in the legend
  Stroke stroke = {};
};

/**
 * The content of a chart of horizontal bars. All bars have the same number of parts, and all rows have one
 * bar for each panel.
 */
struct BarRows {
  std::vector<BarPanel> panels = {BarPanel{}};
  std::vector<BarRow> rows = {};
  QStringList part_names = {};  ///< the legend above lists those in use; empty: none
  BarMarks marks = {};          ///< meaning of the ticks of bars that have one
  /** Title and unit of the axis below the bars; nullopt: no axis, since the bars have numbers. */
  std::optional<Axis> axis = {};
  QString note = {};  ///< text below the chart; broken into lines
  /** True: rows shrink as far as necessary; false: rows without room are left out and counted. */
  bool all = true;
};

/** A part of a row, in all panels. */
struct BarPlace {
  std::size_t row = 0;
  std::size_t part = 0;
};

/**
 * The layout of bars in an area. Legend, headings, rows, axis and note stand below each other. Within a row,
 * label, letter and panels stand beside each other, and each panel has room for the texts behind its bars.
 * Labels are not cut as long as bars keep a minimum length beside them. Lengths in logical pixels.
 */
class BarLayout {
 public:
  BarLayout(BarRows content, const QRectF& area);

  /** Returns the height that all rows need, without the chart's title; 0 if rows may be left out. */
  static double min_height(const BarRows& content);

  std::size_t shown() const { return shown_; }  ///< Returns the number of rows that are not left out
  std::size_t parts() const { return parts_; }  ///< Returns the number of parts of each bar; at least 1
  /** Returns the parts that any row has in the first panel, ascending; a single part is always included. */
  std::vector<std::size_t> used_parts() const;
  /** Returns the rectangle of a whole row, from label to texts. */
  QRectF row(std::size_t row) const;
  /** Returns the rectangle in which a part is painted; empty for a part without length. */
  QRectF part(BarPlace place, std::size_t panel = 0) const;
  /** Returns true if a row's bar is longer than its panel can show. */
  bool is_cut(std::size_t row, std::size_t panel = 0) const;
  /** Returns the part at a point of the first panel, or the row if bars have a single part. */
  std::optional<BarPlace> at(QPointF position) const;
  /**
   * Returns the place that an arrow key moves to. If there are several parts and rows, left and right go
   * along the parts in use, up and down from row to row; otherwise every key goes along the only direction.
   * Returns nullopt if nothing is shown.
   */
  std::optional<BarPlace> step(const std::optional<BarPlace>& from, Qt::Key direction) const;

  /** Paints everything but the marks that follow the mouse. @param plot paints the bars */
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
  void paint_break(Canvas& canvas, std::size_t row, std::size_t panel) const;
  bool shows_mark(std::size_t row, std::size_t panel) const;
  void paint_on_part(Canvas& canvas, BarPlace place, std::size_t panel) const;

  BarRows content_;
  QRectF area_;
  double line_;  ///< height of a line of text
  std::size_t parts_ = 1;
  std::size_t shown_ = 0;
  std::vector<QPointF> legend_;    ///< left ends, middle of the line
  double top_ = 0;                 ///< top of the next item; while placing the first row, its end
  QStringList below_;              ///< lines of text below the bars
  double row_height_ = 1;          ///< height of a row with the gap between bars
  double labels_ = 0;              ///< width of the labels
  double letters_ = 0;             ///< width of the letters, between labels and bars
  std::vector<PlotFrame> frames_;  ///< frames of the shown rows' bars, by panel
};

}  // namespace kernelscape::charts
