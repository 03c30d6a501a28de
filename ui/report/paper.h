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

namespace kernelscape {

/** Paper has this many units per logical pixel (1/96 inch), so that glyphs are not set on whole pixels. */
constexpr double paper_units = 16;

/** A typeface on paper; all lengths in logical pixels. */
class PaperFont {
 public:
  enum class Family { Text, Code };
  explicit PaperFont(double pixels, bool bold = false, Family family = Family::Text);

  /** For a painter that is scaled by `paper_units`: its size is in paper units. */
  const QFont& font() const { return font_; }
  double line_height() const { return line_height_; }  ///< from one baseline to the next
  double ascent() const { return ascent_; }            ///< from the top of a line to its baseline
  /** Advance of a text in one line, with fractions of a pixel. */
  double width(const QString& text) const;
  /** Broken between words where it can be, at every line end, and inside of words where it must be. */
  QStringList lines(const QString& text, double width) const;

 private:
  QFont font_;
  double line_height_ = 0;
  double ascent_ = 0;
};

/** What a chart paints on paper: vectors throughout, texts as wide as the paper's own. */
class PaperCanvas : public PainterCanvas {
 public:
  /** @param painter with a scale of `paper_units` times any other */
  explicit PaperCanvas(QPainter& painter) : PainterCanvas(painter), painter_(painter) {}

  void dots(std::span<const QPointF> centres, double radius, const Ink& ink) override;
  void text(QPointF position, const QString& text, const TextStyle& style) override;
  double pixel_ratio() const override { return 4; }

 private:
  QPainter& painter_;
};

/**
 * Pages of A4, filled from the top; all lengths in logical pixels (1/96 inch). No QTextDocument: it can't
 * keep a heading or a caption on the page of what it belongs to, nor make a table's type smaller until its
 * words fit.
 */
class Paper {
 public:
  /** @param title of the file, and at the foot of each page */
  Paper(QIODevice& device, const QString& title);
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;
  /** Where memory ran out, the painter writes its last page with what was kept back for that. */
  ~Paper();

  /** Whether the device takes a PDF; if not, nothing may be drawn. */
  bool begun() const { return painter_.isActive(); }
  double width() const { return width_; }       ///< between the margins
  double height() const { return height_; }     ///< of an empty page
  double room() const { return height_ - y_; }  ///< left below `y()` on this page
  double y() const { return y_; }               ///< where the next thing stands, from the top margin down
  bool at_top() const { return y_ == 0; }       ///< nothing stands on this page yet
  /** Leaves a space, but none at the top of a page. */
  void skip(double height) { y_ += at_top() ? 0 : height; }
  /** Moves on, also at the top of a page: past what was drawn there. */
  void advance(double height) { y_ += height; }
  /** Goes on at the top of another page, with its foot written. */
  void new_page();
  /** Writes what there is: nothing may be drawn any more. */
  void end() { painter_.end(); }
  /** A new page where there is less room, unless nothing stands on this one. */
  void need(double height);

  /** At a height of its own; nothing advances. */
  void draw_text(double x, double y, const QString& text, const PaperFont& font, const QColor& colour);
  /** A horizontal rule, 0.75 pixels thick, at a height of its own; nothing advances. */
  void draw_line(double x, double y, double width, const QColor& colour);
  /** A filled rectangle from its upper left corner on; nothing advances. */
  void draw_bar(double x, double y, double width, double height, const QColor& colour);
  /** Lines from the left edge `x` on, over as many pages as it takes. */
  void write(const QString& text, const PaperFont& font, const QColor& colour, double x = 0);

  /** The painter, with the page's origin at (x, y()) and `scale` logical pixels per unit. */
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

}  // namespace kernelscape
