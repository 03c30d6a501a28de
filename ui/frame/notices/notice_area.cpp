#include "ui/frame/notices/notice_area.h"

#include <QEvent>
#include <QLayout>
#include <algorithm>

#include "ui/frame/notices/information_bar.h"
#include "ui/style/theme.h"

namespace kernelscape::frame {
namespace {

constexpr int widest_bar = 760;
constexpr int bar_margin = 2 * style::grid_pixels;

}  // namespace

NoticeArea::NoticeArea(QWidget* covered) : QObject(covered), covered_(covered) {
  covered_->installEventFilter(this);
}

void NoticeArea::add(InformationBar& bar) {
  bars_.push_back(&bar);
  bar.installEventFilter(this);
}

bool NoticeArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched == covered_) {
    if (event->type() == QEvent::Resize) place_all();
    return QObject::eventFilter(watched, event);
  }
  auto& bar = *static_cast<InformationBar*>(watched);
  if (event->type() == QEvent::Show) place(bar, free_bottom(bar));
  if (event->type() == QEvent::LayoutRequest && bar.isVisible()) grow(bar);
  return QObject::eventFilter(watched, event);
}

/** Places the bars from the bottom in the order in which they were added. */
void NoticeArea::place_all() {
  int bottom = covered_->height() - bar_margin;
  for (InformationBar* bar : bars_) {
    if (!bar->isVisible()) continue;
    place(*bar, bottom);
    bottom = bar->geometry().top() - style::grid_pixels;
  }
}

void NoticeArea::place(InformationBar& bar, int bottom) {
  const int width = std::min(widest_bar, covered_->width() - 2 * bar_margin);
  const int wanted = bar.layout()->hasHeightForWidth() ? bar.layout()->totalHeightForWidth(width)
                                                       : bar.layout()->totalSizeHint().height();
  bar.setGeometry((covered_->width() - width) / 2, bottom - wanted, width, wanted);
  bar.raise();
}

/** Fits the bar to a new message. It grows upwards, so that the buttons at its bottom keep their place. */
void NoticeArea::grow(InformationBar& bar) {
  place(bar, bar.geometry().bottom() + 1);
  for (InformationBar* other : bars_) {
    if (other != &bar && other->isVisible() && other->geometry().intersects(bar.geometry()))
      place(*other, free_bottom(*other));
  }
}

/** Returns the lowest bottom at which the bar covers no other bar. */
int NoticeArea::free_bottom(const InformationBar& bar) const {
  int bottom = covered_->height() - bar_margin;
  for (const InformationBar* other : bars_) {
    if (other != &bar && other->isVisible())
      bottom = std::min(bottom, other->geometry().top() - style::grid_pixels);
  }
  return bottom;
}

}  // namespace kernelscape::frame
