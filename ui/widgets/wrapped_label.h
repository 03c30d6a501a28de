#pragma once

#include "ui/widgets/themed_label.h"

namespace kernelscape::widgets {

/**
 * A text that wraps and is never cut: its height fits its lines at the current width. Labels of Qt leave that
 * to layouts, and the layout of a form does not update the height when a text grows or a row is shown again.
 */
class WrappedLabel : public ThemedLabel {
  Q_OBJECT

 public:
  WrappedLabel(style::TextSize size, QColor style::Colours::* colour, QWidget* parent = nullptr);

  bool hasHeightForWidth() const override { return false; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSize with_all_lines(QSize size) const;

  /** A layout has set the width; before that it is the default width of every widget. */
  bool has_width_ = false;
};

}  // namespace kernelscape::widgets
