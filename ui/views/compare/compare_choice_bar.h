#pragma once

#include <QWidget>
#include <optional>

#include "ui/views/compare/comparison_numbers.h"

class QComboBox;

namespace kernelscape::views {

/** Lets the user choose what is compared: baseline, axis, value, task, measure, and the highlighted tuner. */
class CompareChoiceBar : public QWidget {
  Q_OBJECT

 public:
  /** @param measure the measure that is chosen first */
  explicit CompareChoiceBar(const analysis::ComparedMeasure& measure, QWidget* parent = nullptr);

  /** Offers the tuners and tasks of the runs, and shows the choice. */
  void set_runs(const analysis::ComparedRuns& runs, const figures::ComparisonChoice& choice);
  /** Replaces the parts of a choice that the user sets here. */
  void read(figures::ComparisonChoice& choice) const;
  /**
   * Marks measures by the results: a goal that lies within the noise of every task can't be chosen; final
   * performances that can't be distinguished are marked.
   */
  void mark_measures(const ComparisonNumbers& numbers);
  /** Chooses a task, as if the user had chosen it. */
  void choose_task(std::size_t task);
  /** Sets the highlighted tuner; nullopt: none. Emits nothing. */
  void set_highlighted(std::optional<std::size_t> arm);

 signals:
  /** The user chose something other than the highlighted tuner. */
  void changed();
  /** The user chose the highlighted tuner. */
  void highlight_chosen(std::optional<std::size_t> arm);

 private:
  void add_choice(const QString& text, QComboBox* box);
  void fill_arms(const analysis::ComparedRuns& runs, std::size_t baseline);
  void fill_tasks(const analysis::ComparedRuns& runs, std::optional<std::size_t> task);
  void fill_performance(const analysis::ComparedRuns& runs, const figures::ComparisonChoice& choice);

  QComboBox* baseline_;
  QComboBox* axis_;
  QComboBox* performance_;
  QComboBox* task_;
  QComboBox* measure_;
  QComboBox* highlight_;
  std::optional<std::size_t> highlighted_;
};

}  // namespace kernelscape::views
