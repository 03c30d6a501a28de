#pragma once

#include <QPersistentModelIndex>
#include <QTableView>

namespace kernelscape {

/**
 * A table of rows to select and open. It keeps its place when rows come above what is seen; columns grow with
 * their contents until the user gives one another width.
 */
class LibraryTable : public QTableView {
  Q_OBJECT

 public:
  /** @param name the accessible name */
  explicit LibraryTable(const QString& name, QWidget* parent = nullptr);

  void setModel(QAbstractItemModel* model) override;
  /** The first column takes the room that is left, not the last one. Needs the model. */
  void stretch_first_column();
  /** How wide a column becomes by its contents at most, in pixels. */
  void set_widest_column(int pixels) { widest_column_ = pixels; }
  /** Entries of the context menu. */
  void set_actions(QList<QAction*> actions);

  /** Selected rows of the model, from the top. */
  std::vector<int> selected_rows() const;

 signals:
  /** The selection changed; it may be empty. */
  void rows_selected();
  /** Enter or a double click. */
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
  bool fitted_ = false;   ///< once: from then on columns only grow
  bool fitting_ = false;  ///< soon
  bool widths_are_the_users_ = false;
};

}  // namespace kernelscape
