#pragma once

#include <QWidget>

class QToolButton;

namespace kernelscape::views {

/**
 * Shows one filter: its text and a button that removes it. The Delete key removes it too; a double click
 * edits it.
 */
class FilterChip : public QWidget {
  Q_OBJECT

 public:
  explicit FilterChip(const QString& filter, QWidget* parent = nullptr);

  /** Returns the height of chips and of the widgets beside them. */
  static int height_for(const QFontMetrics& metrics);

  /**
   * Returns the text as the chip shows it: long numbers are shortened to four digits, which the filter itself
   * keeps in full.
   */
  static QString shown_text(const QString& filter);

  QToolButton& close_button() { return *close_; }  ///< removes the filter
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  /** Emitted when the button was clicked, or Delete or Backspace pressed. */
  void removed();
  /** Emitted by a double click, Enter or Space: the filter's text is to be edited. */
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

}  // namespace kernelscape::views
