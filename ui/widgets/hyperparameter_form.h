#pragma once

#include <QWidget>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/tuner/tuner.h"

class QLabel;
class QVBoxLayout;

namespace kernelscape {

/** Settings of a tuner or of training, made from their declarations: one field each, with its default, range,
 * unit and source. */
class HyperparameterForm : public QWidget {
  Q_OBJECT

 public:
  explicit HyperparameterForm(QWidget* parent = nullptr);

  /** The fields of another tuner, with its defaults. */
  void set_tuner(const TunerDeclaration& tuner);
  /** Other fields, with their defaults. @param owner as errors call it: "tuner gp" */
  void set_declarations(const std::string& owner, std::span<const HyperparameterDeclaration> declarations);
  /** Other defaults of the same settings: fields that stood at theirs take them. Names that there is no field
   * for are ignored. */
  void set_defaults(const SettingValues& defaults);

  /** What differs from the defaults, as text. */
  std::map<std::string, std::string> settings() const;
  /** Settings that are missing take their defaults; names that there is no field for are ignored. */
  void set_settings(const std::map<std::string, std::string>& settings);

  /** The first field that is wrong, and why; empty: all are right. */
  QString problem() const;

 signals:
  /** Other fields, or one was edited. */
  void changed();

 private:
  struct Field {
    HyperparameterDeclaration declaration;
    QWidget* editor = nullptr;
    QLabel* error = nullptr;
  };

  void add_row(const HyperparameterDeclaration& declaration, QVBoxLayout& column);
  QWidget* make_editor(const HyperparameterDeclaration& declaration);
  static std::string text_of(const Field& field);
  static void set_text(Field& field, const std::string& text);
  QString error_of(const Field& field) const;
  void judge();

  std::string owner_;  ///< of the settings; empty: there are none yet
  QWidget* rows_ = nullptr;
  std::vector<Field> fields_;
};

}  // namespace kernelscape
