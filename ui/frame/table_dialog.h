#pragma once

#include <QDialog>
#include <vector>

#include "core/exchange/formats/table_columns.h"
#include "core/exchange/table_options.h"
#include "core/exchange/table_preview.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace kernelscape::widgets {
class ThemedLabel;
class WrappedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::frame {

/**
 * Shows the first rows of a table before it is imported, with the role of each column, the unit of the
 * objective, and the conditions of failed rows, as they were guessed. The user corrects them. Not modal;
 * nothing is stored by this dialog.
 */
class TableDialog : public QDialog {
  Q_OBJECT

 public:
  TableDialog(const QString& path, exchange::TablePreview preview, QWidget* parent = nullptr);

  /** Returns what the form states about the table, as the options of the command line do. */
  exchange::TableOptions options() const;
  /** Returns the role that the form gives a column. */
  exchange::ColumnRole role(std::size_t column) const;
  /** Gives a column a role. A new objective makes the previous one a metric. */
  void set_role(std::size_t column, exchange::ColumnRole role);
  /** Returns the columns, of which the first row has the roles and the others the first rows of the table. */
  QTableWidget& table() { return *table_; }
  /** Returns the unit of the objective; "none" takes the numbers as they are. */
  QComboBox& unit() { return *unit_; }
  /** Returns the conditions of failed rows, separated by semicolons; empty: guessed. */
  QLineEdit& failed_when() { return *failed_when_; }
  /** Returns the button that accepts the dialog. It is disabled while the form has a mistake. */
  QPushButton& import_button() { return *import_; }
  /** Returns what the table is read as, or what is wrong. */
  QString message() const;

 private:
  void fill_table(const std::vector<exchange::ColumnRole>& suggested);
  QComboBox* make_role_box(std::size_t column, exchange::ColumnRole suggested);
  void make_fields();
  void role_chosen(std::size_t column);
  Result<exchange::TableColumns> columns() const;
  void update_message();
  QString ignored_failures() const;

  exchange::TablePreview preview_;
  std::vector<QComboBox*> roles_;  ///< by column
  bool unit_stated_ = false;       ///< the user chose or wrote the unit; otherwise a column's name states it
  QTableWidget* table_;
  QComboBox* unit_;
  widgets::ThemedLabel* direction_;
  QLineEdit* failed_when_;
  widgets::WrappedLabel* message_;
  QPushButton* import_;
};

}  // namespace kernelscape::frame
