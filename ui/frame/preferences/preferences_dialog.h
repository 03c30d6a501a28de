#pragma once

#include <QDialog>

#include "ui/frame/preferences/preferences.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace kernelscape::frame {

/** Dialog for the preferences. Every change is applied immediately. Not modal. */
class PreferencesDialog : public QDialog {
  Q_OBJECT

 public:
  explicit PreferencesDialog(PreferencesFile& preferences, QWidget* parent = nullptr);

 protected:
  /** Fits the dialog to its content when it is shown, and after the text size has changed. */
  bool event(QEvent* event) override;

 private:
  void fit_to_content();
  void add_appearance(QFormLayout& form);
  void add_runs(QFormLayout& form);
  void add_note(QFormLayout& form, const QString& text);
  void show_values();
  template <typename Change>
  void change(Change change);

  PreferencesFile& preferences_;
  QComboBox* theme_;
  QSpinBox* text_scale_;
  QCheckBox* notifications_;
  QLineEdit* compiler_;
  QSpinBox* threads_;
  QLineEdit* database_;
};

}  // namespace kernelscape::frame
