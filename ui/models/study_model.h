#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/store/store.h"

namespace kernelscape::models {

/** Returns the progress of a study: "12 of 96 runs". */
QString study_progress_text(const store::StudySummary& study);
/** Returns the state of a study: "running", "stopped", "done", "done, 2 failed". */
QString study_state_text(const store::StudySummary& study);

/**
 * Table model of the studies of a database. Name, tags and note can be edited: the model emits `edited`, and
 * the receiver writes them.
 */
class StudyModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId {
    IdColumn,
    NameColumn,
    RunsColumn,
    StateColumn,
    CreatedColumn,
    TagsColumn,
    NoteColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the studies, newest first; rows that remain keep their place and selection. */
  void set_studies(const std::vector<store::StudySummary>& studies);
  /** Returns the study of a row of this model, not of a sorted view. */
  const store::StudySummary& study(int row) const { return studies_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 signals:
  /** The user edited a text of a study. @param column NameColumn, TagsColumn or NoteColumn */
  void edited(qint64 study, int column, const QString& text);

 private:
  QString text(const store::StudySummary& study, int column) const;

  std::vector<store::StudySummary> studies_;
};

}  // namespace kernelscape::models
