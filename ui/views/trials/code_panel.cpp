#include "ui/views/trials/code_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int find_width = 160;
constexpr int min_find_width = 72;

}  // namespace

CodePanel::CodePanel(widgets::CodeLanguage language, const QString& name, QWidget* parent)
    : QWidget(parent), name_(name) {
  view_ = new widgets::CodeView(language);
  view_->setAccessibleName(name);
  state_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  state_->setAlignment(Qt::AlignCenter);
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  state_->setMargin(16);

  make_line();
  stack_ = new QStackedWidget;
  stack_->addWidget(view_);
  stack_->addWidget(state_);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(line_);
  all->addWidget(stack_, 1);

  set_state({});
}

void CodePanel::make_line() {
  note_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  note_->setMinimumWidth(0);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  find_ = new QLineEdit;
  find_->setPlaceholderText(tr("Find"));
  find_->setClearButtonEnabled(true);
  find_->setAccessibleName(tr("Find in %1").arg(name_));
  find_->setMinimumWidth(min_find_width);
  find_->setMaximumWidth(find_width);
  find_->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  found_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  copy_ = new QToolButton;
  copy_->setIcon(style::icon(QStringLiteral("copy")));
  copy_->setAutoRaise(true);
  copy_->setAccessibleName(tr("Copy %1").arg(name_));
  copy_->setToolTip(tr("Copy all of it"));
  line_ = new QHBoxLayout;
  line_->setContentsMargins(8, 4, 8, 4);
  line_->setSpacing(8);
  line_->addWidget(note_, 1);
  line_->addWidget(found_);
  line_->addWidget(find_);
  line_->addWidget(copy_);
  connect(find_, &QLineEdit::textChanged, this, [this] {
    // After each typed letter the search starts at the beginning of the last occurrence.
    QTextCursor cursor = view_->textCursor();
    cursor.setPosition(cursor.selectionStart());
    view_->setTextCursor(cursor);
    find_text(false);
  });
  find_->installEventFilter(this);
  connect(copy_, &QToolButton::clicked, this, &CodePanel::copy);
}

void CodePanel::set_code(const QString& code, const QString& note) {
  set_marked_code({code, {}, {}, {}}, note);
}

void CodePanel::set_marked_code(const widgets::MarkedCode& code, const QString& note) {
  view_->set_marked_code(code);
  note_->setText(note);
  note_->setToolTip(note);
  stack_->setCurrentWidget(view_);
  for (QWidget* control : {static_cast<QWidget*>(find_), static_cast<QWidget*>(copy_)})
    control->setEnabled(true);
  if (!find_->text().isEmpty()) find_text(false);
}

void CodePanel::set_state(const QString& text) {
  state_->setText(text);
  note_->clear();
  found_->clear();
  stack_->setCurrentWidget(state_);
  for (QWidget* control : {static_cast<QWidget*>(find_), static_cast<QWidget*>(copy_)})
    control->setEnabled(false);
}

QString CodePanel::state() const { return stack_->currentWidget() == state_ ? state_->text() : QString(); }

void CodePanel::add_control(QWidget* control) { line_->insertWidget(0, control); }

void CodePanel::add_last_control(QWidget* control) { line_->addWidget(control); }

void CodePanel::prepare_search(const QString&) {}

/** Handles Enter, which finds the next occurrence, and Shift+Enter, which finds the previous one. */
bool CodePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == find_ && event->type() == QEvent::KeyPress) {
    const auto& key = *static_cast<QKeyEvent*>(event);
    if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter) {
      find_text((key.modifiers() & Qt::ShiftModifier) != 0);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void CodePanel::find_text(bool backward) {
  const QString text = find_->text();
  if (text.isEmpty()) {
    found_->clear();
    return;
  }
  prepare_search(text);
  const bool found = view_->find_next(text, backward);
  const auto count = view_->toPlainText().count(text, Qt::CaseInsensitive);
  found_->set_colour(found ? &style::Colours::muted_text : &style::Colours::warning);
  found_->setText(!found       ? tr("not found")
                  : count == 1 ? tr("1 place")
                               : tr("%1 places").arg(style::format_count(count)));
}

void CodePanel::copy() {
  QGuiApplication::clipboard()->setText(whole_text());
  emit notified(tr("%1 was copied.").arg(name_));
}

}  // namespace kernelscape::views
