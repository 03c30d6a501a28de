#include "ui/views/trials/stage_panel.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int stage_indentation = 2 * style::grid_pixels;
constexpr int node_role = Qt::UserRole;
constexpr int stage_role = Qt::UserRole + 1;      ///< otherwise a loop
constexpr int has_lines_role = Qt::UserRole + 2;  ///< has lines in the loop nest

int node_of_item(const QTreeWidgetItem* item) { return item ? item->data(0, node_role).toInt() : -1; }

QString counted_nodes(const schedule::StageTree& tree, schedule::StageNodeKind kind, const QString& one,
                      const QString& many) {
  const auto count = std::ranges::count(tree.nodes, kind, &schedule::StageNode::kind);
  return count == 1 ? one : many.arg(style::format_count(count));
}

void add_text(const QTreeWidgetItem& item, int depth, QString& text) {
  text += QString(qsizetype{2} * depth, QLatin1Char(' ')) + item.text(0) + QLatin1Char('\n');
  for (int child = 0; child < item.childCount(); ++child) add_text(*item.child(child), depth + 1, text);
}

}  // namespace

StagePanel::StagePanel(QWidget* parent) : QWidget(parent) {
  note_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  note_->setMinimumWidth(0);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  copy_ = new QToolButton;
  copy_->setIcon(style::icon(QStringLiteral("copy")));
  copy_->setAutoRaise(true);
  copy_->setAccessibleName(tr("Copy the stages"));
  copy_->setToolTip(tr("Copy all of it"));
  connect(copy_, &QToolButton::clicked, this, &StagePanel::copy);
  make_tree();
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 4, 8, 4);
  line->setSpacing(8);
  line->addWidget(note_, 1);
  line->addWidget(copy_);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(line);
  all->addWidget(tree_, 1);
}

void StagePanel::make_tree() {
  tree_ = new QTreeWidget;
  tree_->setAccessibleName(tr("Stages and their loops"));
  tree_->setHeaderHidden(true);
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(stage_indentation);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setMouseTracking(true);
  tree_->viewport()->installEventFilter(this);
  const auto notify = [this](const QTreeWidgetItem* item) {
    if (!silent_ && item) emit node_chosen(node_of_item(item));
  };
  connect(tree_, &QTreeWidget::currentItemChanged, this, notify);
  // The current item can be chosen again after something was selected in another view.
  connect(tree_, &QTreeWidget::itemClicked, this, notify);
  connect(tree_, &QTreeWidget::itemEntered, this,
          [this](const QTreeWidgetItem* item) { emit node_hovered(node_of_item(item)); });
  connect(tree_, &QTreeWidget::viewportEntered, this, [this] { emit node_hovered(-1); });
}

void StagePanel::show_tree(const schedule::StageTree& tree) {
  const QScopedValueRollback silence(silent_, true);
  tree_->clear();
  items_.clear();
  for (std::size_t number = 0; number < tree.nodes.size(); ++number) {
    const schedule::StageNode& node = tree.nodes[number];
    auto* item = new QTreeWidgetItem({QString::fromStdString(node.text)});
    item->setToolTip(0, item->text(0));
    item->setData(0, node_role, static_cast<int>(number));
    item->setData(0, stage_role, node.kind == schedule::StageNodeKind::Stage);
    item->setData(0, has_lines_role, !node.lines.empty());
    if (node.parent < 0)
      tree_->addTopLevelItem(item);
    else
      items_[static_cast<std::size_t>(node.parent)]->addChild(item);
    items_.push_back(item);
  }
  tree_->expandAll();
  note_->setText(
      tr("%1, %2").arg(counted_nodes(tree, schedule::StageNodeKind::Stage, tr("1 stage"), tr("%1 stages")),
                       counted_nodes(tree, schedule::StageNodeKind::Loop, tr("1 loop"), tr("%1 loops"))));
  apply_theme();
}

void StagePanel::choose(int node) {
  const QScopedValueRollback silence(silent_, true);
  const bool there = node >= 0 && static_cast<std::size_t>(node) < items_.size();
  tree_->setCurrentItem(there ? items_[static_cast<std::size_t>(node)] : nullptr);
  if (there)
    tree_->scrollToItem(tree_->currentItem());
  else
    tree_->clearSelection();
}

int StagePanel::chosen() const { return node_of_item(tree_->currentItem()); }

QString StagePanel::whole_text() const {
  QString text;
  for (int root = 0; root < tree_->topLevelItemCount(); ++root) add_text(*tree_->topLevelItem(root), 0, text);
  return text;
}

void StagePanel::copy() {
  QGuiApplication::clipboard()->setText(whole_text());
  emit notified(tr("The stages were copied."));
}

/** Applies the theme: stages are emphasised; nodes without a line in the nest are muted. */
void StagePanel::apply_theme() {
  for (QTreeWidgetItem* item : items_) {
    QFont font = style::font_of(style::TextSize::Normal);
    font.setBold(item->data(0, stage_role).toBool());
    item->setFont(0, font);
    item->setForeground(
        0, item->data(0, has_lines_role).toBool() ? style::colours().text : style::colours().muted_text);
  }
}

bool StagePanel::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) apply_theme();
  return handled;
}

bool StagePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::Leave) emit node_hovered(-1);
  return QWidget::eventFilter(watched, event);
}

}  // namespace kernelscape::views
