#pragma once

#include <QWidget>

#include "core/trial/measurement.h"

namespace kernelscape::views {

/**
 * Shows the theoretical occupancy as a bar: how many threads are resident at once, of those that could be. A
 * text names the limiting resource.
 */
class OccupancyBar : public QWidget {
  Q_OBJECT

 public:
  explicit OccupancyBar(QWidget* parent = nullptr);

  /** Sets the resources. An occupancy of 0 means "not known"; above 1 counts as 1. */
  void set_resources(const trial::KernelResources& resources);
  /** Returns "62 %, limited by registers" or "not known". */
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

/** Returns "limited by registers" or the like; empty if the limit is not known. */
QString occupancy_limit_text(trial::OccupancyLimit limit);

}  // namespace kernelscape::views
