#pragma once

#include <optional>

#include "core/study/data_set_plan.h"
#include "ui/widgets/request_dialog.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QDoubleSpinBox;
class QLayout;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace kernelscape::views {

/**
 * Creates a data set: the layers that tasks are drawn from, how they are drawn and how they are measured.
 * Shows the tasks before anything is measured.
 */
class DataSetDialog : public widgets::RequestDialog {
  Q_OBJECT

 public:
  explicit DataSetDialog(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Returns the request as filled in, or an error if the seed is not a number. */
  Result<study::DataSetRequest> request() const;
  /** Fills the form. Properties without a field are kept and become part of `request` again. */
  void set_request(const study::DataSetRequest& request);

 public slots:
  /** Draws the tasks in the background and lists them. */
  void draw();
  /**
   * Draws the tasks if they were not drawn yet, and queues the data set like a study: its sessions are
   * measured one by one.
   */
  void start() override;

 protected:
  void let_start_again() override;

 private:
  QLayout* make_form();
  void add_files();
  void forget_plan();
  void plan(bool then_start);
  void show_plan(const study::DataSetPlan& plan);
  void queue();

  workspace::Workspace& workspace_;
  workspace::JobTracker job_;
  study::DataSetRequest rest_;
  std::optional<study::DataSetPlan> plan_;  ///< plan of the form as filled in; nullopt: not drawn yet
  QLineEdit* name_;
  QComboBox* template_;
  QLineEdit* layers_;
  QComboBox* sampling_;
  QSpinBox* tasks_;
  QSpinBox* trials_;
  QDoubleSpinBox* max_gflop_;
  QLineEdit* held_out_;
  QComboBox* tuner_;
  QListWidget* drawn_;
  QPushButton* draw_;
};

}  // namespace kernelscape::views
