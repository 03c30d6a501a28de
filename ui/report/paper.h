#pragma once

#include <QColor>
#include <QFont>
#include <QIODevice>
#include <QPainter>
#include <QPdfWriter>
#include <QStringList>
#include <span>

#include "core/base/result.h"
#include "ui/charts/painter_canvas.h"

namespace kernelscape::report {

/**
 * Number of paper units per logical pixel (1/96 inch); chosen so that glyphs are not aligned to whole pixels.
 */
constexpr double paper_units = 16;

/** A typeface on paper; all lengths in logical pixels. */
class PaperFont {
 public:
  enum class Family { Text, Code };
  explicit PaperFont(double pixels, bool bold = false, Family family = Family::Text);

  /** Returns the font for a painter that is scaled by `paper_units`: its size is in paper units. */
  const QFont& font() const { return font_; }
  double line_height() const { return line_height_; }  ///< from one baseline to the next
  double ascent() const { return ascent_; }            ///< from the top of a line to its baseline
  /** Returns the advance of a text in one line, with fractions of a pixel. */
  double width(const QString& text) const;
  /**
   * Breaks a text into lines: at every line end, between words if possible, and inside of words if necessary.
   */
  QStringList lines(const QString& text, double width) const;

 private:
  QFont font_;
  double line_height_ = 0;
  double ascent_ = 0;
};

/** Canvas for charts on paper: vectors throughout, and text metrics of the paper. */
class PaperCanvas : public charts::PainterCanvas {
 public:
  /** @param painter its scale must be `paper_units` times any other scale */
  explicit PaperCanvas(QPainter& painter) : charts::PainterCanvas(painter), painter_(painter) {}

  void dots(std::span<const QPointF> centres, double radius, const charts::Ink& ink) override;
  void text(QPointF position, const QString& text, const charts::TextStyle& style) override;
  double pixel_ratio() const override { return 4; }

 private:
  QPainter& painter_;
};

/**
 * Pages of A4, filled from the top; all lengths in logical pixels (1/96 inch). QTextDocument is not used: it
 * can't keep a heading or a caption on the page of its figure or table, nor reduce the type of a table until
 * its words fit.
 */
class Paper {
 public:
  /** Begins a PDF. @param title title of the file, printed at the foot of each page */
  Paper(QIODevice& device, const QString& title);
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;
  /** If memory ran out, the painter writes its last page with a reserve that was kept for it. */
  ~Paper();

  /** Returns false if the device can't be written; nothing may be drawn then. */
  bool begun() const { return painter_.isActive(); }
  double width() const { return width_; }       ///< width between the margins
  double height() const { return height_; }     ///< height of an empty page
  double room() const { return height_ - y_; }  ///< free height below `y()` on this page
  double y() const { return y_; }               ///< position of the next element, from the top margin down
  bool at_top() const { return y_ == 0; }       ///< this page is still empty
  /** Leaves a vertical space, except at the top of a page. */
  void skip(double height) { y_ += at_top() ? 0 : height; }
  /** Moves down, also at the top of a page: past an element that was drawn there. */
  void advance(double height) { y_ += height; }
  /** Writes the footer, and begins a new page. */
  void new_page();
  /** Completes the file; nothing may be drawn any more. */
  void end() { painter_.end(); }
  /** Begins a new page if less than `height` is left, unless this page is empty. */
  void need(double height);

  /** Draws a text at a given height; does not advance. */
  void draw_text(double x, double y, const QString& text, const PaperFont& font, const QColor& colour);
  /** Draws a horizontal rule, 0.75 pixels thick, at a given height; does not advance. */
  void draw_line(double x, double y, double width, const QColor& colour);
  /** Draws a filled rectangle, given its upper left corner; does not advance. */
  void draw_bar(double x, double y, double width, double height, const QColor& colour);
  /** Writes lines from the left edge `x`, on as many pages as needed. */
  void write(const QString& text, const PaperFont& font, const QColor& colour, double x = 0);

  /**
   * Calls `draw_on` with the painter, with the page's origin at (x, y()) and `scale` logical pixels per unit.
   */
  template <typename Draw>
  void draw(double x, double scale, Draw draw_on) {
    painter_.save();
    painter_.translate(x * paper_units, y_ * paper_units);
    painter_.scale(paper_units * scale, paper_units * scale);
    draw_on(painter_);
    painter_.restore();
  }

 private:
  void write_foot();

  QPdfWriter writer_;
  QPainter painter_;
  QString title_;
  double width_ = 0;
  double height_ = 0;
  double y_ = 0;
  int page_ = 1;
};

}  // namespace kernelscape::report
