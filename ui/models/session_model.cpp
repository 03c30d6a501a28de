#include "ui/models/session_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

store::SessionId id_of(const workspace::SessionEntry& entry) { return entry.summary.record.id; }

/** Returns the indentation of a session below its collection's triangle. */
QString member_indent() { return QStringLiteral("     "); }

QVariant collection_text(const workspace::SessionCollection& collection, int column, bool open) {
  switch (column) {
    case SessionModel::NameColumn:
      return (open ? QStringLiteral("\u25be ") : QStringLiteral("\u25b8 ")) + collection_title(collection);
    case SessionModel::TaskColumn:
      return collection_count_text(collection);
    case SessionModel::TunerColumn:
      return QString::fromStdString(collection.device);
    case SessionModel::TrialsColumn:
      return style::format_count(collection.summary.trials);
    case SessionModel::CreatedColumn:
      return created_text(collection.summary.created_utc);
    case SessionModel::TagsColumn:
      return tags_of(collection.summary.annotation).join(QStringLiteral(", "));
    case SessionModel::NoteColumn:
      return QString::fromStdString(collection.summary.annotation.note).section(QLatin1Char('\n'), 0, 0);
    default:
      return QString();
  }
}

QVariant collection_sort_value(const workspace::SessionCollection& collection, int column) {
  switch (column) {
    case SessionModel::IdColumn:
      return qlonglong{collection.newest};
    case SessionModel::CreatedColumn:
      return QString::fromStdString(collection.summary.created_utc);
    case SessionModel::NameColumn:
      return collection_title(collection);
    case SessionModel::TrialsColumn:
      return qlonglong{collection.summary.trials};
    case SessionModel::BestColumn:
    case SessionModel::ProgressColumn:
      return -1.0;
    default:
      return collection_text(collection, column, false);
  }
}

QString collection_tool_tip(const workspace::SessionCollection& collection) {
  return SessionModel::tr("%1\ncollection %2, %3: %4, %5")
      .arg(collection_title(collection))
      .arg(collection.summary.id)
      .arg(created_text(collection.summary.created_utc), collection_count_text(collection),
           QString::fromStdString(collection.device));
}

bool is_session_number(int column) {
  return column == SessionModel::IdColumn || column == SessionModel::TrialsColumn ||
         column == SessionModel::BestColumn || column == SessionModel::ProgressColumn;
}

bool disturbed(const workspace::SessionEntry& entry) {
  return std::ranges::any_of(entry.notices, trial::disturbs);
}

/** Returns a tool tip with the properties for which the list has no columns. */
QString name_tip(const workspace::SessionEntry& entry) {
  QStringList lines{session_title(entry), SessionModel::tr("session %1, %2")
                                              .arg(id_of(entry))
                                              .arg(created_text(entry.summary.record.created_utc))};
  if (disturbed(entry)) lines << notices_tip(entry.notices);
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

SessionModel::SessionModel(workspace::Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent), workspace_(workspace) {
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, &SessionModel::update);
  update();
}

int SessionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SessionModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

SessionModel::Key SessionModel::key_of(const Row& row) {
  return row.collection ? Key(row.collection->summary.id, 0) : Key(0, id_of(row.entry));
}

SessionModel::Key SessionModel::key_of(const Wanted& wanted) {
  return wanted.collection != nullptr ? Key(wanted.collection->summary.id, 0) : Key(0, id_of(*wanted.entry));
}

SessionModel::Row SessionModel::row_from(const Wanted& wanted) {
  Row row{.collection = {}, .entry = {}, .budget = {}, .member = wanted.member, .open = wanted.open};
  if (wanted.collection != nullptr) {
    row.collection = *wanted.collection;
  } else {
    row.entry = *wanted.entry;
    row.budget = session_budget(row.entry);
  }
  return row;
}

bool SessionModel::same(const Row& row, const Wanted& wanted) {
  if (row.member != wanted.member || row.open != wanted.open) return false;
  return wanted.collection != nullptr ? *row.collection == *wanted.collection : row.entry == *wanted.entry;
}

bool SessionModel::matches(const QString& text) const {
  return std::ranges::all_of(words_,
                             [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

/** Returns the required rows, newest first; a collection is at the position of its newest session. */
std::vector<SessionModel::Wanted> SessionModel::wanted_rows() {
  std::map<store::StudyId, const workspace::SessionCollection*> collections;
  for (const workspace::SessionCollection& collection : *workspace_.collections())
    collections.emplace(collection.summary.id, &collection);
  std::map<store::StudyId, std::vector<const workspace::SessionEntry*>> members;
  std::vector<Wanted> tops;
  found_ = 0;
  for (const workspace::SessionEntry& entry : *workspace_.sessions()) {
    const bool matching = words_.isEmpty() || matches(session_search_text(entry));
    found_ += matching ? 1 : 0;
    const auto collection = collections.find(entry.summary.study.value_or(0));
    if (collection == collections.end()) {
      if (matching) tops.push_back({.entry = &entry});
      continue;
    }
    const auto [list, first] = members.try_emplace(collection->first);
    if (first) tops.push_back({.collection = collection->second});
    if (matching) list->second.push_back(&entry);
  }
  std::vector<Wanted> wanted;
  for (Wanted& top : tops) {
    if (top.collection == nullptr) {
      wanted.push_back(top);
      continue;
    }
    const store::StudyId id = top.collection->summary.id;
    const std::vector<const workspace::SessionEntry*>& inside = members[id];
    if (inside.empty() && !matches(collection_search_text(*top.collection))) continue;
    top.open = is_open(id) && !inside.empty();
    wanted.push_back(top);
    if (!top.open) continue;
    // The order of the file is that of the ids.
    for (const workspace::SessionEntry* entry : std::views::reverse(inside))
      wanted.push_back({.entry = entry, .member = true});
  }
  return wanted;
}

void SessionModel::remove_unwanted(const std::vector<Wanted>& wanted) {
  std::set<Key> kept;
  for (const Wanted& row : wanted) kept.insert(key_of(row));
  const auto stays = [&](int row) { return kept.contains(key_of(rows_[static_cast<std::size_t>(row)])); };
  for (int last = static_cast<int>(rows_.size()) - 1; last >= 0; --last) {
    if (stays(last)) continue;
    int first = last;
    while (first > 0 && !stays(first - 1)) --first;
    beginRemoveRows({}, first, last);
    rows_.erase(rows_.begin() + first, rows_.begin() + last + 1);
    endRemoveRows();
    last = first;
  }
}

/** Returns true if the present rows are in the required order, so that rows only have to be inserted. */
bool SessionModel::keeps_order(const std::vector<Wanted>& wanted) const {
  auto place = rows_.begin();
  for (const Wanted& row : wanted)
    if (place != rows_.end() && key_of(*place) == key_of(row)) ++place;
  return place == rows_.end();
}

/** Keeps existing rows, and inserts adjacent new rows together. */
void SessionModel::update() {
  const std::vector<Wanted> wanted = wanted_rows();
  remove_unwanted(wanted);
  if (!keeps_order(wanted)) {
    beginResetModel();
    rows_.clear();
    std::ranges::transform(wanted, std::back_inserter(rows_), row_from);
    endResetModel();
    return;
  }
  for (std::size_t place = 0; place < wanted.size(); ++place) {
    std::size_t end = place;
    while (end < wanted.size() && (place == rows_.size() || key_of(rows_[place]) != key_of(wanted[end])))
      ++end;
    const int row = static_cast<int>(place);
    if (end > place) {
      std::vector<Row> added;
      for (std::size_t i = place; i < end; ++i) added.push_back(row_from(wanted[i]));
      beginInsertRows({}, row, static_cast<int>(end) - 1);
      rows_.insert(rows_.begin() + row, std::make_move_iterator(added.begin()),
                   std::make_move_iterator(added.end()));
      endInsertRows();
      place = end - 1;
    } else if (!same(rows_[place], wanted[place])) {
      rows_[place] = row_from(wanted[place]);
      emit dataChanged(index(row, 0), index(row, column_count - 1));
    }
  }
}

const SessionModel::Row* SessionModel::row_at(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return nullptr;
  return &rows_[static_cast<std::size_t>(index.row())];
}

const workspace::SessionEntry* SessionModel::session(const QModelIndex& index) const {
  const Row* row = row_at(index);
  return row == nullptr || row->collection ? nullptr : &row->entry;
}

const workspace::SessionCollection* SessionModel::collection(const QModelIndex& index) const {
  const Row* row = row_at(index);
  return row != nullptr && row->collection ? &*row->collection : nullptr;
}

bool SessionModel::is_member(const QModelIndex& index) const {
  const Row* row = row_at(index);
  return row != nullptr && row->member;
}

const trial::Budget& SessionModel::budget(const QModelIndex& index) const {
  return rows_[static_cast<std::size_t>(index.row())].budget;
}

int SessionModel::row_of(store::SessionId id) const {
  const auto found = std::ranges::find(rows_, Key(0, id), [](const Row& row) { return key_of(row); });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int SessionModel::row_of_collection(store::StudyId id) const {
  const auto found = std::ranges::find(rows_, Key(id, 0), [](const Row& row) { return key_of(row); });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

bool SessionModel::is_open(store::StudyId collection) const {
  return searching() ? !closed_in_search_.contains(collection) : open_.contains(collection);
}

void SessionModel::set_open(store::StudyId collection, bool open) {
  if (is_open(collection) == open) return;
  if (searching()) {
    open ? closed_in_search_.erase(collection) : closed_in_search_.insert(collection).second;
  } else {
    open ? open_.insert(collection).second : open_.erase(collection);
  }
  update();
}

void SessionModel::set_search(const QString& search) {
  QStringList words = search.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (words == words_) return;
  words_ = std::move(words);
  closed_in_search_.clear();
  update();
}

std::ptrdiff_t SessionModel::all_sessions() const { return std::ssize(*workspace_.sessions()); }

QVariant SessionModel::text(const Row& row, int column) const {
  if (row.collection) return collection_text(*row.collection, column, row.open);
  const workspace::SessionEntry& entry = row.entry;
  switch (column) {
    case IdColumn:
      return QString::number(id_of(entry));
    case NameColumn:
      return row.member ? member_indent() + session_title(entry) : session_title(entry);
    case TaskColumn:
      return session_task_text(entry);
    case TunerColumn:
      return session_tuner_text(entry.summary.record);
    case TrialsColumn:
      return session_trials_text(entry, row.budget);
    case BestColumn:
      return session_best_text(entry);
    case ProgressColumn: {
      const double progress = session_progress(entry, row.budget);
      return progress < 0 ? style::no_number() : style::format_percent(progress);
    }
    case StateColumn:
      return session_state_text(entry);
    case CreatedColumn:
      return created_text(entry.summary.record.created_utc);
    case TagsColumn:
      return tags_of(entry.summary.annotation).join(QStringLiteral(", "));
    case NoteColumn:
      return QString::fromStdString(entry.summary.annotation.note).section(QLatin1Char('\n'), 0, 0);
    default:
      return {};
  }
}

QVariant SessionModel::sort_value(const Row& row, int column) const {
  if (row.collection) return collection_sort_value(*row.collection, column);
  switch (column) {
    case IdColumn:
      return qlonglong{id_of(row.entry)};
    case TrialsColumn:
      return qlonglong{row.entry.summary.status.trial_count};
    case BestColumn:
      return session_best_speed(row.entry);
    case ProgressColumn:
      return session_progress(row.entry, row.budget);
    case CreatedColumn:
      return QString::fromStdString(row.entry.summary.record.created_utc);
    default:
      return text(row, column);
  }
}

QVariant SessionModel::tool_tip(const Row& row, int column) const {
  if (row.collection) {
    const std::string& note = row.collection->summary.annotation.note;
    return column == NoteColumn && !note.empty() ? QString::fromStdString(note)
                                                 : collection_tool_tip(*row.collection);
  }
  const store::SessionSummary& summary = row.entry.summary;
  switch (column) {
    case StateColumn:
      return QString::fromStdString(summary.status.state_reason);
    case NoteColumn:
      return QString::fromStdString(summary.annotation.note);
    case NameColumn:
      return name_tip(row.entry);
    case BestColumn:
      return text(row, BestColumn).toString() +
             (disturbed(row.entry) ? QLatin1Char('\n') + notices_tip(row.entry.notices) : QString());
    default:
      return text(row, column);
  }
}

QVariant SessionModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return text(row, index.column());
    case Qt::DecorationRole:
      return index.column() == BestColumn && disturbed(row.entry) ? style::icon(QStringLiteral("warning"))
                                                                  : QVariant();
    case DisturbedRole:
      return disturbed(row.entry);
    case Qt::ToolTipRole:
      return tool_tip(row, index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter) |
             static_cast<int>(is_session_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft);
    case SortRole:
      return sort_value(row, index.column());
    case SessionIdRole:
      return qlonglong{row.collection ? 0 : id_of(row.entry)};
    case ProgressRole:
      return row.collection ? -1.0 : session_progress(row.entry, row.budget);
    case StateRole:
      return row.collection ? -1 : static_cast<int>(row.entry.summary.status.state);
    case CollectionIdRole:
      if (row.collection) return qlonglong{row.collection->summary.id};
      return qlonglong{row.member ? row.entry.summary.study.value_or(0) : 0};
    default:
      return {};
  }
}

QVariant SessionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter) |
           static_cast<int>(is_session_number(section) ? Qt::AlignRight : Qt::AlignLeft);
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {tr("Id"),      tr("Name"), tr("Task"),     tr("Tuner"),
                                                    tr("Trials"),  tr("Best"), tr("Progress"), tr("State"),
                                                    tr("Created"), tr("Tags"), tr("Note")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
