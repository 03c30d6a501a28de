#pragma once

#include <QWidget>
#include <memory>

#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/difference_text.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/trial_details.h"

class QComboBox;
class QToolButton;

namespace kernelscape {

/** What differs between the sources of the current trial's kernel and another's: the best one, or the trial
 * that was current before. Equal stretches are folded. */
class DifferencePanel : public QWidget {
  Q_OBJECT

 public:
  explicit DifferencePanel(QWidget* parent = nullptr);

  /** @param previous_row of the trial that was current before, or no_row */
  void set_trial(const Source& source, const std::shared_ptr<const TrialDetails>& details,
                 std::int64_t previous_row);
  CodePanel& code() { return *code_; }  ///< both sources as one text, or why there is none

 signals:
  /** Something to tell in passing: the code was copied. */
  void notified(const QString& text);
  /** Both are to be shown beside each other. Rows of the source that the trial is of. */
  void pair_requested(qint64 row, qint64 other_row);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill_choices();
  void compare();
  void show_comparison(const Result<DifferenceText>& comparison);

  Source source_;
  std::shared_ptr<const TrialDetails> details_;
  std::int64_t previous_row_ = no_row;
  bool done_ = true;  ///< or under way
  QComboBox* other_ = nullptr;
  QToolButton* beside_ = nullptr;
  CodePanel* code_ = nullptr;
  JobTracker job_;
};

}  // namespace kernelscape
