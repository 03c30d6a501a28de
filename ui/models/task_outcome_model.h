#pragma once

#include <QAbstractTableModel>
#include <string>
#include <vector>

#include "core/study/known_predictors.h"

namespace kernelscape::models {

/**
 * Table model of the outcomes of one or two predictors on each task that at least one of them was not trained
 * on; the first row has the medians over the test tasks. Tasks that a predictor was trained on are marked as
 * such.
 */
class TaskOutcomeModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr int task_column = 0;
  static constexpr int samples_column = 1;
  static constexpr int first_predictor_column = 2;  ///< followed by `columns_of_a_predictor` columns for each
                                                    ///< predictor
  static constexpr int columns_of_a_predictor = 5;  ///< Kendall's tau, and regret after 1, 4, 16 and 64
                                                    ///< measurements

  using QAbstractTableModel::QAbstractTableModel;

  /**
   * Sets the predictors. Rows are in the order of the first predictor's tasks, then those that only the
   * second one has.
   */
  void set_predictors(const std::vector<study::KnownPredictor>& predictors);
  /** Returns the text of the task; empty for the row of medians over all test tasks. */
  const std::string& task(int row) const { return tasks_[static_cast<std::size_t>(row)]; }
  /** Returns the row of a task, or -1. */
  int row_of(const std::string& task) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(int row, int column) const;
  QString number_text(std::size_t predictor, int row, int number) const;

  std::vector<study::KnownPredictor> predictors_;
  std::vector<std::string> tasks_;  ///< tasks by row
};

/** Returns a predictor's outcome on a task, or null if it has none. */
const predictor::TaskOutcome* find_outcome(const study::KnownPredictor& predictor, const std::string& task);

}  // namespace kernelscape::models
