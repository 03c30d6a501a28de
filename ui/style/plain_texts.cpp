#include "ui/style/plain_texts.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QPointer>
#include <QStringList>

#include "core/base/text.h"

namespace kernelscape::style {
namespace {

/**
 * Sets the text format of labels when they are polished: before a label lays its text out, and before the
 * label of a tool tip has a text.
 */
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

QString sentence(const QString& text) { return QString::fromStdString(base::sentence(text.toStdString())); }

QString tip_lines(const QString& paragraph) {
  constexpr qsizetype line_letters = 64;
  QStringList lines{QString()};
  for (const QString& word : paragraph.split(QLatin1Char(' '))) {
    if (!lines.back().isEmpty() && lines.back().size() + word.size() >= line_letters) lines.append(QString());
    lines.back() += (lines.back().isEmpty() ? QString() : QStringLiteral(" ")) + word;
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace kernelscape::style
