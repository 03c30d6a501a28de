#pragma once

#include <QPointer>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/codegen/dialect.h"
#include "ui/views/view.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/remeasurement.h"
#include "ui/workspace/run_queue.h"

class QDockWidget;
class QToolButton;
class QVBoxLayout;

namespace kernelscape::views {

class HeadlineBar;
class LiveCharts;
class ResumeDialog;
class SetupForm;
class SourceAndSpace;
class TrialDetailPane;
class TrialTablePanel;
struct TrustQuestion;

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
  void make_actions();
  void make_headline_row(QVBoxLayout& column);
  void new_run();
  void start();
  void start_project(const session::TuningRequest& request, TrustQuestion question);
  void queue_run(const session::TuningRequest& request);
  void show_project(const std::filesystem::path& file, std::optional<codegen::Dialect> language);
  void follow_form();
  void hide_project();
  void pause_or_resume();
  void stop();
  void resume();
  void measure_best_again();
  void measure_trial(std::int64_t row);
  void copy_command_line();
  void follow_run(workspace::RunId run, store::SessionId session);
  void show_headline();
  void show_controls();
  void show_setup(bool shown);
  void fit_charts();
  /** Returns the run of this window that writes the current source, if any. */
  std::optional<workspace::RunView> current_run();
  /** Returns why the current source can't be resumed; empty: it can. */
  QString resume_problem();

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
  workspace::JobTracker project_job_;
  workspace::JobTracker trust_job_;  ///< reads a project again before the user is asked to trust it
  std::optional<std::pair<std::filesystem::path, codegen::Dialect>>
      awaiting_devices_;  ///< a project that waits until the devices are known
  QToolButton* pause_button_ = nullptr;
  QToolButton* stop_button_ = nullptr;
  QAction* new_action_ = nullptr;
  QAction* start_action_ = nullptr;
  QAction* pause_action_ = nullptr;
  QAction* stop_action_ = nullptr;
  QAction* resume_action_ = nullptr;
  QAction* measure_action_ = nullptr;
  QPointer<ResumeDialog> resume_dialog_;
  workspace::MeasuringAgain measuring_;
  QTimer headline_timer_;
};

}  // namespace kernelscape::views
