#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <optional>
#include <set>
#include <vector>

#include "ui/workspace/session_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

/**
 * The sessions of the workspace's database, newest first, whoever runs them. A collection is one row; opened,
 * its sessions are rows below it, in the order of its file. Rows come, go and change alone or as one range,
 * so that selection and scroll position stay.
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
    SessionIdRole,            ///< SessionId; 0: the row is a collection
    ProgressRole,             ///< 0 to 1; -1: not known
    StateRole,                ///< int of SessionState; of a collection, -1
    DisturbedRole,            ///< bool: its numbers should not be read without what it said
    CollectionIdRole          ///< StudyId of a collection, or of the one that a session is in; 0: none
  };

  explicit SessionModel(Workspace& workspace, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  /** Null for an invalid index and for a collection; holds until the model changes. */
  const SessionEntry* session(const QModelIndex& index) const;
  /** Null for an invalid index and for a session; holds until the model changes. */
  const SessionCollection* collection(const QModelIndex& index) const;
  /** The row is a session below its collection. */
  bool is_member(const QModelIndex& index) const;
  /** As it was when the row last changed; needs a valid index of this model. */
  const Budget& budget(const QModelIndex& index) const;
  /** -1: not in the list, or in a collection that is closed. */
  int row_of(SessionId id) const;
  /** -1: not in the list. */
  int row_of_collection(StudyId id) const;

  /** Whether a collection's sessions are rows. */
  bool is_open(StudyId collection) const;
  /** Shows a collection's sessions below it, or no longer. */
  void set_open(StudyId collection, bool open);
  /** Opens what is closed, and closes what is open. */
  void toggle(StudyId collection) { set_open(collection, !is_open(collection)); }

  /**
   * Only sessions with all the words, in any case: of name, task, shape, tuner, tags and note; collections
   * open to those of theirs. A collection whose own name, tags and note have them stays as well. Empty: all.
   */
  void set_search(const QString& search);
  bool searching() const { return !words_.isEmpty(); }  ///< whether any word is searched for
  std::ptrdiff_t all_sessions() const;                  ///< of the database, those of collections among them
  std::ptrdiff_t found_sessions() const { return found_; }  ///< that the search leaves, shown or not

 private:
  struct Row {
    std::optional<SessionCollection> collection;  ///< instead of a session
    SessionEntry entry;
    Budget budget;
    bool member = false;
    bool open = false;
  };
  /** A row as it is to be. */
  struct Wanted {
    const SessionEntry* entry = nullptr;
    const SessionCollection* collection = nullptr;
    bool member = false;
    bool open = false;
  };
  using Key = std::pair<StudyId, SessionId>;

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

  Workspace& workspace_;
  std::vector<Row> rows_;
  std::set<StudyId> open_;
  std::set<StudyId> closed_in_search_;
  QStringList words_;
  std::ptrdiff_t found_ = 0;
};

}  // namespace kernelscape
