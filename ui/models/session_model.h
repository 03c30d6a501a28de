#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <optional>
#include <set>
#include <vector>

#include "ui/workspace/session_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::models {

/**
 * Table model of the sessions of the workspace's database, of this and of other processes, newest first. A
 * collection is one row; when it is expanded, its sessions are rows below it, in the order of its file. Rows
 * are inserted, removed and changed one by one or as one range, so that selection and scroll position are
 * kept.
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
    SortRole = Qt::UserRole,  ///< a number if the column is numeric
    SessionIdRole,            ///< SessionId; 0: the row is a collection
    ProgressRole,             ///< 0 to 1; -1: not known
    StateRole,                ///< int of SessionState; of a collection, -1
    DisturbedRole,            ///< bool: its numbers should only be read with its notices
    CollectionIdRole          ///< StudyId of a collection, or of the collection that contains the session; 0:
                              ///< none
  };

  explicit SessionModel(workspace::Workspace& workspace, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  /** Returns null for an invalid index and for a collection; valid until the model changes. */
  const workspace::SessionEntry* session(const QModelIndex& index) const;
  /** Returns null for an invalid index and for a session; valid until the model changes. */
  const workspace::SessionCollection* collection(const QModelIndex& index) const;
  /** Returns true if the row is a session below its collection. */
  bool is_member(const QModelIndex& index) const;
  /** Returns the budget at the last change of the row; needs a valid index of this model. */
  const trial::Budget& budget(const QModelIndex& index) const;
  /** Returns the row of a session; -1 if it is not in the list, or in a collapsed collection. */
  int row_of(store::SessionId id) const;
  /** Returns the row of a collection; -1 if it is not in the list. */
  int row_of_collection(store::StudyId id) const;

  /** Returns true if the collection is expanded. */
  bool is_open(store::StudyId collection) const;
  /** Expands or collapses a collection. */
  void set_open(store::StudyId collection, bool open);
  /** Expands a collapsed collection, and collapses an expanded one. */
  void toggle(store::StudyId collection) { set_open(collection, !is_open(collection)); }

  /**
   * Limits the list to sessions that contain all words, ignoring case, in name, task, shape, tuner, tags or
   * note; collections expand to their matching sessions. A collection whose own name, tags and note contain
   * the words stays as well. Empty: all sessions.
   */
  void set_search(const QString& search);
  bool searching() const { return !words_.isEmpty(); }  ///< whether a search is active
  std::ptrdiff_t all_sessions() const;                  ///< number of sessions in the database, including
                                                        ///< those of collections
  std::ptrdiff_t found_sessions() const {
    return found_;
  }  ///< number of sessions that match the search,
     ///< shown or not

 private:
  struct Row {
    std::optional<workspace::SessionCollection>
        collection;  ///< set if the row is a collection instead of a session
    workspace::SessionEntry entry;
    trial::Budget budget;
    bool member = false;
    bool open = false;
  };
  /** The required contents of a row. */
  struct Wanted {
    const workspace::SessionEntry* entry = nullptr;
    const workspace::SessionCollection* collection = nullptr;
    bool member = false;
    bool open = false;
  };
  using Key = std::pair<store::StudyId, store::SessionId>;

  static Key key_of(const Row& row);
  static Key key_of(const Wanted& wanted);
  static Row row_from(const Wanted& wanted);
  static bool same(const Row& row, const Wanted& wanted);

  void update();
  std::vector<Wanted> wanted_rows();
  void remove_unwanted(const std::vector<Wanted>& wanted);
  bool keeps_order(const std::vector<Wanted>& wanted) const;
  bool matches(const QString& text) const;
  const Row* row_at(const QModelIndex& index) const;
  QVariant text(const Row& row, int column) const;
  QVariant sort_value(const Row& row, int column) const;
  QVariant tool_tip(const Row& row, int column) const;

  workspace::Workspace& workspace_;
  std::vector<Row> rows_;
  std::set<store::StudyId> open_;
  std::set<store::StudyId> closed_in_search_;
  QStringList words_;
  std::ptrdiff_t found_ = 0;
};

}  // namespace kernelscape::models
