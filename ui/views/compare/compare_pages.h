#pragma once

#include <QTabWidget>
#include <optional>
#include <set>
#include <vector>

#include "ui/views/compare/comparison_numbers.h"

namespace kernelscape::charts {
class Chart;
class CompareCurveChart;
class Row;
class SmallMultiples;
class StackedBarChart;
}  // namespace kernelscape::charts

namespace kernelscape::views {

class ComparedRunsPage;
class ComparisonTablePanel;
class OverTasksPage;
class VerdictPanel;

/**
 * The pages of a comparison: curves below what the comparison decides and above a table, all tasks together,
 * time and errors, a small chart for each task, and the runs.
 */
class ComparePages : public QTabWidget {
  Q_OBJECT

 public:
  explicit ComparePages(QWidget* parent = nullptr);

  /** Shows the figures of the numbers in the charts. */
  void show_figures(const ComparisonNumbers& numbers);
  /**
   * Shows rows in the table, and what they decide.
   * @param hindrances why tests can't give a verdict, as sentences
   */
  void show_rows(models::JudgedRows rows, const std::vector<std::string>& hindrances);
  /** Hides tuners in the charts, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Highlights one tuner in the charts; nullopt: none. */
  void set_highlighted(std::optional<std::size_t> arm);
  /** Sets whether the curves have a logarithmic horizontal axis. */
  void set_x_logarithmic(bool logarithmic);
  /** Shows the page of curves. */
  void show_curves();
  /** Shows the page of runs, and moves the keyboard focus to its search. */
  void search_runs();
  ComparedRunsPage& runs() { return *runs_; }  ///< page of the runs

 signals:
  /** A tuner was activated in a chart, with its position in the study. */
  void arm_activated(qint64 arm);
  /** A task was activated, with its position in the study. */
  void task_activated(qint64 task);
  /** The user switched the horizontal axis of a chart. */
  void x_logarithmic_chosen(bool logarithmic);
  /** A chart has a message for the notice bar. */
  void notified(const QString& text);

 private:
  QWidget* make_curves_page();
  QWidget* make_costs_page();
  void connect_curves();
  void connect_panel(charts::Chart* chart);
  void connect_tasks();

  std::vector<charts::CompareCurveChart*> curves_;  ///< one chart for each kind of figure
  charts::Row* curve_row_ = nullptr;                ///< the curve charts for which the runs have values
  std::vector<charts::StackedBarChart*> costs_;
  charts::SmallMultiples* tasks_;
  OverTasksPage* over_tasks_ = nullptr;
  ComparisonTablePanel* table_ = nullptr;
  VerdictPanel* verdicts_ = nullptr;
  ComparedRunsPage* runs_;
};

}  // namespace kernelscape::views
