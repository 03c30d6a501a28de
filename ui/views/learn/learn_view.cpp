#include "ui/views/learn/learn_view.h"

#include <QBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <algorithm>

#include "ui/models/predictor_text.h"
#include "ui/views/learn/data_set_dialog.h"
#include "ui/views/learn/data_set_page.h"
#include "ui/views/learn/learning_panel.h"
#include "ui/views/learn/predictor_pages.h"
#include "ui/views/learn/training_dialog.h"
#include "ui/widgets/empty_state.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape::views {
namespace {

constexpr int layout_version = 1;
/// Initial width of both lists, in pixels at text scale 1.
constexpr int lists_width = 42 * style::grid_pixels;

template <typename Dialog>
void raise_dialog(Dialog& dialog) {
  dialog.show();
  dialog.raise();
  dialog.activateWindow();
}

/** Returns why a data set can't be resumed; empty: it can. */
QString data_set_hindrance(const store::StudySummary& study) {
  if (study.owner) return LearnView::tr("Another process measures it.");
  if (study.done_runs >= study.record.run_count) return LearnView::tr("All of its tasks are measured.");
  return {};
}

/** Returns why a predictor's training can't be resumed; empty: it can. */
QString predictor_hindrance(const study::KnownPredictor& predictor) {
  if (!predictor.id) return LearnView::tr("It is built in and already trained.");
  if (predictor.state == store::to_string(store::PredictorState::Done))
    return LearnView::tr("It is trained.");
  if (predictor.state == store::to_string(store::PredictorState::Training))
    return LearnView::tr("Another process trains it.");
  return {};
}

}  // namespace

LearnView::LearnView(ViewContext context)
    : View(context, QStringLiteral("Learn"), QStringLiteral("learn"), layout_version),
      data_sets_(new LearningPanel(
          tr("Data sets"), data_sets_model_,
          {models::StudyModel::NameColumn, models::StudyModel::RunsColumn, models::StudyModel::StateColumn},
          tr("New data set..."))),
      predictors_(new LearningPanel(tr("Predictors"), predictors_model_,
                                    {models::PredictorModel::NameColumn, models::PredictorModel::StateColumn,
                                     models::PredictorModel::TauColumn},
                                    tr("Train..."))),
      data_set_page_(new DataSetPage),
      pages_(new PredictorPages(workspace())),
      empty_(new widgets::EmptyState),
      stack_(new QStackedWidget) {
  stack_->addWidget(empty_);
  stack_->addWidget(data_set_page_);
  stack_->addWidget(pages_);
  auto* lists = new QSplitter(Qt::Vertical);
  lists->setChildrenCollapsible(false);
  lists->addWidget(data_sets_);
  lists->addWidget(predictors_);
  auto* body = new QSplitter(Qt::Horizontal);
  body->setChildrenCollapsible(false);
  body->addWidget(lists);
  body->addWidget(stack_);
  body->setHandleWidth(style::grid_pixels);
  const int list_pixels = qRound(lists_width * style::text_scale());
  body->setSizes({list_pixels, 3 * list_pixels});
  body->setStretchFactor(0, 0);
  body->setStretchFactor(1, 1);
  auto* central = new QWidget;
  auto* layout = new QVBoxLayout(central);
  layout->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, style::grid_pixels);
  layout->addWidget(body);
  set_content(central);
  make_actions();
  connect_workspace();
  remember_default_layout();
  show_page();
}

void LearnView::make_actions() {
  const auto add = [this](const char* id, const QString& text, const QString& help,
                          std::function<void()> triggered) {
    actions().add({.id = QLatin1String(id), .text = text, .menu = QStringLiteral("Run"), .help = help},
                  [this, triggered = std::move(triggered)] {
                    emit view_requested(name());
                    triggered();
                  });
  };
  add("learn.new_data_set", tr("New data set..."),
      tr("Draws tasks and measures them as training data for a predictor"), [this] { new_data_set(); });
  add("learn.train", tr("Train a predictor..."), tr("Trains a predictor of kernel performance on data sets"),
      [this] { new_training(); });
  connect(data_sets_, &LearningPanel::new_requested, this, &LearnView::new_data_set);
  connect(predictors_, &LearningPanel::new_requested, this, &LearnView::new_training);
  connect(empty_, &widgets::EmptyState::action_triggered, this, &LearnView::new_data_set);
  connect(data_sets_, &LearningPanel::run_toggled, this, &LearnView::toggle_data_set);
  connect(predictors_, &LearningPanel::run_toggled, this, &LearnView::toggle_training);
  connect(data_sets_, &LearningPanel::chosen_changed, this, &LearnView::choose_data_set);
  connect(predictors_, &LearningPanel::chosen_changed, this, &LearnView::choose_predictor);
  connect(data_set_page_, &DataSetPage::session_opened, this, &LearnView::open_session);
  connect(data_set_page_, &DataSetPage::notified, this, &View::notified);
  connect(pages_, &PredictorPages::report_requested, this, &LearnView::export_current);
  connect(pages_, &PredictorPages::notified, this, &View::notified);
}

void LearnView::connect_workspace() {
  workspace::LearningWatch& watch = workspace().learning_watch();
  connect(&watch, &workspace::LearningWatch::lists_changed, this, &LearnView::show_lists);
  connect(&watch, &workspace::LearningWatch::data_set_changed, data_set_page_, &DataSetPage::set_snapshot);
  connect(&watch, &workspace::LearningWatch::failed, this, [this](const QString& message) {
    workspace().notices().warn(tr("Data sets and predictors can't be read"), message);
  });
  connect(&workspace().study_runner(), &workspace::StudyRunner::changed, this, &LearnView::show_runs);
  connect(&workspace().training_runner(), &workspace::TrainingRunner::changed, this, &LearnView::show_runs);
  connect(&workspace().training_runner(), &workspace::TrainingRunner::ended, this,
          [this](qint64 predictor, const QString& error) {
            if (!error.isEmpty())
              workspace().notices().warn(tr("Training predictor %1 ended").arg(predictor), error);
          });
  connect(&workspace(), &workspace::Workspace::data_set_requested, this, &LearnView::open_data_set);
  connect(&workspace(), &workspace::Workspace::predictor_requested, this, &LearnView::open_predictor);
}

void LearnView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  workspace().learning_watch().set_looked_at(this, true);
}

void LearnView::hideEvent(QHideEvent* event) {
  workspace().learning_watch().set_looked_at(this, false);
  View::hideEvent(event);
}

std::optional<store::StudyId> LearnView::data_set() const { return data_set_; }

void LearnView::export_current() {
  if (data_set_) {
    emit report_requested(*data_set_);
  } else if (!predictor_key_.isEmpty() && pages_->shown()) {
    emit predictors_report_requested(pages_->shown());
  } else {
    workspace().notices().warn(tr("There is nothing to report on."),
                               tr("Choose a data set or a predictor in Learn."));
  }
}

bool LearnView::report_current() {
  export_current();  // reports are what this view exports
  return true;
}

void LearnView::open_data_set(qint64 study) {
  data_set_ = study;
  predictor_key_.clear();
  workspace().learning_watch().watch(data_set_);
  show_page();
}

void LearnView::open_predictor(const QString& key) {
  predictor_key_ = key;
  data_set_.reset();
  workspace().learning_watch().watch(std::nullopt);
  show_page();
}

void LearnView::show_lists(const workspace::LearningListsPointer& lists) {
  lists_ = lists;
  data_sets_model_.set_studies(lists->data_sets);
  predictors_model_.set_predictors(lists->predictors);
  data_sets_->set_nothing(
      tr("No data set yet. A new data set draws tasks and measures them as training data for a predictor."));
  predictors_->set_nothing(tr("No predictor yet. Train one on a data set."));
  pages_->set_lists(lists);
  if (training_dialog_ != nullptr) training_dialog_->set_lists(lists);
  show_page();
}

void LearnView::choose_data_set() {
  const int row = data_sets_->chosen();
  if (row < 0) return show_runs();
  const store::StudyId id = data_sets_model_.study(row).record.id;
  if (data_set_ != id) open_data_set(id);
}

void LearnView::choose_predictor() {
  const int row = predictors_->chosen();
  if (row < 0) return show_runs();
  const QString key = models::predictor_key(predictors_model_.predictor(row));
  if (key != predictor_key_) open_predictor(key);
}

/** Chooses the rows of the shown item as soon as it is in the lists. */
void LearnView::show_page() {
  int data_set_row = -1;
  for (int row = 0; data_set_ && row < data_sets_model_.rowCount(); ++row)
    if (data_sets_model_.study(row).record.id == *data_set_) data_set_row = row;
  const int predictor_row = predictor_key_.isEmpty() ? -1 : predictors_model_.row_of(predictor_key_);
  data_sets_->choose(data_set_row);
  predictors_->choose(predictor_row);
  if (data_set_row >= 0) {
    data_set_page_->set_summary(data_sets_model_.study(data_set_row));
    stack_->setCurrentWidget(data_set_page_);
  } else if (predictor_row >= 0) {
    pages_->open(predictor_key_);
    stack_->setCurrentWidget(pages_);
  } else {
    show_nothing();
    stack_->setCurrentWidget(empty_);
  }
  show_runs();
}

void LearnView::show_nothing() {
  if (!lists_) return empty_->set_text(tr("Reading ..."), {}, {});
  if (data_set_ || !predictor_key_.isEmpty())
    return empty_->set_text(tr("Not in the lists"),
                            tr("A new data set or predictor is shown as soon as it has been read; a deleted "
                               "one no longer exists. Choose another one on the left."),
                            {});
  empty_->set_text(
      tr("Nothing is chosen"),
      tr("A predictor is trained on measurements of many tasks; after that the tuner one-shot tunes "
         "a task with one round of measurements. Choose a predictor, or make a data set first."),
      tr("New data set..."));
}

void LearnView::show_runs() {
  workspace::StudyRunner& studies = workspace().study_runner();
  workspace::TrainingRunner& trainings = workspace().training_runner();
  const std::optional<workspace::TrainingView> training = trainings.active();
  predictors_model_.set_training(training);
  const QString nothing = tr("Nothing is chosen in the list.");
  bool waits = false;
  if (const int row = data_sets_->chosen(); row >= 0) {
    const store::StudySummary& study = data_sets_model_.study(row);
    const std::optional<workspace::StudyRunView> active = studies.active();
    const bool here = studies.has(study.record.id);
    waits = here && (!active || active->id != study.record.id);
    data_sets_->set_run(here, here ? QString() : data_set_hindrance(study));
  } else {
    data_sets_->set_run(false, nothing);
  }
  data_set_page_->set_run(studies.active(), waits);
  waits = false;
  if (const int row = predictors_->chosen(); row >= 0) {
    const study::KnownPredictor& predictor = predictors_model_.predictor(row);
    const bool here = predictor.id && trainings.has(*predictor.id);
    waits = here && (!training || training->id != *predictor.id);
    predictors_->set_run(here, here ? QString() : predictor_hindrance(predictor));
  } else {
    predictors_->set_run(false, nothing);
  }
  pages_->set_training(training, waits);
}

void LearnView::toggle_data_set() {
  const int row = data_sets_->chosen();
  if (row < 0) return;
  const store::StudyId id = data_sets_model_.study(row).record.id;
  workspace::StudyRunner& runner = workspace().study_runner();
  if (runner.has(id)) {
    runner.stop(id);
  } else {
    runner.resume(id);
  }
}

void LearnView::toggle_training() {
  const int row = predictors_->chosen();
  if (row < 0 || !predictors_model_.predictor(row).id) return;
  const store::PredictorId id = *predictors_model_.predictor(row).id;
  workspace::TrainingRunner& runner = workspace().training_runner();
  if (runner.has(id)) {
    runner.stop(id);
  } else {
    runner.resume(id);
  }
}

void LearnView::open_session(qint64 session) {
  workspace().open_session(session);
  emit view_requested(QStringLiteral("Tune"));
}

void LearnView::new_data_set() {
  if (data_set_dialog_ == nullptr) {
    data_set_dialog_ = new DataSetDialog(workspace(), this);
    connect(data_set_dialog_, &DataSetDialog::created, this, &LearnView::open_data_set);
  }
  raise_dialog(*data_set_dialog_);
}

void LearnView::new_training() {
  if (training_dialog_ == nullptr) {
    training_dialog_ = new TrainingDialog(workspace(), this);
    connect(training_dialog_, &TrainingDialog::created, this,
            [this](qint64 predictor) { open_predictor(models::stored_predictor_key(predictor)); });
    if (lists_) training_dialog_->set_lists(lists_);
  }
  if (data_set_) training_dialog_->choose(*data_set_);
  raise_dialog(*training_dialog_);
}

}  // namespace kernelscape::views
