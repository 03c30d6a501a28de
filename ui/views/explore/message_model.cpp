#include "ui/views/explore/message_model.h"

#include <algorithm>

#include "core/trial/failure_text.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

QString category_text(trial::ErrorCategory category) {
  const std::string_view name = trial::to_string(category);
  return QLatin1Char(style::colours().of(category).letter) + QStringLiteral("  ") +
         QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace

void MessageModel::set_messages(std::vector<figures::FrequentMessage> messages) {
  if (messages == messages_) return;
  const auto same_message = [](const figures::FrequentMessage& a, const figures::FrequentMessage& b) {
    return a.id == b.id && a.category == b.category;
  };
  if (std::ranges::equal(messages, messages_, same_message)) {
    messages_ = std::move(messages);
    if (!messages_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    return;
  }
  beginResetModel();
  messages_ = std::move(messages);
  endResetModel();
}

int MessageModel::row_of(std::int64_t id, trial::ErrorCategory category) const {
  for (std::size_t row = 0; row < messages_.size(); ++row)
    if (messages_[row].id == id && messages_[row].category == category) return static_cast<int>(row);
  return -1;
}

int MessageModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(messages_.size());
}

int MessageModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant MessageModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const figures::FrequentMessage& message = messages_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole && (index.column() == Count || index.column() == FirstTrial))
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ForegroundRole && index.column() == Category)
    return style::colours().of(message.category).colour;
  if (role == Qt::ToolTipRole && index.column() == Text) return QString::fromStdString(message.text);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Category:
      return category_text(message.category);
    case Count:
      return style::format_count(message.count);
    case FirstTrial:
      return style::format_count(message.first_trial);
    case Text:
      // Two spaces, because a number ends directly before the text.
      return QStringLiteral("  ") +
             (message.text.empty()
                  ? tr("(no message)")
                  : QString::fromStdString(trial::failure_text(message.category, message.text).text));
    default:
      return {};
  }
}

QVariant MessageModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(section == Count || section == FirstTrial ? Qt::AlignRight | Qt::AlignVCenter
                                                              : Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Category:
      return tr("category");
    case Count:
      return tr("trials");
    case FirstTrial:
      return tr("first trial");
    case Text:
      return QStringLiteral("  ") + tr("message");
    default:
      return {};
  }
}

}  // namespace kernelscape::views
