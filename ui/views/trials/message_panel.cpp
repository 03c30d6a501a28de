#include "ui/views/trials/message_panel.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/views/trials/compiler_remarks.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

/** Returns what happened and what to do. */
QString hint_for(trial::ErrorCategory category) {
  switch (category) {
    case trial::ErrorCategory::NoError:
      return MessagePanel::tr("This trial is valid: its output was checked, and there is no message.");
    case trial::ErrorCategory::InstantiationError:
      return MessagePanel::tr(
          "The template rejected this configuration before anything was compiled, because it exceeds a limit "
          "of the device. Check \"Enforce device limits\" in the set-up to avoid such trials.");
    case trial::ErrorCategory::CompileHost:
    case trial::ErrorCategory::CompileDevice:
      return MessagePanel::tr(
          "The compiler rejected the kernel. The lines that it names are those of the Source tab: click one "
          "to show it.");
    case trial::ErrorCategory::RuntimeDevice:
      return MessagePanel::tr("The kernel crashed or was rejected when it ran, in a separate process.");
    case trial::ErrorCategory::WrongAnswer:
      return MessagePanel::tr(
          "The kernel ran, but its output differs from the reference beyond the tolerance.");
    case trial::ErrorCategory::BuildTimeout:
      return MessagePanel::tr("Compiling took too long. The build time-out is one of the measuring options.");
    case trial::ErrorCategory::RunTimeout:
      return MessagePanel::tr("The kernel ran too long. The run time-out is one of the measuring options.");
    case trial::ErrorCategory::UnknownError:
      break;
  }
  return MessagePanel::tr("Another error occurred outside the kernel, for example in the worker process.");
}

}  // namespace

MessagePanel::MessagePanel(QWidget* parent) : QWidget(parent) {
  hint_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text);
  hint_->setWordWrap(true);
  text_ = new QPlainTextEdit;
  text_->setReadOnly(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setFrameShape(QFrame::NoFrame);
  text_->setFont(style::fixed_font_of(style::TextSize::Normal));
  text_->setAccessibleName(tr("Message of the trial"));
  text_->document()->setDocumentMargin(16);
  text_->viewport()->setMouseTracking(true);
  text_->viewport()->installEventFilter(this);
  text_->installEventFilter(this);
  copy_ = new QToolButton;
  copy_->setIcon(style::icon(QStringLiteral("copy")));
  copy_->setAutoRaise(true);
  copy_->setAccessibleName(tr("Copy the message"));
  copy_->setToolTip(tr("Copy the message"));
  connect(copy_, &QToolButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(text_->toPlainText());
    emit notified(tr("The message was copied."));
  });
  auto* line = new QHBoxLayout;
  line->setContentsMargins(16, 8, 8, 8);
  line->setSpacing(8);
  line->addWidget(hint_, 1);
  line->addWidget(copy_, 0, Qt::AlignTop);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(line);
  all->addWidget(text_, 1);
}

void MessagePanel::show_trial(const workspace::TrialDetails& details) {
  const trial::Measurement& measurement = details.trial.measurement;
  const bool own = details.family != nullptr && details.family->scheduled() == nullptr;
  hint_->setText(own && measurement.category == trial::ErrorCategory::InstantiationError
                     ? tr("The device can't launch this configuration of your kernel, so nothing was "
                          "compiled. Add a condition to the project to exclude such configurations.")
                     : hint_for(measurement.category));
  text_->setPlainText(QString::fromStdString(measurement.message));
  copy_->setEnabled(!measurement.message.empty());
  places_.clear();
  const LabelledLines lines(QString::fromStdString(details.source_text));
  for (const CompilerRemark& remark : compiler_remarks(text_->toPlainText()))
    if (const auto line = lines.find(remark.file, remark.line)) places_[remark.message_line] = *line;
  mark_places();
}

/** Formats the lines that lead to the source like links. */
void MessagePanel::mark_places() {
  QList<QTextEdit::ExtraSelection> selections;
  for (const auto& [message_line, line] : places_) {
    const QTextBlock block = text_->document()->findBlockByNumber(message_line);
    if (!block.isValid()) continue;
    QTextEdit::ExtraSelection selection;
    selection.cursor = QTextCursor(block);
    selection.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    selection.format.setForeground(style::colours().accent);
    selection.format.setFontUnderline(true);
    selections.append(selection);
  }
  text_->setExtraSelections(selections);
}

void MessagePanel::request_line(int message_line) {
  const auto place = places_.find(message_line);
  if (place != places_.end()) emit line_requested(place->second);
}

/** Handles a click on a marked line, unless it ends a text selection, and Enter on it. */
bool MessagePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == text_->viewport() && event->type() == QEvent::MouseMove) {
    const auto& mouse = *static_cast<QMouseEvent*>(event);
    const int line = text_->cursorForPosition(mouse.position().toPoint()).blockNumber();
    text_->viewport()->setCursor(places_.contains(line) ? Qt::PointingHandCursor : Qt::IBeamCursor);
  } else if (watched == text_->viewport() && event->type() == QEvent::MouseButtonRelease) {
    const auto& mouse = *static_cast<QMouseEvent*>(event);
    if (mouse.button() == Qt::LeftButton && !text_->textCursor().hasSelection())
      request_line(text_->cursorForPosition(mouse.position().toPoint()).blockNumber());
  } else if (watched == text_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) request_line(text_->textCursor().blockNumber());
  }
  return QWidget::eventFilter(watched, event);
}

bool MessagePanel::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::ApplicationFontChange)
    text_->setFont(style::fixed_font_of(style::TextSize::Normal));
  if (event->type() == QEvent::PaletteChange && text_ != nullptr) mark_places();
  return handled;
}

}  // namespace kernelscape::views
