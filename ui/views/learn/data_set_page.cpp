#include "ui/views/learn/data_set_page.h"

#include <QVBoxLayout>

#include "ui/models/study_model.h"
#include "ui/style/numbers.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

/** Returns "xgb, 128 trials of each task; drawn ...". */
QString definition_text(const study::Definition& definition) {
  QStringList parts;
  for (const study::Arm& arm : definition.arms)
    parts.append(DataSetPage::tr("%1, %2 trials of each task")
                     .arg(QString::fromStdString(study::arm_text(definition, arm)),
                          style::format_count(definition.budget.trials)));
  if (!definition.about.empty()) parts.append(QString::fromStdString(definition.about));
  return parts.join(QLatin1Char('\n'));
}

}  // namespace

DataSetPage::DataSetPage(QWidget* parent)
    : QWidget(parent),
      filter_([this](int row) { return QString::fromStdString(model_.task(row).task); },
              models::DataSetTaskModel::SortRole),
      title_(new widgets::ThemedLabel(style::TextSize::Large, &style::Colours::text)),
      state_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      table_(new widgets::LibraryTable(tr("Tasks of the data set"))) {
  setAccessibleName(tr("Data set"));
  filter_.setSourceModel(&model_);
  table_->setModel(&filter_);
  table_->stretch_first_column();
  table_->setSortingEnabled(true);
  // In the order in which they were drawn, until the user sorts them.
  table_->sortByColumn(-1, Qt::AscendingOrder);
  for (widgets::ThemedLabel* label : {title_, state_}) {
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(style::grid_pixels);
  layout->addWidget(title_);
  layout->addWidget(state_);
  layout->addWidget(table_, 1);
  connect(table_, &widgets::LibraryTable::row_opened, this, [this](int row) {
    const study::DataSetTask& task = model_.task(filter_.mapToSource(filter_.index(row, 0)).row());
    if (task.session) return emit session_opened(*task.session);
    emit notified(tr("This task was not started yet: it has no session to open."));
  });
}

void DataSetPage::set_summary(const store::StudySummary& summary) {
  if (summary.record.id != summary_.record.id) {
    snapshot_.reset();
    model_.set_tasks({});
  }
  summary_ = summary;
  show_state();
}

void DataSetPage::set_snapshot(const workspace::DataSetSnapshotPointer& snapshot) {
  if (snapshot->id != summary_.record.id) return;
  snapshot_ = snapshot;
  model_.set_tasks(snapshot->tasks);
  show_state();
}

void DataSetPage::set_run(const std::optional<workspace::StudyRunView>& run, bool waits) {
  waits_ = waits;
  run_ = run && run->id == summary_.record.id ? run : std::nullopt;
  show_state();
}

QString DataSetPage::state() const { return state_->text(); }

void DataSetPage::show_state() {
  title_->setText(QString::fromStdString(summary_.record.name));
  QString text = tr("%1, %2").arg(models::study_progress_text(summary_), models::study_state_text(summary_));
  if (run_ && run_->stopping) {
    text = tr("%1, stopping").arg(models::study_progress_text(summary_));
  } else if (waits_) {
    text = tr("%1, waits for another study").arg(models::study_progress_text(summary_));
  } else if (run_ && run_->progress.seconds_left >= 0) {
    text += QStringLiteral(", ") + style::format_duration_left(run_->progress.seconds_left);
  }
  if (snapshot_) {
    std::int64_t trials = 0;
    std::int64_t valid = 0;
    for (const study::DataSetTask& task : snapshot_->tasks) {
      trials += task.status.trial_count;
      valid += task.valid;
    }
    text += tr("; %1 trials, %2 of them valid").arg(style::format_count(trials), style::format_count(valid));
    if (const QString what = definition_text(snapshot_->definition); !what.isEmpty())
      text += QLatin1Char('\n') + what;
  } else {
    text += tr("; its tasks are being read");
  }
  state_->setText(text);
}

}  // namespace kernelscape::views
