#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/workspace/session_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

/**
 * The sessions of the workspace's database, newest first, whoever runs them. Rows come, go and change one by
 * one, so that selection and scroll position stay.
 */
class SessionModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    IdColumn,
    NameColumn,
    TaskColumn,
    TunerColumn,
    TrialsColumn,
    BestColumn,
    ProgressColumn,
    StateColumn,
    CreatedColumn,
    TagsColumn,
    NoteColumn,
    column_count
  };
  enum Role {
    SortRole = Qt::UserRole,  ///< a number where the column is one
    SessionIdRole,            ///< SessionId
    ProgressRole,             ///< 0 to 1; -1: not known
    StateRole,                ///< int of SessionState
    DisturbedRole             ///< bool: its numbers should not be read without what it said
  };

  explicit SessionModel(Workspace& workspace, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  /** Null for an invalid index; holds until the model changes. */
  const SessionEntry* session(const QModelIndex& index) const;
  /** As it was when the row last changed; needs a valid index of this model. */
  const Budget& budget(const QModelIndex& index) const;
  /** -1: not in the list. */
  int row_of(SessionId id) const;

 private:
  struct Row {
    SessionEntry entry;
    Budget budget;
  };

  void update();
  QVariant text(const Row& row, int column) const;
  QVariant sort_value(const Row& row, int column) const;

  Workspace& workspace_;
  std::vector<Row> rows_;
};

}  // namespace kernelscape
