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

namespace kernelscape::session {
struct TuningRequest;
}  // namespace kernelscape::session

namespace kernelscape::views {

class TargetBox;

/** The form rows that say where kernels run, or which architecture they are built for. */
class TargetFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the rows to a form. @param parent of the fields */
  TargetFields(workspace::Workspace& workspace, QFormLayout& rows, QWidget* parent);

  /** Writes target, architecture, build only, and how a replay counts search time. */
  void write(session::TuningRequest& request) const;
  /** Fills the fields. A device that is not listed is added. */
  void read(const session::TuningRequest& request);

  /** Returns true if the target is a recorded space. */
  bool recorded() const;
  /**
   * Returns true for a CUDA or OpenCL target, with or without a device; false for a recorded space or a
   * fleet's class.
   */
  bool of_gpu() const;
  /** Returns true if kernels are compiled but never run; only possible for a GPU. */
  bool build_only() const;

  /** Shows the description of the chosen target; nullopt: not known (yet). */
  void show_target(const std::optional<schedule::TargetDescription>& target);

 signals:
  /** Emitted when a field was edited, or the search for devices finished. */
  void changed();

 private:
  void make_fields(QWidget* parent);
  void add_rows();
  void show_devices();
  void show_rows();

  workspace::Workspace& workspace_;
  QFormLayout& rows_;
  QWidget* target_row_ = nullptr;
  TargetBox* target_ = nullptr;
  QToolButton* look_ = nullptr;
  QLabel* target_text_ = nullptr;
  QLabel* missing_ = nullptr;  ///< platforms without a device, and why
  QComboBox* architecture_ = nullptr;
  QCheckBox* build_only_ = nullptr;
  QLabel* build_only_text_ = nullptr;
  QComboBox* search_time_ = nullptr;  ///< for recorded spaces
  bool wants_build_only_ = false;     ///< chosen by the user while it is not forced
};

}  // namespace kernelscape::views
