#pragma once

#include <QHeaderView>

class QTableView;

namespace kernelscape {

/** Column titles over a hairline, as far from the edges as the cells' texts; the order as a small arrow. */
class FlatHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit FlatHeader(QWidget* parent = nullptr);

  /** Between a cell's edge and its text. */
  static constexpr int padding = 8;

 protected:
  void paintSection(QPainter* painter, const QRect& area, int section) const override;
  QSize sectionSizeFromContents(int section) const override;
};

/** A FlatHeader, padded cells without a grid, no row titles: for small tables. */
void make_flat(QTableView& table);

}  // namespace kernelscape
