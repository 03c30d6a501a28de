#include "ui/views/learn/learning_panel.h"

#include <QAbstractItemModel>
#include <QBoxLayout>
#include <QPushButton>

#include "ui/style/theme.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int widest_column = 14 * style::grid_pixels;

}  // namespace

LearningPanel::LearningPanel(const QString& title, QAbstractItemModel& model, const QList<int>& columns,
                             const QString& new_text, QWidget* parent)
    : QWidget(parent),
      table_(new widgets::LibraryTable(title)),
      nothing_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      run_(new QPushButton) {
  setAccessibleName(title);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setModel(&model);
  for (int column = 0; column < model.columnCount(); ++column)
    table_->setColumnHidden(column, !columns.contains(column));
  // The list is narrow: names and long states are elided rather than scrolled.
  table_->stretch_first_column();
  table_->set_widest_column(widest_column);
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setWordWrap(true);
  nothing_->setText(tr("Reading ..."));
  auto* heading = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text);
  heading->set_bold(true);
  heading->setText(title);
  auto* new_button = new QPushButton(new_text);
  auto* line = new QHBoxLayout;
  line->setSpacing(style::grid_pixels);
  line->addWidget(heading, 1);
  line->addWidget(run_);
  line->addWidget(new_button);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(style::grid_pixels);
  layout->addLayout(line);
  layout->addWidget(table_, 1);
  layout->addWidget(nothing_, 1);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&model, signal, this, &LearningPanel::show_rows);
  connect(table_, &widgets::LibraryTable::rows_selected, this, &LearningPanel::chosen_changed);
  connect(new_button, &QPushButton::clicked, this, &LearningPanel::new_requested);
  connect(run_, &QPushButton::clicked, this, &LearningPanel::run_toggled);
  set_run(false, tr("Nothing is chosen in the list."));
  show_rows();
}

void LearningPanel::show_rows() {
  const bool any = table_->model()->rowCount() > 0;
  table_->setVisible(any);
  nothing_->setVisible(!any);
}

void LearningPanel::set_nothing(const QString& text) { nothing_->setText(text); }

int LearningPanel::chosen() const {
  const std::vector<int> rows = table_->selected_rows();
  return rows.empty() ? -1 : rows.front();
}

void LearningPanel::choose(int row) {
  if (row == chosen()) return;
  if (row < 0) {
    table_->clearSelection();
  } else {
    table_->selectRow(row);
  }
}

void LearningPanel::set_run(bool runs, const QString& hindrance) {
  run_->setText(runs ? tr("Stop") : tr("Resume"));
  run_->setToolTip(hindrance);
  run_->setEnabled(hindrance.isEmpty());
}

}  // namespace kernelscape::views
