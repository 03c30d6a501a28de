#pragma once

#include <QComboBox>

#include "core/analysis/columns.h"

namespace kernelscape::views {

/** Chooses a column: the knobs' columns come first, then the measured ones. */
class ColumnBox : public QComboBox {
  Q_OBJECT

 public:
  explicit ColumnBox(const QString& accessible_name, QWidget* parent = nullptr);

  /**
   * Sets the columns and keeps the choice if a column of that name still exists.
   * @param preferred the column to choose otherwise
   * @return whether the choice was kept
   */
  bool set_columns(const analysis::TrialColumns& columns, std::size_t preferred);
  /** Returns the chosen column as its position in TrialColumns. */
  std::size_t column() const;
  /** Chooses a column. Does nothing if the column is not offered. */
  void set_column(std::size_t column);

 signals:
  /** Emitted when another column is chosen, by the user or because the columns changed. */
  void column_changed();
};

}  // namespace kernelscape::views
