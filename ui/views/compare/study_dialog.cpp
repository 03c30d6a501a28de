#include "ui/views/compare/study_dialog.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/compare/bundled_studies_menu.h"
#include "ui/views/compare/plan_panel.h"
#include "ui/views/compare/study_files.h"
#include "ui/views/compare/study_task_list.h"
#include "ui/views/compare/study_tuner_table.h"

namespace kernelscape::views {
namespace {

QLineEdit* make_line(const QString& name, const QString& text) {
  auto* line = new QLineEdit(text);
  line->setAccessibleName(name);
  return line;
}

}  // namespace

StudyDialog::StudyDialog(workspace::Workspace& workspace, QWidget* parent)
    : widgets::RequestDialog(tr("New study"), parent),
      workspace_(workspace),
      files_(new StudyFiles(*this)),
      name_(make_line(tr("Name of the study"), tr("my study"))),
      tuners_(new StudyTunerTable),
      tasks_(new StudyTaskList),
      repeats_(new QSpinBox),
      trials_(new QSpinBox),
      minutes_(new QDoubleSpinBox),
      search_time_(new QComboBox),
      candidate_seconds_(new QDoubleSpinBox),
      baseline_(new QComboBox),
      paired_starts_(new QCheckBox(tr("Paired starts"))),
      controls_(new QCheckBox(tr("Add random controls"))),
      plan_(new PlanPanel) {
  auto* lists = new QHBoxLayout;
  lists->setSpacing(style::grid_pixels);
  lists->addWidget(tuners_, 4);
  lists->addWidget(tasks_, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(style::grid_pixels);
  layout->addLayout(make_form());
  layout->addLayout(lists, 3);
  layout->addWidget(&message_line());
  layout->addWidget(plan_, 2);
  layout->addLayout(make_all_buttons());
  set_usual_size({960, 720});
  connect(tuners_, &StudyTunerTable::changed, this, &StudyDialog::check);
  connect(tasks_, &StudyTaskList::changed, this, &StudyDialog::check);
  connect_files();
  listen_to(workspace_.study_runner());
  check();
}

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

QLayout* StudyDialog::make_all_buttons() {
  auto* load_button = new QPushButton(tr("Load..."));
  auto* save_button = new QPushButton(tr("Save..."));
  connect(load_button, &QPushButton::clicked, files_, &StudyFiles::load);
  connect(save_button, &QPushButton::clicked, this, &StudyDialog::save);
  return make_buttons({load_button, save_button});
}

void StudyDialog::connect_files() {
  connect(tasks_, &StudyTaskList::spaces_requested, files_, &StudyFiles::ask_for_spaces);
  connect(files_, &StudyFiles::spaces_chosen, this, &StudyDialog::add_spaces);
  connect(files_, &StudyFiles::loaded, this, &StudyDialog::set_study);
  connect(files_, &StudyFiles::saved, this,
          [this](const QString& file) { notify(tr("Saved %1").arg(file)); });
  connect(files_, &StudyFiles::failed, this, [this](const QString& message) { show_problem(message); });
}

void StudyDialog::add_spaces(const QStringList& files) {
  tasks_->add_spaces(files);
  check();
}

void StudyDialog::save() {
  const Result<study::Definition> checked = study();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  files_->save(*checked);
}

void StudyDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  tasks_->load_known(workspace_.database());
}

Result<study::Definition> StudyDialog::study() const {
  study::Definition study = rest_;
  study.name = name_->text().trimmed().toStdString();
  study.arms = TRY(tuners_->arms(rest_));
  study.tasks = tasks_->chosen();
  study.repeats = repeats_->value();
  study.paired_starts = paired_starts_->isChecked();
  study.controls = controls_->isChecked();
  study.budget.trials = trials_->value();
  study.budget.minutes = minutes_->value();
  study.search_time = search_time();
  study.seed = TRY(seed());
  study.baseline = baseline_->currentText().toStdString();
  const bool known = std::ranges::find(study.arms, study.baseline, &study::Arm::name) != study.arms.end();
  if (!known) study.baseline.clear();
  TRY(study::check_study(study));
  return study;
}

void StudyDialog::set_study(const study::Definition& study) {
  rest_ = study;
  tuners_->set_arms(study);
  tasks_->set_chosen(study.tasks);
  name_->setText(QString::fromStdString(study.name));
  repeats_->setValue(study.repeats);
  paired_starts_->setChecked(study.paired_starts);
  controls_->setChecked(study.controls);
  trials_->setValue(static_cast<int>(std::min<std::int64_t>(study.budget.trials, trials_->maximum())));
  minutes_->setValue(study.budget.minutes);
  set_search_time(study.search_time);
  seed_line().setText(QString::number(study.seed));
  check();
  if (!study.baseline.empty()) baseline_->setCurrentText(QString::fromStdString(study.baseline));
}

QString StudyDialog::plan_text() const { return plan_->text(); }

void StudyDialog::judge(const study::Definition& study) {
  plan_job_.start(
      [study, reader = recorded_tasks_, database = workspace_.database()](const workspace::JobControl&) {
        const Result<store::Store> store = store::Store::open(database, store::OpenMode::ReadOnly);
        return study::plan_study(study, *reader, store ? &*store : nullptr);
      },
      [this](const study::StudyPlan& plan) { plan_->set_plan(plan); });
}

void StudyDialog::check() {
  const Result<study::Definition> checked = study();
  start_button().setEnabled(checked.has_value() && !awaiting());
  if (!checked) {
    plan_job_.cancel();
    plan_->clear();
    return show_problem(QString::fromStdString(describe(checked.error())));
  }
  judge(*checked);
  const QString chosen = baseline_->currentText();
  baseline_->clear();
  for (const study::Arm& arm : checked->arms) baseline_->addItem(QString::fromStdString(arm.name));
  baseline_->setCurrentIndex(std::max(0, baseline_->findText(chosen)));
  const auto real = std::ranges::count_if(checked->tasks, [](const study::Task& t) { return !t.recorded(); });
  study::Definition planned = *checked;
  study::add_controls(planned);
  const std::size_t controls = planned.arms.size() - checked->arms.size();
  const auto runs_per_task = static_cast<qint64>(planned.arms.size()) * checked->repeats;
  const qint64 runs = runs_per_task * std::ssize(checked->tasks);
  const QString tuners =
      controls == 0 ? tr("%1 tuners").arg(planned.arms.size())
                    : tr("%1 tuners (%2 of them random controls)").arg(planned.arms.size()).arg(controls);
  QString text = tr("%1 runs: %2 x %3 tasks x %4 repeats.")
                     .arg(style::format_count(runs), tuners)
                     .arg(checked->tasks.size())
                     .arg(checked->repeats);
  if (real == 0) {
    text += tr(" Replays only: they take seconds.");
  } else {
    text += tr(" Those measured on this machine take roughly %1.")
                .arg(style::format_duration(measuring_seconds(*checked)));
  }
  notify(text);
}

void StudyDialog::start() {
  Result<study::Definition> checked = study();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  start_button().setEnabled(false);
  notify(tr("Looking up tasks and templates ..."));
  await(workspace_.study_runner().start(std::move(*checked)));
}

}  // namespace kernelscape::views
