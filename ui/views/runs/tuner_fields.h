#pragma once

#include <QObject>
#include <map>
#include <string>

class QComboBox;
class QFormLayout;
class QLabel;
class QWidget;

namespace kernelscape {

class HyperparameterForm;

/** The rows of a form that choose a tuner and its hyperparameters. */
class TunerFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the tuner's rows to a form. @param parent of the fields */
  TunerFields(QFormLayout& rows, QWidget* parent);

  /** Adds the folded section with its hyperparameters, once, below what stands there by now. */
  void add_settings(QFormLayout& rows);

  /** By its name. */
  std::string tuner() const;
  /** What differs from the tuner's defaults, as text. */
  std::map<std::string, std::string> settings() const;
  /** Fills the fields; settings that the tuner has not are ignored. */
  void read(const std::string& tuner, const std::map<std::string, std::string>& settings);
  /** The first hyperparameter that is wrong, and why; empty: all are right. */
  QString problem() const;

 signals:
  /** Another tuner was chosen. */
  void tuner_changed();
  /** Other hyperparameters, or one was edited. */
  void settings_changed();

 private:
  void show_tuner(int index);

  QWidget* parent_;
  QComboBox* tuner_ = nullptr;
  QLabel* text_ = nullptr;
  HyperparameterForm* settings_ = nullptr;
};

}  // namespace kernelscape
