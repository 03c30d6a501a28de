#pragma once

#include <QScrollArea>

namespace kernelscape::widgets {

/**
 * A scroll area that gives its widget all of its room, and at least what the widget's layout needs. If that
 * is more, it scrolls, so that nothing is cut or covered. Unlike a QScrollArea that resizes its widget, it
 * uses the layout's minimum size at the current width, not its size hint.
 */
class ScrolledContent : public QScrollArea {
  Q_OBJECT

 public:
  /** Takes ownership of the widget. */
  explicit ScrolledContent(QWidget* content, QWidget* parent = nullptr);

  /** Returns the hint of the widget: the area scrolls only if the other widgets leave too little room. */
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSize needed_at(int width) const;
  void fit();
};

}  // namespace kernelscape::widgets
