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
 * What is known of a predictor, and of a second one beside it: how it learnt (live), what it is worth on each
 * task that it did not learn from, and where it comes from. Predicting is left to background jobs.
 */
class PredictorPages : public QWidget {
  Q_OBJECT

 public:
  explicit PredictorPages(Workspace& workspace, QWidget* parent = nullptr);

  /** What there is to choose from; what is shown goes along. */
  void set_lists(const LearningListsPointer& lists);
  /** The training that this window runs: shown epoch by epoch. @param waits that of the first predictor, for
   * another one */
  void set_training(const std::optional<TrainingView>& training, bool waits = false);
  /** Another predictor, by predictor_key(); the second one stays where it is of the same template. */
  void open(const QString& key);
  /** Beside the first; empty: none. */
  void open_second(const QString& key);
  /** What is shown; null: the predictor is not known. */
  const std::shared_ptr<const ShownPredictors>& shown() const { return shown_; }

 signals:
  /** The report of what is shown is wanted. */
  void report_requested();
  /** Something to tell in passing, from a chart. */
  void notified(const QString& text);

 private:
  /** What a job brings home: the data set is kept for the next task. */
  struct Predicted {
    std::vector<ShownSamples> samples;
    std::shared_ptr<const DataSet> data;
  };
  /** What the samples that are shown were predicted from. */
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
  QString measurements_;  ///< "study 3"; empty: those that the predictor was trained on
  std::string task_;      ///< empty: the median of the test tasks
  std::shared_ptr<const ShownPredictors> shown_;
  SamplesChoice predicted_;  ///< of the samples, or of those that are being predicted
  std::vector<ShownSamples> samples_;
  std::shared_ptr<const DataSet> data_;  ///< that was read last
  std::string data_of_;                  ///< its measurements and predictor
  TaskOutcomeModel model_;

  WrappedLabel* title_ = nullptr;
  WrappedLabel* state_ = nullptr;
  QComboBox* second_box_ = nullptr;
  QComboBox* measurements_box_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  std::vector<std::pair<const FigureKind*, std::vector<Chart*>>> charts_;  ///< by kind, as many as can be
  ChartRow* task_charts_ = nullptr;
  LibraryTable* table_ = nullptr;
  QPlainTextEdit* origin_ = nullptr;
};

}  // namespace kernelscape
