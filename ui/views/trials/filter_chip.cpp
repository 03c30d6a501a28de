#include "ui/views/trials/filter_chip.h"

#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QToolButton>
#include <algorithm>

#include "ui/style/icons.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

constexpr int padding = 8;
constexpr int button_size = 20;
constexpr int max_text_width = 320;
constexpr int max_digits = 4;

}  // namespace

FilterChip::FilterChip(const QString& filter, QWidget* parent) : QWidget(parent), filter_(filter) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Filter %1").arg(filter));
  setToolTip(tr("%1\ndouble click: edit, Delete: remove").arg(filter));
  close_ = new QToolButton(this);
  close_->setIcon(style::icon(QStringLiteral("close")));
  close_->setIconSize({12, 12});
  close_->setAutoRaise(true);
  close_->setFocusPolicy(Qt::NoFocus);
  close_->setAccessibleName(tr("Remove the filter %1").arg(filter));
  close_->setToolTip(tr("Remove this filter"));
  connect(close_, &QToolButton::clicked, this, &FilterChip::removed);
}

QString FilterChip::shown_text(const QString& filter) {
  // Quoted text is not shortened, even if it looks like a number.
  static const QRegularExpression token(
      QStringLiteral("\"(?:[^\"\\\\]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`|"
                     "(?<![\\w\\[])(?<![0-9]\\.)[0-9]+\\.[0-9]+(?:[eE][+-]?[0-9]+)?"));
  QString shown;
  qsizetype end = 0;
  for (const QRegularExpressionMatch& match : token.globalMatch(filter)) {
    const QString written = match.captured();
    const bool number = written.front().isDigit();
    const QString rounded = QString::number(written.toDouble(), 'g', max_digits);
    shown += filter.mid(end, match.capturedStart() - end);
    shown += number && rounded.size() < written.size() ? rounded : written;
    end = match.capturedEnd();
  }
  return shown + filter.mid(end);
}

int FilterChip::height_for(const QFontMetrics& metrics) { return std::max(28, metrics.height() + 12); }

QSize FilterChip::sizeHint() const {
  const int text = std::min(fontMetrics().horizontalAdvance(shown_text(filter_)), max_text_width);
  return {padding + text + 4 + button_size + 4, height_for(fontMetrics())};
}

void FilterChip::resizeEvent(QResizeEvent*) {
  close_->setGeometry(width() - button_size - 4, (height() - button_size) / 2, button_size, button_size);
}

void FilterChip::paintEvent(QPaintEvent*) {
  const style::Colours& theme = style::colours();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor fill = theme.accent;
  fill.setAlphaF(theme.dark ? 0.24F : 0.12F);
  const QRectF pill = QRectF(rect()).adjusted(1, 2, -1, -2);
  painter.setBrush(fill);
  painter.setPen(QPen(hasFocus() ? theme.focus_ring : theme.accent, hasFocus() ? 2 : 1));
  painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
  painter.setPen(theme.text);
  const QRect area(padding, 0, close_->x() - padding - 2, height());
  painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(shown_text(filter_), Qt::ElideMiddle, area.width()));
}

void FilterChip::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
      emit removed();
      return;
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      emit edit_requested();
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void FilterChip::mouseDoubleClickEvent(QMouseEvent*) { emit edit_requested(); }

}  // namespace kernelscape::views
