#include "ui/views/compare/compare_choice_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/views/compare/choice_box.h"
#include "ui/widgets/flow_layout.h"

namespace kernelscape::views {

CompareChoiceBar::CompareChoiceBar(const analysis::ComparedMeasure& measure, QWidget* parent)
    : QWidget(parent),
      baseline_(make_choice_box(tr("Baseline for speed-ups and tests"), 10)),
      axis_(make_choice_box(tr("Horizontal axis of the curves"), 8)),
      performance_(make_choice_box(tr("Value of the curves"), 12)),
      task_(make_choice_box(tr("Shown tasks"), 14)),
      measure_(make_choice_box(tr("Measure that tuners are compared by"), 14)),
      highlight_(make_choice_box(tr("Highlighted tuner"), 10)) {
  axis_->addItems({tr("wall time"), tr("trials")});
  for (const analysis::ComparedMeasure& offered : analysis::compared_measures()) {
    measure_->addItem(models::measure_text(offered));
    if (offered == measure) measure_->setCurrentIndex(measure_->count() - 1);
  }
  auto* lines = new widgets::FlowLayout(style::grid_pixels);
  lines->setContentsMargins(0, 0, 0, 0);
  setLayout(lines);
  add_choice(tr("Baseline"), baseline_);
  add_choice(tr("over"), axis_);
  add_choice(tr("show"), performance_);
  add_choice(tr("of"), task_);
  add_choice(tr("compare by"), measure_);
  add_choice(tr("Highlight"), highlight_);
  for (QComboBox* box : {baseline_, axis_, performance_, task_, measure_})
    connect(box, &QComboBox::activated, this, &CompareChoiceBar::changed);
  connect(highlight_, &QComboBox::activated, this,
          [this] { emit highlight_chosen(position_of(highlight_)); });
}

void CompareChoiceBar::add_choice(const QString& text, QComboBox* box) {
  auto* choice = new QWidget;
  auto* line = new QHBoxLayout(choice);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(style::grid_pixels);
  add_labelled_box(line, text, box);
  line->addStretch(1);
  layout()->addWidget(choice);
}

void CompareChoiceBar::set_runs(const analysis::ComparedRuns& runs, const figures::ComparisonChoice& choice) {
  fill_arms(runs, choice.baseline);
  fill_tasks(runs, choice.task);
  fill_performance(runs, choice);
}

void CompareChoiceBar::fill_arms(const analysis::ComparedRuns& runs, std::size_t baseline) {
  QStringList arms;
  QVariantList positions;
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    arms.append(QString::fromStdString(runs.arms[arm].name));
    positions.append(position_data(arm));
  }
  fill_choice_box(baseline_, arms, positions, position_data(baseline));
  fill_choice_box(highlight_, QStringList(tr("none")) + arms, QVariantList{position_data({})} + positions,
                  position_data(highlighted_));
}

/** If there is only one task, it stands for all tasks. */
void CompareChoiceBar::fill_tasks(const analysis::ComparedRuns& runs, std::optional<std::size_t> task) {
  QStringList names;
  QVariantList tasks;
  if (runs.tasks.size() != 1) {
    names.append(tr("all %1 tasks").arg(runs.tasks.size()));
    tasks.append(position_data({}));
  }
  for (std::size_t place = 0; place < runs.tasks.size(); ++place) {
    names.append(QString::fromStdString(runs.tasks[place].name));
    tasks.append(position_data(place));
  }
  fill_choice_box(task_, names, tasks, position_data(task));
}

void CompareChoiceBar::fill_performance(const analysis::ComparedRuns& runs,
                                        const figures::ComparisonChoice& choice) {
  const bool known = choice.task ? runs.tasks[*choice.task].optimum_known
                                 : std::ranges::all_of(runs.tasks, &analysis::ComparedTask::optimum_known);
  QStringList ways{known ? tr("% of optimum") : tr("% of best found")};
  QVariantList performance{false};
  if (choice.task) {
    ways.append(runs.tasks[*choice.task].floating_flops ? tr("GFLOPS") : tr("calls/s"));
    performance.append(true);
  }
  fill_choice_box(performance_, ways, performance, choice.performance);
}

void CompareChoiceBar::read(figures::ComparisonChoice& choice) const {
  choice.baseline = position_of(baseline_).value_or(0);
  choice.axis = axis_->currentIndex() == 0 ? analysis::CompareAxis::Seconds : analysis::CompareAxis::Trials;
  choice.task = position_of(task_);
  choice.performance = choice.task && performance_->currentData().toBool();
  choice.measure = analysis::compared_measures().at(static_cast<std::size_t>(measure_->currentIndex()));
}

void CompareChoiceBar::mark_measures(const ComparisonNumbers& numbers) {
  auto* items = qobject_cast<QStandardItemModel*>(measure_->model());
  const std::vector<analysis::ComparedMeasure> measures = analysis::compared_measures();
  const auto& rows = numbers.judged.rows;
  for (std::size_t place = 0; place < measures.size(); ++place) {
    const analysis::ComparedMeasure& measure = measures[place];
    const bool offered = rows.empty() || !analysis::less_is_better(measure) ||
                         !rows.front().goals.at(measure.goal).within_noise;
    QStandardItem* item = items->item(static_cast<int>(place));
    item->setEnabled(offered);
    const QString name = models::measure_text(measure);
    const bool alike = measure.by == analysis::CompareBy::FinalPerformance && numbers.finals_alike;
    item->setText(!offered ? tr("%1 (within the noise)").arg(name)
                  : alike  ? tr("%1 (not distinguishable)").arg(name)
                           : name);
  }
}

void CompareChoiceBar::choose_task(std::size_t task) {
  task_->setCurrentIndex(std::max(0, task_->findData(static_cast<int>(task))));
  emit changed();
}

void CompareChoiceBar::set_highlighted(std::optional<std::size_t> arm) {
  highlighted_ = arm;
  const QSignalBlocker quiet(highlight_);
  highlight_->setCurrentIndex(std::max(0, highlight_->findData(position_data(arm))));
}

}  // namespace kernelscape::views
