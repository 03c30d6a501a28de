#include "ui/views/library/page_head.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {

PageHead::PageHead(const QString& what_is_searched, const QString& rows, QWidget* parent)
    : QWidget(parent),
      search_(new QLineEdit),
      count_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      line_(new widgets::FlowLayout(style::grid_pixels / 2)) {
  setAccessibleName(tr("Search, and actions on the selected %1").arg(rows));
  search_->setPlaceholderText(what_is_searched);
  search_->setAccessibleName(tr("Search %1").arg(rows));
  search_->setClearButtonEnabled(true);
  search_->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  search_->setMinimumWidth(30 * style::grid_pixels);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, style::grid_pixels);
  all->addLayout(line_);
  auto* find = new QWidget;
  auto* row = new QHBoxLayout(find);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(style::grid_pixels);
  row->addWidget(search_, 1);
  row->addWidget(count_);
  line_->addWidget(find);
  // The last item takes the rest of its line; a button would be centred in it.
  line_->addWidget(new QWidget);
  connect(search_, &QLineEdit::textChanged, this, &PageHead::searched);
}

void PageHead::add_actions(const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize({2 * style::grid_pixels, 2 * style::grid_pixels});
    button->setAutoRaise(true);
    button->setAccessibleName(action->text());
    line_->insert_widget(line_->count() - 1, button);
  }
}

void PageHead::set_count(const QString& text) { count_->setText(text); }

QString PageHead::search() const { return search_->text(); }

void PageHead::clear_search() { search_->clear(); }

void PageHead::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

}  // namespace kernelscape::views
