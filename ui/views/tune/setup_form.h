#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "ui/views/tune/form_check.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kernelscape {

class BudgetFields;
class MeasuringFields;
class SpacePanel;
class TargetFields;
class TunerFields;

/**
 * Everything a session is started with, made from the declarations of tuners, templates and targets. It is
 * judged while the user types, in the background; what keeps it from starting stands above the buttons.
 */
class SetupForm : public QWidget {
  Q_OBJECT

 public:
  explicit SetupForm(Workspace& workspace, QWidget* parent = nullptr);

  /** As filled in, whether it can start or not. */
  TuningRequest request() const;
  /** Fills every field; texts that are not offered, such as a task's, are taken over as they are. */
  void set_request(const TuningRequest& request);
  /** Why it can't start; empty: it can. */
  QString problem() const;
  /** As last judged; of what is being looked up, as before. */
  const FormCheck& check() const { return check_; }
  /** Judged as it is filled in now. */
  bool checked() const { return checked_; }
  /** What it names may have changed: it is judged anew. */
  void look_again() { schedule_check(); }
  /** The keyboard goes to the task, its text is selected. */
  void focus_task();

 signals:
  /** Both buttons ask for the same; `Start` is enabled only while nothing runs. */
  void start_requested();
  /** The command line of this set-up is to be copied. */
  void copy_requested();
  /** Source and space of the project that is the task are to be seen. */
  void project_requested();
  /** The set-up was judged anew, or its budget edited. */
  void changed();

 private:
  /** Where an error of the check stands. */
  struct Complaint {
    QLabel* note = nullptr;
    std::optional<Error> FormCheck::* error = nullptr;
  };

  void complain_below(QFormLayout& form, std::optional<Error> FormCheck::* error);
  bool show_complaints();
  void make_task_group(QVBoxLayout& column);
  void make_tuner_group(QVBoxLayout& column);
  void make_budget_group(QVBoxLayout& column);
  void make_measuring_group(QVBoxLayout& column);
  void make_buttons(QVBoxLayout& column);

  // setup_form_project.cpp
  static QString task_help();
  static QString limits_help();
  QString project_note() const;
  std::string named_task() const;
  void make_project_rows(QFormLayout& form);
  void set_task(const std::string& task);
  void take_edited_task();
  void show_project();
  void load_catalogue();
  void schedule_check();
  void run_check();
  void show_check(const FormCheck& check);
  void show_templates(const FormCheck& check);
  void show_problem();
  void choose_target();
  void allow_options();
  void show_buttons();

  Workspace& workspace_;
  std::shared_ptr<const Result<Catalogue>> catalogue_;
  JobTracker catalogue_job_;
  JobTracker check_job_;
  QTimer check_timer_;
  FormCheck check_;
  bool checked_ = false;

  /** The project's file, or "project:ID", that the task's field names by `shown_project_`; empty: none. */
  std::string project_task_;
  QString shown_project_;
  QComboBox* task_ = nullptr;
  QLabel* task_text_ = nullptr;
  QLabel* project_notices_ = nullptr;
  QPushButton* see_project_ = nullptr;
  QCheckBox* outside_files_ = nullptr;
  TargetFields* target_ = nullptr;
  QComboBox* template_ = nullptr;
  SpacePanel* space_ = nullptr;
  QCheckBox* respect_limits_ = nullptr;
  TunerFields* tuner_ = nullptr;
  BudgetFields* budget_ = nullptr;
  MeasuringFields* measuring_ = nullptr;
  QLabel* problem_ = nullptr;
  std::vector<Complaint> complaints_;  ///< below the fields that they are about
  QPushButton* start_ = nullptr;
  QPushButton* queue_ = nullptr;
};

}  // namespace kernelscape
