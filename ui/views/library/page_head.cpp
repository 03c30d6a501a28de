#include "ui/views/library/page_head.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolBar>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {

PageHead::PageHead(const QString& what_is_searched, const QString& rows, QWidget* parent)
    : QWidget(parent),
      search_(new QLineEdit),
      count_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      tool_bar_(new QToolBar) {
  search_->setPlaceholderText(what_is_searched);
  search_->setAccessibleName(tr("Search %1").arg(rows));
  search_->setClearButtonEnabled(true);
  search_->addAction(style::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  search_->setMinimumWidth(30 * style::grid_pixels);
  tool_bar_->setAccessibleName(tr("Actions on the selected %1").arg(rows));
  tool_bar_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  tool_bar_->setIconSize({2 * style::grid_pixels, 2 * style::grid_pixels});
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, style::grid_pixels);
  row->setSpacing(style::grid_pixels);
  row->addWidget(search_, 1);
  row->addWidget(count_);
  row->addWidget(tool_bar_, 2);
  connect(search_, &QLineEdit::textChanged, this, &PageHead::searched);
}

void PageHead::add_actions(const QList<QAction*>& actions) { tool_bar_->addActions(actions); }

void PageHead::set_count(const QString& text) { count_->setText(text); }

QString PageHead::search() const { return search_->text(); }

void PageHead::clear_search() { search_->clear(); }

void PageHead::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

}  // namespace kernelscape::views
