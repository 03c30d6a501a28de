#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <string>

#include "core/tuner/advice.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QWidget;

namespace kernelscape::widgets {
class HyperparameterForm;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** The form rows that choose a tuner and its hyperparameters. */
class TunerFields : public QObject {
  Q_OBJECT

 public:
  /** Adds the tuner's rows to a form. @param parent of the fields */
  TunerFields(QFormLayout& rows, QWidget* parent);

  /** Adds the folded section with the hyperparameters below the current rows. To be called once. */
  void add_settings(QFormLayout& rows);

  /** Returns the tuner's name. */
  std::string tuner() const;
  /** Returns the settings that differ from the tuner's defaults, as text. */
  std::map<std::string, std::string> settings() const;
  /** Fills the fields. Settings that the tuner does not have are ignored. */
  void read(const std::string& tuner, const std::map<std::string, std::string>& settings);
  /** Shows which tuner is recommended and why, with a button for the page of the manual. */
  void show_advice(const tuner::TunerAdvice& advice);
  /** Hides the recommendation because the space is not known. */
  void hide_advice();
  /** Returns the first invalid hyperparameter and why it is invalid; empty: all are valid. */
  QString problem() const;

 signals:
  /** Emitted when another tuner was chosen. */
  void tuner_changed();
  /** Emitted when the set of hyperparameters changed, or one was edited. */
  void settings_changed();
  /** Emitted to show a page of the manual: "data/studies/README.md#which-tuner". */
  void manual_requested(const QString& page);

 private:
  void show_tuner(int index);

  QWidget* parent_;
  QComboBox* tuner_ = nullptr;
  QLabel* text_ = nullptr;
  QLabel* advice_ = nullptr;
  QPushButton* evidence_ = nullptr;  ///< opens the page with the study behind the advice
  QString evidence_page_;
  widgets::HyperparameterForm* settings_ = nullptr;
};

}  // namespace kernelscape::views
