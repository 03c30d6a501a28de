#pragma once

#include <QWidget>

#include "core/trial/measure_options.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace kernelscape::views {

/** Configures whether an adaptive evaluator ends the samples of a trial early, and its parameters. */
class AdaptiveForm : public QWidget {
  Q_OBJECT

 public:
  explicit AdaptiveForm(QWidget* parent = nullptr);

  /** Writes the adaptive members of `options`, or their defaults if the evaluator is switched off. */
  void write(trial::MeasureOptions& options) const;
  /** Fills the fields. The evaluator is switched on if `options.adaptive()`. */
  void read(const trial::MeasureOptions& options);

 signals:
  /** Emitted when a field changed, by the user or by `read`. */
  void changed();
  /** Emitted when the user switched the evaluator on or off; other sample settings then fit better. */
  void switched(bool on);

 private:
  QCheckBox* on_ = nullptr;
  QWidget* numbers_ = nullptr;
  QSpinBox* batch_ = nullptr;
  QDoubleSpinBox* threshold_ = nullptr;
  QSpinBox* minimum_ = nullptr;
  QComboBox* performance_ = nullptr;
};

}  // namespace kernelscape::views
