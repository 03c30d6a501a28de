#pragma once

#include <QScrollArea>

namespace kernelscape {

/**
 * Gives its widget all of its room, and at least what the widget's layout needs: where that is more, it
 * scrolls, so that nothing of it is cut or covered. Unlike a QScrollArea that resizes its widget it counts
 * what a layout needs at a width, not what it would like.
 */
class ScrolledContent : public QScrollArea {
  Q_OBJECT

 public:
  /** Takes the widget over. */
  explicit ScrolledContent(QWidget* content, QWidget* parent = nullptr);

  /** Those of its widget: it scrolls only where others don't make room. */
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSize needed_at(int width) const;
  void fit();
};

}  // namespace kernelscape
