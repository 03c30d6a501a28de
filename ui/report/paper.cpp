#include "ui/report/paper.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QScreen>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <exception>

#include "core/base/memory.h"
#include "core/session/version.h"
#include "ui/report/document.h"

namespace kernelscape::report {
namespace {

constexpr double pixels_per_inch = 96;
constexpr double points_per_inch = 72;
constexpr double foot_height = 28;
constexpr double side_margin_millimetres = 15;
constexpr double end_margin_millimetres = 14;

/** Returns the size of a window font in logical pixels. */
double pixels_of(const QFont& font) {
  if (font.pixelSize() > 0) return font.pixelSize();
  const QScreen* screen = QGuiApplication::primaryScreen();
  const double density = screen != nullptr ? screen->logicalDotsPerInchY() : pixels_per_inch;
  return font.pointSizeF() * density / points_per_inch;
}

double in_units(double pixels) { return pixels * paper_units; }

}  // namespace

PaperFont::PaperFont(double pixels, bool bold, Family family)
    : font_(family == Family::Code ? QFontDatabase::systemFont(QFontDatabase::FixedFont)
                                   : QApplication::font()) {
  font_.setPixelSize(std::max(1, static_cast<int>(std::lround(in_units(pixels)))));
  font_.setBold(bold);
  font_.setHintingPreference(QFont::PreferNoHinting);
  const QFontMetricsF metrics(font_);
  line_height_ = metrics.height() * 1.15 / paper_units;
  ascent_ = (metrics.ascent() + metrics.height() * 0.075) / paper_units;
}

double PaperFont::width(const QString& text) const {
  return QFontMetricsF(font_).horizontalAdvance(text) / paper_units;
}

QStringList PaperFont::lines(const QString& text, double width) const {
  QStringList lines;
  const QStringList parts =
      QString(text).replace(QLatin1Char('\t'), QStringLiteral("    ")).split(QLatin1Char('\n'));
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  for (const QString& part : parts) {
    QTextLayout layout(part, font_);
    layout.setTextOption(option);
    layout.beginLayout();
    const qsizetype before = lines.size();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
      line.setLineWidth(std::max(1.0, in_units(width)));
      lines.append(part.mid(line.textStart(), line.textLength()));
    }
    layout.endLayout();
    if (lines.size() == before) lines.append(QString());
  }
  return lines;
}

void PaperCanvas::dots(std::span<const QPointF> centres, double radius, const charts::Ink& ink) {
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(ink.colour);
  for (const QPointF& centre : centres)
    if (std::isfinite(centre.x()) && std::isfinite(centre.y())) painter_.drawEllipse(centre, radius, radius);
  painter_.setBrush(Qt::NoBrush);
}

void PaperCanvas::text(QPointF position, const QString& text, const charts::TextStyle& style) {
  if (!std::isfinite(position.x()) || !std::isfinite(position.y())) return;
  const QString shown = printable_text(text);
  const PaperFont font(pixels_of(style::font_of(style.size)), style.bold);
  const QFontMetricsF metrics(font.font());
  const double width = metrics.horizontalAdvance(shown);
  const double x = style.anchor & Qt::AlignRight ? -width : style.anchor & Qt::AlignHCenter ? -width / 2 : 0;
  const double y = style.anchor & Qt::AlignBottom    ? metrics.ascent() - metrics.height()
                   : style.anchor & Qt::AlignVCenter ? metrics.ascent() - metrics.height() / 2
                                                     : metrics.ascent();
  painter_.save();
  painter_.translate(position);
  if (style.rotation_degrees != 0) painter_.rotate(style.rotation_degrees);
  painter_.scale(1 / paper_units, 1 / paper_units);
  painter_.setFont(font.font());
  painter_.setPen(style.ink.colour);
  painter_.drawText(QPointF(x, y), shown);
  painter_.restore();
}

Paper::Paper(QIODevice& device, const QString& title) : writer_(&device), title_(title) {
  writer_.setResolution(static_cast<int>(pixels_per_inch * paper_units));
  writer_.setPageSize(QPageSize(QPageSize::A4));
  writer_.setPageMargins(QMarginsF(side_margin_millimetres, end_margin_millimetres, side_margin_millimetres,
                                   end_margin_millimetres),
                         QPageLayout::Millimeter);
  writer_.setTitle(title);
  writer_.setCreator(
      QStringLiteral("Kernelscape %1")
          .arg(QString::fromUtf8(session::program_version.data(), session::program_version.size())));
  if (!painter_.begin(&writer_)) return;
  width_ = writer_.width() / paper_units;
  height_ = writer_.height() / paper_units - foot_height;
  write_foot();
}

Paper::~Paper() {
  if (std::uncaught_exceptions() > 0) base::spend_memory_reserve();
}

void Paper::new_page() {
  writer_.newPage();
  ++page_;
  y_ = 0;
  write_foot();
}

void Paper::need(double height) {
  if (!at_top() && room() < height) new_page();
}

void Paper::write_foot() {
  const PaperFont font(9);
  const QColor& colour = style::light_colours().muted_text;
  const QString number = QString::number(page_);
  const double room_for_title = width_ - font.width(number) - 24;
  const double y = height_ + foot_height - font.line_height();
  draw_line(0, y - 5, width_, style::light_colours().hairline);
  draw_text(0, y, font.lines(title_, room_for_title).constFirst(), font, colour);
  draw_text(width_ - font.width(number), y, number, font, colour);
}

void Paper::draw_text(double x, double y, const QString& text, const PaperFont& font, const QColor& colour) {
  painter_.setFont(font.font());
  painter_.setPen(colour);
  painter_.drawText(QPointF(in_units(x), in_units(y + font.ascent())), text);
}

void Paper::draw_line(double x, double y, double width, const QColor& colour) {
  draw_bar(x, y, width, 0.75, colour);
}

void Paper::draw_bar(double x, double y, double width, double height, const QColor& colour) {
  painter_.fillRect(QRectF(in_units(x), in_units(y), in_units(width), in_units(height)), colour);
}

void Paper::write(const QString& text, const PaperFont& font, const QColor& colour, double x) {
  for (const QString& line : font.lines(text, width_ - x)) {
    need(font.line_height());
    draw_text(x, y_, line, font, colour);
    advance(font.line_height());
  }
}

}  // namespace kernelscape::report
