#pragma once

#include <QGroupBox>
#include <filesystem>
#include <vector>

#include "core/study/study.h"
#include "ui/workspace/jobs.h"

class QLineEdit;
class QListWidget;

namespace kernelscape::views {

/** The tasks of a new study: those that are known, with a search, and a check mark if a task takes part. */
class StudyTaskList : public QGroupBox {
  Q_OBJECT

 public:
  explicit StudyTaskList(QWidget* parent = nullptr);

  /** Adds the recorded spaces of a database and the built-in tasks, in the background. */
  void load_known(const std::filesystem::path& database);
  /** Adds files of recorded spaces and checks them. Emits nothing. */
  void add_spaces(const QStringList& files);
  /** Returns the checked tasks. */
  std::vector<study::Task> chosen() const;
  /**
   * Checks only these tasks and moves them to the top, in their order, because the seeds of runs depend on a
   * task's position.
   */
  void set_chosen(const std::vector<study::Task>& tasks);

 signals:
  /** Emitted when the user chose other tasks, or the known tasks were added. */
  void changed();
  /** Emitted to ask for files of recorded spaces. */
  void spaces_requested();

 private:
  void add(const study::Task& task, const QString& text, bool checked);
  void lift(const std::vector<study::Task>& tasks);
  void filter();

  workspace::JobTracker job_;
  QLineEdit* filter_;
  QListWidget* list_;
};

}  // namespace kernelscape::views
