#pragma once

#include <QLayout>
#include <QList>
#include <vector>

namespace kernelscape::widgets {

/**
 * A layout that arranges items in lines, like words of a text, vertically centred; the last item takes the
 * rest of its line. Hidden items take no room.
 */
class FlowLayout : public QLayout {
 public:
  explicit FlowLayout(int spacing);
  ~FlowLayout() override;

  /** Inserts a widget before the item at a position; addWidget() appends a widget. */
  void insert_widget(int position, QWidget* widget);

  void addItem(QLayoutItem* item) override;
  int count() const override;
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  void setGeometry(const QRect& rectangle) override;

 private:
  struct PlacedItem {
    QLayoutItem* item = nullptr;
    int x = 0;
    int width = 0;
  };

  static void place_line(const std::vector<PlacedItem>& line, int y, int height);
  /** Computes the arrangement and, if `place` is set, applies it. @return the height that the items need */
  int arrange(const QRect& rectangle, bool place) const;

  QList<QLayoutItem*> items_;
};

}  // namespace kernelscape::widgets
