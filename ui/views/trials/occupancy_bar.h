#pragma once

#include <QWidget>

#include "core/trial/measurement.h"

namespace kernelscape {

/** How many threads are resident at once, of those that could be, as a bar with what limits it in words. */
class OccupancyBar : public QWidget {
  Q_OBJECT

 public:
  explicit OccupancyBar(QWidget* parent = nullptr);

  /** An occupancy of 0 stands for "not known"; above 1 counts as 1. */
  void set_resources(const KernelResources& resources);
  /** "62 %, limited by registers"; "not known". */
  QString text() const { return text_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double occupancy_ = 0;
  QString text_;
};

/** "limited by registers"; empty where it is not known. */
QString occupancy_limit_text(OccupancyLimit limit);

}  // namespace kernelscape
