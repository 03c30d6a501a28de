#pragma once

#include <QWidget>

class QToolButton;

namespace kernelscape {

/** One filter: its text and a button that takes it away. Delete does the same, a double click edits it. */
class FilterChip : public QWidget {
  Q_OBJECT

 public:
  explicit FilterChip(const QString& filter, QWidget* parent = nullptr);

  /** Of chips and of what stands beside them. */
  static int height_for(const QFontMetrics& metrics);

  /** As the chip shows it: long numbers with four digits, which the filter itself keeps. */
  static QString shown_text(const QString& filter);

  QToolButton& close_button() { return *close_; }  ///< takes the filter away
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  /** The button was clicked, or Delete or Backspace pressed. */
  void removed();
  /** By a double click, Enter or Space: the filter's text is to be edited. */
  void edit_requested();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  QString filter_;
  QToolButton* close_ = nullptr;
};

}  // namespace kernelscape
