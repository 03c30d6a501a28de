#pragma once

#include <QWidget>
#include <vector>

#include "ui/views/trials/why_text.h"

namespace kernelscape {

/** The cycles that each resource needs for an iteration, a bar each; what bounds the loop is in the accent's
 * colour and bold. Bars start at zero. */
class BoundBars : public QWidget {
  Q_OBJECT

 public:
  explicit BoundBars(QWidget* parent = nullptr);

  /** Replaces the bars, in this order. */
  void set_bars(std::vector<ResourceCycles> bars);
  const std::vector<ResourceCycles>& bars() const { return bars_; }  ///< as they are shown, from the top
  /** Where a bar stands, its name and number included. */
  QRect place_of(std::size_t bar) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int row_height() const;
  int name_width() const;
  void paint_bar(QPainter& painter, std::size_t bar) const;

  std::vector<ResourceCycles> bars_;
};

}  // namespace kernelscape
