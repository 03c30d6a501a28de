#pragma once

#include <QObject>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QWidget;

namespace kernelscape::views {

struct NetworkSetup;

/** The form rows that say how the layers of a network share a budget, and the study's seed and name. */
class NetworkBudgetFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the rows to a form. @param parent of the fields */
  NetworkBudgetFields(QFormLayout& rows, QWidget* parent);

  /** Writes scheduler, budget, seed and name. */
  void write(NetworkSetup& setup) const;
  /** Returns why the study can't start with these fields; empty: it can. */
  QString problem() const;
  /** Shows a warning below the budget. @param text empty: none */
  void show_warning(const QString& text);

 signals:
  /** Emitted when a field was edited. */
  void changed();

 private:
  void add_scheduler(QFormLayout& rows, QWidget* parent);
  void add_budget(QFormLayout& rows, QWidget* parent);
  void add_more(QFormLayout& rows, QWidget* parent);

  QComboBox* scheduler_ = nullptr;
  QSpinBox* trials_ = nullptr;
  QDoubleSpinBox* minutes_ = nullptr;
  QLabel* warning_ = nullptr;
  QSpinBox* patience_ = nullptr;
  QLineEdit* seed_ = nullptr;
  QLineEdit* name_ = nullptr;
};

}  // namespace kernelscape::views
