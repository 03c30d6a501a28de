#pragma once

#include <optional>

#include "ui/models/predictor_model.h"
#include "ui/models/study_model.h"
#include "ui/views/view.h"
#include "ui/workspace/learning_watch.h"

class QStackedWidget;

namespace kernelscape::widgets {
class EmptyState;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class DataSetDialog;
class DataSetPage;
class LearningPanel;
class PredictorPages;
class TrainingDialog;

/**
 * The view Learn: data sets and the predictors that are trained on them for the tuner one-shot. Lists are on
 * the left; on the right are the tasks of the chosen data set, or the details of the chosen predictor.
 * Follows measurements and trainings of this window and of other processes.
 */
class LearnView : public View {
  Q_OBJECT

 public:
  explicit LearnView(ViewContext context);

  /** Returns the data set that is shown; nullopt: a predictor or nothing is shown. */
  std::optional<store::StudyId> data_set() const;
  /** Returns the predictor_key() of the shown predictor; empty: a data set or nothing is shown. */
  const QString& predictor() const { return predictor_key_; }

  /** Requests the report of what is shown. */
  void export_current() override;
  bool report_current() override;

 public slots:
  /** Shows a data set as soon as it is in the list. */
  void open_data_set(qint64 study);
  /** Shows a predictor as soon as it is in the list. @param key predictor_key() */
  void open_predictor(const QString& key);
  /** Shows the dialog that creates a data set. */
  void new_data_set();
  /** Shows the dialog that trains a predictor, with the shown data set checked. */
  void new_training();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void make_actions();
  void connect_workspace();
  void show_lists(const workspace::LearningListsPointer& lists);
  void choose_data_set();
  void choose_predictor();
  void show_runs();
  void show_page();
  void show_nothing();
  void toggle_data_set();
  void toggle_training();
  void open_session(qint64 session);

  workspace::LearningListsPointer lists_;
  models::StudyModel data_sets_model_;
  models::PredictorModel predictors_model_;
  std::optional<store::StudyId> data_set_;  ///< the requested data set
  QString predictor_key_;                   ///< key of the requested predictor; empty: none
  LearningPanel* data_sets_;
  LearningPanel* predictors_;
  DataSetPage* data_set_page_;
  PredictorPages* pages_;
  widgets::EmptyState* empty_;
  QStackedWidget* stack_;
  DataSetDialog* data_set_dialog_ = nullptr;
  TrainingDialog* training_dialog_ = nullptr;
};

}  // namespace kernelscape::views
