#include "ui/views/learn/data_set_page.h"

#include <QVBoxLayout>

#include "ui/models/study_model.h"
#include "ui/style/numbers.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape {
namespace {

/** Returns "xgb, 128 trials of each task; drawn ...". */
QString definition_text(const StudyDefinition& definition) {
  QStringList parts;
  for (const StudyArm& arm : definition.arms)
    parts.append(
        DataSetPage::tr("%1, %2 trials of each task")
            .arg(QString::fromStdString(arm_text(definition, arm)), format_count(definition.budget.trials)));
  if (!definition.about.empty()) parts.append(QString::fromStdString(definition.about));
  return parts.join(QLatin1Char('\n'));
}

}  // namespace

DataSetPage::DataSetPage(QWidget* parent)
    : QWidget(parent),
      filter_([this](int row) { return QString::fromStdString(model_.task(row).task); },
              DataSetTaskModel::SortRole),
      title_(new ThemedLabel(TextSize::Large, &Colours::text)),
      state_(new ThemedLabel(TextSize::Normal, &Colours::muted_text)),
      table_(new LibraryTable(tr("Tasks of the data set"))) {
  setAccessibleName(tr("Data set"));
  filter_.setSourceModel(&model_);
  table_->setModel(&filter_);
  table_->stretch_first_column();
  table_->setSortingEnabled(true);
  // In the order in which they were drawn, until the user sorts them.
  table_->sortByColumn(-1, Qt::AscendingOrder);
  for (ThemedLabel* label : {title_, state_}) {
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(grid_pixels);
  layout->addWidget(title_);
  layout->addWidget(state_);
  layout->addWidget(table_, 1);
  connect(table_, &LibraryTable::row_opened, this, [this](int row) {
    const DataSetTask& task = model_.task(filter_.mapToSource(filter_.index(row, 0)).row());
    if (task.session) return emit session_opened(*task.session);
    emit notified(tr("This task was not started yet: it has no session to open."));
  });
}

void DataSetPage::set_summary(const StudySummary& summary) {
  if (summary.record.id != summary_.record.id) {
    snapshot_.reset();
    model_.set_tasks({});
  }
  summary_ = summary;
  show_state();
}

void DataSetPage::set_snapshot(const DataSetSnapshotPointer& snapshot) {
  if (snapshot->id != summary_.record.id) return;
  snapshot_ = snapshot;
  model_.set_tasks(snapshot->tasks);
  show_state();
}

void DataSetPage::set_run(const std::optional<StudyRunView>& run, bool waits) {
  waits_ = waits;
  run_ = run && run->id == summary_.record.id ? run : std::nullopt;
  show_state();
}

QString DataSetPage::state() const { return state_->text(); }

void DataSetPage::show_state() {
  title_->setText(QString::fromStdString(summary_.record.name));
  QString text = tr("%1, %2").arg(study_progress_text(summary_), study_state_text(summary_));
  if (run_ && run_->stopping) {
    text = tr("%1, stopping").arg(study_progress_text(summary_));
  } else if (waits_) {
    text = tr("%1, waits for another study").arg(study_progress_text(summary_));
  } else if (run_ && run_->progress.seconds_left >= 0) {
    text += QStringLiteral(", ") + format_duration_left(run_->progress.seconds_left);
  }
  if (snapshot_) {
    std::int64_t trials = 0;
    std::int64_t valid = 0;
    for (const DataSetTask& task : snapshot_->tasks) {
      trials += task.status.trial_count;
      valid += task.valid;
    }
    text += tr("; %1 trials, %2 of them valid").arg(format_count(trials), format_count(valid));
    if (const QString what = definition_text(snapshot_->definition); !what.isEmpty())
      text += QLatin1Char('\n') + what;
  } else {
    text += tr("; its tasks are being read");
  }
  state_->setText(text);
}

}  // namespace kernelscape
