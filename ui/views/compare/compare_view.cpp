#include "ui/views/compare/compare_view.h"

#include <QComboBox>
#include <QDate>
#include <QStandardItemModel>
#include <QTabWidget>
#include <algorithm>

#include "ui/charts/bars/stacked_bar_chart.h"
#include "ui/charts/row.h"
#include "ui/charts/small_multiples.h"
#include "ui/views/compare/arm_legend.h"
#include "ui/views/compare/compared_runs_page.h"
#include "ui/views/compare/comparison_table_panel.h"
#include "ui/views/compare/over_tasks_page.h"
#include "ui/views/compare/study_dialog.h"
#include "ui/views/compare/verdict_panel.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

/**
 * Fills a box and keeps its choice by its data; if the choice no longer exists, the first entry is chosen.
 * Equal entries are not replaced, so that an open list does not change under the mouse.
 */
void fill_box(QComboBox* box, const QStringList& texts, const QVariantList& data, const QVariant& chosen) {
  const QSignalBlocker quiet(box);
  bool same = box->count() == texts.size();
  for (int i = 0; same && i < box->count(); ++i) same = box->itemData(i) == data[i];
  if (!same) box->clear();
  for (int i = 0; i < texts.size(); ++i) {
    if (!same) box->addItem(texts[i], data[i]);
    if (box->itemText(i) != texts[i]) box->setItemText(i, texts[i]);
  }
  box->setCurrentIndex(std::max(0, box->findData(chosen)));
}

QVariant position_data(std::optional<std::size_t> position) {
  return position ? QVariant(static_cast<int>(*position)) : QVariant(-1);
}

std::optional<std::size_t> position_of(const QComboBox* box) {
  const int position = box->currentData().toInt();
  return position < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(position));
}

}  // namespace

QString CompareView::provenance() const {
  if (!snapshot_) return {};
  const analysis::ComparedRuns& runs = *snapshot_->runs;
  QStringList parts;
  if (source_.study) parts.append(tr("study %1").arg(*source_.study));
  parts.append(QString::fromStdString(runs.title));
  parts.append(runs.tasks.size() == 1 ? QString::fromStdString(runs.tasks.front().name)
                                      : tr("%1 tasks").arg(runs.tasks.size()));
  parts.append(runs.runs.size() == 1 ? tr("1 run") : tr("%1 runs").arg(runs.runs.size()));
  parts.append(QDate::currentDate().toString(Qt::ISODate));
  parts.removeAll(QString());
  return QStringLiteral("%1 · Kernelscape").arg(parts.join(QStringLiteral(", ")));
}

void CompareView::focus_filter() {
  pages_->setCurrentWidget(runs_);
  runs_->focus_search();
}

void CompareView::export_current() {
  if (source_.study) {
    emit report_requested(*source_.study);
  } else {
    workspace().notices().warn(tr("There is no study to report on."),
                               tr("Choose a study in Compare, or run a built-in study."));
  }
}

bool CompareView::report_current() {
  if (source_.study) emit report_requested(*source_.study);
  return source_.study.has_value();
}

void CompareView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  workspace().study_watch().set_active(true);
  if (stale_) compute();
}

void CompareView::hideEvent(QHideEvent* event) {
  workspace().study_watch().set_active(false);
  View::hideEvent(event);
}

void CompareView::open_study(store::StudyId id) {
  workspace::CompareSource source;
  source.study = id;
  set_source(source);
}

void CompareView::compare_sessions(const std::vector<store::SessionId>& sessions) {
  workspace::CompareSource source;
  source.sessions = sessions;
  set_source(source);
}

void CompareView::set_source(const workspace::CompareSource& source) {
  if (source == source_) return;
  source_ = source;
  job_.cancel();
  stale_ = false;
  snapshot_.reset();
  numbers_.reset();
  failure_.clear();
  figures::ComparisonChoice fresh;
  fresh.axis = choice_.axis;
  fresh.logarithmic = choice_.logarithmic;
  fresh.measure = choice_.measure;
  choice_ = fresh;
  scale_chosen_ = false;
  highlighted_.reset();
  runs_->show_all();
  runs_->set_runs(nullptr, false);
  workspace().study_watch().watch(source);
  show_studies(studies_);
}

const store::StudySummary* CompareView::summary() const {
  if (!studies_ || !source_.study) return nullptr;
  const auto found = std::ranges::find_if(
      *studies_, [&](const store::StudySummary& study) { return study.record.id == *source_.study; });
  return found == studies_->end() ? nullptr : &*found;
}

bool CompareView::study_running() {
  const store::StudySummary* study = summary();
  return study != nullptr && (study->owner || workspace().study_runner().has(study->record.id));
}

void CompareView::show_studies(const workspace::StudySummaries& studies) {
  studies_ = studies;
  QStringList texts;
  QVariantList ids;
  if (!source_.sessions.empty()) {
    texts.append(tr("%1 chosen sessions").arg(source_.sessions.size()));
    ids.append(QVariant(-1));
  }
  if (studies_) {
    for (const store::StudySummary& study : *studies_) {
      QString text = QStringLiteral("%1  (%2 of %3 runs%4)")
                         .arg(QString::fromStdString(study.record.name))
                         .arg(study.done_runs)
                         .arg(study.record.run_count)
                         .arg(study.owner ? tr(", running") : QString());
      texts.append(text);
      ids.append(QVariant::fromValue(qlonglong{study.record.id}));
    }
    // The newest study is shown first because it is the most likely one to be wanted.
    if (source_.empty() && !studies_->empty()) return open_study(studies_->front().record.id);
  }
  fill_box(source_box_, texts, ids,
           source_.study ? QVariant::fromValue(qlonglong{*source_.study}) : QVariant(-1));
  show_state();
}

void CompareView::show_snapshot(const workspace::StudySnapshotPointer& snapshot) {
  if (snapshot->source != source_) return;
  const bool first = snapshot_ == nullptr;
  snapshot_ = snapshot;
  failure_.clear();
  if (first) choice_.baseline = snapshot->baseline;
  suggest_logarithmic();
  fill_choices();
  runs_->set_runs(snapshot->runs, study_running());
  show_state();
  compute();
}

void CompareView::fill_choices() {
  const analysis::ComparedRuns& runs = *snapshot_->runs;
  QStringList arms;
  QStringList settings;
  QVariantList positions;
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    arms.append(QString::fromStdString(runs.arms[arm].name));
    settings.append(QString::fromStdString(runs.arms[arm].settings));
    positions.append(position_data(arm));
  }
  legend_->set_arms(arms, settings);
  fill_box(baseline_box_, arms, positions, position_data(choice_.baseline));
  fill_box(highlight_box_, QStringList(tr("none")) + arms, QVariantList{position_data({})} + positions,
           position_data(highlighted_));
  QStringList names{tr("all %1 tasks").arg(runs.tasks.size())};
  QVariantList tasks{position_data({})};
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    names.append(QString::fromStdString(runs.tasks[task].name));
    tasks.append(position_data(task));
  }
  // If there is only one task, it stands for all tasks.
  if (runs.tasks.size() == 1) {
    names.removeFirst();
    tasks.removeFirst();
    choice_.task = 0;
  }
  fill_box(task_box_, names, tasks, position_data(choice_.task));
  const bool known = choice_.task ? runs.tasks[*choice_.task].optimum_known
                                  : std::ranges::all_of(runs.tasks, &analysis::ComparedTask::optimum_known);
  QStringList ways{known ? tr("% of optimum") : tr("% of best found")};
  QVariantList performance{false};
  if (choice_.task) {
    ways.append(runs.tasks[*choice_.task].floating_flops ? tr("GFLOPS") : tr("calls/s"));
    performance.append(true);
  }
  fill_box(performance_box_, ways, performance, choice_.performance);
}

void CompareView::take_choices() {
  if (!snapshot_) return;
  choice_.baseline = position_of(baseline_box_).value_or(0);
  choice_.axis =
      axis_box_->currentIndex() == 0 ? analysis::CompareAxis::Seconds : analysis::CompareAxis::Trials;
  choice_.task = position_of(task_box_);
  choice_.performance = choice_.task && performance_box_->currentData().toBool();
  choice_.measure = analysis::compared_measures().at(static_cast<std::size_t>(measure_box_->currentIndex()));
  fill_choices();
  compute();
}

/**
 * Computes the numbers. A job that works on older data is allowed to finish, so that a live study is shown at
 * all.
 */
void CompareView::compute() {
  choice_.hidden_sessions = runs_->hidden();
  stale_ = job_.busy() || !isVisible();
  if (stale_ || !snapshot_ || snapshot_->runs->arms.empty()) return;
  job_.start(
      [snapshot = snapshot_, choice = choice_](const workspace::JobControl& control) {
        return comparison_numbers(*snapshot->runs, choice, control);
      },
      [this](std::optional<ComparisonNumbers> numbers) {
        if (numbers) show_numbers(std::move(*numbers));
        if (stale_) compute();
      });
}

void CompareView::show_numbers(ComparisonNumbers numbers) {
  numbers_ = std::move(numbers);
  show_curves();
  for (std::size_t chart = 0; chart < costs_.size(); ++chart) numbers_->costs[chart].show_in(*costs_[chart]);
  over_tasks_->show_figures(numbers_->over_tasks);
  tasks_->set_count(numbers_->tasks.size());
  for (std::size_t task = 0; task < numbers_->tasks.size(); ++task)
    numbers_->tasks[task].show_in(*tasks_->charts()[task]);
  fill_measures();
  show_hidden();
  show_state();
}

/**
 * Fills the box of measures. A goal that lies within the noise of every task can't be chosen; final
 * performances that can't be distinguished are marked.
 */
void CompareView::fill_measures() {
  auto* items = qobject_cast<QStandardItemModel*>(measure_box_->model());
  const std::vector<analysis::ComparedMeasure> measures = analysis::compared_measures();
  const auto& rows = numbers_->judged.rows;
  for (std::size_t place = 0; place < measures.size(); ++place) {
    const analysis::ComparedMeasure& measure = measures[place];
    const bool offered = rows.empty() || !analysis::less_is_better(measure) ||
                         !rows.front().goals.at(measure.goal).within_noise;
    QStandardItem* item = items->item(static_cast<int>(place));
    item->setEnabled(offered);
    const QString name = models::measure_text(measure);
    const bool alike = measure.by == analysis::CompareBy::FinalPerformance && numbers_->finals_alike;
    item->setText(!offered ? tr("%1 (within the noise)").arg(name)
                  : alike  ? tr("%1 (not distinguishable)").arg(name)
                           : name);
  }
}

void CompareView::show_curves() {
  for (std::size_t chart = 0; chart < curves_.size(); ++chart) {
    if (numbers_->curves[chart]) {
      numbers_->curves[chart]->show_in(*curves_[chart]);
      curve_row_->show_chart(curves_[chart], curves_[chart]->title());
    } else {
      curve_row_->hide_chart(curves_[chart]);
    }
  }
}

void CompareView::show_hidden() {
  const std::set<std::size_t>& hidden = legend_->hidden();
  for (charts::CompareCurveChart* chart : curves_) chart->set_hidden(hidden);
  for (charts::StackedBarChart* chart : costs_) chart->set_hidden(hidden);
  tasks_->set_hidden(hidden);
  over_tasks_->set_hidden(hidden);
  show_table();
  show_state();
}

/** Shows the arms that are not hidden: over all tasks and on each task, or on the chosen task. */
void CompareView::show_table() {
  if (!numbers_ || !snapshot_) return;
  models::JudgedRows rows = numbers_->judged;
  rows.axis = choice_.axis;
  rows.erase_if([&](const analysis::ComparisonRow& row) {
    return legend_->hidden().contains(row.arm) || (choice_.task && row.task != choice_.task);
  });
  verdicts_->set_lines(models::verdict_lines(rows, numbers_->hindrances));
  table_->rows().set_rows(std::move(rows));
}

void CompareView::show_highlight(std::optional<std::size_t> arm) {
  highlighted_ = arm;
  for (charts::CompareCurveChart* chart : curves_) chart->set_highlighted(arm);
  tasks_->set_highlighted(arm);
  over_tasks_->set_highlighted(arm);
  const QSignalBlocker quiet(highlight_box_);
  highlight_box_->setCurrentIndex(std::max(0, highlight_box_->findData(position_data(arm))));
}

void CompareView::suggest_logarithmic() {
  const bool any = std::ranges::any_of(snapshot_->runs->runs, [](const analysis::ComparedRun& run) {
    return run.finished && run.error.empty();
  });
  // The scale does not change again when more runs arrive.
  if (scale_chosen_ || !any) return;
  scale_chosen_ = true;
  set_logarithmic(analysis::improves_early(*snapshot_->runs, choice_.axis));
}

void CompareView::set_logarithmic(bool logarithmic) {
  if (choice_.logarithmic == logarithmic) return;
  choice_.logarithmic = logarithmic;
  for (charts::CompareCurveChart* chart : curves_) chart->set_x_logarithmic(logarithmic);
  tasks_->set_x_logarithmic(logarithmic);
  compute();
}

}  // namespace kernelscape::views
