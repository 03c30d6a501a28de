#pragma once

#include <QStyledItemDelegate>

#include "ui/models/trial_table_model.h"

namespace kernelscape::views {

/**
 * Paints cells of the trial table: the current trial's band, the tint of the selection, error categories with
 * colour, hatch pattern and letter.
 */
class TrialCellDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  TrialCellDelegate(const workspace::Workspace& workspace, const models::TrialTableModel& model,
                    QObject* parent)
      : QStyledItemDelegate(parent), workspace_(workspace), model_(model) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  /** Returns the width that the sign of an error category takes before its name. */
  static int category_width(const QFontMetrics& metrics);

  static constexpr int padding = 8;

 private:
  bool is_selected(std::int64_t row) const;
  void paint_background(QPainter& painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const;
  QColor ink_of(const QModelIndex& index, bool emphasized) const;
  /** Paints the sign of an error category. @return the remaining area for the category's name */
  QRect paint_category(QPainter& painter, QRect area, const QModelIndex& index) const;
  bool shows_category(const QModelIndex& index) const;
  bool is_best(const QModelIndex& index) const;

  const workspace::Workspace& workspace_;
  const models::TrialTableModel& model_;
};

}  // namespace kernelscape::views
