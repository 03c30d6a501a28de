#pragma once

#include <QHeaderView>

class QTableView;

namespace kernelscape::widgets {

/**
 * A header with column titles over a hairline, with the padding of the cells, and a small arrow for the sort
 * order.
 */
class FlatHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit FlatHeader(QWidget* parent = nullptr);

  /** Distance between a cell's edge and its text, in pixels. */
  static constexpr int padding = 8;

 protected:
  void paintSection(QPainter* painter, const QRect& area, int section) const override;
  QSize sectionSizeFromContents(int section) const override;

 private:
  /** Returns nothing if the model is gone, as it can be before its table: Qt still asks for sizes then. */
  QVariant data_of(int section, Qt::ItemDataRole role) const;
};

/** Gives a small table a FlatHeader, padded cells without a grid, and no row titles. */
void make_flat(QTableView& table);

}  // namespace kernelscape::widgets
