#pragma once

#include <QObject>
#include <string>

#include "ui/views/tune/form_check.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QWidget;

namespace kernelscape::session {
struct TuningRequest;
}  // namespace kernelscape::session

namespace kernelscape::views {

/**
 * The form rows that name the task: one of the catalogue, a file, a task written out, or a project of the
 * user's own kernel, which has rows of its own.
 */
class TaskFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the rows to a form. @param parent of the fields */
  TaskFields(QFormLayout& rows, QWidget* parent);

  /** Writes the task, and whether the files of its project may be outside its folder. */
  void write(session::TuningRequest& request) const;
  /** Fills the fields. A project is shown by its name, because its path would be cut. */
  void read(const session::TuningRequest& request);
  /** Returns true if the task may be a project; only a check finds out. */
  bool names_project() const { return !project_task_.empty(); }
  /** Offers the tasks of the catalogue; the typed text stays. */
  void offer(const task::Catalogue& catalogue);
  /** Shows the task that was checked, and the rows of its project if it is one. */
  void show_check(const FormCheck& check);
  /** Enables or disables the field of the task. */
  void set_enabled(bool enabled);
  /** Moves the keyboard focus to the task and selects its text. */
  void focus();

 signals:
  /** Emitted when a field was edited. */
  void changed();
  /** Emitted to show source and space of the project. */
  void project_requested();

 private:
  void make_task_rows(QFormLayout& rows, QWidget* parent);
  void make_project_rows(QFormLayout& rows, QWidget* parent);
  void take_edited_task();
  void show_name(const FormCheck& check);
  void show_project(const FormCheck& check);

  /** The project's file, or "project:ID", for which the task field shows `shown_project_`; empty: none. */
  std::string project_task_;
  QString shown_project_;
  QComboBox* task_ = nullptr;
  QLabel* task_text_ = nullptr;
  QLabel* project_notices_ = nullptr;
  QPushButton* see_project_ = nullptr;
  QCheckBox* outside_files_ = nullptr;
};

}  // namespace kernelscape::views
