#include "ui/frame/palette/shortcut_overview.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/frame/palette/fuzzy_match.h"
#include "ui/style/icons.h"

namespace kernelscape::frame {
namespace {

enum Column { ActionColumn, ShortcutColumn, MenuColumn, HelpColumn, column_count };

constexpr QSize usual_size(820, 560);

}  // namespace

ShortcutOverview::ShortcutOverview(views::ActionRegistry& actions, QWidget* parent)
    : QDialog(parent),
      actions_(actions),
      search_(new QLineEdit(this)),
      list_(new QTreeWidget(this)),
      editor_(new QKeySequenceEdit(this)),
      assign_(new QPushButton(tr("Assign"), this)),
      clear_(new QPushButton(tr("No shortcut"), this)),
      default_(new QPushButton(tr("Default"), this)),
      message_(new QLabel(this)) {
  setWindowTitle(tr("Keyboard shortcuts"));
  make_widgets();
  connect(search_, &QLineEdit::textChanged, this, &ShortcutOverview::filter);
  connect(list_, &QTreeWidget::currentItemChanged, this, &ShortcutOverview::show_current);
  connect(assign_, &QPushButton::clicked, this, [this] { assign(editor_->keySequence()); });
  connect(clear_, &QPushButton::clicked, this, [this] { assign({}); });
  connect(default_, &QPushButton::clicked, this, [this] {
    for (const views::ActionRegistry::Entry& entry : actions_.entries()) {
      if (entry.declaration.id == current_id()) return assign(entry.declaration.shortcut);
    }
  });
  connect(&actions_, &views::ActionRegistry::added, this, &ShortcutOverview::fill);
  connect(&actions_, &views::ActionRegistry::shortcuts_changed, this, &ShortcutOverview::fill);
  fill();
  resize(usual_size);
}

void ShortcutOverview::make_widgets() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(8);
  search_->setPlaceholderText(tr("Search"));
  search_->setAccessibleName(tr("Search shortcuts"));
  search_->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  search_->setClearButtonEnabled(true);
  list_->setColumnCount(column_count);
  list_->setHeaderLabels({tr("Action"), tr("Shortcut"), tr("Menu"), tr("Description")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAccessibleName(tr("Actions"));
  list_->header()->resizeSection(ActionColumn, 240);
  list_->header()->resizeSection(ShortcutColumn, 120);
  list_->header()->resizeSection(MenuColumn, 72);
  editor_->setAccessibleName(tr("New shortcut"));
  auto* row = new QHBoxLayout;
  row->addWidget(new QLabel(tr("New shortcut:"), this));
  row->addWidget(editor_, 1);
  for (QPushButton* button : {assign_, clear_, default_}) row->addWidget(button);
  auto* reset = new QPushButton(tr("Restore defaults"), this);
  connect(reset, &QPushButton::clicked, &actions_, &views::ActionRegistry::reset_shortcuts);
  row->addSpacing(16);
  row->addWidget(reset);
  for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
  message_->setWordWrap(true);
  message_->setForegroundRole(QPalette::BrightText);
  message_->setTextFormat(Qt::PlainText);
  column->addWidget(search_);
  column->addWidget(list_, 1);
  column->addLayout(row);
  column->addWidget(message_);
}

QString ShortcutOverview::message() const { return message_->text(); }

QString ShortcutOverview::current_id() const {
  const QTreeWidgetItem* item = list_->currentItem();
  return item != nullptr ? item->data(ActionColumn, Qt::UserRole).toString() : QString();
}

void ShortcutOverview::fill() {
  const QString current = current_id();
  list_->clear();
  for (const views::ActionRegistry::Entry& entry : actions_.entries()) {
    const QString shortcut = entry.action->shortcut().toString(QKeySequence::NativeText);
    auto* item = new QTreeWidgetItem(
        list_, {entry.declaration.text, shortcut, entry.declaration.menu, entry.declaration.help});
    item->setData(ActionColumn, Qt::UserRole, entry.declaration.id);
    item->setToolTip(HelpColumn, entry.declaration.help);
    if (entry.action->shortcut() != entry.declaration.shortcut) {
      QFont changed = list_->font();
      changed.setBold(true);
      item->setFont(ShortcutColumn, changed);
    }
    if (entry.declaration.id == current) list_->setCurrentItem(item);
  }
  filter();
  show_current();
}

void ShortcutOverview::filter() {
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    QStringList texts;
    for (int column = 0; column < column_count; ++column) texts.append(item->text(column));
    // Shortcuts match literally; names match fuzzily, with gaps.
    const bool fits = fuzzy_match(search_->text(), texts[ActionColumn]).has_value() ||
                      texts.join(QLatin1Char(' ')).contains(search_->text(), Qt::CaseInsensitive);
    item->setHidden(!fits);
  }
}

void ShortcutOverview::show_current() {
  const QAction* action = actions_.find(current_id());
  for (QWidget* widget : std::initializer_list<QWidget*>{editor_, assign_, clear_, default_})
    widget->setEnabled(action != nullptr);
  editor_->setKeySequence(action != nullptr ? action->shortcut() : QKeySequence());
}

void ShortcutOverview::assign(const QKeySequence& shortcut) {
  const QString holder = actions_.set_shortcut(current_id(), shortcut);
  message_->setText(
      holder.isEmpty() ? QString()
                       : tr("%1 is already assigned to \"%2\". Assign another shortcut to that action first.")
                             .arg(shortcut.toString(QKeySequence::NativeText), holder));
}

}  // namespace kernelscape::frame
