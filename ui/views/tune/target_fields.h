#pragma once

#include <QObject>
#include <optional>

#include "core/schedule/target.h"
#include "ui/workspace/workspace.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QToolButton;

namespace kernelscape {

class TargetBox;
struct TuningRequest;

/** The rows of a form that say where kernels run, or what they are built for. */
class TargetFields : public QObject {
  Q_OBJECT

 public:
  /** Adds its rows to a form. @param parent of the fields */
  TargetFields(Workspace& workspace, QFormLayout& rows, QWidget* parent);

  /** Target, architecture, build only, and how a replay counts search time. */
  void write(TuningRequest& request) const;
  /** Fills the fields; a device that is not listed is added. */
  void read(const TuningRequest& request);

  /** A recorded space stands in for a device. */
  bool recorded() const;
  /** A CUDA or OpenCL target, with or without a device; no recorded space, nor a fleet's class. */
  bool of_gpu() const;
  /** Kernels are compiled but never run; only of a GPU. */
  bool build_only() const;

  /** What the chosen target was found to be; none: not known (yet). */
  void show_target(const std::optional<TargetDescription>& target);

 signals:
  /** Any of the fields was edited, or devices were looked for and the list is complete. */
  void changed();

 private:
  void make_fields(QWidget* parent);
  void add_rows();
  void show_devices();
  void show_rows();

  Workspace& workspace_;
  QFormLayout& rows_;
  QWidget* target_row_ = nullptr;
  TargetBox* target_ = nullptr;
  QToolButton* look_ = nullptr;
  QLabel* target_text_ = nullptr;
  QLabel* missing_ = nullptr;  ///< platforms without a device, and why
  QComboBox* architecture_ = nullptr;
  QCheckBox* build_only_ = nullptr;
  QLabel* build_only_text_ = nullptr;
  QComboBox* search_time_ = nullptr;  ///< of recorded spaces
  bool wants_build_only_ = false;     ///< by the user, where it is not forced
};

}  // namespace kernelscape
