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

/** Configures a training: its measurements, template and settings. */
class TrainingDialog : public RequestDialog {
  Q_OBJECT

 public:
  explicit TrainingDialog(Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the data sets to choose from. Checked data sets stay checked. */
  void set_lists(const LearningListsPointer& lists);
  /** Checks this data set and unchecks all others. */
  void choose(StudyId data_set);
  /** Returns the request as filled in, or an error if a text can't be parsed or no data are chosen. */
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
  std::string model_;  ///< the model whose defaults the settings have
  QLineEdit* name_;
  QListWidget* data_sets_;
  QLineEdit* others_;
  QComboBox* template_;
  HyperparameterForm* settings_;
};

}  // namespace kernelscape
