#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTableWidget>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/views/compare/study_dialog.h"
#include "ui/views/compare/study_files.h"

namespace kernelscape::views {
namespace {

/**
 * A table cell whose tool tip shows its whole text, which may be wider than the column, followed by the
 * allowed syntax.
 */
class ExplainedCell : public QTableWidgetItem {
 public:
  ExplainedCell(const QString& text, const QString& help) : QTableWidgetItem(text) { setToolTip(help); }

  QVariant data(int role) const override {
    QVariant own = QTableWidgetItem::data(role);
    if (role != Qt::ToolTipRole || text().isEmpty()) return own;
    return text() + QStringLiteral("\n\n") + own.toString();
  }
};

}  // namespace

QLayout* StudyDialog::make_form() {
  repeats_->setRange(1, 1000);
  repeats_->setValue(5);
  repeats_->setAccessibleName(tr("Repeats"));
  trials_->setRange(0, 10'000'000);
  trials_->setValue(200);
  trials_->setSpecialValueText(tr("not limited"));
  trials_->setAccessibleName(tr("Trials per run"));
  minutes_->setRange(0, 100'000);
  minutes_->setSpecialValueText(tr("not limited"));
  minutes_->setAccessibleName(tr("Minutes per run"));
  baseline_->setAccessibleName(tr("Baseline"));
  connect(baseline_, &QComboBox::activated, this, [this] {
    if (const Result<study::Definition> checked = study()) judge(*checked);
  });
  make_search_time();
  paired_starts_->setToolTip(tr("All tuners start a repeat of a task with the same seed"));
  controls_->setToolTip(
      tr("Also runs random search with the batch sizes of the other tuners, to show the effect of the batch "
         "size alone"));
  controls_->setChecked(true);
  auto* left = new QFormLayout;
  left->addRow(tr("Name"), name_);
  left->addRow(tr("Repeats"), repeats_);
  left->addRow(tr("Seed"), &seed_line());
  left->addRow(tr("Baseline"), baseline_);
  auto* right = new QFormLayout;
  right->addRow(tr("Trials per run"), trials_);
  right->addRow(tr("Minutes per run"), minutes_);
  auto* search = new QHBoxLayout;
  search->setSpacing(style::grid_pixels);
  search->addWidget(search_time_, 1);
  search->addWidget(candidate_seconds_);
  right->addRow(tr("Search time"), search);
  auto* fairness = new QHBoxLayout;
  fairness->setSpacing(style::grid_pixels);
  fairness->addWidget(paired_starts_);
  fairness->addWidget(controls_, 1);
  right->addRow(fairness);
  auto* form = new QHBoxLayout;
  form->setSpacing(2 * style::grid_pixels);
  form->addLayout(left, 1);
  form->addLayout(right, 1);
  for (const QLineEdit* line : {name_, &seed_line()})
    connect(line, &QLineEdit::textChanged, this, &StudyDialog::check);
  for (const QSpinBox* box : {repeats_, trials_})
    connect(box, &QSpinBox::valueChanged, this, &StudyDialog::check);
  for (const QCheckBox* box : {paired_starts_, controls_})
    connect(box, &QCheckBox::toggled, this, &StudyDialog::check);
  connect(minutes_, &QDoubleSpinBox::valueChanged, this, &StudyDialog::check);
  return form;
}

/** Makes the choice of how the tuner's own time counts on the clock of a replay. */
void StudyDialog::make_search_time() {
  using Kind = trial::SearchTime::Kind;
  search_time_->setAccessibleName(tr("Search time"));
  search_time_->setToolTip(
      tr("How the tuner's own time counts on the clock of a replay. Replays whose search "
         "time is not measured give the same result on every machine."));
  search_time_->addItem(tr("measured"), static_cast<int>(Kind::Measured));
  search_time_->addItem(tr("does not count"), static_cast<int>(Kind::None));
  search_time_->addItem(tr("constant"), static_cast<int>(Kind::Constant));
  constexpr double max_candidate_seconds = 86'400;
  constexpr int decimals = 9;
  candidate_seconds_->setDecimals(decimals);
  candidate_seconds_->setRange(0, max_candidate_seconds);
  candidate_seconds_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  candidate_seconds_->setSuffix(tr(" s per candidate"));
  candidate_seconds_->setAccessibleName(tr("Search seconds per candidate"));
  candidate_seconds_->hide();
  connect(search_time_, &QComboBox::currentIndexChanged, this, [this] {
    candidate_seconds_->setVisible(search_time().kind == Kind::Constant);
    check();
  });
  connect(candidate_seconds_, &QDoubleSpinBox::valueChanged, this, &StudyDialog::check);
}

trial::SearchTime StudyDialog::search_time() const {
  const auto kind = static_cast<trial::SearchTime::Kind>(search_time_->currentData().toInt());
  return {kind, kind == trial::SearchTime::Kind::Constant ? candidate_seconds_->value() : 0};
}

void StudyDialog::set_search_time(const trial::SearchTime& time) {
  candidate_seconds_->setValue(time.seconds_per_candidate);
  search_time_->setCurrentIndex(search_time_->findData(static_cast<int>(time.kind)));
}

QWidget* StudyDialog::make_tuners() {
  tuners_->setAccessibleName(tr("Tuners"));
  tuners_->setHorizontalHeaderLabels({tr("Tuner"), tr("Settings"), tr("Measuring"), tr("Batch")});
  QHeaderView* columns = tuners_->horizontalHeader();
  for (const int column : {tuner_column, batch_column})
    columns->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(settings_column, QHeaderView::Stretch);
  columns->setHighlightSections(false);
  // Settings that are longer than their column are wrapped.
  tuners_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  tuners_->verticalHeader()->hide();
  connect(columns, &QHeaderView::sectionResized, tuners_, &QTableWidget::resizeRowsToContents);
  tuners_->setShowGrid(false);
  tuners_->setTabKeyNavigation(false);
  connect(tuners_, &QTableWidget::itemChanged, this, &StudyDialog::check);
  auto* again = new QPushButton(tr("Duplicate tuner"));
  connect(again, &QPushButton::clicked, this, [this] {
    const int row = std::max(0, tuners_->currentRow());
    if (tuners_->rowCount() > 0) add_tuner_row(tuners_->item(row, tuner_column)->text(), {}, {}, {}, true);
  });
  auto* group = new QGroupBox(tr("Tuners"));
  group->setFlat(true);
  auto* layout = new QVBoxLayout(group);
  layout->setContentsMargins(0, style::grid_pixels, 0, 0);
  layout->addWidget(tuners_, 1);
  layout->addWidget(again);
  return group;
}

void StudyDialog::add_tuner_row(const QString& tuner, const QString& settings, const QString& measuring,
                                const QString& batch, bool checked) {
  const QSignalBlocker quiet(tuners_);
  const int row = tuners_->rowCount();
  tuners_->insertRow(row);
  auto* name = new QTableWidgetItem(tuner);
  name->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  name->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  tuners_->setItem(row, tuner_column, name);
  tuners_->setItem(row, settings_column,
                   new ExplainedCell(settings, tr("NAME=VALUE, NAME=VALUE; empty: the defaults")));
  tuners_->setItem(
      row, measuring_column,
      new ExplainedCell(measuring,
                        tr("How its kernels are measured: NAME=VALUE, such as adaptive_batch=2; empty: as "
                           "for the other tuners of the study.\nNot for recorded spaces")));
  tuners_->setItem(
      row, batch_column,
      new ExplainedCell(batch, tr("How many candidates the tuner proposes at a time; empty: its default")));
  check();
}

QWidget* StudyDialog::make_tasks() {
  tasks_->setAccessibleName(tr("Tasks"));
  task_filter_->setPlaceholderText(tr("Search tasks"));
  task_filter_->setClearButtonEnabled(true);
  connect(task_filter_, &QLineEdit::textChanged, this, &StudyDialog::filter_tasks);
  connect(tasks_, &QListWidget::itemChanged, this, &StudyDialog::check);
  auto* files = new QPushButton(tr("Add recorded spaces from files..."));
  connect(files, &QPushButton::clicked, files_, &StudyFiles::ask_for_spaces);
  auto* group = new QGroupBox(tr("Tasks"));
  group->setFlat(true);
  auto* layout = new QVBoxLayout(group);
  layout->setContentsMargins(0, style::grid_pixels, 0, 0);
  layout->addWidget(task_filter_);
  layout->addWidget(tasks_, 1);
  layout->addWidget(files);
  return group;
}

QLayout* StudyDialog::make_all_buttons() {
  auto* load_button = new QPushButton(tr("Load..."));
  auto* save_button = new QPushButton(tr("Save..."));
  connect(load_button, &QPushButton::clicked, files_, &StudyFiles::load);
  connect(save_button, &QPushButton::clicked, this, &StudyDialog::save);
  return make_buttons({load_button, save_button});
}

}  // namespace kernelscape::views
