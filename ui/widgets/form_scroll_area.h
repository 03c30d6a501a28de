#pragma once

#include <QScrollArea>

namespace kernelscape {

/**
 * A scroll area that scrolls only vertically: its widget is never narrower than its contents, whatever the
 * size of text.
 */
class FormScrollArea : public QScrollArea {
 public:
  /**
   * Makes an empty area.
   * @param least_width minimum width in pixels, if the contents need less
   */
  explicit FormScrollArea(int least_width, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  int least_width_;
};

}  // namespace kernelscape
