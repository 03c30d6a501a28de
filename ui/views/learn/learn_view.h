#pragma once

#include <optional>

#include "ui/models/predictor_model.h"
#include "ui/models/study_model.h"
#include "ui/views/view.h"
#include "ui/workspace/learning_watch.h"

class QStackedWidget;

namespace kernelscape {

class DataSetDialog;
class DataSetPage;
class EmptyState;
class LearningPanel;
class PredictorPages;
class TrainingDialog;

/**
 * Learn: data sets and the predictors that are trained on them, for the tuner one-shot. Lists at the left; at
 * the right the tasks of the chosen data set, or what is known of the chosen predictor. Follows what is
 * measured and trained, here or elsewhere.
 */
class LearnView : public View {
  Q_OBJECT

 public:
  explicit LearnView(ViewContext context);

  /** The data set that is shown; none: a predictor, or nothing. */
  std::optional<StudyId> data_set() const;
  /** predictor_key() of the one that is shown; empty: a data set, or nothing. */
  const QString& predictor() const { return predictor_key_; }

  /** Asks for the report of what is shown. */
  void export_current() override;
  bool report_current() override;

 public slots:
  /** Shown once it is in the list. */
  void open_data_set(qint64 study);
  /** Shown once it is in the list. @param key predictor_key() */
  void open_predictor(const QString& key);
  /** Shows the dialog that makes one. */
  void new_data_set();
  /** Shows the dialog that makes one, with the data set that is shown. */
  void new_training();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void make_actions();
  void connect_workspace();
  void show_lists(const LearningListsPointer& lists);
  void choose_data_set();
  void choose_predictor();
  void show_runs();
  void show_page();
  void show_nothing();
  void toggle_data_set();
  void toggle_training();
  void open_session(qint64 session);

  LearningListsPointer lists_;
  StudyModel data_sets_model_;
  PredictorModel predictors_model_;
  std::optional<StudyId> data_set_;  ///< that is wanted
  QString predictor_key_;            ///< that is wanted; empty: none
  LearningPanel* data_sets_;
  LearningPanel* predictors_;
  DataSetPage* data_set_page_;
  PredictorPages* pages_;
  EmptyState* empty_;
  QStackedWidget* stack_;
  DataSetDialog* data_set_dialog_ = nullptr;
  TrainingDialog* training_dialog_ = nullptr;
};

}  // namespace kernelscape
