#include "ui/models/session_model.h"

#include <algorithm>
#include <unordered_set>

#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

SessionId id_of(const SessionEntry& entry) { return entry.summary.record.id; }

bool is_session_number(int column) {
  return column == SessionModel::IdColumn || column == SessionModel::TrialsColumn ||
         column == SessionModel::BestColumn || column == SessionModel::ProgressColumn;
}

bool disturbed(const SessionEntry& entry) { return std::ranges::any_of(entry.notices, disturbs); }

/** What a list that has no room for columns says of it. */
QString name_tip(const SessionEntry& entry) {
  QStringList lines{session_title(entry), SessionModel::tr("session %1, %2")
                                              .arg(id_of(entry))
                                              .arg(created_text(entry.summary.record.created_utc))};
  if (disturbed(entry)) lines << notices_tip(entry.notices);
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

SessionModel::SessionModel(Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent), workspace_(workspace) {
  connect(&workspace_, &Workspace::sessions_changed, this, &SessionModel::update);
  update();
}

int SessionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SessionModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

/** Both lists are newest first, that is by descending id: they are merged. */
void SessionModel::update() {
  const std::vector<SessionEntry>& entries = *workspace_.sessions();
  std::unordered_set<SessionId> kept;
  for (const SessionEntry& entry : entries) kept.insert(id_of(entry));
  for (int row = static_cast<int>(rows_.size()) - 1; row >= 0; --row) {
    if (kept.contains(id_of(rows_[static_cast<std::size_t>(row)].entry))) continue;
    beginRemoveRows({}, row, row);
    rows_.erase(rows_.begin() + row);
    endRemoveRows();
  }
  for (std::size_t place = 0; place < entries.size(); ++place) {
    const int row = static_cast<int>(place);
    if (place == rows_.size() || id_of(rows_[place].entry) != id_of(entries[place])) {
      beginInsertRows({}, row, row);
      rows_.insert(rows_.begin() + row, {entries[place], session_budget(entries[place])});
      endInsertRows();
    } else if (!(rows_[place].entry == entries[place])) {
      rows_[place] = {entries[place], session_budget(entries[place])};
      emit dataChanged(index(row, 0), index(row, column_count - 1));
    }
  }
}

const SessionEntry* SessionModel::session(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return nullptr;
  return &rows_[static_cast<std::size_t>(index.row())].entry;
}

const Budget& SessionModel::budget(const QModelIndex& index) const {
  return rows_[static_cast<std::size_t>(index.row())].budget;
}

int SessionModel::row_of(SessionId id) const {
  const auto found = std::ranges::find(rows_, id, [](const Row& row) { return id_of(row.entry); });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

QVariant SessionModel::text(const Row& row, int column) const {
  const SessionEntry& entry = row.entry;
  switch (column) {
    case IdColumn:
      return QString::number(id_of(entry));
    case NameColumn:
      return session_title(entry);
    case TaskColumn:
      return QString::fromStdString(entry.summary.record.task_name);
    case TunerColumn:
      return session_tuner_text(entry.summary.record);
    case TrialsColumn:
      return session_trials_text(entry, row.budget);
    case BestColumn:
      return session_best_text(entry);
    case ProgressColumn: {
      const double progress = session_progress(entry, row.budget);
      return progress < 0 ? no_number() : format_percent(progress);
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

QVariant SessionModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return text(row, index.column());
    case Qt::DecorationRole:
      return index.column() == BestColumn && disturbed(row.entry) ? icon(QStringLiteral("warning"))
                                                                  : QVariant();
    case DisturbedRole:
      return disturbed(row.entry);
    case Qt::ToolTipRole:
      if (index.column() == BestColumn && disturbed(row.entry))
        return text(row, BestColumn).toString() + QLatin1Char('\n') + notices_tip(row.entry.notices);
      if (index.column() == StateColumn) return QString::fromStdString(row.entry.summary.status.state_reason);
      if (index.column() == NoteColumn) return QString::fromStdString(row.entry.summary.annotation.note);
      if (index.column() == NameColumn) return name_tip(row.entry);
      return text(row, index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter) |
             static_cast<int>(is_session_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft);
    case SortRole:
      return sort_value(row, index.column());
    case SessionIdRole:
      return qlonglong{id_of(row.entry)};
    case ProgressRole:
      return session_progress(row.entry, row.budget);
    case StateRole:
      return static_cast<int>(row.entry.summary.status.state);
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

}  // namespace kernelscape
