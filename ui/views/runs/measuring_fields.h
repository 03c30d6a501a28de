#pragma once

#include <QObject>
#include <QString>

#include "core/trial/measure_options.h"

class QCheckBox;
class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;
class QWidget;

namespace kernelscape {

class AdaptiveForm;

/** What the rest of a set-up has chosen that decides which settings of measuring apply. */
struct MeasuredTarget {
  bool recorded = false;         ///< a recorded space, which was measured before
  bool of_gpu = false;           ///< CUDA or OpenCL
  bool of_project = false;       ///< a user's own kernel: no template
  bool respects_limits = false;  ///< nothing over the limits is proposed
  QString not_run{};             ///< why no kernel is run; empty: they are
};

/** The rows of a form that say how trials are built and timed. */
class MeasuringFields : public QObject {
  Q_OBJECT

 public:
  /** Adds its rows to a form. @param parent of the fields */
  MeasuringFields(QFormLayout& rows, QWidget* parent);

  /** Only what applies to this target can be edited, and is written from now on. */
  void set_target(const MeasuredTarget& target);
  /** What applies; all else stays as it is. */
  void write(MeasureOptions& options) const;
  /** Fills the fields. */
  void read(const MeasureOptions& options);

 signals:
  /** A field was edited that can keep a session from starting. */
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
  QCheckBox* flush_caches_ = nullptr;
  AdaptiveForm* adaptive_ = nullptr;
};

}  // namespace kernelscape
