#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "core/study/known_predictors.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape {

/** Predictors as rows: those of the database, in training too, and the shipped ones. */
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

  /** In their order; rows that stay keep their place and selection. */
  void set_predictors(const std::vector<KnownPredictor>& predictors);
  /** The training that this window runs: its row says how far it is. */
  void set_training(const std::optional<TrainingView>& training);
  /** Of a row of the model, not of a sorted view. */
  const KnownPredictor& predictor(int row) const { return predictors_[static_cast<std::size_t>(row)]; }
  /** By predictor_key(); -1: none. */
  int row_of(const QString& key) const;
  /** What a search looks through. */
  QString search_text(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const KnownPredictor& predictor, int column) const;
  QString state_text(const KnownPredictor& predictor) const;

  std::vector<KnownPredictor> predictors_;
  std::optional<TrainingView> training_;
};

}  // namespace kernelscape
