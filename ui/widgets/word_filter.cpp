#include "ui/widgets/word_filter.h"

#include <algorithm>
#include <utility>

namespace kernelscape::widgets {

WordFilter::WordFilter(TextOfRow text_of_row, int sort_role, QObject* parent)
    : QSortFilterProxyModel(parent), text_of_row_(std::move(text_of_row)) {
  setSortRole(sort_role);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

void WordFilter::set_search(const QString& search) {
  QStringList words = search.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (words == words_) return;
  words_ = std::move(words);
  invalidateFilter();
}

bool WordFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  if (words_.isEmpty()) return true;
  const QString text = text_of_row_(row);
  return std::ranges::all_of(words_,
                             [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

/** Compares rows; equal rows stay in the order of the source in both directions. */
bool WordFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  if (QSortFilterProxyModel::lessThan(left, right)) return true;
  if (QSortFilterProxyModel::lessThan(right, left)) return false;
  return sortOrder() == Qt::AscendingOrder ? left.row() < right.row() : left.row() > right.row();
}

}  // namespace kernelscape::widgets
