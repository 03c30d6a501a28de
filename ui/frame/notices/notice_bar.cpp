#include "ui/frame/notices/notice_bar.h"

#include <QApplication>
#include <QPushButton>
#include <chrono>

#include "ui/style/numbers.h"

namespace kernelscape::frame {
namespace {

constexpr std::chrono::seconds information_stays{10};

}  // namespace

NoticeBar::NoticeBar(workspace::Notices& notices, QWidget* parent)
    : InformationBar(tr("Notice"), parent), notices_(notices), open_(add_button(tr("Open"))), leave_(this) {
  hide();
  leave_.setSingleShot(true);
  leave_.setInterval(information_stays);
  connect(&leave_, &QTimer::timeout, this, [this] {
    // A click on a button must not hit what the bar covers because the bar has just disappeared.
    // Nor must a key go elsewhere because the button with the focus has disappeared.
    if (underMouse() || isAncestorOf(QApplication::focusWidget())) return leave_.start();
    hide();
  });
  connect(this, &InformationBar::dismissed, this, &QWidget::hide);
  open_->hide();
  connect(open_, &QPushButton::clicked, this, [this] { emit open_requested(file_); });
  connect(add_button(tr("Log")), &QPushButton::clicked, this, &NoticeBar::log_requested);
  connect(&notices_, &workspace::Notices::changed, this, &NoticeBar::show_notice);
}

void NoticeBar::show_notice(int index) {
  const workspace::Notice& notice = notices_.all()[static_cast<std::size_t>(index)];
  const bool passing = notice.kind == workspace::Notice::Kind::Information || notice.brief;
  if (passing && isVisibleTo(parentWidget()) && stays_) return;
  stays_ = !passing;
  const QString times =
      notice.count > 1 ? tr("  (%1 times)").arg(style::format_count(notice.count)) : QString();
  set_message(notice.kind, notice.text + times, notice.hint);
  file_ = notice.file;
  open_->setVisible(!file_.isEmpty());
  show();
  if (passing) {
    leave_.start();
  } else {
    leave_.stop();
  }
}

}  // namespace kernelscape::frame
