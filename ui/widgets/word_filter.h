#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>
#include <functional>

namespace kernelscape::widgets {

/**
 * A filter that keeps rows that contain every word of a search, in any column and case, sorted by the model's
 * sort role.
 */
class WordFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  /** Returns the text of a row that is searched, by its number in the source model. */
  using TextOfRow = std::function<QString(int row)>;

  WordFilter(TextOfRow text_of_row, int sort_role, QObject* parent = nullptr);

  /** Sets the search: words separated by spaces; empty: all rows pass. */
  void set_search(const QString& search);
  bool searching() const { return !words_.isEmpty(); }  ///< Returns true if a search is set

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  TextOfRow text_of_row_;
  QStringList words_;
};

}  // namespace kernelscape::widgets
