#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <span>
#include <string>
#include <vector>

#include "ui/style/theme.h"

namespace kernelscape::charts {

/**
 * A colour with the name of its role ("grid", "category-4"). In SVG the role is a class of the style sheet.
 */
struct Ink {
  std::string role;
  QColor colour;
};

/** The pen of a line. */
struct Stroke {
  Ink ink;
  double width = 1;                 ///< logical pixels
  std::vector<double> dashes = {};  ///< in units of the width; empty: solid
};

/** The fill of an area. The hatch is drawn in `hatch_ink` over the ink. */
struct Fill {
  Ink ink;
  style::Hatch hatch = style::Hatch::Solid;
  Ink hatch_ink = {};
};

/** The style of a text. */
struct TextStyle {
  style::TextSize size = style::TextSize::Small;
  Ink ink;
  Qt::Alignment anchor = Qt::AlignLeft | Qt::AlignVCenter;  ///< which part of the text is at its position
  double rotation_degrees = 0;                              ///< clockwise, around the position
  bool bold = false;
};

/**
 * The drawing surface of a chart, in logical pixels: a widget's painter or an SVG file. Everything painted
 * between `push_clip` and `pop_clip` stays inside the rectangle, in every backend. Points that are not finite
 * make a gap in lines and are ignored elsewhere.
 */
class Canvas {
 public:
  virtual ~Canvas() = default;

  /** Draws a straight line; draws nothing if an end is not finite. */
  virtual void line(QPointF from, QPointF to, const Stroke& stroke) = 0;
  /** Draws lines that join the points in order; the path is not closed. */
  virtual void polyline(std::span<const QPointF> points, const Stroke& stroke) = 0;
  /** Fills a closed polygon without a border. */
  virtual void polygon(std::span<const QPointF> points, const Ink& ink) = 0;
  /** Fills a rectangle without a border. */
  virtual void rect(const QRectF& rectangle, const Ink& ink) = 0;
  /** Draws round dots; thousands of dots are cheap. */
  virtual void dots(std::span<const QPointF> centres, double radius, const Ink& ink) = 0;
  /** Draws one line of text; `position` is the anchor of the style. */
  virtual void text(QPointF position, const QString& text, const TextStyle& style) = 0;
  /**
   * Draws an image scaled to the rectangle without smoothing. Transparent pixels show what was painted below.
   */
  virtual void image(const QRectF& rectangle, const QImage& image) = 0;
  /** Adds a clip rectangle. Clips are nested: only the intersection of all of them is painted. */
  virtual void push_clip(const QRectF& rectangle) = 0;
  /** Removes the latest clip; each `push_clip` needs one `pop_clip`. */
  virtual void pop_clip() = 0;
  /** Returns the device pixels per logical pixel; 2 in files. */
  virtual double pixel_ratio() const = 0;

  /** Fills a rectangle with an ink and its hatch. */
  void rect(const QRectF& rectangle, const Fill& fill);
  /** Draws the border of a rectangle. */
  void outline(const QRectF& rectangle, const Stroke& stroke);
  /** Draws the outline of a circle. */
  void ring(QPointF centre, double radius, const Stroke& stroke);
};

/** Adds a clip and removes it at the end of a block. */
class ClipScope {
 public:
  ClipScope(Canvas& canvas, const QRectF& rectangle) : canvas_(canvas) { canvas_.push_clip(rectangle); }
  ~ClipScope() { canvas_.pop_clip(); }
  ClipScope(const ClipScope&) = delete;
  ClipScope& operator=(const ClipScope&) = delete;

 private:
  Canvas& canvas_;
};

/** Returns the width of a text in the window's font, in logical pixels. */
double text_width(const QString& text, style::TextSize size, bool bold = false);
/** Returns the height of one line in the window's font, in logical pixels. */
double text_height(style::TextSize size);

/** Returns the text, cut at its end with an ellipsis if it is wider than `width`. */
QString elided(const QString& text, style::TextSize size, double width, bool bold = false);

/** Breaks the text into lines that are no wider than `width`, between words and at every \n. */
QStringList wrapped(const QString& text, style::TextSize size, double width);

/** The inks that every chart needs, from the current theme. */
Ink surface_ink();
Ink text_ink();      ///< body text
Ink muted_ink();     ///< secondary text
Ink hairline_ink();  ///< borders and axes
Ink grid_ink();      ///< lines behind the data
Ink accent_ink();    ///< the data, if there is only one series
Ink marked_ink();    ///< selected points, cursors and the current item
Ink warning_ink();   ///< what needs attention
/** Returns the category's colour without its hatch. */
Ink category_ink(trial::ErrorCategory category);
/** Returns the category's colour with its hatch. */
Fill category_fill(trial::ErrorCategory category);
/** Returns the ink of an arm by its position in its study. */
Ink arm_ink(std::size_t index);
/**
 * Returns the colour and dashes of an arm by its position in its study.
 * @param width logical pixels
 */
Stroke arm_stroke(std::size_t index, double width = 2);

}  // namespace kernelscape::charts
