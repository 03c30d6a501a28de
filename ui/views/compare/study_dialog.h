#pragma once

#include <memory>

#include "core/study/planned_comparison.h"
#include "core/study/study.h"
#include "ui/widgets/request_dialog.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/workspace.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace kernelscape::views {

class PlanPanel;
class StudyFiles;
class StudyTaskList;
class StudyTunerTable;

/**
 * Creates a study of tuners, tasks, repeats and a budget. Reports errors while the user fills in the form.
 */
class StudyDialog : public widgets::RequestDialog {
  Q_OBJECT

 public:
  explicit StudyDialog(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Returns the study as filled in, or an error if a text can't be parsed. */
  Result<study::Definition> study() const;
  /** Fills the form. Properties without a field are kept and become part of `study` again. */
  void set_study(const study::Definition& study);
  /** Returns the shown text about what the study can and cannot decide. */
  QString plan_text() const;

 public slots:
  void start() override;

 protected:
  void showEvent(QShowEvent* event) override;
  void let_start_again() override { check(); }

 private:
  QLayout* make_form();
  void make_search_time();
  QLayout* make_all_buttons();
  trial::SearchTime search_time() const;
  void set_search_time(const trial::SearchTime& time);
  void connect_files();
  void add_spaces(const QStringList& files);
  void save();
  void check();
  /** Determines what the study can decide; recordings are read in the background. */
  void judge(const study::Definition& study);

  workspace::Workspace& workspace_;
  StudyFiles* files_;
  workspace::JobTracker plan_job_;
  std::shared_ptr<study::PlannedTaskReader> recorded_tasks_ = std::make_shared<study::PlannedTaskReader>();
  study::Definition rest_;  ///< properties of a loaded study that the form has no field for
  QLineEdit* name_;
  StudyTunerTable* tuners_;
  StudyTaskList* tasks_;
  QSpinBox* repeats_;
  QSpinBox* trials_;
  QDoubleSpinBox* minutes_;
  QComboBox* search_time_;
  QDoubleSpinBox* candidate_seconds_;  ///< if a constant number of seconds counts as search time
  QComboBox* baseline_;
  QCheckBox* paired_starts_;
  QCheckBox* controls_;
  PlanPanel* plan_;
};

}  // namespace kernelscape::views
