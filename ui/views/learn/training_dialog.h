#pragma once

#include "core/study/training_run.h"
#include "ui/widgets/request_dialog.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QLayout;
class QLineEdit;
class QListWidget;

namespace kernelscape {

class HyperparameterForm;

/** Makes a training: which measurements, for which template, with which settings. */
class TrainingDialog : public RequestDialog {
  Q_OBJECT

 public:
  explicit TrainingDialog(Workspace& workspace, QWidget* parent = nullptr);

  /** The data sets to choose from; those that are checked stay so. */
  void set_lists(const LearningListsPointer& lists);
  /** Checks this data set and no other. */
  void choose(StudyId data_set);
  /** What is filled in; an error where something can't be understood, or no data are chosen. */
  Result<TrainingRequest> request() const;

 public slots:
  void start() override;

 protected:
  void let_start_again() override { check(); }

 private:
  QLayout* make_form();
  void show_model_defaults();
  void check();

  Workspace& workspace_;
  std::string model_;  ///< whose defaults the settings have
  QLineEdit* name_;
  QListWidget* data_sets_;
  QLineEdit* others_;
  QComboBox* template_;
  HyperparameterForm* settings_;
};

}  // namespace kernelscape
