#include "ui/style/plain_texts.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QPointer>

namespace kernelscape {
namespace {

/** A label is polished before it lays its text out, that of a tool tip before it has one. */
class PlainTexts : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Polish) return false;
    auto* label = qobject_cast<QLabel*>(watched);
    if (label != nullptr && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
    return false;
  }
};

}  // namespace

void keep_texts_plain(QApplication& application) {
  static QPointer<PlainTexts> kept;
  if (kept) return;
  kept = new PlainTexts(&application);
  application.installEventFilter(kept);
}

}  // namespace kernelscape
