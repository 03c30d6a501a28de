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

namespace kernelscape {

/** Makes a data set: layers that tasks are drawn from, how they are drawn and how they are measured. Shows
 * the tasks before anything is measured. */
class DataSetDialog : public RequestDialog {
  Q_OBJECT

 public:
  explicit DataSetDialog(Workspace& workspace, QWidget* parent = nullptr);

  /** What is filled in; an error where the seed is no number. */
  Result<DataSetRequest> request() const;
  /** Fills the form; what it has no field for is kept and becomes part of `request` again. */
  void set_request(const DataSetRequest& request);

 public slots:
  /** Draws the tasks in the background and lists them. */
  void draw();
  /** Draws where nobody has, and queues the data set as studies are: its sessions are measured one by one. */
  void start() override;

 protected:
  void let_start_again() override;

 private:
  QLayout* make_form();
  void add_files();
  void forget_plan();
  void plan(bool then_start);
  void show_plan(const DataSetPlan& plan);
  void queue();

  Workspace& workspace_;
  JobTracker job_;
  DataSetRequest rest_;
  std::optional<DataSetPlan> plan_;  ///< of the form as it is filled in; none: not drawn yet
  QLineEdit* name_;
  QComboBox* template_;
  QLineEdit* layers_;
  QComboBox* sampling_;
  QSpinBox* tasks_;
  QSpinBox* trials_;
  QDoubleSpinBox* most_gflop_;
  QLineEdit* held_out_;
  QComboBox* tuner_;
  QListWidget* drawn_;
  QPushButton* draw_;
};

}  // namespace kernelscape
