#include "ui/frame/notices/log_model.h"

#include <array>

#include "ui/frame/notices/information_bar.h"
#include "ui/style/numbers.h"

namespace kernelscape::frame {
namespace {

QString severity_name(workspace::Notice::Kind kind) {
  switch (kind) {
    case workspace::Notice::Kind::Warning:
      return LogModel::tr("Warning");
    case workspace::Notice::Kind::Failure:
      return LogModel::tr("Error");
    default:
      return LogModel::tr("Information");
  }
}

}  // namespace

LogModel::LogModel(const workspace::Notices& notices, QObject* parent)
    : QAbstractTableModel(parent), notices_(notices), rows_(static_cast<int>(notices.all().size())) {
  connect(&notices, &workspace::Notices::changed, this, &LogModel::update);
}

int LogModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }

int LogModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

void LogModel::update(int index) {
  const int size = static_cast<int>(notices_.all().size());
  if (size == rows_ + 1) {
    beginInsertRows({}, rows_, rows_);
    rows_ = size;
    endInsertRows();
  } else if (notices_.all()[static_cast<std::size_t>(index)].count > 1) {
    emit dataChanged(this->index(index, 0), this->index(index, column_count - 1));
  } else {
    // The log is full: the oldest notice was removed when this one was added.
    beginRemoveRows({}, 0, 0);
    --rows_;
    endRemoveRows();
    beginInsertRows({}, rows_, rows_);
    ++rows_;
    endInsertRows();
  }
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rows_) return {};
  const std::vector<workspace::Notice>& all = notices_.all();
  const workspace::Notice& notice = all[static_cast<std::size_t>(index.row())];
  if (role == Qt::ForegroundRole && index.column() == KindColumn) return colour_of(notice.kind);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignTop) |
           static_cast<int>(index.column() == CountColumn ? Qt::AlignRight : Qt::AlignLeft);
  const QString text =
      notice.hint.isEmpty() ? notice.text : QStringLiteral("%1 (%2)").arg(notice.text, notice.hint);
  if (role == Qt::ToolTipRole) return text;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case TimeColumn:
      return notice.last.toString(QStringLiteral("HH:mm:ss"));
    case KindColumn:
      return severity_name(notice.kind);
    case TextColumn:
      return text;
    default:
      return style::format_count(notice.count);
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= column_count)
    return {};
  const std::array<QString, column_count> titles = {tr("Last"), tr("Kind"), tr("Message"), tr("Count")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::frame
