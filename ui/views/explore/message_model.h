#pragma once

#include <QAbstractTableModel>

#include "ui/figures/frequent_messages.h"

namespace kernelscape::views {

/** Lists the distinct messages of failures, the most frequent first. */
class MessageModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Columns { Category, Count, FirstTrial, Text, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the messages. Rows that remain keep their position; no signal is emitted if nothing changed. */
  void set_messages(std::vector<figures::FrequentMessage> messages);
  /** Returns a message with its count and first trial. `row` must exist. */
  const figures::FrequentMessage& message(int row) const { return messages_[static_cast<std::size_t>(row)]; }
  /** Returns the row of a message, or -1 if it is not listed. */
  int row_of(std::int64_t id, trial::ErrorCategory category) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<figures::FrequentMessage> messages_;
};

}  // namespace kernelscape::views
