#include "ui/views/trials/bound_bars.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

constexpr int bound_bar_height = 10;
constexpr int min_bound_bar_width = 40;
constexpr int max_bound_bar_width = 240;
constexpr int cycle_text_digits = 3;

QString cycle_count(double cycles) { return style::format_number(cycles, cycle_text_digits); }

QFont bar_font(bool bold) {
  QFont font = style::font_of(style::TextSize::Normal);
  font.setBold(bold);
  return font;
}

}  // namespace

BoundBars::BoundBars(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BoundBars::set_bars(std::vector<ResourceCycles> bars) {
  bars_ = std::move(bars);
  QStringList texts;
  for (const ResourceCycles& bar : bars_)
    texts.append(tr("%1 %2 cycles").arg(bar.name, cycle_count(bar.cycles)) +
                 (bar.bounds ? tr(", which bounds the loop") : QString()));
  setAccessibleName(tr("Cycles of an iteration by resource"));
  setAccessibleDescription(texts.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

int BoundBars::row_height() const {
  return std::max(bound_bar_height, QFontMetrics(bar_font(true)).height()) + style::grid_pixels / 2;
}

int BoundBars::name_width() const {
  const QFontMetrics metrics(bar_font(true));
  int widest = 0;
  for (const ResourceCycles& bar : bars_) widest = std::max(widest, metrics.horizontalAdvance(bar.name));
  return widest;
}

QRect BoundBars::place_of(std::size_t bar) const {
  return {0, static_cast<int>(bar) * row_height(), width(), row_height()};
}

QSize BoundBars::sizeHint() const {
  const QFontMetrics metrics(bar_font(true));
  return {name_width() + max_bound_bar_width / 2 + metrics.horizontalAdvance(QStringLiteral("1,234")) +
              2 * style::grid_pixels,
          static_cast<int>(bars_.size()) * row_height()};
}

QSize BoundBars::minimumSizeHint() const { return {min_bound_bar_width * 3, sizeHint().height()}; }

void BoundBars::paint_bar(QPainter& painter, std::size_t bar) const {
  const ResourceCycles& shown = bars_[bar];
  const QRect row = place_of(bar);
  const double most = std::ranges::max(bars_, {}, &ResourceCycles::cycles).cycles;
  painter.setFont(bar_font(shown.bounds));
  const QFontMetrics metrics = painter.fontMetrics();
  const int number = metrics.horizontalAdvance(QStringLiteral("1,234")) + style::grid_pixels;
  const int names =
      std::min(name_width(), std::max(0, width() - number - min_bound_bar_width - 2 * style::grid_pixels));
  painter.setPen(style::colours().text);
  painter.drawText(QRect(0, row.top(), names, row.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(shown.name, Qt::ElideRight, names));
  const int whole = std::clamp(width() - names - number - 2 * style::grid_pixels, 0, max_bound_bar_width);
  const double share = most > 0 ? shown.cycles / most : 0;
  const QRectF area(names + style::grid_pixels, row.center().y() - bound_bar_height / 2.0, share * whole,
                    bound_bar_height);
  painter.fillRect(area, shown.bounds ? style::colours().accent : style::colours().muted_text);
  painter.drawText(QRectF(area.right() + style::grid_pixels / 2.0, row.top(), number, row.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, cycle_count(shown.cycles));
}

void BoundBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) paint_bar(painter, bar);
}

bool BoundBars::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto& help = *static_cast<QHelpEvent*>(event);
    const auto bar = static_cast<std::size_t>(std::max(0, help.pos().y() / row_height()));
    if (bar < bars_.size()) {
      QToolTip::showText(help.globalPos(), bars_[bar].explanation, this, place_of(bar));
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::ApplicationFontChange) updateGeometry();
  return handled;
}

}  // namespace kernelscape::views
