#pragma once

#include <QTimer>
#include <optional>

#include "ui/views/view.h"
#include "ui/workspace/remeasurement.h"
#include "ui/workspace/run_queue.h"

class QDockWidget;
class QVBoxLayout;

namespace kernelscape::views {

class HeadlineBar;
class LiveCharts;
class ProjectOpener;
class RunControls;
class RunStarter;
class SetupForm;
class SourceAndSpace;
class TrialDetailPane;
class TrialTablePanel;

/** The view Tune: shows the set-up, the headline, the live charts, the trial table and the current trial. */
class TuneView : public View {
  Q_OBJECT

 public:
  /** @param remeasure measures trials again; replaced in tests */
  explicit TuneView(ViewContext context, workspace::Remeasure remeasure = session::measure_best_again);

  /** Fills the form and shows it. */
  void prepare_run(const session::TuningRequest& request);
  /** Changes only the target of the form, and shows the form. */
  void tune_on(const std::string& target);
  /**
   * Makes a project of the user's own kernel the task of the form, with the target that runs its language,
   * and shows source and space. Errors of the project are shown in the form.
   */
  void open_project(const QString& path);
  void focus_filter() override;

  SetupForm& form() { return *form_; }                   ///< the set-up, in its dock
  const SetupForm& form() const { return *form_; }       ///< the set-up, read-only
  LiveCharts& charts() { return *charts_; }              ///< charts of the current source
  const LiveCharts& charts() const { return *charts_; }  ///< charts of the current source, read-only
  TrialTablePanel& table() { return *table_; }           ///< the trials of the current source

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void make_room() override { fit_charts(); }

 private:
  void make_actions(workspace::Remeasure remeasure);
  void make_center();
  void make_docks();
  void connect_form();
  void connect_trials();
  void connect_workspace();
  void make_headline_row(QVBoxLayout& column);
  void new_run();
  void follow_form();
  void hide_project();
  void copy_command_line();
  void follow_run(workspace::RunId run, store::SessionId session);
  void show_headline();
  void show_setup(bool shown);
  void fit_charts();
  /** Returns the run of this window that writes the current source, if any. */
  std::optional<workspace::RunView> current_run();

  SetupForm* form_ = nullptr;
  HeadlineBar* headline_ = nullptr;
  LiveCharts* charts_ = nullptr;
  TrialTablePanel* table_ = nullptr;
  TrialDetailPane* details_ = nullptr;
  QDockWidget* setup_dock_ = nullptr;
  QDockWidget* trials_dock_ = nullptr;
  QDockWidget* trial_dock_ = nullptr;
  SourceAndSpace* project_ = nullptr;
  QDockWidget* project_dock_ = nullptr;  ///< folded unless the form has a project
  RunStarter* starter_ = nullptr;
  RunControls* controls_ = nullptr;
  ProjectOpener* opener_ = nullptr;
  QAction* new_action_ = nullptr;
  QTimer headline_timer_;
};

}  // namespace kernelscape::views
