#pragma once

#include <QWidget>
#include <vector>

#include "ui/views/trials/why_text.h"

namespace kernelscape::views {

/**
 * Shows the cycles that each resource needs for one iteration, one bar per resource. The resource that bounds
 * the loop is bold and in the accent colour. Bars start at zero.
 */
class BoundBars : public QWidget {
  Q_OBJECT

 public:
  explicit BoundBars(QWidget* parent = nullptr);

  /** Replaces the bars, in this order. */
  void set_bars(std::vector<ResourceCycles> bars);
  const std::vector<ResourceCycles>& bars() const { return bars_; }  ///< the bars as shown, from the top
  /** Returns the area of a bar, including its name and number. */
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

}  // namespace kernelscape::views
