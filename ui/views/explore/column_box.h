#pragma once

#include <QComboBox>

#include "core/analysis/columns.h"

namespace kernelscape {

/** A choice of a column: those of the knobs first, then what was measured. */
class ColumnBox : public QComboBox {
  Q_OBJECT

 public:
  explicit ColumnBox(const QString& accessible_name, QWidget* parent = nullptr);

  /** Keeps the choice where a column of that name is still there. @param preferred chosen otherwise
   * @return whether the choice was kept */
  bool set_columns(const TrialColumns& columns, std::size_t preferred);
  /** Of TrialColumns: the chosen one's place. */
  std::size_t column() const;
  /** Ignored where that column is not offered. */
  void set_column(std::size_t column);

 signals:
  /** Another column was chosen, by the user or because columns came or went. */
  void column_changed();
};

}  // namespace kernelscape
