#pragma once

#include <QScrollArea>

namespace kernelscape::widgets {

/**
 * A scroll area that scrolls only vertically: its widget is never narrower than its contents, whatever the
 * size of text.
 */
class FormScrollArea : public QScrollArea {
 public:
  /**
   * Makes an empty area.
   * @param min_width minimum width in pixels, if the contents need less
   */
  explicit FormScrollArea(int min_width, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  int min_width_;
};

}  // namespace kernelscape::widgets
