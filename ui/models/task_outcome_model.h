#pragma once

#include <QAbstractTableModel>
#include <string>
#include <vector>

#include "core/study/known_predictors.h"

namespace kernelscape {

/**
 * What one predictor or two beside each other are worth on each task that one of them did not learn from; the
 * median over the test tasks stands in the first row. What another learnt from says so.
 */
class TaskOutcomeModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr int task_column = 0;
  static constexpr int samples_column = 1;
  static constexpr int first_predictor_column = 2;  ///< then `columns_of_a_predictor` for each of them
  static constexpr int columns_of_a_predictor = 5;  ///< tau, and regret after 1, 4, 16 and 64

  using QAbstractTableModel::QAbstractTableModel;

  /** In the order of the first one's tasks, then those that the second alone has. */
  void set_predictors(const std::vector<KnownPredictor>& predictors);
  /** Its text; empty: the median of all test tasks. */
  const std::string& task(int row) const { return tasks_[static_cast<std::size_t>(row)]; }
  /** -1: none. */
  int row_of(const std::string& task) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(int row, int column) const;
  QString number_text(std::size_t predictor, int row, int number) const;

  std::vector<KnownPredictor> predictors_;
  std::vector<std::string> tasks_;  ///< by row
};

/** A predictor's outcome on a task; null: it has none. */
const TaskOutcome* find_outcome(const KnownPredictor& predictor, const std::string& task);

}  // namespace kernelscape
