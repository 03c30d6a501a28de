#pragma once

#include <QDialog>

#include "core/study/training_run.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QLayout;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace kernelscape {

class HyperparameterForm;
class ThemedLabel;

/** Makes a training: which measurements, for which template, with which settings. Not modal. */
class TrainingDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TrainingDialog(Workspace& workspace, QWidget* parent = nullptr);

  /** The data sets to choose from; those that are checked stay so. */
  void set_lists(const LearningListsPointer& lists);
  /** Checks this data set and no other. */
  void choose(StudyId data_set);
  /** What is filled in; an error where something can't be understood, or no data are chosen. */
  Result<TrainingRequest> request() const;
  /** What stands below the form. */
  QString message() const;

 public slots:
  /** Queues the training, or says below the form what is wrong. */
  void start();

 signals:
  /** The training that was started here is in the database. */
  void training_created(qint64 predictor);

 private:
  QLayout* make_form();
  QLayout* make_buttons();
  void show_model_defaults();
  void check();
  void show_problem(const QString& problem);

  Workspace& workspace_;
  qint64 awaited_ = 0;  ///< of the request that was queued here; 0: none
  std::string model_;   ///< whose defaults the settings have
  QLineEdit* name_;
  QListWidget* data_sets_;
  QLineEdit* others_;
  QComboBox* template_;
  QLineEdit* seed_;
  HyperparameterForm* settings_;
  ThemedLabel* message_;
  QPushButton* start_;
};

}  // namespace kernelscape
