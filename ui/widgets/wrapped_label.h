#pragma once

#include "ui/widgets/themed_label.h"

namespace kernelscape {

/**
 * A text that wraps and is never cut: it needs the height of its lines at the width that it has. Labels of Qt
 * leave that to layouts, and a form's forget it when a text grows or a row comes back.
 */
class WrappedLabel : public ThemedLabel {
  Q_OBJECT

 public:
  WrappedLabel(TextSize size, QColor Colours::* colour, QWidget* parent = nullptr);

  bool hasHeightForWidth() const override { return false; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSize with_all_lines(QSize size) const;

  bool has_width_ = false;  ///< a layout gave it one: before that it is the default of every widget
};

}  // namespace kernelscape
