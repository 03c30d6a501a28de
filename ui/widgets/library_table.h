#pragma once

#include <QPersistentModelIndex>
#include <QTableView>

namespace kernelscape::widgets {

/**
 * A table of rows to select and open. It keeps its scroll position when rows are inserted above; columns grow
 * with their contents until the user resizes a column.
 */
class LibraryTable : public QTableView {
  Q_OBJECT

 public:
  /** Makes an empty table. @param name the accessible name */
  explicit LibraryTable(const QString& name, QWidget* parent = nullptr);

  void setModel(QAbstractItemModel* model) override;
  /** Lets the first column take the remaining width instead of the last one. The model must be set. */
  void stretch_first_column();
  /** Sets the maximum width of a column that grows with its contents, in pixels. */
  void set_widest_column(int pixels) { widest_column_ = pixels; }
  /** Sets the entries of the context menu. */
  void set_actions(QList<QAction*> actions);

  /** Returns the selected rows of the model, from the top. */
  std::vector<int> selected_rows() const;

 signals:
  /** Emitted when the selection changes; it may be empty. */
  void rows_selected();
  /** Emitted on Enter or a double click. */
  void row_opened(int row);

 protected:
  void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void remember_place();
  void keep_place();
  void fit_columns_soon();
  void fit_columns();

  QList<QAction*> actions_;
  int widest_column_;
  QPersistentModelIndex top_;
  bool fitted_ = false;   ///< columns were fitted once and only grow from then on
  bool fitting_ = false;  ///< fitting is scheduled
  bool widths_are_the_users_ = false;
};

}  // namespace kernelscape::widgets
