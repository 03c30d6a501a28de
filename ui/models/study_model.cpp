#include "ui/models/study_model.h"

#include <algorithm>
#include <array>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

bool is_edited(int column) {
  return column == StudyModel::NameColumn || column == StudyModel::TagsColumn ||
         column == StudyModel::NoteColumn;
}

}  // namespace

QString study_progress_text(const store::StudySummary& study) {
  return StudyModel::tr("%1 of %2 runs")
      .arg(style::format_count(study.done_runs), style::format_count(study.record.run_count));
}

QString study_state_text(const store::StudySummary& study) {
  const bool ended = study.done_runs + study.failed_runs == study.record.run_count;
  QString text = study.owner && study.owner->alive() ? StudyModel::tr("running")
                 : ended                             ? StudyModel::tr("done")
                                                     : StudyModel::tr("stopped");
  if (study.failed_runs > 0)
    text += StudyModel::tr(", %1 failed").arg(style::format_count(study.failed_runs));
  return text;
}

/** Both lists are newest first, that is by descending id: they are merged. */
void StudyModel::set_studies(const std::vector<store::StudySummary>& studies) {
  const auto holds = [&](store::StudyId id) {
    return std::ranges::any_of(studies,
                               [id](const store::StudySummary& study) { return study.record.id == id; });
  };
  for (int row = rowCount() - 1; row >= 0; --row) {
    if (holds(study(row).record.id)) continue;
    beginRemoveRows({}, row, row);
    studies_.erase(studies_.begin() + row);
    endRemoveRows();
  }
  for (std::size_t place = 0; place < studies.size(); ++place) {
    const int row = static_cast<int>(place);
    if (place == studies_.size() || studies_[place].record.id != studies[place].record.id) {
      beginInsertRows({}, row, row);
      studies_.insert(studies_.begin() + row, studies[place]);
      endInsertRows();
    } else {
      studies_[place] = studies[place];
      emit dataChanged(index(row, 0), index(row, column_count - 1));
    }
  }
}

int StudyModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(studies_.size());
}

int StudyModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QString StudyModel::text(const store::StudySummary& study, int column) const {
  switch (column) {
    case IdColumn:
      return QString::number(study.record.id);
    case NameColumn:
      return QString::fromStdString(study.record.name);
    case RunsColumn:
      return study_progress_text(study);
    case StateColumn:
      return study_state_text(study);
    case CreatedColumn:
      return created_text(study.record.created_utc);
    case TagsColumn:
      return tags_of(study.annotation).join(QStringLiteral(", "));
    case NoteColumn:
      return QString::fromStdString(study.annotation.note);
    default:
      return {};
  }
}

QVariant StudyModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const store::StudySummary& shown = study(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
    case Qt::ToolTipRole:
      return text(shown, index.column());
    case SortRole:
      if (index.column() == IdColumn) return qlonglong{shown.record.id};
      if (index.column() == RunsColumn) return qlonglong{shown.record.run_count};
      if (index.column() == CreatedColumn) return QString::fromStdString(shown.record.created_utc);
      return text(shown, index.column());
    default:
      return {};
  }
}

bool StudyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || !is_edited(index.column())) return false;
  const store::StudySummary& changed = study(index.row());
  if (value.toString() == text(changed, index.column())) return false;
  emit edited(changed.record.id, index.column(), value.toString());
  return true;
}

Qt::ItemFlags StudyModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
  return is_edited(index.column()) ? usual | Qt::ItemIsEditable : usual;
}

QVariant StudyModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= column_count)
    return {};
  const std::array<QString, column_count> titles = {tr("Id"),      tr("Name"), tr("Runs"), tr("State"),
                                                    tr("Created"), tr("Tags"), tr("Note")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
