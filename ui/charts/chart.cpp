#include "ui/charts/chart.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QTextDocument>
#include <QToolButton>
#include <QWhatsThis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_file.h"
#include "ui/charts/painter_canvas.h"
#include "ui/charts/svg_canvas.h"
#include "ui/charts/windows.h"
#include "ui/style/icons.h"

namespace kernelscape::charts {
namespace {

constexpr double provenance_room = 8;  ///< room beside the line below the chart, logical pixels
constexpr double margin = 8;
constexpr int min_plot_width = 260;
constexpr int min_plot_height = 140;

double title_height() { return std::ceil(text_height(style::TextSize::Normal)) + margin; }

/**
 * Returns true for keys of a chart that the window's shortcuts must not take while the chart has the focus.
 */
bool is_chart_key(const QKeyEvent& event) {
  const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  const int key = event.key();
  if (modifiers == Qt::AltModifier) return key == Qt::Key_Left || key == Qt::Key_Right;
  if (modifiers != Qt::NoModifier && modifiers != Qt::ShiftModifier) return false;
  return (key >= Qt::Key_A && key <= Qt::Key_Z) || (key >= Qt::Key_Home && key <= Qt::Key_PageDown) ||
         key == Qt::Key_Plus || key == Qt::Key_Minus || key == Qt::Key_Return || key == Qt::Key_Enter;
}

bool is_arrow(int key) {
  return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
}

}  // namespace

Chart::Chart(QWidget* parent) : QWidget(parent), menu_button_(new QToolButton(this)) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(QStringLiteral("chart"));
  menu_button_->setIcon(style::icon(QStringLiteral("menu")));
  menu_button_->setAutoRaise(true);
  menu_button_->setFocusPolicy(Qt::NoFocus);
  menu_button_->setToolTip(tr("Copy, save, show as table, explain (Menu key)"));
  menu_button_->setAccessibleName(tr("Chart menu"));
  connect(menu_button_, &QToolButton::clicked, this, &Chart::show_menu);
}

void Chart::set_title(const QString& what, const QString& of) {
  if (what == title_ && of == of_) return;
  title_ = what;
  of_ = of;
  invalidate();
}

void Chart::set_notice(const QString& text) {
  if (text == notice_) return;
  notice_ = text;
  invalidate();
}

std::optional<Readout> Chart::readout_at(QPointF) const { return std::nullopt; }

std::optional<Readout> Chart::step_readout(const std::optional<Readout>&, Qt::Key) const {
  return std::nullopt;
}

void Chart::activate(const Readout& readout) {
  if (readout.row >= 0) emit row_activated(readout.row);
}

void Chart::set_readout(std::optional<Readout> readout) {
  const bool both_none = !readout && !readout_;
  const bool same =
      readout && readout_ && readout->position == readout_->position && readout->lines == readout_->lines;
  if (both_none || same) return;
  readout_ = std::move(readout);
  emit readout_changed();
  update();
}

void Chart::refresh_readout() {
  if (readout_) set_readout(readout_at(readout_->position));
}

void Chart::invalidate() {
  stale_ = true;
  update_accessible_name();
  update();
}

void Chart::update_accessible_name() {
  QStringList parts;
  for (const QString& part : {title_, of_, notice_.isEmpty() ? summary() : notice_})
    if (!part.isEmpty()) parts.append(part);
  const QString name = parts.isEmpty() ? QStringLiteral("chart") : parts.join(QStringLiteral(", "));
  if (name != accessibleName()) setAccessibleName(name);
}

QRectF Chart::body_rect(QSizeF size) const {
  const double top = title_height();
  return {margin, top, std::max(1.0, size.width() - 2 * margin), std::max(1.0, size.height() - top - margin)};
}

QSize Chart::minimumSizeHint() const {
  return {min_plot_width + static_cast<int>(2 * margin),
          min_plot_height + static_cast<int>(title_height() + margin)};
}

QSize Chart::sizeHint() const { return minimumSizeHint().expandedTo({520, 300}); }

void Chart::reset_view() {}

void Chart::paint_overlay(Canvas&, const QRectF&) {}

void Chart::extend_menu(QMenu&) {}

void Chart::render_to(Canvas& canvas, QSizeF size) {
  canvas.rect(QRectF(QPointF(0, 0), size), surface_ink());
  paint_title(canvas, size);
  const QRectF body = body_rect(size);
  if (notice_.isEmpty()) {
    paint_chart(canvas, body);
  } else {
    paint_notice(canvas, body);
  }
}

void Chart::paint_title(Canvas& canvas, QSizeF size) const {
  const double middle = title_height() / 2;
  const double room = size.width() - 2 * margin - title_height();
  const QString what = elided(title_, style::TextSize::Normal, room, true);
  canvas.text({margin, middle}, what, {.size = style::TextSize::Normal, .ink = text_ink(), .bold = true});
  const double used = text_width(what, style::TextSize::Normal, true) + margin;
  if (of_.isEmpty() || room - used < 40) return;
  canvas.text({margin + used, middle}, elided(of_, style::TextSize::Small, room - used),
              {.size = style::TextSize::Small, .ink = muted_ink()});
}

void Chart::paint_notice(Canvas& canvas, const QRectF& area) const {
  const QStringList lines = wrapped(notice_, style::TextSize::Normal, area.width() - 4 * margin);
  const double line_height = text_height(style::TextSize::Normal) + 2;
  double y = area.center().y() - line_height * static_cast<double>(lines.size() - 1) / 2;
  for (const QString& line : lines) {
    canvas.text({area.center().x(), y}, line,
                {.size = style::TextSize::Normal, .ink = muted_ink(), .anchor = Qt::AlignCenter});
    y += line_height;
  }
}

void Chart::paintEvent(QPaintEvent*) {
  const double ratio = devicePixelRatioF();
  const QSize pixels = (QSizeF(size()) * ratio).toSize();
  // Not every change of theme or text size sends an event (no change does before the event loop runs).
  if (painted_colours_ != &style::colours() || painted_scale_ != style::text_scale()) stale_ = true;
  if (stale_ || picture_.size() != pixels || picture_.devicePixelRatio() != ratio) {
    paint_picture(picture_, ratio);
    stale_ = false;
    painted_colours_ = &style::colours();
    painted_scale_ = style::text_scale();
  }
  QPainter painter(this);
  painter.drawImage(QPointF(0, 0), picture_);
  PainterCanvas canvas(painter);
  if (notice_.isEmpty()) {
    paint_overlay(canvas, body_rect());
    if (readout_) paint_readout(canvas, *readout_, size());
  }
  if (hasFocus())
    canvas.outline(QRectF(rect()).adjusted(1, 1, -1, -1), {{"focus", style::colours().focus_ring}, 2, {}});
}

bool Chart::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && is_chart_key(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::QueryWhatsThis) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::WhatsThis) {
    const auto* help = static_cast<QHelpEvent*>(event);
    // Captions may contain names from files: never interpret them as markup.
    QWhatsThis::showText(help->globalPos(), Qt::convertFromPlainText(full_explanation()), this);
    return true;
  }
  return QWidget::event(event);
}

void Chart::resizeEvent(QResizeEvent*) {
  set_readout(std::nullopt);
  place_menu_button();
}

void Chart::place_menu_button() {
  const int side = static_cast<int>(title_height());
  menu_button_->setGeometry(width() - side - 2, 2, side, std::max(8, side - 4));
}

void Chart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  const QEvent::Type type = event->type();
  if (type != QEvent::PaletteChange && type != QEvent::FontChange && type != QEvent::StyleChange) return;
  place_menu_button();
  updateGeometry();
  invalidate();
}

bool Chart::base_key(const QKeyEvent& event) {
  const int key = event.key();
  if (is_arrow(key) || key == Qt::Key_J || key == Qt::Key_K) {
    const Qt::Key direction = key == Qt::Key_J   ? Qt::Key_Right
                              : key == Qt::Key_K ? Qt::Key_Left
                                                 : Qt::Key(key);
    if (auto next = step_readout(readout_, direction)) set_readout(std::move(next));
    return true;
  }
  if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    if (readout_ && notice_.isEmpty()) {
      activate(*readout_);
    } else {
      emit maximise_requested();
    }
    return true;
  }
  if (key == Qt::Key_Home) {
    reset_view();
    return true;
  }
  if (key == Qt::Key_Escape && readout_) {
    set_readout(std::nullopt);
    return true;
  }
  if (key != Qt::Key_Menu) return false;
  show_menu();
  return true;
}

void Chart::keyPressEvent(QKeyEvent* event) {
  const bool plain = (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == 0;
  if (plain && base_key(*event)) return;
  QWidget::keyPressEvent(event);
}

void Chart::mouseMoveEvent(QMouseEvent* event) {
  if (notice_.isEmpty()) set_readout(readout_at(event->position()));
}

void Chart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !notice_.isEmpty()) return;
  if (const auto hit = readout_at(event->position())) activate(*hit);
}

void Chart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) emit maximise_requested();
}

void Chart::leaveEvent(QEvent*) { set_readout(std::nullopt); }

void Chart::focusInEvent(QFocusEvent*) { update(); }

void Chart::focusOutEvent(QFocusEvent*) { update(); }

void Chart::contextMenuEvent(QContextMenuEvent*) { show_menu(); }

QImage Chart::to_image(double pixel_ratio) {
  QImage picture;
  paint_picture(picture, pixel_ratio);
  return picture;
}

void Chart::paint_picture(QImage& picture, double pixel_ratio) {
  const QSize pixels = (QSizeF(size()) * pixel_ratio).toSize().expandedTo({1, 1});
  if (picture.size() != pixels) picture = QImage(pixels, QImage::Format_RGB32);
  picture.setDevicePixelRatio(pixel_ratio);
  QPainter painter(&picture);
  PainterCanvas canvas(painter);
  render_to(canvas, QSizeF(size()));
}

QByteArray Chart::to_svg() {
  SvgCanvas canvas{QSizeF(size()), accessibleName()};
  render_to(canvas, QSizeF(size()));
  return canvas.document();
}

QString Chart::provenance() const {
  for (const QWidget* around = parentWidget(); around != nullptr; around = around->parentWidget()) {
    if (const auto* place = dynamic_cast<const Place*>(around)) return place->provenance();
  }
  return {};
}

QSizeF Chart::file_size() const {
  const double line = provenance().isEmpty() ? 0 : text_height(style::TextSize::Small) + provenance_room;
  return QSizeF(size()) + QSizeF(0, line);
}

void Chart::render_file(Canvas& canvas) {
  const QSizeF whole = file_size();
  canvas.rect(QRectF(QPointF(0, 0), whole), surface_ink());
  render_to(canvas, QSizeF(size()));
  if (whole.height() <= height()) return;
  const double room = whole.width() - 2 * provenance_room;
  canvas.text({provenance_room, (height() + whole.height()) / 2},
              elided(provenance(), style::TextSize::Small, room),
              {.size = style::TextSize::Small, .ink = muted_ink()});
}

QImage Chart::to_picture_file(double pixel_ratio) {
  QImage picture((file_size() * pixel_ratio).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
  picture.setDevicePixelRatio(pixel_ratio);
  QPainter painter(&picture);
  PainterCanvas canvas(painter);
  render_file(canvas);
  return picture;
}

QByteArray Chart::to_svg_file() {
  SvgCanvas canvas{file_size(), accessibleName()};
  render_file(canvas);
  return canvas.document();
}

void Chart::copy_to_clipboard() {
  auto* content = new QMimeData;
  content->setImageData(to_picture_file(2));
  content->setData(QStringLiteral("image/svg+xml"), to_svg_file());
  content->setText(QString::fromStdString(to_csv(table())));
  QApplication::clipboard()->setMimeData(content);
  emit notified(tr("Copied \"%1\" as picture, SVG and CSV").arg(title_));
}

void Chart::show_menu() {
  if (menu_) return;
  menu_ = new QMenu(this);
  menu_->setAttribute(Qt::WA_DeleteOnClose);
  extend_menu(*menu_);
  if (!menu_->isEmpty()) menu_->addSeparator();
  add_common_actions(*menu_);
  menu_->popup(menu_button_->mapToGlobal(QPoint(0, menu_button_->height())));
}

void Chart::add_common_actions(QMenu& menu) {
  menu.addAction(tr("Copy"), this, &Chart::copy_to_clipboard);
  menu.addAction(tr("Save as PNG..."), this, [this] { ask_and_save_chart(*this, QStringLiteral("png")); });
  menu.addAction(tr("Save as SVG..."), this, [this] { ask_and_save_chart(*this, QStringLiteral("svg")); });
  menu.addAction(tr("Save as CSV..."), this, [this] { ask_and_save_chart(*this, QStringLiteral("csv")); });
  menu.addAction(tr("Show as table"), this, &Chart::show_table);
  menu.addSeparator();
  menu.addAction(tr("Maximise or restore\tEnter"), this, &Chart::maximise_requested);
  menu.addAction(tr("Explain this chart"), this, &Chart::explain);
}

void Chart::show_table() { open_table_window(table(), title_, this); }

QString Chart::full_explanation() const {
  const QString text = explanation();
  return caption_.isEmpty() || text.startsWith(caption_) ? text : caption_ + QStringLiteral("\n\n") + text;
}

void Chart::explain() { open_text_window(full_explanation(), title_, this); }

}  // namespace kernelscape::charts
