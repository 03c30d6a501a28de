#pragma once

#include <QDialog>
#include <optional>

#include "core/study/data_set_plan.h"
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

class ThemedLabel;

/** Makes a data set: layers that tasks are drawn from, how they are drawn and how they are measured. Shows
 * the tasks before anything is measured. Not modal. */
class DataSetDialog : public QDialog {
  Q_OBJECT

 public:
  explicit DataSetDialog(Workspace& workspace, QWidget* parent = nullptr);

  /** What is filled in; an error where the seed is no number. */
  Result<DataSetRequest> request() const;
  /** Fills the form; what it has no field for is kept and becomes part of `request` again. */
  void set_request(const DataSetRequest& request);
  /** What stands below the form: how the tasks were drawn, or what is wrong. */
  QString message() const;

 public slots:
  /** Draws the tasks in the background and lists them. */
  void draw();
  /** Draws where nobody has, and queues the data set as studies are: its sessions are measured one by one. */
  void start();

 signals:
  /** The data set that was started here is in the database. */
  void data_set_created(qint64 study);

 private:
  QLayout* make_form();
  QLayout* make_buttons();
  void add_files();
  void forget_plan();
  void plan(bool then_start);
  void show_plan(const DataSetPlan& plan);
  void show_problem(const QString& problem);
  void queue();

  Workspace& workspace_;
  JobTracker job_;
  DataSetRequest rest_;
  std::optional<DataSetPlan> plan_;  ///< of the form as it is filled in; none: not drawn yet
  StudyRequestId awaited_ = 0;
  QLineEdit* name_;
  QComboBox* template_;
  QLineEdit* layers_;
  QComboBox* sampling_;
  QSpinBox* tasks_;
  QSpinBox* trials_;
  QDoubleSpinBox* most_gflop_;
  QLineEdit* held_out_;
  QComboBox* tuner_;
  QLineEdit* seed_;
  QListWidget* drawn_;
  ThemedLabel* message_;
  QPushButton* draw_;
  QPushButton* start_;
};

}  // namespace kernelscape
