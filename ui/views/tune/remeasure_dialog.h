#pragma once

#include <QDialog>

#include "ui/workspace/remeasurement.h"
#include "ui/workspace/source.h"

class QPushButton;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Measures one trial of a session again, beside the best trials, and shows what the measurement found. Not
 * modal; deletes itself when it is closed. Closing it does not stop the measurement.
 */
class RemeasureDialog : public QDialog {
  Q_OBJECT

 public:
  /**
   * @param workspace where later snapshots of the session appear; must outlive the dialog
   * @param measuring measures; must outlive the dialog
   * @param row of the trial in the source
   */
  RemeasureDialog(workspace::Workspace& workspace, workspace::MeasuringAgain& measuring,
                  workspace::Source source, std::int64_t row, QWidget* parent);

  /** Returns the text below the explanation: progress, what was found, or why nothing can be measured. */
  QString message() const;

 private:
  QString problem() const;
  void measure_or_stop();
  void show_state();
  void show_found(store::SessionId session, bool measured, const QString& found);
  void take_snapshot();

  /** What the last measurement of this dialog found. */
  struct Found {
    bool measured = false;
    QString text;  ///< empty: nothing was measured yet
  };

  workspace::Workspace& workspace_;
  workspace::MeasuringAgain& measuring_;
  workspace::Source source_;
  std::int64_t row_;
  std::int64_t trial_;
  Found found_;
  bool mine_ = false;  ///< the measurement in progress was started by this dialog
  widgets::ThemedLabel* message_;
  QPushButton* measure_;
};

}  // namespace kernelscape::views
