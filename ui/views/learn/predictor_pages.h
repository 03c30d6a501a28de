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

namespace kernelscape {

class ChartRow;
class LibraryTable;
class WrappedLabel;

/**
 * Shows a predictor, and optionally a second one beside it: its training (live), its quality on each task
 * that it was not trained on, and its origin. Predictions are computed in background jobs.
 */
class PredictorPages : public QWidget {
  Q_OBJECT

 public:
  explicit PredictorPages(Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the predictors to choose from, and updates what is shown. */
  void set_lists(const LearningListsPointer& lists);
  /**
   * Sets the training that this window runs, which is shown epoch by epoch.
   * @param waits the training of the first predictor waits for another one
   */
  void set_training(const std::optional<TrainingView>& training, bool waits = false);
  /** Shows another predictor, by predictor_key(). The second predictor stays if it has the same template. */
  void open(const QString& key);
  /** Shows a second predictor beside the first; an empty key removes it. */
  void open_second(const QString& key);
  /** Returns what is shown; null: the predictor is not known. */
  const std::shared_ptr<const ShownPredictors>& shown() const { return shown_; }

 signals:
  /** Emitted when the user asks for the report of what is shown. */
  void report_requested();
  /** Emitted with a message of a chart for the notice bar. */
  void notified(const QString& text);

 private:
  /** The result of a prediction job. The data set is kept for the next task. */
  struct Predicted {
    std::vector<ShownSamples> samples;
    std::shared_ptr<const DataSet> data;
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
  Chart* add_chart(const FigureKind& kind);
  void fill_boxes();
  void choose_task();
  void update_shown();
  void show_figures();
  void show_task_charts(const std::vector<Chart*>& charts, std::size_t count);
  void show_origin();
  void predict();
  SamplesChoice samples_choice() const;
  static Predicted predict_all(const std::filesystem::path& database, const ShownPredictors& shown,
                               const QString& measurements, std::shared_ptr<const DataSet> data,
                               const JobControl& control);

  Workspace& workspace_;
  JobTracker job_;
  LearningListsPointer lists_;
  std::optional<TrainingView> training_;
  bool waits_ = false;
  QString key_;
  QString second_key_;
  QString measurements_;  ///< "study 3"; empty: the measurements that the predictor was trained on
  std::string task_;      ///< empty: the median of the test tasks
  std::shared_ptr<const ShownPredictors> shown_;
  SamplesChoice predicted_;  ///< input of the shown predictions, or of those being computed
  std::vector<ShownSamples> samples_;
  std::shared_ptr<const DataSet> data_;  ///< the data set that was read last
  std::string data_of_;                  ///< the measurements and the predictor of `data_`
  TaskOutcomeModel model_;

  WrappedLabel* title_ = nullptr;
  WrappedLabel* state_ = nullptr;
  QComboBox* second_box_ = nullptr;
  QComboBox* measurements_box_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  std::vector<std::pair<const FigureKind*, std::vector<Chart*>>>
      charts_;  ///< by kind, as many charts as can be shown
  ChartRow* task_charts_ = nullptr;
  LibraryTable* table_ = nullptr;
  QPlainTextEdit* origin_ = nullptr;
};

}  // namespace kernelscape
