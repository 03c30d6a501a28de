#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "core/study/known_predictors.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape::models {

/**
 * Table model of predictors: those of the database, including those in training, and the built-in predictors.
 */
class PredictorModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId {
    NameColumn,
    TemplateColumn,
    IsaColumn,
    DeviceColumn,
    SamplesColumn,
    TasksColumn,
    TauColumn,
    RegretColumn,
    OriginColumn,
    StateColumn,
    CreatedColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the predictors in their order; rows that remain keep their place and selection. */
  void set_predictors(const std::vector<study::KnownPredictor>& predictors);
  /** Sets the training that this window runs, whose progress is shown in its row. */
  void set_training(const std::optional<workspace::TrainingView>& training);
  /** Returns the predictor of a row of this model, not of a sorted view. */
  const study::KnownPredictor& predictor(int row) const { return predictors_[static_cast<std::size_t>(row)]; }
  /** Returns the row with this predictor_key(), or -1. */
  int row_of(const QString& key) const;
  /** Returns the text of a row that a search examines. */
  QString search_text(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const study::KnownPredictor& predictor, int column) const;
  QString state_text(const study::KnownPredictor& predictor) const;

  std::vector<study::KnownPredictor> predictors_;
  std::optional<workspace::TrainingView> training_;
};

}  // namespace kernelscape::models
