#pragma once

#include <QScrollArea>

namespace kernelscape {

/** Scrolls its widget downwards alone: it is never narrower than what stands in it, whatever the size of
 * text. */
class FormScrollArea : public QScrollArea {
 public:
  /** @param least_width in pixels, where its widget needs less */
  explicit FormScrollArea(int least_width, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  int least_width_;
};

}  // namespace kernelscape
