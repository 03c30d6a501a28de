#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "ui/views/runs/error_notes.h"
#include "ui/views/tune/form_check.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kernelscape::views {

class BudgetFields;
class MeasuringFields;
class SpacePanel;
class TargetFields;
class TaskFields;
class TunerFields;

/**
 * The form with everything that starts a session, made from the declarations of tuners, templates and
 * targets. It is checked in the background while the user types; an error that prevents the start is shown
 * above the buttons.
 */
class SetupForm : public QWidget {
  Q_OBJECT

 public:
  explicit SetupForm(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Returns the request as filled in, valid or not. */
  session::TuningRequest request() const;
  /** Fills every field. Texts that are not offered, such as a task, are taken as they are. */
  void set_request(const session::TuningRequest& request);
  /** Returns why the session can't start; empty: it can. */
  QString problem() const;
  /** Returns the last check; while a new one runs, the previous one. */
  const FormCheck& check() const { return check_; }
  /** Returns true if the form was checked as it is now. */
  bool checked() const { return checked_; }
  /** Schedules a new check because the objects that the form names may have changed. */
  void look_again() { schedule_check(); }
  /** Moves the keyboard focus to the task and selects its text. */
  void focus_task();

 signals:
  /** Emitted by both buttons; `Start` is enabled only while nothing runs. */
  void start_requested();
  /** Emitted to copy the command line of this set-up. */
  void copy_requested();
  /** Emitted to show source and space of the project that is the task. */
  void project_requested();
  /** Emitted to show a page of the manual: "data/studies/README.md#which-tuner". */
  void manual_requested(const QString& page);
  /** Emitted after the set-up was checked, or its budget edited. */
  void changed();

 private:
  void make_task_group(QVBoxLayout& column);
  void make_tuner_group(QVBoxLayout& column);
  void make_budget_group(QVBoxLayout& column);
  void make_measuring_group(QVBoxLayout& column);
  void make_buttons(QVBoxLayout& column);

  void load_catalogue();
  void schedule_check();
  void run_check();
  void show_check(const FormCheck& check);
  void show_templates(const FormCheck& check);
  void allow_template();
  void show_advice();
  void show_problem();
  void choose_target();
  void show_limits();
  void allow_options();
  void show_buttons();

  workspace::Workspace& workspace_;
  std::shared_ptr<const Result<task::Catalogue>> catalogue_;
  workspace::JobTracker catalogue_job_;
  workspace::JobTracker check_job_;
  QTimer check_timer_;
  FormCheck check_;
  bool checked_ = false;

  TaskFields* task_ = nullptr;
  TargetFields* target_ = nullptr;
  QComboBox* template_ = nullptr;
  SpacePanel* space_ = nullptr;
  QCheckBox* respect_limits_ = nullptr;
  std::optional<bool> asked_limits_;  ///< the user's choice; nullopt: as the tuner has it by default
  TunerFields* tuner_ = nullptr;
  BudgetFields* budget_ = nullptr;
  MeasuringFields* measuring_ = nullptr;
  QLabel* problem_ = nullptr;
  ErrorNotes<FormCheck> errors_;
  QPushButton* start_ = nullptr;
  QPushButton* queue_ = nullptr;
};

}  // namespace kernelscape::views
