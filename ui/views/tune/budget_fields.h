#pragma once

#include <QObject>

#include "ui/workspace/workspace.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;
class QWidget;

namespace kernelscape::session {
struct TuningRequest;
}  // namespace kernelscape::session

namespace kernelscape::views {

/** The form rows that say when a session ends, its seed and name, and which trials it starts with. */
class BudgetFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the rows to a form. @param parent of the fields */
  BudgetFields(workspace::Workspace& workspace, QFormLayout& rows, QWidget* parent);

  /** Writes budget, seed, name, warm start and sources; of the budget only the parts that apply. */
  void write(session::TuningRequest& request) const;
  /** Fills the fields. */
  void read(const session::TuningRequest& request);
  /** Returns why the seed is invalid; empty: it is valid, or empty and will be drawn. */
  QString problem() const;
  /**
   * Sets whether a speed can end the session.
   * @param not_run why no kernel is run, so that no speed ends the session; empty: kernels are run
   */
  void allow_speed_limits(const QString& not_run);

 signals:
  /** Emitted when the trials, the minutes or the rule for failing sessions changed. */
  void budget_changed();
  /** Emitted when the seed was edited, so that problem() may differ. */
  void seed_changed();

 private:
  void add_more(QFormLayout& rows, QWidget* parent);
  void fill_warm_starts();

  workspace::Workspace& workspace_;
  bool run_ = true;
  QSpinBox* trials_ = nullptr;
  QDoubleSpinBox* minutes_ = nullptr;
  QDoubleSpinBox* target_gflops_ = nullptr;
  QSpinBox* patience_ = nullptr;
  QCheckBox* keep_going_ = nullptr;
  QLineEdit* seed_ = nullptr;
  QLineEdit* name_ = nullptr;
  QComboBox* warm_start_ = nullptr;
  QLineEdit* learn_from_ = nullptr;
};

}  // namespace kernelscape::views
