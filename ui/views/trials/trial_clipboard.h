#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

#include "ui/views/trials/trial_selection.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::views {

/** Copies trials to the clipboard: as rows for a spreadsheet, as JSON, or as a command line. */
class TrialClipboard : public QObject {
  Q_OBJECT

 public:
  /** The workspace, the model and the selection must outlive this object. @param parent owner of this object
   */
  TrialClipboard(workspace::Workspace& workspace, models::TrialTableModel& model,
                 const TrialSelection& selection, QObject* parent);

  /**
   * Copies the selected trials that are shown, else the current trial, as tab-separated text in the C locale,
   * with a header.
   * @param columns names of the columns
   */
  void copy_rows(const QStringList& columns);
  /** Copies the configuration of a trial as JSON. */
  void copy_configuration(std::int64_t row);
  /** Copies the command that measures the configuration of a trial. */
  void copy_command_line(std::int64_t row);

 signals:
  /** A message for the notice bar. */
  void notified(const QString& text);

 private:
  void copy_text(const QString& text, const QString& reported);
  std::vector<std::int64_t> rows_to_copy() const;

  workspace::Workspace& workspace_;
  models::TrialTableModel& model_;
  const TrialSelection& selection_;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
