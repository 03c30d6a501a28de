#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "ui/figures/predictor_figures.h"
#include "ui/figures/registry.h"
#include "ui/models/task_outcome_model.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/training_runner.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QPlainTextEdit;
class QTabWidget;

namespace kernelscape::charts {
class Row;
}  // namespace kernelscape::charts

namespace kernelscape::widgets {
class LibraryTable;
class WrappedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Shows a predictor, and optionally a second one beside it: its training (live), its quality on each task
 * that it was not trained on, and its origin. Predictions are computed in background jobs.
 */
class PredictorPages : public QWidget {
  Q_OBJECT

 public:
  explicit PredictorPages(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the predictors to choose from, and updates what is shown. */
  void set_lists(const workspace::LearningListsPointer& lists);
  /**
   * Sets the training that this window runs, which is shown epoch by epoch.
   * @param waits the training of the first predictor waits for another one
   */
  void set_training(const std::optional<workspace::TrainingView>& training, bool waits = false);
  /** Shows another predictor, by predictor_key(). The second predictor stays if it has the same template. */
  void open(const QString& key);
  /** Shows a second predictor beside the first; an empty key removes it. */
  void open_second(const QString& key);
  /** Returns what is shown; null: the predictor is not known. */
  const std::shared_ptr<const figures::ShownPredictors>& shown() const { return shown_; }

 signals:
  /** Emitted when the user asks for the report of what is shown. */
  void report_requested();
  /** Emitted with a message of a chart for the notice bar. */
  void notified(const QString& text);

 private:
  /** The result of a prediction job. The data set is kept for the next task. */
  struct Predicted {
    std::vector<figures::ShownSamples> samples;
    std::shared_ptr<const predictor::DataSet> data;
  };
  /** The input from which the shown samples were predicted. */
  struct SamplesChoice {
    std::vector<QString> hashes;
    std::string task;
    QString measurements;

    bool operator==(const SamplesChoice&) const = default;
  };

  QWidget* make_head();
  QWidget* make_training_page();
  QWidget* make_tasks_page();
  QWidget* make_origin_page();
  charts::Chart* add_chart(const figures::Kind& kind);
  void fill_boxes();
  void choose_task();
  void update_shown();
  void show_figures();
  void show_task_charts(const std::vector<charts::Chart*>& charts, std::size_t count);
  void show_origin();
  void predict();
  SamplesChoice samples_choice() const;
  static Predicted predict_all(const std::filesystem::path& database, const figures::ShownPredictors& shown,
                               const QString& measurements, std::shared_ptr<const predictor::DataSet> data,
                               const workspace::JobControl& control);

  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
  workspace::LearningListsPointer lists_;
  std::optional<workspace::TrainingView> training_;
  bool waits_ = false;
  QString key_;
  QString second_key_;
  QString measurements_;  ///< "study 3"; empty: the measurements that the predictor was trained on
  std::string task_;      ///< empty: the median of the test tasks
  std::shared_ptr<const figures::ShownPredictors> shown_;
  SamplesChoice predicted_;  ///< input of the shown predictions, or of those being computed
  std::vector<figures::ShownSamples> samples_;
  std::shared_ptr<const predictor::DataSet> data_;  ///< the data set that was read last
  std::string data_of_;                             ///< the measurements and the predictor of `data_`
  models::TaskOutcomeModel model_;

  widgets::WrappedLabel* title_ = nullptr;
  widgets::WrappedLabel* state_ = nullptr;
  QComboBox* second_box_ = nullptr;
  QComboBox* measurements_box_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  std::vector<std::pair<const figures::Kind*, std::vector<charts::Chart*>>>
      charts_;  ///< by kind, as many charts as can be shown
  charts::Row* task_charts_ = nullptr;
  widgets::LibraryTable* table_ = nullptr;
  QPlainTextEdit* origin_ = nullptr;
};

}  // namespace kernelscape::views
