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

namespace kernelscape {

struct TuningRequest;

/** The rows of a form that say when a session ends, its seed and name, and which trials it begins with. */
class BudgetFields : public QObject {
  Q_OBJECT

 public:
  /** Adds its rows to a form. @param parent of the fields */
  BudgetFields(Workspace& workspace, QFormLayout& rows, QWidget* parent);

  /** Budget, seed, name and warm start; only that of the budget which applies. */
  void write(TuningRequest& request) const;
  /** Fills the fields. */
  void read(const TuningRequest& request);
  /** Why the seed is none; empty: it is one, or is to be drawn. */
  QString problem() const;
  /** @param not_run why no kernel is run, so that no speed ends the session; empty: they are run */
  void allow_speed_limits(const QString& not_run);

 signals:
  /** Of the trials, the minutes or what ends a failing session: another budget. */
  void budget_changed();
  /** The seed was edited: what problem() says may differ. */
  void seed_changed();

 private:
  void add_more(QFormLayout& rows, QWidget* parent);
  void fill_warm_starts();

  Workspace& workspace_;
  bool run_ = true;
  QSpinBox* trials_ = nullptr;
  QDoubleSpinBox* minutes_ = nullptr;
  QDoubleSpinBox* target_gflops_ = nullptr;
  QSpinBox* patience_ = nullptr;
  QCheckBox* keep_going_ = nullptr;
  QLineEdit* seed_ = nullptr;
  QLineEdit* name_ = nullptr;
  QComboBox* warm_start_ = nullptr;
};

}  // namespace kernelscape
