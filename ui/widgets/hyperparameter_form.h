#pragma once

#include <QWidget>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/tuner/tuner.h"

class QLabel;
class QVBoxLayout;

namespace kernelscape::widgets {

/**
 * A form for the settings of a tuner or of training, made from their declarations: one field for each, with
 * its default, range, unit and source.
 */
class HyperparameterForm : public QWidget {
  Q_OBJECT

 public:
  explicit HyperparameterForm(QWidget* parent = nullptr);

  /** Shows the fields of a tuner, with its defaults. */
  void set_tuner(const tuner::Declaration& tuner);
  /**
   * Shows fields for declarations, with their defaults. @param owner the owner's name in errors: "tuner gp"
   */
  void set_declarations(const std::string& owner,
                        std::span<const tuner::HyperparameterDeclaration> declarations);
  /**
   * Replaces the defaults of the fields; fields that had their default take the new one. Names without a
   * field are ignored.
   */
  void set_defaults(const tuner::SettingValues& defaults);

  /** Returns the values that differ from the defaults, as text. */
  std::map<std::string, std::string> settings() const;
  /** Sets the values. Missing settings take their defaults; names without a field are ignored. */
  void set_settings(const std::map<std::string, std::string>& settings);

  /** Returns the first invalid field and why it is invalid; empty: all fields are valid. */
  QString problem() const;

 signals:
  /** Emitted when the fields are replaced or a field is edited. */
  void changed();

 private:
  struct Field {
    tuner::HyperparameterDeclaration declaration;
    QWidget* editor = nullptr;
    QLabel* error = nullptr;
  };

  void add_row(const tuner::HyperparameterDeclaration& declaration, QVBoxLayout& column);
  QWidget* make_editor(const tuner::HyperparameterDeclaration& declaration);
  static std::string text_of(const Field& field);
  static void set_text(Field& field, const std::string& text);
  QString error_of(const Field& field) const;
  void judge();

  std::string owner_;  ///< owner of the settings; empty: none yet
  QWidget* rows_ = nullptr;
  std::vector<Field> fields_;
};

}  // namespace kernelscape::widgets
