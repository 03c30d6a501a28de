#pragma once

#include <QWidget>

#include "core/trial/measure_options.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace kernelscape {

/** Whether an adaptive evaluator ends the samples of a trial early, and by which numbers. */
class AdaptiveForm : public QWidget {
  Q_OBJECT

 public:
  explicit AdaptiveForm(QWidget* parent = nullptr);

  /** Into the adaptive members of `options`; their defaults where it is switched off. */
  void write(MeasureOptions& options) const;
  /** Fills the fields; switched on where `options.adaptive()`. */
  void read(const MeasureOptions& options);

 signals:
  /** Any of the fields, by the user or by `read`. */
  void changed();
  /** By the user: other samples suit it. */
  void switched(bool on);

 private:
  QCheckBox* on_ = nullptr;
  QWidget* numbers_ = nullptr;
  QSpinBox* batch_ = nullptr;
  QDoubleSpinBox* threshold_ = nullptr;
  QSpinBox* minimum_ = nullptr;
  QComboBox* performance_ = nullptr;
};

}  // namespace kernelscape
