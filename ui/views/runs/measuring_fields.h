#pragma once

#include <QObject>
#include <QString>

#include "core/trial/measure_options.h"

class QCheckBox;
class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;
class QWidget;

namespace kernelscape::views {

class AdaptiveForm;

/** The choices in the rest of a set-up that decide which measuring settings apply. */
struct MeasuredTarget {
  bool recorded = false;         ///< a recorded space, which has been measured already
  bool of_gpu = false;           ///< CUDA or OpenCL
  bool of_project = false;       ///< a user's own kernel, which has no template
  bool respects_limits = false;  ///< configurations over the device limits are not proposed
  QString not_run{};             ///< why no kernel is run; empty: kernels are run
};

/** The form rows that say how trials are built and timed. */
class MeasuringFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the rows to a form. @param parent of the fields */
  MeasuringFields(QFormLayout& rows, QWidget* parent);

  /** Sets the target. From then on only the settings that apply to it can be edited and are written. */
  void set_target(const MeasuredTarget& target);
  /** Writes the settings that apply; all others stay unchanged. */
  void write(trial::MeasureOptions& options) const;
  /** Fills the fields. */
  void read(const trial::MeasureOptions& options);

 signals:
  /** Emitted when a field was edited that can prevent a session from starting. */
  void changed();

 private:
  void make_fields(QWidget* parent);
  void add_rows(QFormLayout& rows);
  void allow_what_applies();
  void choose_samples(bool adaptive);

  MeasuredTarget target_;
  QSpinBox* threads_ = nullptr;
  QSpinBox* repeats_ = nullptr;
  QDoubleSpinBox* repeat_milliseconds_ = nullptr;
  QSpinBox* calls_ = nullptr;
  QCheckBox* beyond_limits_ = nullptr;
  QDoubleSpinBox* give_up_ = nullptr;
  QCheckBox* replay_samples_ = nullptr;
  QDoubleSpinBox* build_timeout_ = nullptr;
  QDoubleSpinBox* run_timeout_ = nullptr;
  QDoubleSpinBox* slow_phase_patience_ = nullptr;
  QCheckBox* flush_caches_ = nullptr;
  AdaptiveForm* adaptive_ = nullptr;
};

}  // namespace kernelscape::views
