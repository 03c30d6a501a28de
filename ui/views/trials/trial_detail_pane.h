#pragma once

#include <QWidget>
#include <memory>

#include "ui/workspace/jobs.h"
#include "ui/workspace/trial_details.h"
#include "ui/workspace/workspace.h"

class QStackedWidget;
class QTabWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class CodePanel;
class DifferencePanel;
class KnobPanel;
class MessagePanel;
class ProjectSpaceView;
class ResourcePanel;
class TimingPanel;
class TrialHeadline;
class WhyPanel;

/**
 * Shows the details of the current trial: knobs beside the best trial's, samples, the tuner's numbers,
 * resources of a GPU kernel, the full message, source, why it is as fast as it is, and the difference to
 * another trial's source.
 */
class TrialDetailPane : public QWidget {
  Q_OBJECT

 public:
  explicit TrialDetailPane(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Returns the details; null: no trial is chosen, or it is being read. */
  const std::shared_ptr<const workspace::TrialDetails>& details() const { return details_; }

  TrialHeadline& headline() { return *headline_; }  ///< speed or failure of the trial, above the tabs
  /**
   * Returns the tabs: knobs, timing, resources (hidden if the source has none), message, source, why,
   * difference.
   */
  QTabWidget& tabs() { return *tabs_; }
  /**
   * Returns the text shown in place of the details: no trial is chosen, it is being read, or it can't be
   * read; empty while a trial is shown.
   */
  QString state() const;

 signals:
  /** Emitted with a message for the notice bar: copied. */
  void notified(const QString& text);
  /** Emitted when code is shown with too little room. @param more missing height in pixels */
  void height_wanted(int more);
  /** Emitted when no code is shown that needs more room than the other tabs. */
  void height_released();

 private:
  void make_tabs();
  void load();
  void show_details(const workspace::Source& source, Result<workspace::TrialDetails> details);
  void show_source();
  void show_parameters();
  void show_line(int line);
  void show_state(const QString& text);
  void follow_source();

  workspace::Workspace& workspace_;
  std::shared_ptr<const workspace::TrialDetails> details_;
  std::int64_t previous_row_ = analysis::no_row;  ///< the trial that was shown before
  std::int64_t best_row_ = analysis::no_row;      ///< the trial that the shown one is compared with
  QStackedWidget* stack_ = nullptr;
  widgets::ThemedLabel* state_ = nullptr;
  TrialHeadline* headline_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  KnobPanel* knobs_ = nullptr;
  TimingPanel* timing_ = nullptr;
  ResourcePanel* resources_ = nullptr;
  MessagePanel* message_ = nullptr;
  CodePanel* code_ = nullptr;
  ProjectSpaceView* parameters_ = nullptr;              ///< shown beside the source of a user's own kernel
  std::shared_ptr<const kernel::Family> shown_family_;  ///< the kernel family whose space `parameters_` shows
  WhyPanel* why_ = nullptr;
  DifferencePanel* difference_ = nullptr;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
