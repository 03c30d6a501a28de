#include "ui/views/trials/message_panel.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape {
namespace {

/** What happened and where to look. */
QString hint_for(ErrorCategory category) {
  switch (category) {
    case ErrorCategory::NoError:
      return MessagePanel::tr("This trial is valid: its output was checked, and there is no message.");
    case ErrorCategory::InstantiationError:
      return MessagePanel::tr(
          "The template refused this configuration before anything was compiled: it breaks a "
          "limit of the target. Such trials can be avoided by respecting limits in the set-up.");
    case ErrorCategory::CompileHost:
    case ErrorCategory::CompileDevice:
      return MessagePanel::tr(
          "The compiler refused the kernel. The lines it names are those of the Source tab.");
    case ErrorCategory::RuntimeDevice:
      return MessagePanel::tr("The kernel crashed or was refused when it ran, in a process of its own.");
    case ErrorCategory::WrongAnswer:
      return MessagePanel::tr(
          "The kernel ran, but its output differs from the reference beyond the tolerance.");
    case ErrorCategory::BuildTimeout:
      return MessagePanel::tr("Compiling took too long. The build time-out is one of the measuring options.");
    case ErrorCategory::RunTimeout:
      return MessagePanel::tr("The kernel ran too long. The run time-out is one of the measuring options.");
    case ErrorCategory::UnknownError:
      break;
  }
  return MessagePanel::tr(
      "Something else went wrong around the kernel, for example with the worker process.");
}

}  // namespace

MessagePanel::MessagePanel(QWidget* parent) : QWidget(parent) {
  hint_ = new ThemedLabel(TextSize::Normal, &Colours::text);
  hint_->setWordWrap(true);
  text_ = new QPlainTextEdit;
  text_->setReadOnly(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setFrameShape(QFrame::NoFrame);
  text_->setFont(fixed_font_of(TextSize::Normal));
  text_->setAccessibleName(tr("Message of the trial"));
  text_->document()->setDocumentMargin(16);
  copy_ = new QToolButton;
  copy_->setIcon(icon(QStringLiteral("copy")));
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

void MessagePanel::show_trial(const TrialDetails& details) {
  const Measurement& measurement = details.trial.measurement;
  hint_->setText(hint_for(measurement.category));
  text_->setPlainText(QString::fromStdString(measurement.message));
  copy_->setEnabled(!measurement.message.empty());
}

bool MessagePanel::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::ApplicationFontChange) text_->setFont(fixed_font_of(TextSize::Normal));
  return handled;
}

}  // namespace kernelscape
