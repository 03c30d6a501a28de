#pragma once

#include <optional>
#include <vector>

#include "ui/views/compare/comparison_numbers.h"
#include "ui/views/view.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/study_watch.h"

class QComboBox;
class QPushButton;
class QStackedWidget;
class QTabWidget;

namespace kernelscape {

class ArmLegend;
class ChartRow;
class CompareCurveChart;
class ComparedRunsPage;
class ComparisonTablePanel;
class EmptyState;
class OverTasksPage;
class ShippedStudiesMenu;
class SmallMultiples;
class StackedBarChart;
class StudyDialog;
class ThemedLabel;
class VerdictPanel;

/**
 * Compare: a study, or chosen sessions. Curves with a table and what it decides, all tasks together, time and
 * errors, a small chart for each task, and the runs. Follows a study that runs, here or elsewhere; numbers
 * are computed in the background.
 */
class CompareView : public View {
  Q_OBJECT

 public:
  explicit CompareView(ViewContext context);

  /** The study that is shown; none: sessions, or nothing. */
  std::optional<StudyId> study() const { return source_.study; }
  /** What is shown, as it was read last; null: nothing yet. */
  const StudySnapshotPointer& snapshot() const { return snapshot_; }
  /** Axis, task, baseline and hidden runs, as the user set them. */
  const ComparisonChoice& choice() const { return choice_; }

  /** Of the study or the sessions compared, not of the current one. */
  QString provenance() const override;
  void focus_filter() override;
  /** Asks for the report of the study that is shown. */
  void export_current() override;
  bool report_current() override;

 public slots:
  /** In place of what is shown; it is read in the background. */
  void open_study(kernelscape::StudyId id);
  /** Compares sessions that a user chose, without a study. */
  void compare_sessions(const std::vector<kernelscape::SessionId>& sessions);
  /** Shows the dialog that makes one; its study is opened once it exists. */
  void new_study();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_source_bar();
  QWidget* make_choice_bar();
  QWidget* make_curves_page();
  QWidget* make_costs_page();
  QWidget* make_panel(Chart* chart);
  void make_actions();
  void connect_workspace();
  void connect_charts();

  void set_source(const CompareSource& source);
  void show_studies(const StudySummaries& studies);
  void show_snapshot(const StudySnapshotPointer& snapshot);
  void fill_choices();
  void take_choices();
  void compute();
  void show_numbers(ComparisonNumbers numbers);
  void show_curves();
  void toggle_maximised(QWidget* panel);
  void show_table();
  void fill_measures();
  void show_hidden();
  void show_state();
  void show_empty(const QString& headline, const QString& text, const QString& action);
  void act_on_empty();
  /** Whether the study is of recorded spaces, not of tuners. */
  bool analyses_spaces() const;
  /** The first of these spaces. */
  void explore_first();
  void show_highlight(std::optional<std::size_t> arm);
  void set_logarithmic(bool logarithmic);
  /** A logarithmic axis where all happens at its beginning, unless the user chose one. */
  void suggest_logarithmic();
  void stop_or_resume();
  const StudySummary* summary() const;
  bool study_running();
  QString state_text();

  CompareSource source_;
  StudySummaries studies_;
  StudySnapshotPointer snapshot_;
  ComparisonChoice choice_;
  std::optional<ComparisonNumbers> numbers_;
  std::optional<std::size_t> highlighted_;
  QString failure_;  ///< why the source can't be read
  JobTracker job_;
  JobTracker explore_job_;
  bool scale_chosen_ = false;  ///< linear or logarithmic, by the user, or once by what runs look like
  bool stale_ = false;         ///< a newer snapshot or choice waits for the job
  StudyRequestId awaited_ = 0;

  QComboBox* source_box_ = nullptr;
  ThemedLabel* state_label_ = nullptr;
  QPushButton* shipped_button_ = nullptr;
  ShippedStudiesMenu* shipped_menu_ = nullptr;
  QPushButton* run_button_ = nullptr;
  QPushButton* report_button_ = nullptr;
  ArmLegend* legend_ = nullptr;
  QWidget* choice_bar_ = nullptr;
  QComboBox* baseline_box_ = nullptr;
  QComboBox* axis_box_ = nullptr;
  QComboBox* performance_box_ = nullptr;
  QComboBox* task_box_ = nullptr;
  QComboBox* measure_box_ = nullptr;
  QComboBox* highlight_box_ = nullptr;
  QTabWidget* pages_ = nullptr;
  std::vector<CompareCurveChart*> curves_;  ///< one for each kind of figure
  ChartRow* curve_row_ = nullptr;           ///< those of them that the runs have values for
  std::vector<StackedBarChart*> costs_;
  SmallMultiples* tasks_ = nullptr;
  OverTasksPage* over_tasks_ = nullptr;
  ComparisonTablePanel* table_ = nullptr;
  VerdictPanel* verdicts_ = nullptr;
  ComparedRunsPage* runs_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
  StudyDialog* dialog_ = nullptr;
};

}  // namespace kernelscape
