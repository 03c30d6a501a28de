#pragma once

#include <QWidget>
#include <memory>

#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/difference_text.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/trial_details.h"

class QComboBox;
class QToolButton;

namespace kernelscape::views {

/**
 * Shows the differences between the source of the current trial's kernel and another one: the best trial, or
 * the trial that was current before. Equal stretches are folded.
 */
class DifferencePanel : public QWidget {
  Q_OBJECT

 public:
  explicit DifferencePanel(QWidget* parent = nullptr);

  /** Sets the trial. @param previous_row the trial that was current before, or no_row */
  void set_trial(const workspace::Source& source,
                 const std::shared_ptr<const workspace::TrialDetails>& details, std::int64_t previous_row);
  /** Compares with the trial that is now the best. @param source a newer snapshot of the trial's session */
  void follow_best(const workspace::Source& source);
  CodePanel& code() { return *code_; }  ///< both sources as one text, or why there is none

 signals:
  /** Emitted with a message for the notice bar: the code was copied. */
  void notified(const QString& text);
  /** Emitted to show both trials side by side; the arguments are rows of the trial's source. */
  void pair_requested(qint64 row, qint64 other_row);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill_choices();
  void compare_if_visible();
  void compare();
  void show_comparison(const Result<DifferenceText>& comparison);

  workspace::Source source_;
  std::shared_ptr<const workspace::TrialDetails> details_;
  std::int64_t previous_row_ = analysis::no_row;
  bool done_ = true;  ///< true: finished or in progress
  QComboBox* other_ = nullptr;
  QToolButton* beside_ = nullptr;
  CodePanel* code_ = nullptr;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
