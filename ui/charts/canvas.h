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

namespace kernelscape {

/** A colour with the name of what it stands for ("grid", "category-4"): a class of the style sheet in SVG. */
struct Ink {
  std::string role;
  QColor colour;
};

/** How a line is drawn. */
struct Stroke {
  Ink ink;
  double width = 1;                 ///< logical pixels
  std::vector<double> dashes = {};  ///< in units of the width; empty: solid
};

/** How an area is filled. The hatch is drawn in `hatch_colour` over the ink. */
struct Fill {
  Ink ink;
  Hatch hatch = Hatch::Solid;
  Ink hatch_ink = {};
};

/** How a text is set. */
struct TextStyle {
  TextSize size = TextSize::Small;
  Ink ink;
  Qt::Alignment anchor = Qt::AlignLeft | Qt::AlignVCenter;  ///< which part of the text stands at its position
  double rotation_degrees = 0;                              ///< clockwise, around the position
  bool bold = false;
};

/**
 * What a chart paints on, in logical pixels: a widget's painter or an SVG file. Everything painted between
 * `push_clip` and `pop_clip` stays inside the rectangle, in every backend. Points that are not finite are a
 * gap in lines and are left out elsewhere.
 */
class Canvas {
 public:
  virtual ~Canvas() = default;

  /** A straight line; none where an end is not finite. */
  virtual void line(QPointF from, QPointF to, const Stroke& stroke) = 0;
  /** Joined in the order given, not closed. */
  virtual void polyline(std::span<const QPointF> points, const Stroke& stroke) = 0;
  /** Filled, closed, without a border. */
  virtual void polygon(std::span<const QPointF> points, const Ink& ink) = 0;
  /** Filled, without a border. */
  virtual void rect(const QRectF& rectangle, const Ink& ink) = 0;
  /** Round dots; thousands are cheap. */
  virtual void dots(std::span<const QPointF> centres, double radius, const Ink& ink) = 0;
  /** One line of text; its position is the anchor of the style. */
  virtual void text(QPointF position, const QString& text, const TextStyle& style) = 0;
  /** Scaled to the rectangle without smoothing; transparent pixels let through what lies below. */
  virtual void image(const QRectF& rectangle, const QImage& image) = 0;
  /** Clips are nested: what stays is inside all of them. */
  virtual void push_clip(const QRectF& rectangle) = 0;
  /** Takes away the latest clip; each `push_clip` needs one. */
  virtual void pop_clip() = 0;
  /** Device pixels per logical pixel, 2 in files. */
  virtual double pixel_ratio() const = 0;

  /** The fill with its hatch. */
  void rect(const QRectF& rectangle, const Fill& fill);
  /** The border of a rectangle. */
  void outline(const QRectF& rectangle, const Stroke& stroke);
  /** A circle's line. */
  void ring(QPointF centre, double radius, const Stroke& stroke);
};

/** Takes a clip away at the end of a block. */
class ClipScope {
 public:
  ClipScope(Canvas& canvas, const QRectF& rectangle) : canvas_(canvas) { canvas_.push_clip(rectangle); }
  ~ClipScope() { canvas_.pop_clip(); }
  ClipScope(const ClipScope&) = delete;
  ClipScope& operator=(const ClipScope&) = delete;

 private:
  Canvas& canvas_;
};

/** Width and height of a text in the window's font, in logical pixels. */
double text_width(const QString& text, TextSize size, bool bold = false);
/** Height of one line in the window's font, in logical pixels. */
double text_height(TextSize size);

/** The text, cut at its end with an ellipsis where it is wider. */
QString elided(const QString& text, TextSize size, double width, bool bold = false);

/** The text in lines that are no wider, broken between words and at every \n. */
QStringList wrapped(const QString& text, TextSize size, double width);

/** The inks that every chart needs, from the theme in use. */
Ink surface_ink();
Ink text_ink();      ///< body text
Ink muted_ink();     ///< text of less weight
Ink hairline_ink();  ///< borders and axes
Ink grid_ink();      ///< lines behind the data
Ink accent_ink();    ///< the data, where there is one series
Ink marked_ink();    ///< selected points, cursors, what is current
Ink warning_ink();   ///< what needs attention
/** The category's colour alone. */
Ink category_ink(ErrorCategory category);
/** The category's colour with its hatch. */
Fill category_fill(ErrorCategory category);
/** By the arm's position in its study. */
Ink arm_ink(std::size_t index);
/**
 * Colour and dashes of an arm.
 * @param width logical pixels
 */
Stroke arm_stroke(std::size_t index, double width = 2);

}  // namespace kernelscape
