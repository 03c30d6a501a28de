#include "ui/views/project/project_space_view.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QTextBlock>

#include "ui/widgets/code_view.h"
#include "ui/widgets/highlighting.h"

namespace kernelscape::views {
namespace {

constexpr int widest_name = 200;

enum FactColumn { NameColumn, ValueColumn, TrialColumn, FactColumnCount };

bool mentions(const QString& line, const QString& name) {
  for (qsizetype place = line.indexOf(name); place >= 0; place = line.indexOf(name, place + 1)) {
    const qsizetype end = place + name.size();
    const bool starts = place == 0 || !widgets::continues_word(line[place - 1]);
    if (starts && (end == line.size() || !widgets::continues_word(line[end]))) return true;
  }
  return false;
}

QTreeWidgetItem* add_group(QTreeWidget& tree, const ProjectFacts& facts) {
  auto* group = new QTreeWidgetItem(&tree, {facts.title});
  group->setFirstColumnSpanned(true);
  group->setFlags(Qt::ItemIsEnabled);
  QFont bold = tree.font();
  bold.setBold(true);
  group->setFont(NameColumn, bold);
  for (const auto& [name, value] : facts.rows) {
    auto* row = new QTreeWidgetItem(group, {name, value});
    for (const int column : {NameColumn, ValueColumn}) row->setToolTip(column, row->text(column));
    // A text without further columns spans the full width.
    if (value.isEmpty()) row->setFirstColumnSpanned(true);
  }
  group->setExpanded(true);
  return group;
}

}  // namespace

std::vector<int> lines_mentioning(const QString& text, const QString& name) {
  std::vector<int> lines;
  int number = 0;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    if (!name.isEmpty() && mentions(line, name)) lines.push_back(number);
    ++number;
  }
  return lines;
}

ProjectSpaceView::ProjectSpaceView(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(FactColumnCount);
  setHeaderLabels({tr("Space"), tr("Values"), tr("This trial")});
  setColumnHidden(TrialColumn, true);
  setAccessibleName(tr("Space of the project"));
  setRootIsDecorated(false);
  setIndentation(12);
  setUniformRowHeights(true);
  setFrameShape(QFrame::NoFrame);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  header()->setStretchLastSection(true);
  header()->setSectionsMovable(false);
  connect(this, &QTreeWidget::itemSelectionChanged, this, [this] {
    if (!choosing_) emit parameter_chosen(chosen_parameter());
  });
}

void ProjectSpaceView::show_facts(const ProjectFacts& parameters, const std::vector<ProjectFacts>& facts) {
  const QScopedValueRollback silence(choosing_, true);
  clear();
  parameters_ = add_group(*this, parameters);
  for (const ProjectFacts& group : facts) add_group(*this, group);
  setColumnHidden(TrialColumn, true);
  resizeColumnToContents(NameColumn);
  // A condition spans the columns, so that it does not widen the first one.
  setColumnWidth(NameColumn, std::min(columnWidth(NameColumn), widest_name));
}

void ProjectSpaceView::show_values(const space::SearchSpace& space,
                                   const space::Configuration& configuration) {
  if (parameters_ == nullptr || configuration.indices.size() != space.knobs().size()) return;
  for (int row = 0; row < parameters_->childCount(); ++row) {
    QTreeWidgetItem* item = parameters_->child(row);
    const auto knob = space.find_knob(item->text(NameColumn).toStdString());
    if (!knob) continue;
    item->setText(TrialColumn,
                  QString::fromStdString(space.knobs()[*knob].describe(configuration.indices[*knob])));
    item->setToolTip(TrialColumn, item->text(TrialColumn));
  }
  setColumnHidden(TrialColumn, false);
  // The values of this trial are the most important ones, so they are beside the name.
  header()->moveSection(header()->visualIndex(TrialColumn), 1);
  resizeColumnToContents(TrialColumn);
}

QStringList ProjectSpaceView::parameters() const {
  QStringList names;
  for (int row = 0; parameters_ != nullptr && row < parameters_->childCount(); ++row)
    names << parameters_->child(row)->text(NameColumn);
  return names;
}

QString ProjectSpaceView::chosen_parameter() const {
  const QList<QTreeWidgetItem*> chosen = selectedItems();
  const bool one = chosen.size() == 1 && chosen.front()->parent() == parameters_;
  return one ? chosen.front()->text(NameColumn) : QString();
}

void ProjectSpaceView::choose(const QStringList& parameters) {
  const QScopedValueRollback silence(choosing_, true);
  clearSelection();
  for (int row = 0; parameters_ != nullptr && row < parameters_->childCount(); ++row) {
    QTreeWidgetItem* item = parameters_->child(row);
    if (!parameters.contains(item->text(NameColumn))) continue;
    item->setSelected(true);
    scrollToItem(item);
  }
}

void ProjectSpaceView::link(widgets::CodeView& code) {
  connect(this, &ProjectSpaceView::parameter_chosen, &code, [&code](const QString& name) {
    const std::vector<int> lines = lines_mentioning(code.toPlainText(), name);
    code.set_linked_lines(lines);
    if (!lines.empty()) code.reveal_line(lines.front());
  });
  connect(&code, &widgets::CodeView::line_chosen, this, [this, &code](int line) {
    const QString text = code.document()->findBlockByNumber(line).text();
    QStringList mentioned;
    for (const QString& name : parameters())
      if (mentions(text, name)) mentioned << name;
    choose(mentioned);
    code.set_linked_lines(mentioned.isEmpty() ? std::vector<int>() : std::vector<int>{line});
  });
}

}  // namespace kernelscape::views
