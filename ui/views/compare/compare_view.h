#pragma once

#include <optional>
#include <vector>

#include "ui/views/compare/compare_status.h"
#include "ui/views/compare/comparison_numbers.h"
#include "ui/views/view.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/study_watch.h"

class QPushButton;
class QStackedWidget;

namespace kernelscape::widgets {
class EmptyState;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class AnalysedSpacesPage;
class ArmLegend;
class CompareChoiceBar;
class ComparePages;
class CompareSourceBar;
class StudyDialog;

/**
 * The view Compare: shows a study, or sessions that the user chose. It has what the comparison decides above
 * the curves and a table, a page over all tasks, a page of time and errors, a small chart for each task, and
 * the runs; for a study that analyses recorded spaces, the figures of these. It follows a running study, of
 * this window or of another process; the numbers are computed in the background.
 */
class CompareView : public View {
  Q_OBJECT

 public:
  explicit CompareView(ViewContext context);

  /** Returns the study that is shown; nullopt if sessions or nothing are shown. */
  std::optional<store::StudyId> study() const { return source_.study; }
  /** Returns the snapshot that is shown, as last read; null if nothing was read yet. */
  const workspace::StudySnapshotPointer& snapshot() const { return snapshot_; }
  /** Returns the axis, task, baseline and hidden runs, as the user set them. */
  const figures::ComparisonChoice& choice() const { return choice_; }

  /** Returns the provenance of the compared study or sessions, not of the current session. */
  QString provenance() const override;
  void focus_filter() override;
  /** Requests the report of the shown study. */
  void export_current() override;
  bool report_current() override;

 public slots:
  /** Replaces what is shown with this study, which is read in the background. */
  void open_study(kernelscape::store::StudyId id);
  /** Compares sessions that the user chose, without a study. */
  void compare_sessions(const std::vector<kernelscape::store::SessionId>& sessions);
  /** Shows the dialog that creates a study. The study is opened as soon as it exists. */
  void new_study();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void make_widgets();
  void make_actions();
  void connect_workspace();
  void connect_source_bar();
  void connect_pages();

  void set_source(const workspace::CompareSource& source);
  void show_studies(const workspace::StudySummaries& studies);
  void show_snapshot(const workspace::StudySnapshotPointer& snapshot);
  void fill_choices();
  void take_choices();
  void compute();
  void show_numbers(ComparisonNumbers numbers);
  void show_rows();
  void show_hidden();
  void show_state();
  void show_contents(bool ours);
  void act_on_empty();
  /** Returns true if the study analyses recorded spaces and compares no tuners. */
  bool analyses_spaces() const;
  void toggle_highlight(qint64 arm);
  void show_highlight(std::optional<std::size_t> arm);
  void set_logarithmic(bool logarithmic);
  /**
   * Switches to a logarithmic axis if all improvements happen early in the runs, unless the user chose an
   * axis.
   */
  void suggest_logarithmic();
  void stop_or_resume();
  void open_session(qint64 session, const QString& view);
  const store::StudySummary* summary() const;
  StudyProgress progress();

  workspace::CompareSource source_;
  workspace::StudySummaries studies_;
  workspace::StudySnapshotPointer snapshot_;
  figures::ComparisonChoice choice_;
  std::optional<ComparisonNumbers> numbers_;
  std::optional<std::size_t> highlighted_;
  QString failure_;  ///< why the source can't be read
  workspace::JobTracker job_;
  bool scale_chosen_ =
      false;            ///< the scale was chosen by the user, or once suggested by the shape of the runs
  bool stale_ = false;  ///< a newer snapshot or choice waits for the job to end
  workspace::StudyRequestId awaited_ = 0;

  CompareSourceBar* source_bar_;
  ArmLegend* legend_;
  QPushButton* choices_button_;  ///< shows and folds the choice bar
  CompareChoiceBar* choice_bar_;
  ComparePages* pages_;
  AnalysedSpacesPage* spaces_;
  widgets::EmptyState* empty_;
  QStackedWidget* stack_;
  StudyDialog* dialog_ = nullptr;
};

}  // namespace kernelscape::views
