#pragma once

#include <QWidget>

#include "ui/figures/topology_outcome.h"

class QDoubleSpinBox;
class QSlider;

namespace kernelscape::views {

/** The rate q of OpEvo's random walk, shared by all pages that show the walk. */
class WalkRate : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  double q() const { return q_; }  ///< within [0, 0.99]: the probability that the walk continues at each step
  /** Sets the rate, rounded to hundredths and clamped to [0, 0.99]. */
  void set_q(double q);

 signals:
  /** Emitted when the rate changed after rounding. */
  void changed();

 private:
  double q_ = figures::default_walk_rate;
};

/** A slider and a number field for the rate. */
class WalkRateControl : public QWidget {
  Q_OBJECT

 public:
  explicit WalkRateControl(WalkRate& rate, QWidget* parent = nullptr);

 private:
  void show_rate();

  WalkRate& rate_;
  QSlider* slider_ = nullptr;
  QDoubleSpinBox* number_ = nullptr;
};

}  // namespace kernelscape::views
