#include "ui/views/trials/occupancy_bar.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

constexpr int bar_height = 12;
constexpr int bar_width = 160;
constexpr int min_bar_width = 32;  // the text has priority
constexpr int gap = 8;

}  // namespace

QString occupancy_limit_text(trial::OccupancyLimit limit) {
  switch (limit) {
    case trial::OccupancyLimit::Unknown:
      return {};
    case trial::OccupancyLimit::Threads:
      return OccupancyBar::tr("limited by threads");
    case trial::OccupancyLimit::Blocks:
      return OccupancyBar::tr("limited by blocks");
    case trial::OccupancyLimit::Registers:
      return OccupancyBar::tr("limited by registers");
    case trial::OccupancyLimit::SharedMemory:
      return OccupancyBar::tr("limited by shared memory");
  }
  return {};
}

OccupancyBar::OccupancyBar(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setToolTip(tr("Theoretical occupancy: resident threads of a multiprocessor, as a share of its maximum"));
}

void OccupancyBar::set_resources(const trial::KernelResources& resources) {
  occupancy_ = std::clamp(resources.occupancy, 0.0, 1.0);
  const QString limit = occupancy_limit_text(resources.limited_by);
  text_ = occupancy_ <= 0 ? tr("not known") : style::format_percent(occupancy_);
  if (occupancy_ > 0 && !limit.isEmpty()) text_ += QStringLiteral(", ") + limit;
  setAccessibleName(tr("Theoretical occupancy: %1").arg(text_));
  updateGeometry();
  update();
}

QSize OccupancyBar::sizeHint() const {
  const QFontMetrics metrics(style::font_of(style::TextSize::Normal));
  return {bar_width + gap + metrics.horizontalAdvance(text_), std::max(bar_height, metrics.height())};
}

QSize OccupancyBar::minimumSizeHint() const { return {min_bar_width, sizeHint().height()}; }

void OccupancyBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(style::font_of(style::TextSize::Normal));
  const int words = painter.fontMetrics().horizontalAdvance(text_);
  const int whole = occupancy_ <= 0 ? 0 : std::clamp(width() - gap - words, min_bar_width, bar_width);
  if (whole > 0) {
    const QRect bar(0, (height() - bar_height) / 2, whole, bar_height);
    painter.fillRect(bar, style::colours().surface);
    painter.fillRect(QRectF(bar.topLeft(), QSizeF(occupancy_ * bar.width(), bar.height())),
                     style::colours().accent);
    painter.setPen(style::colours().muted_text);
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
  }
  painter.setPen(style::colours().text);
  const QRect room = rect().adjusted(whole > 0 ? whole + gap : 0, 0, 0, 0);
  painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(text_, Qt::ElideRight, room.width()));
}

bool OccupancyBar::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::ApplicationFontChange) updateGeometry();
  return handled;
}

}  // namespace kernelscape::views
