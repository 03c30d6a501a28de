#pragma once

#include "core/study/training_run.h"
#include "ui/widgets/request_dialog.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QLayout;
class QLineEdit;
class QListWidget;

namespace kernelscape::widgets {
class HyperparameterForm;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Configures a training: its measurements, template and settings. */
class TrainingDialog : public widgets::RequestDialog {
  Q_OBJECT

 public:
  explicit TrainingDialog(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Sets the data sets to choose from. Checked data sets stay checked. */
  void set_lists(const workspace::LearningListsPointer& lists);
  /** Checks this data set and unchecks all others. */
  void choose(store::StudyId data_set);
  /** Returns the request as filled in, or an error if a text can't be parsed or no data are chosen. */
  Result<study::TrainingRequest> request() const;

 public slots:
  void start() override;

 protected:
  void let_start_again() override { check(); }

 private:
  QLayout* make_form();
  void show_model_defaults();
  void check();

  workspace::Workspace& workspace_;
  std::string model_;  ///< the model whose defaults the settings have
  QLineEdit* name_;
  QListWidget* data_sets_;
  QLineEdit* others_;
  QComboBox* template_;
  widgets::HyperparameterForm* settings_;
};

}  // namespace kernelscape::views
